//! Greets, and ends. A test bounds its size.
#![no_std]
#![no_main]

use quintet_process::println;

quintet_process::main!(main, stack = 512);

fn main() {
    println!("Hello from a process");
}
