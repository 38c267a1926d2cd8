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

use super::client::Client;
use super::driver::Entry;
use super::record::Process;
use super::system::{PROCESSES_MAX, system};
use super::upcall;
use crate::arch::process::CALL;
use crate::core::lock::kernel;

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A client notifies a service. The upcall of the service has the service's own place.
    Request,
    /// A service notifies a client. The upcall of the client has the service's place.
    Reply,
}

/// The notice that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A notice, for which a function is called: its words, the function, and the function's
    /// argument.
    Call([u32; 3], u32, u32),
    /// A notice without a function was dropped.
    Dropped,
    /// No notice is due, or an upcall of a driver comes first.
    None,
}

/// The notices that are due to a process: a bit for each process with a request, and above these a
/// bit for each with a reply.
#[derive(Debug)]
pub struct Notices(Cell<u32>);

/// The order of the notices of a process. Apart from them, where the record has room.
#[derive(Debug)]
pub struct Order {
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
        Self(Cell::new(0))
    }

    /// Returns `true` if a notice is due.
    #[inline(always)]
    pub(super) const fn are_due(&self) -> bool {
        self.0.get() != 0
    }

    /// Takes one of the notices `among`, if any of these is due: by turns, so that no process holds
    /// the notices of another one off.
    #[inline(always)]
    fn take_one(&self, among: u32, order: &Order) -> Option<usize> {
        let (next, found) = (u32::from(order.next.get()), self.0.get() & among);
        if found == 0 {
            return None;
        }
        let bit = (found.rotate_right(next).trailing_zeros() + next) % u32::BITS;
        order.next.set((bit as u8 + 1) % u32::BITS as u8);
        self.0.set(self.0.get() & !(1 << bit));
        Some(bit as usize)
    }

    /// Drops all notices.
    pub(super) fn clear(&self) {
        self.0.set(0);
    }
}

impl Order {
    pub(super) const fn new() -> Self {
        Self { ahead: Cell::new(0), next: Cell::new(0) }
    }
}

/// Makes a notice of the process `sender` due, which shares `buffer`, an address and a size, with
/// the receiver. If the receiver waits for the notice, delivers it at once, by the frame of the
/// receiver's call. In a command of the sender.
///
/// With a buffer, the receiver makes its call again instead, and then finds the notice: that call
/// looks the buffer up, and opens it. By then the sender may have shared another one, or have
/// ended: an address that is told ahead would be one that the receiver may not read any more.
///
/// The first section takes the receiver's wait, so that no job delivers an upcall meanwhile. The
/// frame needs no lock then, as nobody but SVCall touches it. The section at the end makes the
/// receiver ready. Inlined, so that no registers are restored within that section.
#[inline(always)]
pub fn notify(receiver: &'static Process, sender: Client, buffer: (u32, u32), kind: Kind) {
    let (driver, from) = (sender.driver, sender.index());
    receiver.expect_notices(driver);
    let (bit, number) = match kind {
        Kind::Request => (from, receiver.index()),
        Kind::Reply => (REPLIES + from, from),
    };
    let entry = &system().drivers[usize::from(driver)];
    let Some(upcall) = entry.upcall(receiver.index(), number) else { return };
    let (function, data) = (upcall.function.get(), upcall.data.get());
    let order = &receiver.order_of_notices;
    let shares = buffer.1 != 0;
    let wait = kernel(|lock| {
        let wanted = receiver.waiting.get();
        let wait = if function != 0 && ptr::eq(wanted, receiver.any()) {
            Wait::Call
        } else if ptr::eq(wanted, upcall) {
            Wait::Words
        } else {
            Wait::None
        };
        if wait != Wait::None {
            receiver.waiting.set(Process::delivered());
        }
        if (shares || wait == Wait::None) && !receiver.notices.are_due() {
            order.ahead.set(receiver.upcalls.len(lock));
        }
        wait
    });
    if shares || wait == Wait::None {
        receiver.notices.0.set(receiver.notices.0.get() | 1 << bit);
    } else {
        order.next.set((bit as u8 + 1) % u32::BITS as u8);
    }
    if wait == Wait::None {
        return;
    }
    // SAFETY: the process waits there, within its memory.
    let frame = unsafe { &mut *receiver.frame() };
    if shares {
        // If the process has lent this memory, a driver may have written there. Then the process
        // continues at any address.
        frame.pc = frame.pc.wrapping_sub(CALL);
    } else {
        let words = [from as u32, 0, 0];
        if wait == Wait::Call {
            order.ahead.set(1);
            upcall::call(frame, words, function, data);
        } else {
            frame.registers[..3].copy_from_slice(&words);
        }
    }
    receiver.wake();
}

/// What the receiver of a notice waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Any upcall: it gets a call of its function.
    Call,
    /// This notice: it gets the words.
    Words,
    /// Not for this notice.
    None,
}

impl Process {
    /// Takes the next notice, in a call of the process, unless an upcall of a driver comes first.
    /// Drops a notice without a function, as a process can only wait for such a one: one at a time,
    /// so that this takes as long for any number of notices.
    #[cold]
    #[inline(never)]
    pub(super) fn take_notice(&self) -> Notice {
        let ahead = &self.order_of_notices.ahead;
        let left = ahead.get();
        if left > 0 && kernel(|lock| self.upcalls.len(lock)) > 0 {
            ahead.set(left - 1);
            return Notice::None;
        }
        let Some(driver) = self.notifier() else { return Notice::None };
        let entry = &system().drivers[usize::from(driver)];
        let taken = self.notices.take_one(u32::MAX, &self.order_of_notices);
        let Some(bit) = taken else { return Notice::None };
        let number = if bit < REPLIES { self.index() } else { bit - REPLIES };
        let upcall = entry.upcall(self.index(), number);
        let function = upcall.map_or(0, |upcall| upcall.function.get());
        if function != 0
            && let Some(upcall) = upcall
            && let Some(words) = self.words_of(entry, bit)
        {
            ahead.set(1);
            return Notice::Call(words, function, upcall.data.get());
        }
        Notice::Dropped
    }

    /// Takes a notice that the process waits for by the upcall `number` of a driver, in a call of
    /// the process. Returns the words of the notice.
    #[cold]
    #[inline(never)]
    pub(super) fn take_notice_of(&self, entry: &Entry, number: usize) -> Option<[u32; 3]> {
        if self.notifier() != Some(entry.index) || number >= PROCESSES_MAX {
            return None;
        }
        let requests = if number == self.index() { (1 << REPLIES) - 1 } else { 0 };
        let wanted = requests | 1 << (REPLIES + number);
        let bit = self.notices.take_one(wanted, &self.order_of_notices)?;
        self.words_of(entry, bit)
    }

    /// Returns the words of a notice, and opens the buffer that the notice tells about.
    #[inline(always)]
    fn words_of(&self, entry: &Entry, bit: usize) -> Option<[u32; 3]> {
        let sharer = system().processes().get(bit % REPLIES)?;
        Some(self.open_buffer_of(entry, sharer))
    }
}
