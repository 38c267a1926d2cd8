//! Without the feature `time`: the names that it adds, so that the error names the feature.
//!
//! For paths, such as `quintet::time::delay`, the compiler names the feature by itself.

#[cfg(threads)]
use crate::thread::{CurrentThread, JoinError, Thread};

/// Refuses a source of time. Its name then has only the function that starts it.
#[doc(hidden)]
#[macro_export]
macro_rules! __time_refused {
    ($visibility:vis $name:ident $start:item) => {
        ::core::compile_error!(
            "a source of time needs the feature `time` of quintet: enable it in Cargo.toml, as in \
             `quintet = { version = \"..\", features = [\"time\"] }`"
        );

        $visibility struct $name;

        impl $name {
            #[allow(dead_code)]
            $start
        }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! systick_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! systick_tick {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! machine_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! timer_source {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility unsafe fn start() {} }
    };
}

/// A trait that no type implements without the feature.
#[cfg(threads)]
#[diagnostic::on_unimplemented(
    message = "waiting for a time needs the feature `time` of quintet",
    label = "enable the feature `time` of quintet in Cargo.toml",
    note = "as in `quintet = {{ version = \"..\", features = [\"time\"] }}`"
)]
pub trait FeatureTime {}

#[cfg(threads)]
impl CurrentThread<'_> {
    /// Refuses to wait.
    #[doc(hidden)]
    pub fn delay<T: FeatureTime>(&self, _: T) {}

    /// Refuses to wait.
    #[doc(hidden)]
    pub fn delay_until<T: FeatureTime>(&self, _: T) {}

    /// Refuses to wait.
    #[doc(hidden)]
    pub fn park_until<T: FeatureTime>(&self, _: T) -> Result<(), NoTime> {
        unreachable!("nothing implements `FeatureTime`")
    }

    /// Refuses to wait.
    #[doc(hidden)]
    pub fn park_timeout<T: FeatureTime>(&self, _: T) -> Result<(), NoTime> {
        unreachable!("nothing implements `FeatureTime`")
    }
}

#[cfg(threads)]
impl Thread {
    /// Refuses to wait.
    #[doc(hidden)]
    pub fn join_until<T: FeatureTime>(&self, _: &CurrentThread<'_>, _: T) -> Result<(), JoinError> {
        unreachable!("nothing implements `FeatureTime`")
    }

    /// Refuses to wait.
    #[doc(hidden)]
    pub fn join_timeout<T: FeatureTime>(
        &self,
        _: &CurrentThread<'_>,
        _: T,
    ) -> Result<(), JoinError> {
        unreachable!("nothing implements `FeatureTime`")
    }
}

/// The error of a wait until a time. Without the feature, no wait comes that far.
#[cfg(threads)]
#[derive(Debug)]
pub struct NoTime;
