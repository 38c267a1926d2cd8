//! Loads and stores that are aligned or not, and bits by their aliases, as input decides.

#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use semihosting::process::exit;

/// A message as it came from a line.
#[repr(C, packed)]
struct Message {
    kind: u8,
    value: u32,
    sum: u16,
}

#[repr(align(4))]
struct Line([u8; 32]);

static LINE: Line = Line([7; 32]);
static mut ANSWER: Line = Line([0; 32]);

#[unsafe(no_mangle)]
#[inline(never)]
fn from_bytes(bytes: &[u8; 6]) -> u32 {
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    word ^ u32::from(u16::from_le_bytes([bytes[4], bytes[5]]))
}

#[unsafe(no_mangle)]
#[inline(never)]
fn from_packed(message: &Message) -> u32 {
    u32::from(message.kind) + message.value + u32::from(message.sum)
}

#[unsafe(no_mangle)]
#[inline(never)]
fn into_packed(message: &mut Message, value: u32) {
    (message.value, message.sum) = (value, value as u16);
}

#[unsafe(no_mangle)]
#[inline(never)]
fn sum_of_words(bytes: &[u8; 16]) -> u32 {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    word(0) ^ word(4) ^ word(8) ^ word(12)
}

#[unsafe(no_mangle)]
#[inline(never)]
fn toggle(bit: *mut u32) {
    // SAFETY: the caller passes a word that may be written.
    unsafe { bit.write_volatile(1 ^ bit.read_volatile()) };
}

#[entry]
fn main() -> ! {
    let answer = &raw mut ANSWER;
    let bits = 0x2200_0000 + 32 * (answer as u32 - 0x2000_0000);
    let mut sum = 0;
    for offset in 0..4 {
        let input = &LINE.0[black_box(offset)..];
        let first = input.first_chunk().unwrap_or(&[0; 6]);
        sum ^= from_bytes(first) ^ sum_of_words(input.first_chunk().unwrap_or(&[0; 16]));
        let output = answer.cast::<u8>().wrapping_add(black_box(offset)).cast::<Message>();
        // SAFETY: seven bytes are there, nothing else refers to them, and any bytes are a message.
        let message = unsafe { &mut *output };
        into_packed(message, sum);
        sum ^= from_packed(message);
        toggle(black_box(bits as *mut u32));
        toggle(black_box(&mut sum));
    }
    exit(i32::from(black_box(sum) == 1))
}
