//! Groups `qp-3` and `qp-4`: the dining philosophers, where the table preempts who
//! sits there: as QK.

#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

dinner::dinner! { [peripherals = false, dispatchers = [EXTI1, EXTI2]] }
