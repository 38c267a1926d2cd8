//! Instructions that access several words over the border of a buffer that is shared, where another
//! one's buffer is near.

use core::arch::asm;

use super::{INVALID, IPC, expect, find, listen, notify_service, share};
use crate::{exit, memory, subscribe};

/// What the service does with the first instruction.
pub const FIRST: u32 = 100;

/// The size of each buffer, and of what lies between them.
const SIZE: u32 = 32;

/// Waits for the service, and lends it these bytes until it ends.
fn lend(begin: u32) {
    let service = find("service")[1];
    subscribe([IPC, service, super::hear as *const () as u32, 0]);
    share(service, begin, SIZE);
    expect(notify_service(service)[0] == 128);
    loop {
        listen();
    }
}

/// Lends the last bytes of its memory.
pub fn lend_last() {
    let end = memory([3, 0, 0, 0])[1];
    expect(memory([0, end, 0, 0])[0] == 128);
    lend(end - SIZE);
}

/// Lends bytes at the beginning of its memory: not the very first ones, which would leave nothing
/// in between.
pub fn lend_first() {
    let (begin, service) = (memory([2, 0, 0, 0])[1], find("service")[1]);
    for size in [SIZE, 2 * SIZE, 1024] {
        share(service, begin, size);
        expect(notify_service(service) == [0, INVALID, service, 0]);
    }
    lend(begin + SIZE);
}

/// Executes an instruction over the end of the lower buffer, or from below the beginning of the
/// upper one: this must not end, but by a fault. Words before it show that both buffers are open.
pub fn cross(kind: u32, heard: [[u32; 3]; 2]) {
    let [low, high] = heard.map(|[_, size, address]| {
        expect(size == SIZE);
        address
    });
    let (low, high) = (low.min(high), low.max(high));
    expect(high == low + 2 * SIZE);
    let read = |address: u32| {
        // SAFETY: what is shared.
        unsafe { (address as usize as *const u32).read_volatile() }
    };
    // The one or the other is shown at last.
    let order = if kind & 1 == 0 { [low, high] } else { [high, low] };
    for address in [order[0], order[1], order[0], order[1]] {
        read(address);
    }
    execute(kind / 2, low + SIZE, high);
}

/// Executes an instruction over the end of the lower buffer. An ARMv6-M has fewer of these, which
/// access fewer words.
#[cfg(not(target_has_atomic = "ptr"))]
fn execute(kind: u32, end: u32, _high: u32) {
    // SAFETY: none: each must be a fault.
    unsafe {
        match kind {
            // From the last word of the buffer on.
            0 => asm!("ldmia r0!, {{r1-r4}}", inout("r0") end - 4 => _, out("r1") _, out("r2") _,
                out("r3") _, out("r4") _),
            1 => asm!("stmia r0!, {{r1-r4}}", inout("r0") end - 4 => _),
            _ => exit(77),
        }
    }
}

/// Executes an instruction over the end of the lower buffer, or from below the beginning of the
/// upper one.
#[cfg(target_has_atomic = "ptr")]
fn execute(kind: u32, end: u32, high: u32) {
    // SAFETY: none: each must be a fault.
    unsafe {
        match kind {
            // From the last word of one buffer to the first word of the other.
            0 => asm!("ldmia {}, {{r1-r5, r8-r12}}", in(reg) end - 4, out("r1") _, out("r2") _,
                out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _,
                out("r11") _, out("r12") _),
            1 => asm!("stmia {}, {{r1-r5, r8-r12}}", in(reg) end - 4, out("r1") _, out("r2") _,
                out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _,
                out("r11") _, out("r12") _),
            2 => asm!("ldmdb {}, {{r1-r5, r8-r12}}", in(reg) end + 36, out("r1") _, out("r2") _,
                out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _,
                out("r11") _, out("r12") _),
            3 => asm!("ldrd {}, {}, [{}]", out(reg) _, out(reg) _, in(reg) end - 4),
            4 => asm!("strd {0}, {0}, [{0}]", in(reg) end - 4),
            5 => asm!("ldr {}, [{}]", out(reg) _, in(reg) end - 2),
            6 => asm!("str {0}, [{0}]", in(reg) end - 3),
            7 => asm!("ldrh {}, [{}]", out(reg) _, in(reg) end - 1),
            // From below the upper one.
            8 => asm!("ldrd {}, {}, [{}]", out(reg) _, out(reg) _, in(reg) high - 4),
            9 => asm!("ldr {}, [{}]", out(reg) _, in(reg) high - 2),
            _ => exit(77),
        }
    }
}
