//! The entries of physical memory protection, by their numbers.
//!
//! RISC-V Privileged Architecture, 3.7.

use ::core::arch::{asm, naked_asm};

/// The largest number of entries that is looked for.
pub const MAX: usize = 16;

/// Calls `$of` with the register of the entry `$entry`: an instruction names a register by its
/// number.
macro_rules! of_entry {
    ($entry:expr, $of:ident, $($number:literal)*) => {
        match $entry {
            $($number => $of!($number),)*
            _ => (),
        }
    };
}

/// Gives an entry its address and its configuration.
///
/// # Safety
/// No other code uses the entry, or changes entries meanwhile. There is such an entry.
pub unsafe fn set(entry: u8, address: u32, configuration: u8) {
    macro_rules! address_of {
        ($number:literal) => {
            // SAFETY: the caller's.
            unsafe {
                asm!(
                    ::core::concat!("csrw pmpaddr", $number, ", {}"), in(reg) address,
                    options(nostack, preserves_flags)
                );
            }
        };
    }
    of_entry!(entry, address_of, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    let shift = 8 * u32::from(entry % 4);
    let (none, bits) = (0xff << shift, u32::from(configuration) << shift);
    macro_rules! configuration_of {
        ($number:literal) => {
            // SAFETY: the caller's.
            unsafe {
                asm!(
                    ::core::concat!("csrc pmpcfg", $number, ", {}"),
                    ::core::concat!("csrs pmpcfg", $number, ", {}"),
                    in(reg) none, in(reg) bits, options(nostack, preserves_flags)
                );
            }
        };
    }
    of_entry!(entry / 4, configuration_of, 0 1 2 3);
}

/// Returns how many entries from `first` on the unit has, one behind the other; 0 without a unit.
/// An entry counts if it isn't locked, and can have every multiple of 32 bytes.
///
/// # Safety
/// Nothing relies on the addresses of these entries.
pub unsafe fn count(first: u8) -> u8 {
    let mut count = 0;
    while usize::from(first + count) < MAX {
        // SAFETY: the caller's.
        if !unsafe { exists(first + count) } {
            break;
        }
        count += 1;
    }
    count
}

/// Returns `true` if an entry is there and keeps an address.
///
/// # Safety
/// Nothing relies on the entry's address.
unsafe fn exists(entry: u8) -> bool {
    let mut answer = false;
    macro_rules! try_entry {
        ($number:literal) => {{
            /// Returns 1 if the entry keeps an address. The registers of a unit that isn't there
            /// are illegal to touch: the exception is the end of this function.
            #[unsafe(naked)]
            unsafe extern "C" fn keeps() -> u32 {
                naked_asm!(
                    "csrrci t2, mstatus, 8", // t2 = mstatus; interrupts are off
                    "csrr t0, mtvec",        // t0 = where traps went
                    "la t1, __quintet_look_ends",
                    "csrw mtvec, t1", // the exception ends the look
                    "li a0, 0",
                    "li t3, 0x15555558", // an address with the bit of 32 bytes
                    ::core::concat!("csrw pmpaddr", $number, ", t3"),
                    ::core::concat!("csrr t4, pmpaddr", $number),
                    "bne t3, t4, 1f",
                    ::core::concat!("csrw pmpaddr", $number, ", zero"),
                    "li a0, 1",
                    "1: j {end}",
                    end = sym look_ends,
                )
            }
            // SAFETY: the caller's; traps go where they went.
            answer = unsafe { keeps() } != 0;
        }};
    }
    of_entry!(entry, try_entry, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    answer
}

/// Ends the look at an entry: t0 is where traps went, t2 is what `mstatus` was, and the link
/// register is that of the look. No MRET ends the exception, so `mstatus` gets the mode before as
/// well: the trap of a process relies on it. An Ibex takes an exception at multiples of 256 only.
#[unsafe(naked)]
unsafe extern "C" fn look_ends() {
    naked_asm!(
        ".p2align 8",
        ".global __quintet_look_ends",
        "__quintet_look_ends:",
        "csrw mtvec, t0",
        "csrw mstatus, t2",
        "ret",
    )
}
