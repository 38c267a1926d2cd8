//! The process of the group `models`, and the driver by which it hears of events and counts them.
//!
//! It is an application for Tock in the flash of the image: a header in its binary format, and code
//! in assembly, as in the group `tock`.

use core::arch::global_asm;
use core::sync::atomic::{AtomicU32, Ordering};

use quintet::process::{Answer, Client, Clients, Driver, Slots};

use crate::header::{self, MEMORY, SIZE};

/// How many there are: the one that is measured, which comes first, and one more.
pub const COUNT: usize = 1 + MORE as usize;

/// How many more there are, which wait for the same.
const MORE: u32 = cfg!(feature = "another_process") as u32;

/// Where they lie.
pub const FLASH: core::ops::Range<u32> = header::FLASH..header::FLASH + COUNT as u32 * SIZE;

/// The header of each.
const HEADER: [u32; 8] = header::header(&[]);

/// Tells processes of events.
pub static EVENTS: Events = Events { clients: Clients::new([(); COUNT]) };

/// The number of that driver.
const NUMBER: u32 = 0x9_0001;

/// How many events the process has handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);

/// How many events the process has handled.
pub fn handled() -> u32 {
    HANDLED.load(Ordering::Relaxed)
}

/// A driver with one upcall, for an event.
pub struct Events {
    clients: Clients<COUNT, (), 1>,
}

impl Events {
    /// An event has come, for the first process that waits for one.
    pub fn tell(&self) {
        if let Some(client) = self.clients.noted().next() {
            // There is room for ten, and the process takes each before the next one comes.
            let _no_room = client.upcall(0, [0; 3]);
        }
    }
}

impl Driver for Events {
    const NUMBER: u32 = NUMBER;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, _: u32, _: u32) -> Answer {
        match command {
            1 => self.clients.note(client),
            _ => HANDLED.store(handled() + 1, Ordering::Relaxed),
        }
        Answer::Success
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
    }
}

/// ARMv6-M has no immediates of these sizes.
const SMALL: u32 = cfg!(not(target_has_atomic = "ptr")) as u32;

global_asm!(
    ".macro process_address register, offset",
    ".if {small}",
    "movs \\register, #(\\offset / 4)",
    "lsls \\register, \\register, #2",
    "adds \\register, \\register, r4",
    ".else",
    "add \\register, r4, #\\offset",
    ".endif",
    ".endm",
    ".macro process_driver",
    ".if {small}",
    "movs r0, #({number} >> 16)",
    "lsls r0, r0, #16",
    "adds r0, #({number} & 0xffff)",
    ".else",
    "movw r0, #({number} & 0xffff)",
    "movt r0, #({number} >> 16)",
    ".endif",
    ".endm",
    ".pushsection .process_flash, \"ax\", %progbits",
    ".thumb",
    ".rept 1 + {more}",
    ".balign {size}",
    ".word {h0}, {h1}, {h2}, {h3}, {h4}, {h5}, {h6}, {h7}",
    "mov r4, r1", // its memory, all of which is its stack
    "movs r0, #0",
    "process_address r1, {memory}",
    "svc 5",
    "process_address r0, {memory}",
    "mov sp, r0",
    // The function for an event.
    "process_driver",
    "movs r1, #0",
    "adr r2, 4f",
    "adds r2, #1", // a function in Thumb code
    "movs r3, #0",
    "svc 1",
    // It waits.
    "movs r1, #1",
    "2:",
    "process_driver",
    "svc 2",
    "movs r0, #1",
    "svc 0",
    "movs r1, #2", // it counts, and waits again
    "b 2b",
    ".balign 4",
    "4:",
    ".ifndef process", // the mark
    "process:",
    ".endif",
    "bx lr",
    ".balign {size}",
    ".endr",
    ".popsection",
    small = const SMALL,
    size = const SIZE,
    memory = const MEMORY,
    number = const NUMBER,
    more = const MORE,
    h0 = const HEADER[0],
    h1 = const HEADER[1],
    h2 = const HEADER[2],
    h3 = const HEADER[3],
    h4 = const HEADER[4],
    h5 = const HEADER[5],
    h6 = const HEADER[6],
    h7 = const HEADER[7],
);
