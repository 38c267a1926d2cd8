//! Groups `qp-3` and `qp-4`: the dining philosophers, where nobody preempts anybody: as QV.

#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

dinner::dinner! { [peripherals = false, scheduler = "cooperative"] }
