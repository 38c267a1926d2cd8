//! The drivers of the group `tock`, which the processes call: one that does nothing, and one that
//! wakes them. Both the Cortex-M's and RISC-V's firmware have them.

use core::sync::atomic::{AtomicU32, Ordering};

use quintet::RacyCell;
use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};

use crate::COUNT;
use crate::mark;
use crate::processes::{NULL_NUMBER, WAKE_NUMBER};

/// How often a process came to its upcall, or the driver was called: nothing is left out unseen.
pub static TURNS: AtomicU32 = AtomicU32::new(0);
pub static INTERRUPTS: AtomicU32 = AtomicU32::new(0);
pub static CALLS: AtomicU32 = AtomicU32::new(0);

/// A driver that does nothing, and is asked to.
pub struct Null {
    pub clients: Clients<COUNT, (), 1, 1, 1>,
}

impl Driver for Null {
    const NUMBER: u32 = NULL_NUMBER;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, _: Client, _: u32, _: u32, _: u32) -> Answer {
        mark!("driver");
        Answer::Success
    }
}

/// Wakes processes: for each other, and for interrupts.
pub struct Wake {
    pub clients: Clients<COUNT, (), 2>,
}

/// The two processes that are woken: the partner, and the one that is measured.
static WOKEN: [RacyCell<Option<Client>>; 2] = [RacyCell::new(None), RacyCell::new(None)];

/// Lets a process run the function that it has for turns, or for interrupts.
pub fn wake(which: usize, upcall: usize) -> bool {
    // SAFETY: written before interrupts are pended, and else read in calls alone.
    match unsafe { *WOKEN[which].get() } {
        Some(client) => client.upcall(upcall, [1, 2, 3]).is_ok(),
        None => false,
    }
}

impl Driver for Wake {
    const NUMBER: u32 = WAKE_NUMBER;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        let which = first as usize % WOKEN.len();
        match command {
            // SAFETY: nobody reads it yet.
            1 => unsafe { *WOKEN[which].get_mut() = Some(client) },
            2 if !wake(which, 0) => return Answer::Failure(ErrorCode::Fail),
            3 => count(&TURNS),
            4 => count(&INTERRUPTS),
            5 => count(&CALLS),
            _ => {}
        }
        Answer::Success
    }
}

fn count(what: &AtomicU32) {
    what.store(what.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
