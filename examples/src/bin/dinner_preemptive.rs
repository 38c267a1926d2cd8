//! The dining philosophers, where the table preempts who sits there.
#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

dinner::dinner! { [dispatchers = [SSI0, UART0]] }
