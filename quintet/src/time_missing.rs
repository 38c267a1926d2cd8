//! Without the feature `time`: what users call to have it, so that the error names the feature.
//!
//! For paths, such as `quintet::time::delay`, the compiler says so itself.

/// Refuses a source of time, whose name then stands for nothing.
#[macro_export]
macro_rules! systick_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        ::core::compile_error!(
            "a source of time needs the feature `time` of quintet: enable it in Cargo.toml, as in \
             `quintet = { version = \"..\", features = [\"time\"] }`"
        );

        $visibility struct $name;

        impl $name {
            #[allow(dead_code)]
            $visibility fn start<T>(_: T) {}
        }
    };
}

/// Refuses a source of time, whose name then stands for nothing.
#[macro_export]
macro_rules! timer_source {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        ::core::compile_error!(
            "a source of time needs the feature `time` of quintet: enable it in Cargo.toml, as in \
             `quintet = { version = \"..\", features = [\"time\"] }`"
        );

        $visibility struct $name;

        impl $name {
            #[allow(dead_code)]
            $visibility unsafe fn start() {}
        }
    };
}

/// What has time. Nothing has, without the feature.
#[cfg(threads)]
#[diagnostic::on_unimplemented(
    message = "waiting for a time needs the feature `time` of quintet",
    label = "enable the feature `time` of quintet in Cargo.toml",
    note = "as in `quintet = {{ version = \"..\", features = [\"time\"] }}`"
)]
pub trait FeatureTime {}

#[cfg(threads)]
impl crate::thread::This<'_> {
    /// Refuses to wait.
    #[doc(hidden)]
    pub fn delay<T: FeatureTime>(&self, _: T) {}

    /// Refuses to wait.
    #[doc(hidden)]
    pub fn delay_until<T: FeatureTime>(&self, _: T) {}
}
