//! On a core without SysTick: the macros that take it, so that the error names the other one.

/// Refuses a source of time that this core doesn't have.
#[doc(hidden)]
#[macro_export]
macro_rules! __no_systick {
    ($visibility:vis $name:ident $start:item) => {
        ::core::compile_error!(
            "RISC-V has no SysTick, and the interrupts of other timers can't be bound there: use \
             the timer of the platform, `quintet::machine_timer!(Clock, 10_000_000, clint = \
             0x0200_0000)`"
        );

        $visibility struct $name;

        impl $name {
            #[allow(dead_code)]
            $start
        }
    };
}

/// Refuses SysTick.
#[macro_export]
macro_rules! systick_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__no_systick! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses SysTick.
#[macro_export]
macro_rules! systick_tick {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__no_systick! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses the interrupt of another timer.
#[macro_export]
macro_rules! timer_source {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__no_systick! { $visibility $name $visibility unsafe fn start() {} }
    };
}
