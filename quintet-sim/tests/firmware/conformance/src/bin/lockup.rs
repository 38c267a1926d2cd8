//! What only a processor that dies can show: data faults at priority -1 that are to be ignored,
//! then lockup by a fault inside the HardFault handler (B1.5.15).

#![no_std]
#![no_main]

use core::arch::asm;

#[path = "../support.rs"]
#[expect(dead_code, reason = "the other image uses the rest")]
mod support;

use support::{CCR, VECTORS, check, faulting, handle, install, note, print, read, write};

#[unsafe(link_section = ".vectors")]
#[used]
static RESET: [support::Vector; 2] =
    [support::Vector { word: 0x2001_0000 }, support::Vector { handler: reset }];

/// An address at which neither board has anything.
const NOWHERE: u32 = 0x6000_0000;

unsafe extern "C" fn reset() {
    install(&VECTORS);
    ignoring();
    handle(3, faults_again);
    print("ok lockup.reached\n");
    // SAFETY: the end.
    unsafe { asm!("udf #1") }
    print("NOT lockup.happens: still running\n");
    support::exit(1)
}

/// CCR.BFHFNMIGN: data faults are ignored under FAULTMASK (B3.2.8).
fn ignoring() {
    write(CCR, read(CCR) | 1 << 8);
    let mut value = 0;
    faulting(support::Recovery::Skip, || {
        // SAFETY: the load's fault is ignored.
        unsafe {
            asm!(
                "cpsid f", "ldr {0}, [{0}]", "movs {0}, #1", "cpsie f",
                inout(reg) NOWHERE => value,
            )
        }
    });
    write(CCR, read(CCR) & !(1 << 8));
    note(value);
    check("bus.ignored_under_faultmask", &[0, 0, 0, 0, 1]);
}

/// A HardFault handler that faults.
unsafe extern "C" fn faults_again() {
    // SAFETY: the end.
    unsafe { asm!("udf #2") }
}
