//! Actors on two levels: posts to the back and the front, by instances, and published.
#![no_std]
#![no_main]

campaign::actors! { [2, 4, 6] }
