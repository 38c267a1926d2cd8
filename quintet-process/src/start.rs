//! How an application begins and ends.

use crate::ErrorCode;
use crate::system;

/// Ends the process, with a code that the kernel may show. The kernel alone can start it again.
pub fn exit(code: u32) -> ! {
    system::exit(0, code as usize)
}

/// Ends the process and asks the kernel to start it anew, with its variables as at the beginning.
/// Whether it does is the kernel's decision.
pub fn restart(code: u32) -> ! {
    system::exit(1, code as usize)
}

/// What the first function may return.
pub trait Termination {
    /// The code that the process ends with.
    fn code(self) -> u32;
}

impl Termination for () {
    fn code(self) -> u32 {
        0
    }
}

impl Termination for u32 {
    fn code(self) -> u32 {
        self
    }
}

impl Termination for core::convert::Infallible {
    fn code(self) -> u32 {
        match self {}
    }
}

impl<T: Termination> Termination for Result<T, ErrorCode> {
    /// The number of the error.
    fn code(self) -> u32 {
        match self {
            Ok(value) => value.code(),
            Err(error) => error as u32,
        }
    }
}

/// Ends by what the first function has returned.
#[doc(hidden)]
pub fn end(value: impl Termination) -> ! {
    exit(value.code())
}

/// The stack of an application, at the beginning of its memory.
#[doc(hidden)]
#[repr(C, align(8))]
#[derive(Debug)]
pub struct Stack<const SIZE: usize>(pub [u8; SIZE]);

/// Names the first function of an application, and the size of its stack in bytes, 2048 where
/// nothing is said. Once in a program, which is `#![no_std]` and `#![no_main]`.
///
/// The function takes nothing. It returns nothing, a code, or a `Result` with an
/// [`ErrorCode`](crate::ErrorCode): when it returns, the process [ends](crate::exit) with the code, or
/// the number of the error. Or it never returns (`-> !`). Behind `async` it is an `async fn`, which
/// [`block_on`](crate::block_on) runs.
///
/// ```no_run
/// # mod blocking {
/// use quintet_process::println;
///
/// quintet_process::main!(main);
///
/// fn main() {
///     println!("Hello");
/// }
/// # }
/// # mod waiting {
/// use quintet_process::alarm::{Duration, sleep};
/// # use quintet_process::ErrorCode;
/// use quintet_process::leds::Led;
///
/// quintet_process::main!(async blink, stack = 1024);
///
/// async fn blink() -> Result<(), ErrorCode> {
///     loop {
///         Led(0).toggle()?;
///         sleep(Duration::from_millis(250)).await;
///     }
/// }
/// # }
/// # fn main() {}
/// ```
///
/// A stack that overflows leaves the memory of the process, which faults by that.
#[macro_export]
macro_rules! main {
    (async $main:path $(, stack = $stack:expr)? $(,)?) => {
        $crate::__main!({ $crate::end($crate::block_on($main())) }, $($stack)?);
    };
    ($main:path $(, stack = $stack:expr)? $(,)?) => {
        $crate::__main!({ $crate::end($main()) }, $($stack)?);
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "the first function is named by `main!(function)`, `main!(async function)`, with \
             `, stack = BYTES` behind if wanted"
        );
    };
}

/// Defines the symbols that the start needs.
#[cfg(target_os = "none")]
#[doc(hidden)]
#[macro_export]
macro_rules! __main {
    ($call:block, $($stack:expr)?) => {
        const _: () = {
            #[allow(unused_variables)]
            const __SIZE: usize = {
                let size = 2048;
                $(let size = $stack;)?
                ::core::assert!(size >= 256, "the stack of a process has 256 bytes at least");
                size
            };
            #[used]
            #[unsafe(link_section = ".quintet_process.stack")]
            static mut __STACK: $crate::Stack<__SIZE> = $crate::Stack([0; __SIZE]);

            #[unsafe(export_name = "__quintet_process_main")]
            extern "C" fn __main() -> ! {
                $call
            }
        };
    };
}

/// On the computer nothing starts it; it has to be right nevertheless.
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __main {
    ($call:block, $($stack:expr)?) => {
        const _: fn() -> ! = || $call;
        $(const _: usize = $stack;)?
    };
}
