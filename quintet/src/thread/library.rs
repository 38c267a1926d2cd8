//! Threads without an application: statics, and `main`.
//!
//! ```ignore
//! quintet::kernel!(hardware_priority = 0x20);
//! quintet::thread!(static BLINK: Thread, priority = 3, stack = 1024, entry = blink);
//!
//! #[cortex_m_rt::entry]
//! fn main() -> ! {
//!     // SAFETY: nothing of the kernel was used before.
//!     unsafe { quintet::thread::initialise() };
//!     BLINK.start();
//!     loop { cortex_m::asm::wfi() }
//! }
//!
//! fn blink(this: &quintet::thread::This<'_>) { .. }
//! ```

#![expect(unsafe_code, reason = "macros that define symbols by name")]

use crate::arch::switch;
use crate::core::lock::kernel;
use crate::core::scheduler::SCHEDULER;

/// Makes `main` idle: threads that are started run from then on.
///
/// # Safety
/// Called once, by `main`, on the main stack, before anything of the kernel is used.
pub unsafe fn initialise() {
    kernel(|lock| SCHEDULER.initialise(lock));
    // SAFETY: at start-up.
    unsafe { switch::initialise() };
}

/// Defines the kernel of a program without [`app`](crate::app): its lock, and the exceptions that
/// switch threads.
///
/// `hardware_priority` is the priority byte, as the interrupt controller has it, of the most urgent
/// interrupt that may use anything of Quintet; it is not 0. More urgent ones are never masked, and
/// may only wake wakers.
#[macro_export]
macro_rules! kernel {
    (hardware_priority = $priority:expr) => {
        const _: () = {
            const PRIORITY: u8 = $priority;
            const {
                ::core::assert!(
                    PRIORITY != 0,
                    "the hardware priority 0 can't be masked by BASEPRI: use a less urgent one"
                );
            }
            $crate::__kernel_lock_of_threads!($crate::export::Ceiling::of_hardware(PRIORITY));
            $crate::__switch_exceptions!(PRIORITY);

            #[doc(hidden)]
            #[unsafe(no_mangle)]
            extern "Rust" fn __quintet_levels() -> &'static [$crate::export::Level] {
                &[]
            }
        };
        $crate::__timer_nodes!(0);
    };
}

/// Defines a thread, its stack, and its function `start`.
#[macro_export]
macro_rules! thread {
    (
        $(#[$attribute:meta])*
        $visibility:vis static $name:ident, priority = $priority:expr, stack = $stack:expr,
        entry = $entry:path
    ) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::Thread = {
            static STACK: $crate::thread::Stack<{ $stack }> = $crate::thread::Stack::new();
            static ABOUT: $crate::export::threads::About = $crate::export::threads::About {
                name: ::core::stringify!($name),
                stack: STACK.lowest(),
                stack_size: STACK.size(),
                resources: &[],
                entry: {
                    unsafe extern "C" fn entry(_: *mut ()) {
                        // SAFETY: this is the thread.
                        $entry(&unsafe { $crate::thread::This::new() })
                    }
                    entry
                },
            };
            // SAFETY: it is put into this static, and the stack is nobody else's.
            unsafe { $crate::thread::Thread::new(&raw const $name, $priority, &ABOUT) }
        };
    };
}
