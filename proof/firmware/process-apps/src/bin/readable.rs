//! Reads a buffer that it shares with a driver, which writes there.
#![no_std]
#![no_main]

use process_apps::{allow_readable, command, exit, memory, print};

/// The driver, which stores a word at a place and answers how many bytes there are.
const PAGE: u32 = 0x8000_0002;

static mut FIRST: [u32; 4] = [0; 4];
static mut SECOND: [u32; 2] = [0; 2];

#[track_caller]
fn expect(is_so: bool) {
    if !is_so {
        exit(core::panic::Location::caller().line());
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    let (first, second) = (&raw const FIRST, &raw const SECOND);
    // SAFETY: its own memory.
    let words = || unsafe { (first.read_volatile(), second.read_volatile()) };
    expect(command([PAGE, 1, 0, 5])[..2] == [129, 0]);
    expect(allow_readable([PAGE, 0, first as u32, 16]) == [130, 0, 0, 16]);
    expect(command([PAGE, 1, 0, 5])[..2] == [129, 16]);
    expect(command([PAGE, 1, 3, 6])[..2] == [129, 16]);
    expect(words() == ([5, 0, 0, 6], [0, 0]));
    // Four words have no fifth one.
    expect(command([PAGE, 1, 4, 7])[..2] == [0, 6]);
    expect(command([PAGE, 1, u32::MAX / 4 + 1, 7])[..2] == [0, 6]);
    expect(command([PAGE, 2, 3, 0])[..2] == [129, 6]);
    // Another one in its place: the first one is its own again.
    expect(allow_readable([PAGE, 0, second as u32, 8]) == [130, first as u32, 16, 8]);
    expect(command([PAGE, 1, 1, 8])[..2] == [129, 8]);
    expect(words() == ([5, 0, 0, 6], [0, 8]));
    expect(command([PAGE, 1, 3, 9])[..2] == [0, 6]);
    // What it may not share.
    let [_, flash, ..] = memory([4, 0, 0, 0]);
    let [_, end, ..] = memory([3, 0, 0, 0]);
    for (address, size) in [(0x2000_0000, 16), (flash + 0x80, 4), (end, 1), (end - 4, u32::MAX)] {
        expect(allow_readable([PAGE, 0, address, size]) == [2, 6, address, size]);
    }
    expect(allow_readable([PAGE, 1, 0, 0]) == [2, 10, 0, 0]);
    expect(allow_readable([1, 0, 0, 0]) == [2, 10, 0, 0]);
    expect(allow_readable([0x1234, 0, 0, 0]) == [2, 11, 0, 0]);
    expect(allow_readable([PAGE, 0, 0, 0]) == [130, second as u32, 8, 0]);
    expect(command([PAGE, 1, 0, 1])[..2] == [129, 0]);
    expect(words() == ([5, 0, 0, 6], [0, 8]));
    print("readable\n");
    exit(0);
}
