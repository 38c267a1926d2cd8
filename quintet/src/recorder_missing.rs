//! Without the feature `recorder`, nothing is recorded.

/// Nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __woken {
    ($($any:tt)*) => {};
}

/// Nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __recorded {
    ($($any:tt)*) => {};
}
