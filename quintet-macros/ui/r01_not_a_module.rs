//! R1: an application is a module.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
struct App {
    count: u32,
}
