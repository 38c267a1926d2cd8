//! What all sources of time define where the application places them.

/// Makes `$time` the application's time: defines the driver `$driver`.
///
/// The application starts it with `Driver::start`, and calls `Driver::on_interrupt` from the
/// handler of the hardware's interrupt.
#[macro_export]
#[doc(hidden)]
macro_rules! __time_driver {
    ($time:ty, $driver:ident) => {
        // Embassy's macro and the code below name these, also where the user's module has no
        // prelude, or has something else of such a name.
        #[allow(unused_imports, reason = "most modules have them already")]
        use ::core::{
            self,
            primitive::{bool, u8, u64},
        };
        $crate::export::time::time_driver_impl!(
            static $driver: $crate::export::time::Driver<$time> =
                $crate::export::time::Driver::new(<$time>::new())
        );

        // Two sources are an error with this name: of several, the compiler names the first in
        // alphabetical order.
        #[unsafe(export_name = "AN_APPLICATION_HAS_ONE_TIME_SOURCE_BUT_TWO_ARE_PLACED")]
        static ONE_SOURCE: () = ();

        #[unsafe(no_mangle)]
        extern "Rust" fn __quintet_needs_a_time_source_such_as_systick_timer(deadline: u64) {
            $driver.lower_alarm(deadline);
        }

        #[unsafe(no_mangle)]
        extern "Rust" fn __quintet_time_is_counted() -> bool {
            $crate::export::time::Driver::<$time>::IS_COUNTED
        }

        #[unsafe(no_mangle)]
        unsafe extern "Rust" fn __quintet_time_keeps_up() {
            // SAFETY: the caller's.
            unsafe { $driver.keep_up() }
        }
    };
}

/// Defines a symbol for the vector `$handler` of the clock. An application defines such a symbol
/// for each of its own vectors. If both define one vector, the linker's error has this name.
/// Without the symbol, the error would name the handler, and leave open which other code defines
/// it. (The compiler names the first of several in alphabetical order.)
#[macro_export]
#[doc(hidden)]
macro_rules! __clock_vector {
    ($handler:ident) => {
        const _: () = {
            #[unsafe(export_name =
                ::core::concat!(
                    "A_TASK_AND_QUINTETS_CLOCK_BOTH_BIND_", ::core::stringify!($handler)
                ))]
            static TASK: () = ();
            #[unsafe(export_name =
                ::core::concat!(
                    "A_DISPATCHER_AND_QUINTETS_CLOCK_BOTH_BIND_", ::core::stringify!($handler)
                ))]
            static DISPATCHER: () = ();
        };
    };
}
