//! All applications that the macro refuses.

#![no_std]
#![no_main]
#![deny(unused, nonstandard_style)]

include!(concat!(env!("OUT_DIR"), "/applications.rs"));
