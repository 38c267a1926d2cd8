//! The dining philosophers, where nobody preempts anybody.
#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

dinner::dinner! { [scheduler = "cooperative"] }
