//! What an expansion leaves to the build: the notes of each step for tests, of which firmware has
//! none, and the form of a machine's code.

/// Keeps the code, as this is the host.
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __on_host {
    ($($code:tt)*) => { $($code)* };
}

/// Drops the code: firmware notes nothing.
#[cfg(target_os = "none")]
#[doc(hidden)]
#[macro_export]
macro_rules! __on_host {
    ($($code:tt)*) => {};
}

/// Keeps the first of two forms of a machine, as the framework is optimised for size.
#[cfg(small)]
#[doc(hidden)]
#[macro_export]
macro_rules! __by_size {
    ({ $($compact:tt)* } $fast:tt) => { $($compact)* };
}

/// Keeps the second of two forms of a machine, as the framework is optimised for speed.
#[cfg(not(small))]
#[doc(hidden)]
#[macro_export]
macro_rules! __by_size {
    ($compact:tt { $($fast:tt)* }) => { $($fast)* };
}

/// Keeps a function apart from its caller, as the framework is optimised for size.
#[cfg(small)]
#[doc(hidden)]
#[macro_export]
macro_rules! __apart_if_small {
    ($($function:tt)*) => { #[inline(never)] $($function)* };
}

/// Puts a function into its caller, as the framework is optimised for speed.
#[cfg(not(small))]
#[doc(hidden)]
#[macro_export]
macro_rules! __apart_if_small {
    ($($function:tt)*) => { #[inline(always)] $($function)* };
}
