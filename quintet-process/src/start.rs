//! How an application begins and ends.

use crate::ErrorCode;
use crate::system;

/// Ends the process, with a code that the kernel may show. Only the kernel can start the process
/// again.
pub fn exit(code: u32) -> ! {
    system::exit(0, code as usize)
}

/// Ends the process and asks the kernel to start it anew, with its variables as at the beginning.
/// The kernel decides whether it does.
pub fn restart(code: u32) -> ! {
    system::exit(1, code as usize)
}

/// The types that the first function may return.
pub trait Termination {
    /// Returns the exit code of the process.
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
    /// Returns the number of the error.
    fn code(self) -> u32 {
        match self {
            Ok(value) => value.code(),
            Err(error) => error as u32,
        }
    }
}

/// Ends the process with the value that the first function has returned.
#[doc(hidden)]
pub fn end(value: impl Termination) -> ! {
    exit(value.code())
}

/// The stack of an application, at the beginning of its memory.
#[doc(hidden)]
#[repr(C, align(8))]
#[derive(Debug)]
pub struct Stack<const SIZE: usize>(pub [u8; SIZE]);

/// Names the first function of an application. You may also give two sizes, in bytes: `stack` is
/// 2048 by default, and `heap` is the memory that the process may ask for beyond its variables, for
/// [an allocator](crate#features), and is 0 by default. Use the macro once in a program, which is
/// `#![no_std]` and `#![no_main]`.
///
/// The function takes no argument. It returns nothing, a code, or a `Result` with an
/// [`ErrorCode`](crate::ErrorCode). When the function returns, the process [ends](crate::exit) with
/// the code, or with the number of the error. The function may also never return (`-> !`). With
/// `async` before its name, the function is an `async fn`, which [`block_on`](crate::block_on)
/// runs.
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
/// If the stack overflows, it leaves the memory of the process, and the process faults.
#[macro_export]
macro_rules! main {
    (async $main:path $(, stack = $stack:expr)? $(, heap = $heap:expr)? $(,)?) => {
        $crate::__main!({ $crate::end($crate::block_on($main())) }, [$($stack)?], [$($heap)?]);
    };
    ($main:path $(, stack = $stack:expr)? $(, heap = $heap:expr)? $(,)?) => {
        $crate::__main!({ $crate::end($main()) }, [$($stack)?], [$($heap)?]);
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "the first function is named by `main!(function)`, `main!(async function)`, with \
             `, stack = BYTES` and `, heap = BYTES` behind if wanted, in this order"
        );
    };
}

/// Defines the symbols that the start needs.
#[cfg(target_os = "none")]
#[doc(hidden)]
#[macro_export]
macro_rules! __main {
    ($call:block, [$($stack:expr)?], [$($heap:expr)?]) => {
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

            $(
                #[used]
                #[unsafe(link_section = ".quintet_process.heap")]
                static mut __HEAP: [u8; $heap] = [0; $heap];
            )?

            #[unsafe(export_name = "__quintet_process_main")]
            extern "C" fn __main() -> ! {
                $call
            }
        };
    };
}

/// On the computer nothing starts the function, but the compiler checks it nevertheless.
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __main {
    ($call:block, [$($stack:expr)?], [$($heap:expr)?]) => {
        const _: fn() -> ! = || $call;
        $(const _: usize = $stack;)?
        $(const _: usize = $heap;)?
    };
}
