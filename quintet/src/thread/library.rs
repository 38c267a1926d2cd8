//! Threads without an application: you need statics, and `main`. [`kernel!`](crate::kernel!) has an
//! example.

#![expect(unsafe_code, reason = "macros that define symbols by name")]

use crate::arch::{mask, switch};
use crate::core::lock::kernel;
use crate::core::scheduler::{SCHEDULER, ThreadBlock};

/// Turns `main` into the idle loop: from now on, threads that you start run, and preempt `main` at
/// once. [`kernel!`](crate::kernel!) shows where you call this function.
///
/// A program that ran before, such as a bootloader, may have changed registers that threads rely
/// on. This call sets BASEPRI, the limit of the process stack, CONTROL and FPCCR.ASPEN as after a
/// reset. On ARMv7-M it also sets CCR.STKALIGN, which is clear in a Cortex-M3 before r2p0.
///
/// # Panics
/// If the processor has fewer priority bits than the hardware priority of
/// [`kernel!`](crate::kernel!), or an application's device crate, claims: the kernel's lock would
/// then mask nothing.
///
/// # Safety
/// You call this function once, in `main`, on the main stack, before you use anything else of the
/// kernel.
pub unsafe fn initialise() {
    let masks = kernel(|lock| {
        SCHEDULER.initialise(lock);
        mask::held() != 0
    });
    assert!(
        masks,
        "this processor has fewer priority bits than the `hardware_priority` of `kernel!`, or the \
         device crate, says, so that nothing would be masked: write the priority byte as its \
         interrupt controller has it"
    );
    // SAFETY: at start-up.
    unsafe { switch::initialise() };
    #[cfg(feature = "statistics")]
    super::statistics::begin();
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// Guards a thread's stack; defined by the application's expansion.
    safe fn __quintet_protect(control: &ThreadBlock);
}

/// Guards a thread's stack, if the application asks for guards.
#[inline(always)]
pub fn protect(control: &ThreadBlock) {
    #[cfg(target_os = "none")]
    __quintet_protect(control);
    #[cfg(not(target_os = "none"))]
    let _ = control;
}

/// Lets the hardware guard the stacks of threads, and defines the exception that reports an
/// overflow.
#[cfg(stack_guard)]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_guard {
    (true) => {
        const _: () = {
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            extern "Rust" fn __quintet_protect(control: &$crate::export::threads::ThreadBlock) {
                $crate::export::protect_main();
                $crate::export::threads::protect(control);
            }

            $crate::__stack_fault!();
        };
    };
    (false) => {
        $crate::__unguarded!();
    };
    ($other:tt) => {
        ::core::compile_error!("`stack_guard` is `true` or `false`");
    };
}

/// Leaves the memory protection unit to the program.
#[cfg(not(stack_guard_moves))]
#[doc(hidden)]
#[macro_export]
macro_rules! __unguarded {
    () => {
        $crate::__no_stack_guard!();
    };
}

/// Refuses to leave the unit to the program, as each switch writes to the unit.
#[cfg(stack_guard_moves)]
#[doc(hidden)]
#[macro_export]
macro_rules! __unguarded {
    () => {
        ::core::compile_error!(
            "`stack_guard = false` leaves the memory protection unit to the program, but with the \
             feature `guard-every-stack` of quintet each switch writes to its region 0: leave out \
             one of the two"
        );
    };
}

/// Defines the exception that reports an overflow. Each switch sets the limit of the stack.
#[cfg(stack_limit)]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_guard {
    (true) => {
        const _: () = {
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            extern "Rust" fn __quintet_protect(control: &$crate::export::threads::ThreadBlock) {
                $crate::export::protect_main();
                $crate::export::threads::protect(control);
            }

            $crate::__stack_fault!();
        };
    };
    (false) => {
        $crate::__no_stack_guard!();
    };
    ($other:tt) => {
        ::core::compile_error!("`stack_guard` is `true` or `false`");
    };
}

/// Does nothing: the host has no hardware that could guard stacks.
#[cfg(not(any(stack_guard, stack_limit)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_guard {
    ($on:ident) => {
        $crate::__no_stack_guard!();
    };
}

/// Leaves the stacks of threads without a guard.
#[doc(hidden)]
#[macro_export]
macro_rules! __no_stack_guard {
    () => {
        const _: () = {
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            extern "Rust" fn __quintet_protect(_: &$crate::export::threads::ThreadBlock) {}
        };
    };
}

/// Defines the kernel of a program without [`app`](crate::app): the kernel's lock, and the
/// exceptions that switch threads. Use the macro once, at the top level of a module.
///
/// ```no_run
/// use quintet::sync::{Operation, Semaphore};
/// use quintet::thread::CurrentThread;
///
/// quintet::kernel!(hardware_priority = 0x20);
/// quintet::thread!(static LAMP, priority = 3, stack = 1024, entry = lamp);
///
/// static PRESSES: Semaphore = Semaphore::new(0); // an interrupt gives
///
/// fn lamp(this: &CurrentThread<'_>) {
///     loop {
///         PRESSES.take().block(this);
///         // ... and switches the lamp
///     }
/// }
///
/// // A microcontroller's has the attribute `#[cortex_m_rt::entry]`.
/// fn main() -> ! {
///     // SAFETY: nothing of the kernel was used before.
///     unsafe { quintet::thread::initialise() };
///     LAMP.start().expect("it is started once");
///     loop {
///         // ... and waits for interrupts
///     }
/// }
/// ```
///
/// `hardware_priority` is the priority byte of the most urgent interrupt that may use anything of
/// Quintet, in the form that the interrupt controller uses; the byte is not 0. Interrupts that are
/// more urgent are never masked, and may only wake wakers. [Only builds with debug assertions check
/// this](mod@crate::sync#contexts).
///
/// If the chip has a memory protection unit, the unit guards the stacks of threads: as many threads
/// as the unit has regions, or all threads with the feature `guard-every-stack`. The exception
/// `MemoryManagement` then reports an overflow by a panic with the thread's name. If your program
/// uses the unit itself, say `stack_guard = false`.
///
/// On ARMv8-M the stack's limit register guards every stack, and the exception is `UsageFault`.
/// `stack_guard = false` leaves the exception to your program, but each switch still sets the
/// limit.
#[macro_export]
macro_rules! kernel {
    (hardware_priority = $priority:expr $(,)?) => {
        $crate::kernel!(hardware_priority = $priority, stack_guard = true);
    };
    (stack_guard = $guard:ident, hardware_priority = $priority:expr $(,)?) => {
        $crate::kernel!(hardware_priority = $priority, stack_guard = $guard);
    };
    (hardware_priority = $priority:expr, stack_guard = $guard:ident $(,)?) => {
        // Ceilings of threads are resources of an application.
        $crate::kernel!(@define $priority, $guard, without ceilings);
    };
    (@define $priority:expr, $guard:ident $(, $($without:tt)+)?) => {
        $crate::__stack_guard!($guard);
        const _: () = {
            const __PRIORITY: u8 = $priority;
            const {
                ::core::assert!(
                    __PRIORITY != 0,
                    "the hardware priority 0 can't be masked by BASEPRI: use a less urgent one"
                );
            }
            $crate::__kernel_lock_of_threads!($crate::export::Ceiling::of_hardware(__PRIORITY));
            $crate::__switch_exceptions!(__PRIORITY $(, $($without)+)?);
            $crate::__vectors!();

            #[doc(hidden)]
            #[unsafe(no_mangle)]
            extern "Rust" fn __quintet_levels() -> &'static [$crate::export::Level] {
                &[]
            }
        };
        $crate::__timer_nodes!(0);
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "this is written `kernel!(hardware_priority = 0x20)` or `kernel!(hardware_priority = \
             0x20, stack_guard = false)`"
        );
    };
}

/// Defines a [`Thread`](crate::thread::Thread) and its stack:
/// `thread!(static NAME, priority = P, stack = BYTES, entry = function)`.
/// [`kernel!`](crate::kernel!) has an example.
///
/// You may give the arguments in any order:
///
/// - `priority` is a constant from 1 to 31. A larger priority is more urgent.
/// - `stack` is a constant, in bytes: at least 256, rounded up to a multiple of 32. 32 of the bytes
///   are for the guard.
/// - `entry` is a `fn(&CurrentThread<'_>)`. When this function returns, the thread has ended, and
///   you may call [`start`](crate::thread::Thread::start) again.
///
/// The compiler refuses other values.
#[macro_export]
macro_rules! thread {
    (
        $(#[$attribute:meta])*
        $visibility:vis static $name:ident $(, $($arguments:tt)*)?
    ) => {
        $crate::__thread! {
            { $(#[$attribute])* $visibility static $name } [] [] [] $($($arguments)*)?
        }
    };
    ($($other:tt)*) => {
        $crate::__thread!();
    };
}

/// Reads the arguments of [`thread!`](crate::thread!), each into its place in brackets, and defines
/// the thread when all of them are there.
#[doc(hidden)]
#[macro_export]
macro_rules! __thread {
    ($head:tt [] $stack:tt $entry:tt priority = $priority:expr $(, $($rest:tt)*)?) => {
        $crate::__thread! { $head [$priority] $stack $entry $($($rest)*)? }
    };
    ($head:tt $priority:tt [] $entry:tt stack = $stack:expr $(, $($rest:tt)*)?) => {
        $crate::__thread! { $head $priority [$stack] $entry $($($rest)*)? }
    };
    ($head:tt $priority:tt $stack:tt [] entry = $entry:path $(, $($rest:tt)*)?) => {
        $crate::__thread! { $head $priority $stack [$entry] $($($rest)*)? }
    };
    (
        { $(#[$attribute:meta])* $visibility:vis static $name:ident }
        [$priority:expr] [$stack:expr] [$entry:path]
    ) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::Thread = {
            const __BYTES: ::core::primitive::usize = {
                let bytes: ::core::primitive::usize = $stack;
                ::core::assert!(
                    bytes >= $crate::thread::STACK_LEAST,
                    ::core::concat!(
                        "the stack of the thread `", ::core::stringify!($name), "` has less than \
                         256 bytes, which the registers of an interrupted thread and a few calls \
                         take: give it more"
                    )
                );
                bytes
            };
            static __STACK: $crate::thread::Stack<__BYTES> = $crate::thread::Stack::new();
            static __ABOUT: $crate::export::threads::ThreadInfo =
                $crate::export::threads::ThreadInfo {
                name: ::core::stringify!($name),
                stack: __STACK.lowest(),
                stack_size: __STACK.size(),
                resources: &[],
                entry: {
                    // Not `unsafe` itself, so that what only `unsafe` code may call is refused.
                    extern "C" fn __quintet_entry(_: *mut ()) {
                        // SAFETY: this is the thread.
                        $entry(&unsafe { $crate::thread::CurrentThread::new() })
                    }
                    ::core::option::Option::Some(__quintet_entry)
                },
            };
            const __PRIORITY: ::core::primitive::u8 = $priority;
            // SAFETY: it is put into this static, and the stack is nobody else's.
            unsafe { $crate::thread::Thread::new(&raw const $name, __PRIORITY, &__ABOUT) }
        };
    };
    ($head:tt $priority:tt $stack:tt $entry:tt $word:ident = $($rest:tt)*) => {
        ::core::compile_error!(::core::concat!(
            "`", ::core::stringify!($word), "` can't stand here: it is none of `priority`, `stack` \
             and `entry`, or it is given twice, or not a value that it can have. A thread is \
             written `thread!(static NAME, priority = 3, stack = 1024, entry = function)`"
        ));
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "a thread is written `thread!(static NAME, priority = 3, stack = 1024, entry = \
             function)`"
        );
    };
}
