//! Prints through a channel of RTT, whose control block is made here, and gives back what comes on
//! the other channel.

#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use riscv_rt::entry;
use semihosting::process;

const SIZE: usize = 16;

#[repr(C)]
struct Channel {
    name: *const u8,
    buffer: *mut u8,
    size: u32,
    write: u32,
    read: u32,
    flags: u32,
}

#[repr(C)]
struct Block {
    id: [u8; 16],
    up: u32,
    down: u32,
    channels: [Channel; 2],
}

struct Shared<T>(UnsafeCell<T>);

// SAFETY: one context uses it.
unsafe impl<T> Sync for Shared<T> {}

static BUFFERS: [Shared<[u8; SIZE]>; 2] = [const { Shared(UnsafeCell::new([0; SIZE])) }; 2];

const fn channel(name: &'static [u8], buffer: &'static Shared<[u8; SIZE]>) -> Channel {
    let (name, buffer) = (name.as_ptr(), buffer.0.get().cast());
    Channel { name, buffer, size: SIZE as u32, write: 0, read: 0, flags: 2 }
}

#[unsafe(export_name = "_SEGGER_RTT")]
static BLOCK: Shared<Block> = Shared(UnsafeCell::new(Block {
    id: [0; 16],
    up: 1,
    down: 1,
    channels: [channel(b"Terminal\0", &BUFFERS[0]), channel(b"Input\0", &BUFFERS[1])],
}));

/// A word that the debugger may change.
macro_rules! field {
    ($channel:expr, $field:ident) => {
        (&raw mut (*BLOCK.0.get()).channels[$channel].$field)
    };
}

fn put(byte: u8) {
    let at = unsafe { field!(0, write).read_volatile() };
    let next = (at + 1) % SIZE as u32;
    while unsafe { field!(0, read).read_volatile() } == next {}
    unsafe {
        BUFFERS[0].0.get().cast::<u8>().add(at as usize).write_volatile(byte);
        field!(0, write).write_volatile(next);
    }
}

fn get() -> Option<u8> {
    let at = unsafe { field!(1, read).read_volatile() };
    if unsafe { field!(1, write).read_volatile() } == at {
        return None;
    }
    let byte = unsafe { BUFFERS[1].0.get().cast::<u8>().add(at as usize).read_volatile() };
    unsafe { field!(1, read).write_volatile((at + 1) % SIZE as u32) };
    Some(byte)
}

#[entry]
fn main() -> ! {
    // There is a block when its name is there: start-up code that copies data doesn't look like a
    // reader then.
    unsafe { (&raw mut (*BLOCK.0.get()).id).write_volatile(*b"SEGGER RTT\0\0\0\0\0\0") };
    for byte in b"a line through a buffer of 16 bytes\n" {
        put(*byte);
    }
    // A debugger writes when it sees the program read.
    for _ in 0..100 {
        get().into_iter().for_each(put);
    }
    process::exit(0)
}
