//! Quintet: a real-time framework for microcontrollers.
//!
//! You write each part of your firmware in the model that fits it. Five models work together in one
//! image: they share one line of priorities, one lock, one wake-up, one timer queue and one set of
//! [synchronisation objects](sync). Your firmware pays only for the parts that it uses.
//!
//! | model | for work that | you write | more |
//! |---|---|---|---|
//! | interrupt tasks | reacts to an interrupt at once | `#[task(binds = ..)] fn` | [`app`] |
//! | async tasks | waits in many places, in little memory | `#[task] async fn` | [`app`] |
//! | threads | blocks at any line | `#[thread] fn` | [`thread`](mod@thread) |
//! | actors | handles one event after the other | `#[actor] fn` | [`actor`] |
//! | processes | isn't trusted, or was built for Tock | a program of its own | `process` |
//!
//! A [state machine](chart) can decide how an actor, a task or a thread handles its events.
//!
//! # An application
//!
//! An application is a module with the attribute [`app`], which takes the grammar of RTIC 2 and
//! adds to it:
//!
//! ```
//! # // The device's crate is there on the target only. examples/src/bin/at_a_glance.rs is this
//! # // application, built and run.
//! # #[cfg(target_os = "none")]
//! quintet::systick_timer!(Clock, 12_000_000);
//!
//! # #[cfg(target_os = "none")]
//! #[quintet::app(device = lm3s6965)]
//! mod app {
//!     use embassy_time::Timer;
//!     use quintet::sync::Semaphore;
//!
//!     static REPORTED: Semaphore = Semaphore::new(0);
//!
//!     #[shared]
//!     struct Shared {
//!         samples: u32,
//!     }
//!
//!     #[local]
//!     struct Local {}
//!
//!     #[init]
//!     fn init(cx: init::Context) -> (Shared, Local) {
//!         super::Clock::start(cx.core.SYST);
//!         (Shared { samples: 0 }, Local {})
//!     }
//!
//!     // The routine of an interrupt, with data that it shares.
//!     #[task(binds = ADC0_SEQUENCE_0, priority = 2, shared = [samples])]
//!     fn sample(mut cx: sample::Context) {
//!         cx.shared.samples.lock(|samples| *samples += 1);
//!         report::spawn().ok();
//!     }
//!
//!     // A task that can wait.
//!     #[task(priority = 1, shared = [samples])]
//!     async fn report(mut cx: report::Context) {
//!         Timer::after_millis(10).await;
//!         let samples = cx.shared.samples.lock(|samples| *samples);
//!         // ... and reports the number
//!         REPORTED.give();
//!     }
//!
//!     // A thread, with a stack of its own.
//!     #[thread(priority = 1, stack = 1024)]
//!     fn archive(cx: archive::Context) {
//!         loop {
//!             REPORTED.take().block(&cx.thread);
//!             // ... and archives the report
//!         }
//!     }
//! }
//! ```
//!
//! # On your computer
//!
//! The synchronisation objects, timers, actors' queues and state machines also run in tests on your
//! computer. Here two futures exchange messages, and time passes as fast as the test can run:
//!
//! ```
//! use embassy_futures::join::join;
//! use quintet::sync::Channel;
//! use quintet::time::{Duration, Instant, VirtualClock, delay};
//!
//! quintet::virtual_clock!();
//!
//! static SAMPLES: Channel<u32, 4> = Channel::new();
//!
//! async fn sample() {
//!     for sample in 1..=3 {
//!         delay(Duration::from_secs(10)).await;
//!         SAMPLES.send(sample).await;
//!     }
//! }
//!
//! async fn sum() -> u32 {
//!     let mut sum = 0;
//!     for _ in 1..=3 {
//!         sum += SAMPLES.receive().await;
//!     }
//!     sum
//! }
//!
//! let clock = VirtualClock::take();
//! let ((), sum) = clock.run(join(sample(), sum()));
//! assert_eq!(sum, 6);
//! assert_eq!(clock.now(), Instant::from_secs(30));
//! ```
//!
//! To run whole firmware without a board, use the lab's command `quintet run`.
//!
//! # Where to look
//!
//! | name | you find |
//! |---|---|
//! | [`app`], [`state_machine`] | the attributes, with all of their arguments |
//! | [`sync`] | channels, semaphores, mutexes and the other objects, for all models |
//! | [`thread`](mod@thread) | threads, with and without an application |
//! | [`actor`] | queues, handles, pools and time events of actors |
//! | [`chart`] | state machines, and tests of them |
//! | `time` (feature `time`) | the clock, timers, delays, timeouts |
//! | `recorder` (feature `recorder`) | what an application does on a board, for the lab |
//! | `process` (feature `processes`) | processes, and drivers for them |
//! | `critical_section` (feature `critical-section`) | when you may turn the feature on |
//! | `riscv` (on RISC-V) | the device of an application there, and what is not there |
//! | [`mutex`] | the traits by which generic code locks resources |
//! | [`future`] | the handles of `joinable` tasks |
//!
//! The repository has a book, `docs/book`, which teaches you all of this, and guides if you come
//! from RTIC, Embassy, FreeRTOS, CMSIS-RTOS2, QP, statig or Tock.
//!
//! # Contexts
//!
//! The kernel knows of `main`, of all tasks, actors, threads and idle, and of interrupts up to its
//! ceiling: the highest priority that a function of the application has. Interrupts above the
//! ceiling may [only wake](sync#contexts), and read the clock. Builds with debug assertions refuse
//! any other use there; **release builds don't check**.
//!
//! # Features
//!
//! No feature is on by default.
//!
//! | feature | what you get |
//! |---|---|
//! | `time` | the timer queue, the driver of `embassy-time`, and all waits for a time |
//! | `processes` | processes, on Cortex-M0+, ARMv7-M, ARMv8-M Mainline and RISC-V |
//! | `statistics` | switches, running time and used stack of each thread |
//! | `recorder` | events of jobs, handlers and threads, for `quintet trace --from-board` |
//! | `credentials` | identities of processes, by a policy that looks at credentials |
//! | `critical-section` | libraries' critical sections at the kernel's ceiling |
//! | `embassy-sync` | the kernel's lock as a `RawMutex` of `embassy-sync` |
//! | `guard-every-stack` | a guard for every thread's stack, on ARMv7-M |
//! | `guard-main-stack` | a guard below main's stack, on ARMv7-M and ARMv8-M |
//! | `cortex-m7-r0p1` | writes of BASEPRI under PRIMASK |
//! | `thumbv6-backend`, `thumbv7-backend` | RTIC's names of the mechanism |
//! | `thumbv8base-backend`, `thumbv8main-backend` | RTIC's names of the mechanism |
//! | `cortex-m`, `rtic-monotonics` | no effect; manifests for RTIC up to 2.3 name these features |
//!
//! - `statistics` costs a longer switch, 12 bytes a thread, and a start that fills the stack.
//! - `recorder` turns `statistics` on, and costs some 30 cycles an event, and 2 KiB of RAM. It
//!   needs ARMv7-M or ARMv8-M Mainline.
//! - `critical-section` is only for applications whose interrupts above the kernel's ceiling use no
//!   critical section: see the module of this name.
//! - Without `guard-every-stack`, each of the first threads has a region of the memory protection
//!   unit as its guard. With the feature there is one guard for the stack in use, which each switch
//!   moves, so that every thread has a guard. Architectures other than ARMv7-M ignore the feature.
//! - `guard-main-stack` takes the last region of the memory protection unit (ARMv7-M), or MSPLIM
//!   (ARMv8-M with the main extension), and the exception that reports an overflow:
//!   `MemoryManagement` or `UsageFault`. Other architectures ignore the feature.
//! - `cortex-m7-r0p1` is for the erratum 837070 of Cortex-M7 r0p0 and r0p1.
//! - Quintet takes the mechanism from the target, and checks that RTIC's name agrees.

#![cfg_attr(target_os = "none", no_std)]
#![deny(missing_debug_implementations)]

pub use quintet_macros::{app, state_machine};
pub use rtic_core::{Exclusive, Mutex};

// Paths that applications of RTIC name. New code has `mutex::prelude`, and no use for the cell.
#[doc(hidden)]
pub use crate::export::RacyCell;
#[doc(hidden)]
pub use rtic_core::prelude as mutex_prelude;

/// The traits by which generic code locks resources: a function that takes `impl Mutex` works with
/// every resource.
pub mod mutex {
    pub use rtic_core::{Mutex, prelude};
}

/// Makes an interrupt pending: the task that is bound to the interrupt runs as soon as its priority
/// allows.
///
/// From any context.
#[inline(always)]
pub fn pend<I: export::InterruptNumber>(interrupt: I) {
    export::pend(interrupt.number());
}

/// Gives types a `Debug` that prints only their name, as their contents mean nothing to users.
macro_rules! debug_by_name {
    ($([$($generics:tt)*] $type:ty: $name:literal),+ $(,)?) => { $(
        impl<$($generics)*> ::core::fmt::Debug for $type {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.debug_struct($name).finish_non_exhaustive()
            }
        }
    )+ };
}

pub mod actor;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
mod arch;
pub mod chart;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
mod core;
#[cfg(feature = "critical-section")]
pub mod critical_section;
mod either;
#[doc(hidden)]
pub mod export;
pub mod future;
#[cfg(main_guard)]
mod main_stack;
#[cfg(feature = "processes")]
pub mod process;
#[cfg(not(processes))]
mod processes_missing;
#[cfg(feature = "recorder")]
pub mod recorder;
#[cfg(not(feature = "recorder"))]
mod recorder_missing;
#[cfg(riscv32)]
pub mod riscv;
mod stack_fault;
pub mod sync;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
mod task;
#[cfg(threads)]
pub mod thread;
#[cfg(not(threads))]
mod threads_missing;
#[cfg(feature = "time")]
pub mod time;
#[cfg(not(feature = "time"))]
mod time_missing;
