//! The macro's expansion notes each step for tests. Firmware contains none of these notes.

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
