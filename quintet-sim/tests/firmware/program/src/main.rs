//! An ordinary program without interrupts, as a compiler makes it: for comparing what two
//! simulators execute, instruction by instruction.
//!
//! Everything is on the stack, so there is nothing to initialise.

#![no_std]
#![no_main]

use core::arch::asm;
use core::fmt::Write;

/// A word of the vector table.
union Vector {
    word: u32,
    handler: unsafe extern "C" fn(),
}
// SAFETY: constant.
unsafe impl Sync for Vector {}

#[unsafe(link_section = ".vectors")]
#[used]
static VECTORS: [Vector; 4] = [
    Vector { word: 0x2001_0000 },
    Vector { handler: reset },
    Vector { handler: fault },
    Vector { handler: fault },
];

unsafe extern "C" fn reset() {
    let mut console = Console;
    let mut numbers = [0u32; 200];
    let mut state = 0x2545_F491u32;
    for number in &mut numbers {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        *number = state;
    }
    numbers.sort_unstable();
    let sum = numbers.iter().fold(0u64, |sum, number| sum.wrapping_mul(31) + u64::from(*number));
    let ratio = f64::from(numbers[150]) / f64::from(numbers[50]);
    let _ = writeln!(console, "smallest {} greatest {:#x} sum {sum}", numbers[0], numbers[199]);
    let _ = writeln!(console, "ratio {ratio:.6} root {:.4}", root(f64::from(numbers[100])));
    let mut text = [0u8; 64];
    let length = reverse(b"The quick brown fox jumps over the lazy dog", &mut text);
    let reversed = core::str::from_utf8(&text[..length]).unwrap_or("?");
    let _ = writeln!(console, "{reversed:?} {:08x}", checksum(reversed.as_bytes()));
    for count in [1i64, -12_345_678_901, i64::MIN] {
        let _ = writeln!(console, "{count:>22} {:>+10}", count / 1000 % 77_777);
    }
    exit(0)
}

/// Newton's method.
fn root(value: f64) -> f64 {
    (0..20).fold(value / 2.0, |guess, _| (guess + value / guess) / 2.0)
}

fn reverse(text: &[u8], into: &mut [u8]) -> usize {
    for (from, to) in text.iter().rev().zip(into.iter_mut()) {
        *to = *from;
    }
    text.len().min(into.len())
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let mut register = u32::MAX;
    for byte in bytes {
        register ^= u32::from(*byte);
        for _ in 0..8 {
            let low = register & 1;
            register >>= 1;
            if low != 0 {
                register ^= 0xEDB8_8320;
            }
        }
    }
    !register
}

/// The semihosting console.
struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for piece in text.as_bytes().chunks(63) {
            let mut buffer = [0u8; 64];
            buffer[..piece.len()].copy_from_slice(piece);
            // SAFETY: SYS_WRITE0 of a buffer that ends with a zero.
            unsafe { asm!("bkpt 0xAB", inout("r0") 4 => _, in("r1") buffer.as_ptr()) }
        }
        Ok(())
    }
}

fn exit(code: u32) -> ! {
    let reason = if code == 0 { 0x20026 } else { 0x20023 };
    loop {
        // SAFETY: SYS_EXIT does not return.
        unsafe { asm!("bkpt 0xAB", in("r0") 0x18, in("r1") reason) }
    }
}

unsafe extern "C" fn fault() {
    exit(1)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    exit(2)
}
