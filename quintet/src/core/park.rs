//! Waits of threads for no object: a thread waits for a notification, or for a wake by one of its
//! wakers.
//!
//! ```text
//!   thread:  await_wake ──> waits            from above:  wake ──> into a list, pend the switch
//!              ^                                                           │
//!              ├──── ready <── the switch, under the kernel's lock <───────┘
//!              └──── ready <── wake, under the kernel's lock, by all others
//!
//!   thread:  park ──> waits ──> ready <── unpark, under the kernel's lock
//! ```
//!
//! A thread that waits for one object needs neither. Wakes are for code that uses a [`Waker`]:
//! futures, timers, and waits for several things at a time. You can wake a thread from every
//! context. If the kernel knows of the context, the thread becomes ready at once. An interrupt
//! above the kernel's ceiling puts the thread into a list by atomic steps, and the switch looks at
//! the list later. Notifications are for the user, and come from contexts that the kernel knows of.
//!
//! If a wake or a notification comes before the thread waits, the thread keeps a note of it. Wakes
//! and notifications have separate notes. A wake only says that something may have happened, so a
//! thread looks before it awaits a wake, and looks again after each wake.

#![expect(unsafe_code, reason = "function tables of wakers are unsafe to build")]

use ::core::fmt;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use crate::arch::mask;
use crate::arch::switch;
use crate::core::lock::{self, KernelLock, Saved, Section, kernel};
use crate::core::record::ThreadBlock;
use crate::core::scheduler::{Blocking, Held, SCHEDULER, Scheduler};

#[cfg(feature = "time")]
pub use polling::Polling;

#[cfg(feature = "time")]
mod polling;
#[cfg(plain_switch)]
mod selected;
#[cfg(test)]
mod tests;

/// The functions of threads' wakers. Their word is the address of the control block.
static WAKERS: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, forget);

unsafe fn clone(control: *const ()) -> RawWaker {
    RawWaker::new(control, &WAKERS)
}

unsafe fn wake(control: *const ()) {
    // SAFETY: control blocks live for ever.
    wake_from_anywhere(unsafe { &*control.cast() });
}

/// Wakers own nothing.
const fn forget(_control: *const ()) {}

/// Returns the waker of a thread, which ends the thread's present or next [`await_wake`].
#[must_use]
pub fn waker(control: &'static ThreadBlock) -> Waker {
    // SAFETY: `wake` is sound from every context, and nothing is owned.
    unsafe { Waker::new(::core::ptr::from_ref(control).cast(), &WAKERS) }
}

/// Returns another waker of a thread, with the same effect, for contexts that the kernel knows of.
/// With this separate waker, the code for wakes from any context is linked only if the application
/// uses [`waker`]. The word of the waker is the address of the control block, so the waker names
/// the thread.
#[must_use]
pub fn named(control: &'static ThreadBlock) -> Waker {
    // SAFETY: each holder wakes only from contexts that the kernel knows of, and nothing is owned.
    unsafe { Waker::new(::core::ptr::from_ref(control).cast(), &NAMES) }
}

/// The functions of [names](named).
static NAMES: RawWakerVTable = RawWakerVTable::new(name, wake_named, wake_named, forget);

unsafe fn name(control: *const ()) -> RawWaker {
    RawWaker::new(control, &NAMES)
}

unsafe fn wake_named(control: *const ()) {
    // SAFETY: control blocks live for ever.
    wake_here(unsafe { &*control.cast() });
}

/// Returns the thread that a waker wakes, if the waker is from [`waker`].
#[must_use]
pub fn thread_of(waker: &Waker) -> Option<&'static ThreadBlock> {
    if !::core::ptr::eq(waker.vtable(), &raw const WAKERS) {
        return None;
    }
    // SAFETY: from `waker`; control blocks live for ever.
    Some(unsafe { &*waker.data().cast() })
}

/// Waits until the running thread is [unparked](unpark). Returns at once if the thread was unparked
/// since the last call.
///
/// # Panics
/// As [`check_may_block`], if the thread waits. If interrupts are held off, also if the thread
/// doesn't wait: the assembly checks this first.
#[inline(always)]
pub fn park() {
    // SAFETY: the lock is held, and handed over.
    unsafe { switch::park(Section::begin().into_saved()) };
}

/// Waits until the running thread is woken. Returns at once if a wake was noted. This is a separate
/// function.
///
/// # Panics
/// As [`check_may_block`], if the thread waits.
#[inline(never)]
pub fn await_wake() {
    await_wake_or(|| ());
}

/// Waits until the running thread is woken. If a wake was noted, calls `otherwise` instead.
///
/// # Panics
/// As [`check_may_block`], if the thread waits.
#[inline(always)]
pub fn await_wake_or(otherwise: impl FnOnce()) {
    let section = Section::begin();
    if SCHEDULER.take_wake(&section) {
        section.end();
        return otherwise();
    }
    let running = check_may_block(section.saved());
    running.set_awaits_wake(&section);
    // SAFETY: the thread may wait, and the context that wakes the thread makes the thread ready.
    unsafe { section.block() };
}

/// Lets the running thread wait until `ended` returns `Some`. Calls `ended` first, and again after
/// each wake.
///
/// # Panics
/// As [`check_may_block`], if the thread waits.
#[inline(always)]
pub fn until<T>(ended: impl FnMut() -> Option<T>) -> T {
    until_by(await_wake, ended)
}

/// As [`until`]; `wait` waits for a wake.
///
/// A caller further out in the same thread may wait in the same way, with the same waker. A wake
/// that came here may have been meant for that outer wait. So the wake is noted again, and the
/// outer wait looks once more.
///
/// # Panics
/// As `wait`.
#[inline(always)]
pub fn until_by<T>(wait: fn(), mut ended: impl FnMut() -> Option<T>) -> T {
    let mut was_woken = kernel(|lock| SCHEDULER.take_wake(lock));
    let result = loop {
        if let Some(result) = ended() {
            break result;
        }
        wait();
        was_woken = true;
    };
    if was_woken {
        kernel(|lock| Scheduler::note_wake(SCHEDULER.running(), lock));
    }
    result
}

/// Ends the present or the next [`park`] of a thread. From every context that the kernel knows of.
#[inline(always)]
pub fn unpark(control: &ThreadBlock) {
    make_ready_if(control, |lock| Scheduler::end_parking_or_note(control, lock));
}

/// Ends the present or the next [`await_wake`] of a thread. From every context that the kernel
/// knows of.
pub fn wake_here(control: &ThreadBlock) {
    wake_known(control);
}

/// As [`wake_here`], in the caller.
#[inline(always)]
pub fn wake_known(control: &ThreadBlock) {
    make_ready_if(control, |lock| Scheduler::end_awaiting_or_note(control, lock));
}

/// Ends the present or the next [`await_wake`] of a thread. From every context.
#[inline(always)]
pub fn wake_from_anywhere(control: &ThreadBlock) {
    if lock::is_known() {
        wake_here(control);
    } else {
        wake_from_above(control);
    }
}

/// Wakes a thread from a context that the lock may not hold off.
#[cold]
#[inline(never)]
fn wake_from_above(control: &ThreadBlock) {
    SCHEDULER.wake_from_anywhere(control);
    switch::pend();
}

/// Makes a thread ready, if `ends` says that the thread's wait ends.
#[inline(always)]
fn make_ready_if(control: &ThreadBlock, ends: impl FnOnce(&KernelLock<'_>) -> bool) {
    let section = Section::begin();
    if ends(&section) {
        // SAFETY: the thread's wait is over, so the thread is in no ring.
        unsafe { section.ready(control) };
    } else {
        section.end();
    }
}

/// Returns the running thread, if the thread may wait in a section that found `saved` at its
/// beginning.
///
/// # Panics
/// If the thread holds a resource, or holds interrupts off: a thread must not wait in a section.
#[inline(always)]
pub fn check_may_block(saved: Saved) -> &'static ThreadBlock {
    match SCHEDULER.blocking(saved) {
        Blocking::Allowed => SCHEDULER.running(),
        refused => refuse(saved, refused),
    }
}

/// As [`check_may_block`], as a separate function for rare callers.
///
/// # Panics
/// As [`check_may_block`].
#[inline(never)]
pub fn check_may_block_cold(saved: Saved) -> &'static ThreadBlock {
    check_may_block(saved)
}

/// Returns the running thread, if the thread may wait. For a caller outside of every section.
///
/// # Panics
/// As [`check_may_block`].
#[inline(always)]
pub fn check_may_wait() -> &'static ThreadBlock {
    check_may_block(mask::held())
}

/// Panics in a thread that must not wait, within a section that found `saved` at its beginning. The
/// assembly calls this.
///
/// # Panics
/// Always.
#[unsafe(export_name = "__quintet_refuse_to_wait")]
pub extern "C" fn refuse_to_wait(saved: Saved) -> ! {
    refuse(saved, SCHEDULER.blocking(saved))
}

#[cold]
#[inline(never)]
fn refuse(saved: Saved, refused: Blocking) -> ! {
    let control = SCHEDULER.running();
    // SAFETY: from the matching call; the thread doesn't wait.
    unsafe { lock::release(saved) };
    panic!("{}", Refusal { control, refused })
}

/// The refusal of a wait of a thread that holds a resource.
struct Refusal {
    control: &'static ThreadBlock,
    refused: Blocking,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.control.about;
        write!(formatter, "the thread `{}` would wait while it holds ", about.name)?;
        let shares = |held: &Held| held.ceiling == LEVELS;
        let ceiling = match self.refused {
            Blocking::UnderThreadCeiling => self.control.ceiling(),
            // If all sections use one mask, only the thread's resources tell them apart.
            Blocking::UnderLevelCeiling
                if cfg!(noted_pauses) && !about.resources.iter().any(shares) =>
            {
                return formatter.write_str(INTERRUPTS_OFF);
            }
            Blocking::UnderLevelCeiling => LEVELS,
            Blocking::InterruptsOff | Blocking::Allowed => {
                return formatter.write_str(INTERRUPTS_OFF);
            }
        };
        let mut among = "";
        for held in about.resources.iter().filter(|held| held.ceiling == ceiling) {
            write!(formatter, "{among}`{}`", held.name)?;
            among = " or ";
        }
        if among.is_empty() {
            formatter.write_str("a resource, or has raised a ceiling")?;
        }
        formatter.write_str(": end the lock before the call that waits")
    }
}

/// What a thread holds in a critical section, and what the user does about it.
const INTERRUPTS_OFF: &str = "interrupts off: end the critical section before the call that waits";

/// Stands for a ceiling of levels in the description of a thread's resources.
const LEVELS: u8 = 0;
