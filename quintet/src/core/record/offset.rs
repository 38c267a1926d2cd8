//! Offsets of fields, for the assembly and the lab.

use ::core::mem::offset_of;

pub use super::place::OF_MUTEX;
use super::scheduler::Scheduler;
use super::scheduler::{HOOKS_SLOT, OptionalHooks};
#[cfg(feature = "statistics")]
pub use super::statistics::offset::*;
use super::thread::{self, ThreadBlock, ThreadInfo};
use super::waiter::Waiter;

/// In a control block.
pub const BIT: usize = offset_of!(ThreadBlock, bit);
/// In a control block.
pub const LIMIT: usize = offset_of!(ThreadBlock, limit);
/// In a control block. The word is 0 if the thread is alive, is not promoted, and has no mark in
/// `besides`.
pub const BESIDES: usize = offset_of!(ThreadBlock, promoted);
/// In a control block.
pub const NEXT: usize = offset_of!(ThreadBlock, next);
/// In a control block.
pub const STATE: usize = offset_of!(ThreadBlock, state);
/// In a control block. The byte behind this one says whether the thread was notified.
pub const CEILING: usize = offset_of!(ThreadBlock, ceiling);
/// In a control block: a byte of marks. For the lab, and for processes.
pub const MARKS: usize = thread::BESIDES;
/// The mark of a thread that would be ready if it were not suspended.
pub const HELD_READY: u8 = super::marks::HELD_READY;
/// In a control block. For the lab.
pub const BASE: usize = offset_of!(ThreadBlock, base);
/// In a control block.
pub const HELD: usize = offset_of!(ThreadBlock, held);
/// In a waiter.
pub const TARGET: usize = Waiter::<()>::TARGET;
/// In a control block.
pub const PRIORITY: usize = offset_of!(ThreadBlock, priority);
/// In a control block.
pub const ABOUT: usize = offset_of!(ThreadBlock, about);
/// In the constant part of a thread's description.
pub const STACK: usize = offset_of!(ThreadInfo, stack);
/// In a control block.
pub const PREVIOUS: usize = offset_of!(ThreadBlock, previous);
/// In a control block.
pub const WAITER: usize = thread::OWN_WAITER;
/// In a control block, before the waiter.
pub const PLACE: usize = offset_of!(ThreadBlock, place);
/// In a control block. For the lab.
pub const JOINER: usize = offset_of!(ThreadBlock, joiner);
/// Behind a control block: more fields, if the thread is a process.
pub const SAVED: usize = size_of::<ThreadBlock>();
/// In the scheduler.
pub const READY: usize = offset_of!(Scheduler, ready);
/// In the scheduler: `deferred`, `running` and `ready` lie before it.
pub const QUEUE: usize = offset_of!(Scheduler, queue);
/// Behind the queues.
pub const SLICED: usize = offset_of!(Scheduler, sliced) - QUEUE;
/// In the queues. The slot points to a word with the address of a function.
pub const HOOKS: usize = HOOKS_SLOT * size_of::<*const ()>();
/// In the table that [`HOOKS`] points to: the function that ends a section which put a thread
/// behind others that take turns.
#[cfg(target_os = "none")]
pub const NOTE_SECOND: usize = offset_of!(OptionalHooks, note_second_and_release);

const _: () = assert!(offset_of!(ThreadBlock, stack_pointer) == 0);
const _: () = assert!(LIMIT == BIT + 4 || cfg!(not(target_os = "none")));
const _: () = assert!(NEXT == BESIDES + 4 || cfg!(not(target_os = "none")));
const _: () = assert!(PREVIOUS == NEXT + 4 || cfg!(not(target_os = "none")));
const _: () = assert!(WAITER == PLACE + 4 || cfg!(not(target_os = "none")));
const _: () = assert!(offset_of!(Scheduler, deferred) == 0);
const _: () = assert!(offset_of!(Scheduler, running) == 4 || cfg!(not(target_os = "none")));
const _: () = assert!(offset_of!(OptionalHooks, wake_all) == 0);
const _: () = assert!(QUEUE == 12 || cfg!(not(target_os = "none")));
