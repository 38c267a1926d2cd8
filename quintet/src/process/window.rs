//! Windows, by which a process accesses the memory that another process shares with it.
//!
//! A buffer is *open* to a process from the time when an upcall has told the process about the
//! buffer. The buffer is closed when the sharing process swaps it, or when one of the two processes
//! ends or starts again. Several buffers may be open to a process, one of each other process. One
//! region of the protection unit *shows* one of them. An access to another open buffer is a fault,
//! by which the region turns to that buffer; then the processor executes the instruction again.
//!
//! An instruction may access several words, and so reach beyond an open buffer. It never reaches
//! into another open buffer: INVARIANT(apart).
//!
//! This state is touched only in SVCall and the switch, between which no process is entered.

use ::core::cell::Cell;
use ::core::ptr;

use super::client::Buffer;
use super::driver::Entry;
use super::record::Process;
use super::regions;
use super::system::system;

/// No driver, or no process.
const NONE: u8 = u8::MAX;

/// The buffers that are open to a process, and of a process.
#[derive(Debug)]
pub struct Window {
    /// The driver for sharing, as soon as a process has notified this one.
    driver: Cell<u8>,
    /// The process whose buffer the region shows.
    shown: Cell<u8>,
    /// A bit for each process that has a buffer open to this one.
    open: Cell<u16>,
    /// A bit for each process to which a buffer of this one is open.
    lent: Cell<u16>,
}

/// Returns the bit of a process.
const fn bit(process: &Process) -> u16 {
    1 << process.index()
}

impl Window {
    pub(super) const fn new() -> Self {
        Self {
            driver: Cell::new(NONE),
            shown: Cell::new(NONE),
            open: Cell::new(0),
            lent: Cell::new(0),
        }
    }
}

/// Returns the buffer that `from` shares with `with`: its address and its size. The size is 0 if
/// there is no buffer that a region can show.
fn shared(entry: &Entry, from: &Process, with: &Process) -> (u32, u32) {
    let buffer = entry.read_write(from.index(), with.index());
    match buffer.map(|buffer| (buffer.address.get(), buffer.size.get())) {
        Some((address, size)) if from.can_share(address, size) && size > 0 => (address, size),
        _ => (0, 0),
    }
}

impl Process {
    /// Returns `true` if a region can show exactly this buffer of the process to another one. A
    /// buffer of no bytes needs no region.
    ///
    /// The buffer must not begin where the process's memory begins. INVARIANT(apart): so at least
    /// 32 bytes, which no region shows, lie between the buffers of two processes. An instruction
    /// that accesses several words accesses all that lies between. So no instruction completes by
    /// two open buffers, of which the region shows one at a time, and such an instruction is a
    /// fault in between.
    pub(super) const fn can_share(&self, address: u32, size: u32) -> bool {
        size == 0 || regions::is_one(address, size) && self.memory().begin < address
    }

    /// Lets notices of a driver tell about buffers that are shared with this process.
    pub(super) fn expect_notices(&self, driver: u8) {
        self.window.driver.set(driver);
    }

    /// Returns the driver whose notices tell about buffers, if this process has got one.
    pub(super) fn notifier(&self) -> Option<u8> {
        Some(self.window.driver.get()).filter(|&driver| driver != NONE)
    }

    /// Opens the buffer that another process shares with this one. Returns the words of the notice
    /// that tells about the buffer.
    pub(super) fn open_buffer_of(&self, entry: &Entry, sharer: &Self) -> [u32; 3] {
        let (address, size) = shared(entry, sharer, self);
        if size > 0 {
            self.window.open.set(self.window.open.get() | bit(sharer));
            sharer.window.lent.set(sharer.window.lent.get() | bit(self));
            self.turn_to(sharer, address, size);
        }
        [sharer.index() as u32, size, address]
    }

    fn turn_to(&self, sharer: &Self, address: u32, size: u32) {
        self.window.shown.set(sharer.index() as u8);
        self.show(Some((address, size)));
    }

    /// Turns the region to the open buffer at an address. Returns `true` if there is such a buffer
    /// and the region doesn't show it yet. If the region shows the buffer already, the access was
    /// refused for another reason.
    pub(super) fn turn_to_address(&self, address: u32) -> bool {
        if self.window.open.get() == 0 {
            return false;
        }
        let Some(driver) = self.notifier() else { return false };
        let entry = &system().drivers[usize::from(driver)];
        let shown = usize::from(self.window.shown.get());
        let is_hidden =
            |sharer: &&Self| self.window.open.get() & bit(sharer) != 0 && sharer.index() != shown;
        for sharer in system().processes().iter().filter(is_hidden) {
            let (begin, size) = shared(entry, sharer, self);
            if address.wrapping_sub(begin) < size {
                self.turn_to(sharer, begin, size);
                return true;
            }
        }
        false
    }

    /// Closes the old buffer, after this process has swapped it.
    #[inline]
    pub(super) fn note_swap(&self, driver: u8, buffer: &Buffer) {
        if self.window.lent.get() != 0 {
            self.close_swapped(driver, buffer);
        }
    }

    #[cold]
    fn close_swapped(&self, driver: u8, buffer: &Buffer) {
        let all = system().slots(driver, self.index()).read_write;
        let Some(to) = all.iter().position(|one| ptr::eq(one, buffer)) else { return };
        let Some(to) = system().processes().get(to) else { return };
        if to.window.driver.get() == driver {
            to.close_from(self);
        }
    }

    /// Closes the buffer of `sharer`.
    fn close_from(&self, sharer: &Self) {
        self.window.open.set(self.window.open.get() & !bit(sharer));
        sharer.window.lent.set(sharer.window.lent.get() & !bit(self));
        if usize::from(self.window.shown.get()) == sharer.index() {
            self.window.shown.set(NONE);
            self.show(None);
        }
    }

    /// Closes a buffer that is open to this process or of this process, and expects no more
    /// notices. Returns `false` if there is no such buffer.
    pub(super) fn close_a_window(&self) -> bool {
        self.window.driver.set(NONE);
        let all = system().processes();
        let (open, lent) = (self.window.open.get(), self.window.lent.get());
        if let Some(other) = all.get(open.trailing_zeros() as usize) {
            self.close_from(other);
        } else if let Some(other) = all.get(lent.trailing_zeros() as usize) {
            other.close_from(self);
        }
        open | lent != 0
    }
}
