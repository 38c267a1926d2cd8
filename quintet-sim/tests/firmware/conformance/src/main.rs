//! Checks of the exception model, the system registers and memory protection, from inside.
//!
//! One line a check through semihosting: `ok NAME`, or `NOT NAME: expected [..], was [..]`. What is
//! expected is what the ARMv7-M Architecture Reference Manual (DDI 0403E) says; its sections stand
//! at the checks. The image runs on the lm3s6965 and the mps2-an385, on the simulator and on QEMU;
//! the test that runs it knows from `docs/qemu-differences.md` where QEMU is known to do otherwise.
//!
//! It uses nothing that the boards do not share: the processor, 64 KiB of RAM, interrupts 24 to 31
//! pended by software, and priorities in steps of 0x20.

#![no_std]
#![no_main]

mod exits;
mod faults;
mod masks;
mod memory;
mod priorities;
mod protection;
mod registers;
mod sleep;
mod stacks;
mod support;

use support::{RESETS, VECTORS, exit, install, print};

#[unsafe(link_section = ".vectors")]
#[used]
static RESET: [support::Vector; 2] =
    [support::Vector { word: 0x2001_0000 }, support::Vector { handler: reset }];

/// Where the processor begins, twice: the checks of the reset itself need a second run.
unsafe extern "C" fn reset() {
    // RAM is not initialised: the count means something only beside its key.
    if RESETS.is_second() {
        registers::after_reset();
        print("done\n");
        exit(0);
    }
    registers::at_start();
    install(&VECTORS);
    priorities::checks();
    masks::checks();
    stacks::checks();
    exits::checks();
    faults::checks();
    protection::checks();
    memory::checks();
    sleep::checks();
    registers::checks();
    RESETS.request()
}
