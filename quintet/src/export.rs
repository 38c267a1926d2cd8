//! What the expansion of [`app`](crate::app) calls. Not for applications.
//!
//! Safe code can call all of this, so each item is unsafe, with a contract, or harmless whoever
//! calls it. Above each import stands why: `cargo xtask tidy` looks for the comment.
//!
//! `docs/expansion.md` shows one whole expansion.

#![expect(unsafe_code, reason = "statics of the expansion are shared by its own rules")]

use ::core::cell::UnsafeCell;
use ::core::future::Future;
use ::core::marker::PhantomData;

mod assertions;

// Safe: `new` is unsafe.
pub use critical_section::CriticalSection;

// Safe: evaluated at compile time.
pub use assertions::*;

// Safe: as in `cortex-m`, where most of it is public. `protect_main` writes the same guard as often
// as it is called. Disabled interrupts only keep code from running. The others are unsafe.
pub use crate::arch::device::*;
// Safe: a raised mask only keeps code from running, and gives no access; `restore` is unsafe.
pub use crate::arch::mask::{Ceiling, Saved, hardware_priority, holds_off_this, raise, restore};
// Safe: `pend` is as in `cortex-m`, a set of interrupts is a value, and an event only ends a sleep.
// The others are unsafe.
pub use crate::arch::{
    Interrupts, enable, pend, set_interrupt_priority, signal_event, sleep_until_event,
};
// Safe: a bit too many runs a job that finds nothing to do, and a bit too few runs none; rounds,
// which call jobs, are unsafe.
pub use crate::core::level::{Few, Job, One, Ready, WideReady, set_flag};
// Safe: what puts, takes and frees is unsafe.
pub use crate::core::queue::Queue;
// Safe: a trait of constants; the lock is unsafe.
pub use crate::core::resource::{Resource, resource};
// Safe: a level is a value, until an unsafe function makes a waker of it.
pub use crate::core::wake::{Level, Wake};
// Safe: what puts and polls is unsafe.
pub use crate::future::backlog::Backlog;
// Safe: a claim that nobody fills only keeps a task from being spawned; the rest is unsafe.
pub use crate::future::cell::{Cell, align, size};
// Safe: a future.
pub use crate::future::deferred::Deferred;
// Safe: what begins and polls is unsafe.
pub use crate::future::join::Control;
// Safe: what puts and takes is unsafe.
pub use crate::task::single::Single;

/// What the expansion of an actor calls.
pub mod actor {
    // Safe: events are `Send`, and each queue is under the kernel's lock, for any number of callers
    // from any context. An event that another takes is only missing.
    pub use crate::actor::definition::{
        Definition, Static, post, post_front, take, try_post, try_post_front, try_post_margin,
    };
    // Safe: the same.
    pub use crate::actor::starting::{
        as_topic, deliver, fill, instance, restart, restart_with, start, start_with, stop,
        try_deliver,
    };
    // Safe: users have them too.
    pub use crate::actor::{Address, Queue};

    /// What an application publishes, before it is known whether somebody subscribes to it.
    #[derive(Debug)]
    pub struct Published<T>(pub T);

    /// Publishing what nobody hears.
    pub trait NobodySubscribes {
        /// Drops it.
        #[deprecated(note = "no actor subscribes to this topic, so it is dropped: list it under \
                    `subscribe` of an actor, or leave this call out")]
        fn publish(&self) {}
    }

    impl<T> NobodySubscribes for Published<T> {}
}

// Safe: panics.
#[cfg(main_guard)]
pub use crate::main_stack::fault as fault_on_main_stack;

/// The number of an interrupt. Not its value: an enumeration may count its names instead.
#[inline(always)]
#[must_use]
pub fn number(interrupt: impl InterruptNumber) -> u16 {
    interrupt.number()
}

/// A static that the expansion guards by its own rules: a resource, or a task's local.
#[repr(transparent)]
pub struct RacyCell<T>(UnsafeCell<T>);

debug_by_name!([T] RacyCell<T>: "RacyCell");

// SAFETY: every access is unsafe, and the expansion makes them one at a time.
unsafe impl<T> Sync for RacyCell<T> {}

impl<T> RacyCell<T> {
    /// A cell with `value`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value's place.
    ///
    /// # Safety
    /// None of its own: whoever uses the pointer answers for that. The word is RTIC's.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn get_mut(&self) -> *mut T {
        self.0.get()
    }

    /// The value's place.
    ///
    /// # Safety
    /// As for [`get_mut`](Self::get_mut).
    #[inline(always)]
    #[must_use]
    pub const unsafe fn get(&self) -> *const T {
        self.0.get()
    }
}

/// Whether the core can hold off exceptions of some priorities only, as it can interrupts.
pub const MASKS_EXCEPTIONS: bool = cfg!(basepri);

/// What a context is borrowed from: one value for each run of a function.
#[derive(Debug)]
pub struct Token;

/// What the function of an async task is called with: it builds the task's context, which is the
/// only one while its future is there.
#[derive(Debug)]
pub struct Call(());

impl Call {
    /// For a call that puts the future into the task's cell.
    ///
    /// # Safety
    /// That is free, and the caller's.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(())
    }
}

/// Keeps a spawner of `local_task`s in its level: neither `Send` nor `Sync`.
#[derive(Debug)]
pub struct InLevel(PhantomData<*mut ()>);

impl InLevel {
    /// For the context of a task.
    ///
    /// # Safety
    /// The task runs in the level.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(PhantomData)
    }
}

/// Keeps a proxy where its context is: it is `Sync`, but not `Send`.
#[derive(Debug)]
pub struct InContext<'a>(PhantomData<(&'a (), *mut ())>);

// SAFETY: through a shared reference there is nothing to do with a proxy.
unsafe impl Sync for InContext<'_> {}

impl InContext<'_> {
    /// For a proxy. Safe, because it gives no access by itself: what makes a proxy is unsafe.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl Default for InContext<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// The traits that give `lock`, without their names.
pub mod nameless {
    // Safe: users have them too.
    pub use rtic_core::prelude::{
        Mutex as _, TupleExt01 as _, TupleExt02 as _, TupleExt03 as _, TupleExt04 as _,
        TupleExt05 as _, TupleExt06 as _, TupleExt07 as _, TupleExt08 as _, TupleExt09 as _,
        TupleExt10 as _, TupleExt11 as _, TupleExt12 as _, TupleExt13 as _, TupleExt14 as _,
        TupleExt15 as _, TupleExt16 as _, TupleExt17 as _, TupleExt18 as _, TupleExt19 as _,
        TupleExt20 as _, TupleExt21 as _, TupleExt22 as _, TupleExt23 as _, TupleExt24 as _,
        TupleExt25 as _, TupleExt26 as _, TupleExt27 as _, TupleExt28 as _, TupleExt29 as _,
        TupleExt30 as _, TupleExt31 as _, TupleExt32 as _,
    };
}

/// The trait that gives threads `block`, without its name.
pub mod nameless_of_threads {
    // Safe: users have it too.
    #[cfg(threads)]
    pub use crate::sync::Operation as _;
}

/// A function's return type, as a trait: so that `!` can be named.
pub trait Returns {
    /// The type.
    type Type;
}

impl<T> Returns for fn() -> T {
    type Type = T;
}

/// Compiles if the future never ends.
#[inline(always)]
pub const fn diverges<F: Future<Output = <fn() -> ! as Returns>::Type>>(future: F) -> F {
    future
}

/// Defines an interrupt routine in Rust: for a level of a few slots, or of more than 32.
#[doc(hidden)]
#[macro_export]
macro_rules! __routine {
    ($(#[$attribute:meta])* $name:ident, $round:expr) => {
        $(#[$attribute])*
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            $round
        }
    };
}

/// Defines the kernel's lock at a ceiling, for an application without threads.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_lock {
    ($ceiling:expr) => {
        $crate::__kernel_lock_of!($ceiling, false, false);
        $crate::__tick_arrival!();
        $crate::__main_guard!();

        // What switches threads defines it otherwise; without optimisation at link time the linker
        // misses it also where nobody ever asks.
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_highest_ceiling() -> ::core::primitive::u32 {
            0
        }

        $crate::__without_switches!();
    };
}

/// Defines the kernel's lock at a ceiling, for an application with threads.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_lock_of_threads {
    ($ceiling:expr) => {
        $crate::__kernel_lock_of!($ceiling.beside_threads(), true, false);
        $crate::__tick_arrival!($ceiling);
    };
    ($ceiling:expr, cooperative) => {
        $crate::__kernel_lock_of!($ceiling.beside_threads(), true, true);
        $crate::__tick_arrival!($ceiling);
    };
}

/// Defines the kernel's lock at a ceiling, whether there are threads, and whether these run until
/// they wait.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_lock_of {
    ($ceiling:expr, $has_threads:literal, $is_cooperative:literal) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_kernel_acquire() -> $crate::export::Saved {
            $crate::export::raise(const { $ceiling })
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        unsafe extern "Rust" fn __quintet_kernel_release(saved: $crate::export::Saved) {
            // SAFETY: handed on.
            unsafe { $crate::export::restore(const { $ceiling }, saved) }
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_kernel_holds_off_this() -> ::core::primitive::bool {
            $crate::export::holds_off_this(const { $ceiling })
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_kernel_ceiling() -> $crate::export::Ceiling {
            const { $ceiling }
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_has_threads() -> ::core::primitive::bool {
            $has_threads
        }

        #[doc(hidden)]
        #[unsafe(export_name = "__quintet_needs_an_application_or_the_macro_kernel")]
        #[inline(always)]
        extern "Rust" fn __quintet_is_cooperative() -> ::core::primitive::bool {
            $is_cooperative
        }
    };
}

/// What expansions with threads call, and the assembly that they define.
///
/// The scheduler is here for its address. Nobody else raises or lowers limits, which are ceilings:
///
/// ```compile_fail,E0624
/// let _before = quintet::export::threads::SCHEDULER.raise_limit(31);
/// ```
///
/// ```compile_fail,E0624
/// quintet::export::threads::SCHEDULER.restore_limit(0);
/// ```
#[cfg(threads)]
pub mod threads {
    // Safe: constants.
    #[cfg(noted_pauses)] // Safe: only assembly can use it.
    pub use crate::arch::mask::{DUE, PAUSE};
    #[cfg(all(target_os = "none", not(plain_switch)))]
    pub use crate::arch::switch::{FLOATING_REGISTERS, FLOATING_RIGHTS, PENDSVSET};
    // Safe: constants, the offsets of what a process has.
    #[cfg(all(target_os = "none", not(any(plain_switch, noted_pauses))))]
    pub use crate::arch::switch::IN_PROCESS;
    // Safe: unsafe.
    #[cfg(all(target_os = "none", basepri, feature = "time"))]
    pub use crate::arch::switch::ready_from_handler;
    // Safe: a trait of constants; the lock is unsafe.
    pub use crate::core::resource::{ThreadResource, thread_resource};
    // Safe: the scheduler has no public function, what makes a thread is unsafe, and the rest are
    // values.
    pub use crate::core::scheduler::{Held, SCHEDULER, ThreadBlock, ThreadInfo, bit_of, offset};
    // Safe: unsafe.
    #[cfg(plain_switch)]
    pub use crate::core::scheduler::after_interrupts;
    // Safe: one returns null, the other is unsafe.
    #[cfg(target_os = "none")]
    pub use crate::core::scheduler::{preempt_never, preempt_under_ceiling};
    // Safe: what starts and takes is unsafe.
    pub use crate::thread::arguments::Arguments;
    // Safe: a wake too many, as everybody can cause by `Thread::waker`, lets a host or a thread
    // look once more. `host` is unsafe, because only a thread may run it.
    pub use crate::thread::host::{host, wake as wake_host, wake_here as wake_host_here};
    // Safe: a thread's stack is guarded once, under the kernel's lock. The fault is unsafe.
    #[cfg(stack_guard)]
    pub use crate::thread::{memory_fault, protect};
    // Safe: enables the report of a fault. The fault is unsafe.
    #[cfg(stack_limit)]
    pub use crate::thread::{protect, usage_fault};
}

/// What the macros of processes use.
#[cfg(processes)]
pub mod processes {
    // Safe: see there.
    pub use crate::process::export::*;
}

/// Sleeps whenever there is nothing to do: thread mode of an application without idle.
#[inline(always)]
pub fn sleep_forever() -> ! {
    loop {
        sleep_until_event();
    }
}

/// Runs rounds of the software tasks of priority 0 in thread mode, and sleeps when none is ready.
#[inline(always)]
pub fn run_thread_mode(round: impl Fn(), is_empty: impl Fn() -> bool) -> ! {
    loop {
        round();
        if is_empty() {
            sleep_until_event();
        }
    }
}

/// What the macros of [`time`](crate::time) use.
#[cfg(feature = "time")]
pub mod time {
    // Safe: a macro of another crate.
    pub use embassy_time_driver::time_driver_impl;

    // Safe: what changes the queue takes a proof of the kernel's lock, or is unsafe.
    pub use crate::core::timer::{Node, QUEUE, Queue as TimerQueue};
    // Safe: reading; the rest is unsafe.
    pub use crate::time::clock::Clock;
    // Safe: all functions are unsafe.
    #[cfg(all(threads, target_os = "none"))]
    pub use crate::time::counted::{job_due, thread_due, wake_job};
    // Safe: reading; the rest is unsafe, or takes a proof of the kernel's lock.
    pub use crate::time::counted::{COUNTED, Counted, admit, on_alarm, on_arrival, on_tick};
    // Safe: reading, and an interrupt that comes earlier than it must; the rest is unsafe.
    pub use crate::time::driver::Driver;
    // Safe: unsafe.
    #[cfg(systick)]
    pub use crate::time::hardware::start as start_hardware;
    #[cfg(machine_timer)]
    pub use crate::time::machine_timer::{MachineTimerSource, start as start_machine_timer};
    #[cfg(systick)]
    pub use crate::time::systick::{SysTickSource, start as start_systick};
    #[cfg(systick)]
    pub use crate::time::systick_tick::{Ticks, start as start_systick_tick};
    // Safe: a clock of the host, which moves when it is told to.
    #[cfg(not(target_os = "none"))]
    pub use crate::time::virtual_clock::VirtualTime;
}

/// Defines the timer nodes of the application's slots, `$count` of them.
///
/// Nothing is left of them where no timer waits with a task's waker.
#[cfg(feature = "time")]
#[doc(hidden)]
#[macro_export]
macro_rules! __timer_nodes {
    ($count:expr) => {
        const _: () = {
            static NODES: [$crate::export::time::Node; $count] =
                [const { $crate::export::time::Node::new(0) }; $count];
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            static __QUINTET_TIMER_NODES: &[$crate::export::time::Node] = &NODES;
        };
    };
}

/// Without the feature `time`, nothing waits for time.
#[cfg(not(feature = "time"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __timer_nodes {
    ($count:expr) => {};
}

/// Lets the threads of priorities take turns, each after so many microseconds: before they start.
#[cfg(feature = "time")]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_turns {
    ($count:literal: $(($priority:expr, $microseconds:expr)),*) => {{
        static SLICES: [$crate::thread::Slice; $count] = [$(
            $crate::thread::Slice::new(
                $priority, $crate::time::Duration::from_micros($microseconds)
            )
        ),*];
        $crate::thread::take_turns(&SLICES);
    }};
}

/// Without the feature `time`, nobody takes turns.
#[cfg(not(feature = "time"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_turns {
    ($($slices:tt)*) => {
        ::core::compile_error!(
            "`slice_us` needs time: enable the feature `time` of quintet, and place a source such \
             as `quintet::systick_timer!`"
        )
    };
}
