//! Firmware for the speed benchmark and the snapshot test: ordinary compiled code under interrupts.
//!
//! The main loop sorts, checksums and walks a list through function pointers. SysTick, a timer and
//! a button interrupt it, and it prints its checksum on the UART. It runs on the board lm3s6965 and
//! in QEMU, until someone stops it or it has done its rounds and exits by semihosting.
#![no_std]
#![no_main]

use core::arch::asm;
use core::panic::PanicInfo;
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

const ROUNDS: u32 = 100_000;
const SIZE: usize = 64;

type Handler = unsafe extern "C" fn();

#[repr(C)]
struct Vectors {
    stack: u32,
    exceptions: [Handler; 15],
    interrupts: [Handler; 32],
}

#[unsafe(link_section = ".vectors")]
#[used]
static VECTORS: Vectors = {
    let mut exceptions = [failed as Handler; 15];
    exceptions[0] = start;
    exceptions[14] = tick;
    let mut interrupts = [failed as Handler; 32];
    interrupts[0] = button;
    interrupts[19] = timer;
    Vectors { stack: 0x2001_0000, exceptions, interrupts }
};

static mut DATA: [u32; SIZE] = [0; SIZE];
static mut NEXT: [u8; SIZE] = [0; SIZE];
static mut TICKS: u32 = 0;
static mut EXPIRIES: u32 = 0;
static mut PRESSES: u32 = 0;

fn store(address: usize, value: u32) {
    unsafe { write_volatile(address as *mut u32, value) }
}

unsafe extern "C" fn start() {
    // The button is pin 0 of port A, both edges.
    store(0x4000_4408, 1);
    store(0x4000_4410, 1);
    // Timer 0: periodic, every 7001 cycles.
    store(0x4003_0004, 2);
    store(0x4003_0028, 7_000);
    store(0x4003_0018, 1);
    store(0x4003_000c, 1);
    store(0xe000_e100, 1 << 19 | 1);
    // SysTick every 3000 cycles, less urgent than both.
    store(0xe000_ed20, 0xe000_0000);
    store(0xe000_e014, 2_999);
    store(0xe000_e018, 0);
    store(0xe000_e010, 7);
    let mut seed = 1;
    for round in 0..ROUNDS {
        let data = unsafe { &mut *addr_of_mut!(DATA) };
        fill(data, &mut seed);
        sort(data);
        let sum = checksum(data) ^ walk(data, round);
        if round % 64 == 0 {
            print(sum);
        }
    }
    exit();
}

#[inline(never)]
fn fill(data: &mut [u32; SIZE], seed: &mut u32) {
    for word in data.iter_mut() {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *word = *seed >> 8;
    }
}

#[inline(never)]
fn sort(data: &mut [u32; SIZE]) {
    for end in 1..SIZE {
        let value = data[end];
        let mut at = end;
        while at > 0 && data[at - 1] > value {
            data[at] = data[at - 1];
            at -= 1;
        }
        data[at] = value;
    }
}

#[inline(never)]
fn checksum(data: &[u32; SIZE]) -> u32 {
    let mut sum = u32::MAX;
    for word in data {
        for byte in word.to_le_bytes() {
            sum ^= u32::from(byte);
            for _ in 0..4 {
                sum = if sum & 1 != 0 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
            }
        }
    }
    sum
}

static STEPS: [fn(u32, u32) -> u32; 4] = [add, exclusive, rotate, divide];

#[inline(never)]
fn add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[inline(never)]
fn exclusive(a: u32, b: u32) -> u32 {
    a ^ b
}

#[inline(never)]
fn rotate(a: u32, b: u32) -> u32 {
    a.rotate_left(b & 31)
}

#[inline(never)]
fn divide(a: u32, b: u32) -> u32 {
    a / (b | 1)
}

#[inline(never)]
fn walk(data: &[u32; SIZE], round: u32) -> u32 {
    let next = unsafe { &mut *addr_of_mut!(NEXT) };
    for (index, entry) in next.iter_mut().enumerate() {
        *entry = ((index * 5 + round as usize) % SIZE) as u8;
    }
    let mut at = (round as usize) % SIZE;
    let mut value = round;
    for _ in 0..SIZE {
        value = STEPS[value as usize & 3](value, data[at]);
        at = usize::from(next[at]);
    }
    value
}

fn print(value: u32) {
    for shift in (0..32).step_by(4).rev() {
        let digit = (value >> shift & 0xf) as usize;
        store(0x4000_c000, u32::from(b"0123456789abcdef"[digit]));
    }
    store(0x4000_c000, 10);
}

fn exit() {
    unsafe {
        let counts = read_volatile(addr_of!(TICKS)) ^ read_volatile(addr_of!(EXPIRIES));
        print(counts ^ read_volatile(addr_of!(PRESSES)));
        asm!("bkpt 0xab", in("r0") 0x18, in("r1") 0x2_0026);
    }
}

unsafe extern "C" fn tick() {
    unsafe { write_volatile(addr_of_mut!(TICKS), read_volatile(addr_of!(TICKS)) + 1) }
}

unsafe extern "C" fn timer() {
    store(0x4003_0024, 1);
    unsafe { write_volatile(addr_of_mut!(EXPIRIES), read_volatile(addr_of!(EXPIRIES)) + 1) }
}

unsafe extern "C" fn button() {
    store(0x4000_441c, 1);
    unsafe { write_volatile(addr_of_mut!(PRESSES), read_volatile(addr_of!(PRESSES)) + 1) }
}

unsafe extern "C" fn failed() {
    unsafe { asm!("bkpt 0xab", in("r0") 0x18, in("r1") 0x2_0023) }
}

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    loop {
        unsafe { failed() }
    }
}
