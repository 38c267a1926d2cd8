//! Notices, by which processes tell each other that there is something to do, or that it is done.
//!
//! A notice is a bit: from each other process at most one request and one reply are due. So a
//! process that notifies another one again and again takes no room from the upcalls of drivers,
//! whether the other one listens or not. (Tock queues notices beside upcalls.)
//!
//! The first notice waits for the upcalls that were due before it. After a notice, one upcall of a
//! driver comes before the next notice, if one is due. So neither holds the other off.
//!
//! This state is touched only in SVCall and the switch, between which no process is entered.

#![expect(unsafe_code, reason = "the frames of processes that wait are written")]

use ::core::cell::Cell;
use ::core::ptr;

use super::record::{CALL, Process};
use super::system::{PROCESSES_MAX, system};
use super::upcall::{Outcome, Upcall};
use crate::core::lock::kernel;

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A client notifies a service. The upcall of the service has the service's own place.
    Request,
    /// A service notifies a client. The upcall of the client has the service's place.
    Reply,
}

/// The notices that are due to a process.
#[derive(Debug)]
pub struct Notices {
    /// A bit for each process with a request, and above these a bit for each with a reply.
    due: Cell<u32>,
    /// The number of upcalls of drivers that come before the next notice, if they are still due.
    ahead: Cell<u8>,
    /// The bit behind the one that was taken last.
    next: Cell<u8>,
}

/// The bit of the first reply.
const REPLIES: usize = PROCESSES_MAX;
const _: () = assert!(2 * PROCESSES_MAX <= u32::BITS as usize);

impl Notices {
    pub(super) const fn new() -> Self {
        Self { due: Cell::new(0), ahead: Cell::new(0), next: Cell::new(0) }
    }

    /// Returns `true` if a notice is due.
    #[inline(always)]
    pub(super) const fn are_due(&self) -> bool {
        self.due.get() != 0
    }

    /// Takes one of the notices `among`, if any of these is due: by turns, so that no process holds
    /// the notices of another one off.
    fn take_one(&self, among: u32) -> Option<usize> {
        let (next, found) = (u32::from(self.next.get()), self.due.get() & among);
        if found == 0 {
            return None;
        }
        let bit = (found.rotate_right(next).trailing_zeros() + next) % u32::BITS;
        self.next.set((bit as u8 + 1) % u32::BITS as u8);
        self.due.set(self.due.get() & !(1 << bit));
        Some(bit as usize)
    }

    /// Drops all notices.
    pub(super) fn clear(&self) {
        self.due.set(0);
    }
}

/// Makes a notice due. If the receiver waits for the notice, the receiver makes its call again,
/// and then finds the notice: the call looks the shared buffer up, and opens it. In SVCall.
pub fn notify(receiver: &'static Process, driver: u8, from: usize, kind: Kind) {
    receiver.expect_notices(driver);
    let (bit, number) = match kind {
        Kind::Request => (from, receiver.index()),
        Kind::Reply => (REPLIES + from, from),
    };
    let Some(upcall) = system().slots(driver, receiver.index()).upcalls.get(number) else { return };
    let Notices { due, ahead, .. } = &receiver.notices;
    if due.get() == 0 {
        ahead.set(kernel(|lock| receiver.upcalls.len(lock)));
    }
    due.set(due.get() | 1 << bit);
    let outcome = kernel(|_| {
        let wanted = receiver.waiting.get();
        let is_any = ptr::eq(wanted, receiver.any()) && upcall.function.get() != 0;
        if !is_any && !ptr::eq(wanted, upcall) {
            return Outcome::Noted(true);
        }
        // SAFETY: the process waits there, within its memory.
        let frame = unsafe { &mut *receiver.frame() };
        // If the process has lent this memory, a driver may have written there. Then the process
        // continues at any address.
        frame.pc = frame.pc.wrapping_sub(CALL);
        receiver.waiting.set(Process::delivered());
        Outcome::Delivered
    });
    let _has_room = outcome.end(receiver);
}

impl Process {
    /// Takes the next notice, in a call of the process, unless an upcall of a driver comes first.
    /// Returns the words of the notice, the function, and the function's argument. Notices without
    /// a function are dropped, as a process can only wait for them.
    #[cold]
    #[inline(never)]
    pub(super) fn take_notice(&self) -> Option<([u32; 3], u32, u32)> {
        let Notices { ahead, .. } = &self.notices;
        let left = ahead.get();
        if left > 0 && kernel(|lock| self.upcalls.len(lock)) > 0 {
            ahead.set(left - 1);
            return None;
        }
        let driver = self.notifier()?;
        // At most 32 rounds.
        while let Some(bit) = self.notices.take_one(u32::MAX) {
            let number = if bit < REPLIES { self.index() } else { bit - REPLIES };
            let upcall = system().slots(driver, self.index()).upcalls.get(number)?;
            let (function, data) = (upcall.function.get(), upcall.data.get());
            if function != 0 {
                ahead.set(1);
                return Some((self.words_of(driver, bit)?, function, data));
            }
        }
        None
    }

    /// Takes a notice that the process waits for by this upcall, in a call of the process. Returns
    /// the words of the notice.
    #[cold]
    #[inline(never)]
    pub(super) fn take_notice_of(&self, wanted: &'static Upcall) -> Option<[u32; 3]> {
        let driver = self.notifier()?;
        let upcalls = system().slots(driver, self.index()).upcalls;
        let number = upcalls.iter().position(|upcall| ptr::eq(upcall, wanted))?;
        let requests = if number == self.index() { (1 << REPLIES) - 1 } else { 0 };
        let bit = self.notices.take_one(requests | 1 << (REPLIES + number))?;
        self.words_of(driver, bit)
    }

    /// Returns the words of a notice, and opens the buffer that the notice tells about.
    fn words_of(&self, driver: u8, bit: usize) -> Option<[u32; 3]> {
        let sharer = system().processes().get(bit % REPLIES)?;
        Some(self.open_buffer_of(driver, sharer))
    }
}
