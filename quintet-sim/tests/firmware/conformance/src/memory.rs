//! Bit-banding and the exclusive monitor (B3.1, A3.4).

use core::arch::asm;

use crate::support::*;

const WORD: u32 = 0x2000_4100;
/// The alias of bit 0 of `WORD`.
const ALIAS: u32 = 0x2200_0000 + 0x4100 * 32;

fn bit_band() {
    write(WORD, 0x8000_0000);
    note(read(ALIAS));
    note(read(ALIAS + 31 * 4));
    write(ALIAS + 5 * 4, 0xFFFF_FFFF);
    note(read(WORD));
    write(ALIAS + 5 * 4, 0xFFFF_FFFE);
    note(read(WORD));
    write(ALIAS + 4, 1);
    note(read(WORD));
    check("bit_band.words", &[0, 1, 0x8000_0020, 0x8000_0000, 0x8000_0002]);
    // SAFETY: byte and halfword accesses to the alias reach the same bit.
    unsafe {
        core::ptr::write_volatile((ALIAS + 9 * 4) as *mut u8, 1);
        note(read(WORD));
        note(u32::from(core::ptr::read_volatile((ALIAS + 9 * 4) as *const u8)));
        core::ptr::write_volatile((ALIAS + 4) as *mut u16, 0);
    }
    note(read(WORD));
    check("bit_band.bytes", &[0x8000_0202, 1, 0x8000_0200]);
}

/// LDREX, what the literal says, STREX; the status and the memory after.
macro_rules! exclusive {
    ($($between:literal),*) => {{
        write(WORD, 7);
        let status: u32;
        // SAFETY: the memory is the checks'.
        unsafe {
            asm!("ldrex {value}, [{word}]", "adds {value}, #1", $($between,)*
                "strex {status}, {value}, [{word}]",
                value = out(reg) _, status = out(reg) status, word = in(reg) WORD)
        }
        note(status);
        note(read(WORD));
    }};
}

extern "C" fn call() {}

fn exclusives() {
    exclusive!("nop");
    check("exclusive.succeeds", &[0, 8]);
    exclusive!("clrex");
    check("exclusive.cleared", &[1, 7]);
    handle(CALL, call);
    exclusive!("svc 0");
    check("exclusive.cleared_by_an_exception", &[1, 7]);
    write(WORD, 7);
    let status: u32;
    // SAFETY: as above.
    unsafe { asm!("clrex", "strex {0}, {1}, [{1}]", out(reg) status, in(reg) WORD) }
    note(status);
    note(read(WORD));
    check("exclusive.needs_a_load", &[1, 7]);
}

/// All of them.
pub fn checks() {
    bit_band();
    exclusives();
    handle(CALL, fault_entry);
}
