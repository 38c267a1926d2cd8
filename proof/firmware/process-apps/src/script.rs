//! A process that makes the calls that its kernel's script says, for the executable specification,
//! and tells the kernel what the registers were behind each.
//!
//! An upcall leaves r0 to r3 as it found them, so that the call in which it came is compared as all
//! others are.

use core::arch::{asm, naked_asm};

use crate::command;

/// The driver that has the script.
const DESK: u32 = 0x8000_0005;
/// The other one. Who has called it may be rung by it.
const BELL: u32 = 0x8000_0006;
/// What the process tells: it has begun, a call is over, an upcall has come.
const BEGUN: u32 = 1;
const OVER: u32 = 2;
const HEARD: u32 = 3;
/// Which upcall makes a call of its own.
const CALLS: u32 = 1;

/// The call that comes next: its class, r0 to r3. Or what it came to, and the [`FLAG`].
type Cell = [u32; 6];

/// A class that is none: a load from the address in r0, to r0.
const LOAD: u32 = 256;
/// The same: a store of r1 to the address in r0.
const STORE: u32 = 257;

/// What a yield without a wait writes to, if the script says so.
#[unsafe(no_mangle)]
static mut FLAG: u8 = 0;

/// What the flag is before each call.
const UNTOUCHED: u8 = 0xee;

/// Does what the script says, for ever: it ends with a call that ends the process.
pub fn run() -> ! {
    command([BELL, 1, 0, 0]);
    let mut cell = [0; 6];
    tell(BEGUN, true, &mut cell);
    loop {
        perform(&mut cell);
        tell(OVER, true, &mut cell);
    }
}

/// Tells the kernel of something; the next call is in the cell then, if it is to be.
fn tell(what: u32, takes: bool, cell: &mut Cell) {
    // SAFETY: one thread.
    cell[5] = u32::from(unsafe { (&raw const FLAG).read_volatile() });
    command([DESK, what, (&raw mut *cell) as u32, takes.into()]);
    // The kernel reads and writes the cell, though it was not lent.
    // SAFETY: without an effect.
    unsafe { asm!("/* {} */", in(reg) cell) };
}

/// Makes the call in the cell.
#[inline(never)]
fn perform(cell: &mut Cell) {
    let [class, mut r0, mut r1, mut r2, mut r3, _] = *cell;
    // SAFETY: one thread.
    unsafe { (&raw mut FLAG).write_volatile(UNTOUCHED) };
    macro_rules! calls {
        ($($class:literal)*) => {
            match class {
                // SAFETY: none: the kernel, and the protection unit, must see to it.
                $($class => unsafe {
                    asm!(concat!("svc ", $class), inout("r0") r0, inout("r1") r1,
                        inout("r2") r2, inout("r3") r3, out("r12") _, out("lr") _)
                },)*
                // SAFETY: the same.
                LOAD => unsafe { r0 = (r0 as usize as *const u32).read_volatile() },
                // SAFETY: the same.
                STORE => unsafe { (r0 as usize as *mut u32).write_volatile(r1) },
                // SAFETY: the same.
                _ => unsafe { asm!("svc 200") },
            }
        };
    }
    calls!(0 1 2 3 4 5 6 7);
    cell[1..5].copy_from_slice(&[r0, r1, r2, r3]);
}

/// An upcall has come: with these registers, to this function.
extern "C" fn hear(registers: &[u32; 4], which: u32) {
    let [r0, r1, r2, r3] = *registers;
    let mut cell = [which, r0, r1, r2, r3, 0];
    tell(HEARD, which == CALLS, &mut cell);
    if which == CALLS {
        perform(&mut cell);
        tell(OVER, false, &mut cell);
    }
}

macro_rules! upcall {
    ($name:ident, $which:literal, $what:literal) => {
        #[doc = $what]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        extern "C" fn $name() {
            naked_asm!(
                "push {{r0-r3, r4, lr}}",
                "mov r0, sp",
                concat!("movs r1, #", $which),
                "bl {hear}",
                "pop {{r0-r3, r4, pc}}",
                hear = sym hear,
            )
        }
    };
}

upcall!(upcall_0, 0, "An upcall that is told of.");
upcall!(upcall_1, 1, "The same, which makes the next call of the script.");

#[used]
static UPCALLS: [extern "C" fn(); 2] = [upcall_0, upcall_1];
