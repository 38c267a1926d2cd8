//! What expansions write down for tests, and what is left of it.

/// The code, as this is the host.
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __on_host {
    ($($code:tt)*) => { $($code)* };
}

/// Nothing: firmware notes nothing.
#[cfg(target_os = "none")]
#[doc(hidden)]
#[macro_export]
macro_rules! __on_host {
    ($($code:tt)*) => {};
}
