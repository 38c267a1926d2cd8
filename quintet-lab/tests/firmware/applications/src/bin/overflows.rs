//! Calls itself until its stack is full.
#![no_std]
#![no_main]

use core::hint::black_box;

quintet_process::main!(main, stack = 512);

fn main() {
    black_box(dig(1));
}

#[inline(never)]
fn dig(depth: u32) -> u32 {
    if depth == u32::MAX {
        return 0;
    }
    let room = black_box([depth; 8]);
    black_box(dig(depth + 1)) + room[0]
}
