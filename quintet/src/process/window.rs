//! Windows: how a process accesses the memory that another one shares with it.
//!
//! A buffer is *open* to a process from when an upcall has told it of the buffer, until the one
//! that shares it swaps it, ends or starts anew, or the process itself does. Several may be open to
//! a process, one of each other process. One region of the protection unit *shows* one of them. An
//! access to another one that is open is a fault by which the region turns to that one; then the
//! instruction is executed again.
//!
//! All of this is touched in SVCall and the switch alone, between which no process is entered.

use ::core::cell::Cell;
use ::core::ptr;

use super::client::Buffer;
use super::record::Process;
use super::regions;
use super::system::system;
use super::upcall::Due;

/// No driver, or no process.
const NONE: u8 = u8::MAX;

/// What is open to a process, and of a process.
#[derive(Debug)]
pub struct Window {
    /// The driver by which processes share, as soon as one has notified this one.
    driver: Cell<u8>,
    /// The process whose buffer the region shows.
    shown: Cell<u8>,
    /// A bit for each process of which a buffer is open to this one.
    open: Cell<u16>,
    /// A bit for each process to which a buffer of this one is open.
    lent: Cell<u16>,
}

/// The bit of a process.
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

/// Whether a region can show a buffer, and nothing beside it. One of no bytes needs none.
pub const fn can_show(address: u32, size: u32) -> bool {
    size == 0 || regions::is_one(address, size)
}

/// The buffer by which `from` shares with `with`: its address and its size, of 0 if there is none
/// that can be shown.
fn shared(driver: u8, from: usize, with: &Process) -> (u32, u32) {
    let slots = system().slots(driver, from);
    let buffer = slots.read_write.get(with.index());
    match buffer.map(|buffer| (buffer.address.get(), buffer.size.get())) {
        Some((address, size)) if can_show(address, size) && size > 0 => (address, size),
        _ => (0, 0),
    }
}

impl Process {
    /// Lets upcalls of a driver tell of buffers that are shared with this process.
    pub(super) fn expect_notices(&self, driver: u8) {
        self.window.driver.set(driver);
    }

    /// Whether upcalls of a driver are notices of others. These are not for one function: a process
    /// hears also of what came before it has subscribed.
    pub(super) fn gets_notices_by(&self, driver: u8) -> bool {
        self.window.driver.get() == driver
    }

    /// What an upcall says that this process gets now. One that tells of another process says where
    /// that one's buffer is, which opens it.
    #[inline]
    pub(super) fn arguments_of(&self, due: &Due) -> [u32; 3] {
        match self.window.driver.get() {
            NONE => due.arguments,
            driver => self.notice(driver, due),
        }
    }

    #[cold]
    fn notice(&self, driver: u8, due: &Due) -> [u32; 3] {
        let own = system().slots(driver, self.index());
        if !own.upcalls.as_ptr_range().contains(&ptr::from_ref(due.upcall)) {
            return due.arguments;
        }
        let from = due.arguments[0];
        let Some(sharer) = system().processes().get(from as usize) else { return due.arguments };
        let (address, size) = shared(driver, sharer.index(), self);
        if size > 0 {
            self.window.open.set(self.window.open.get() | bit(sharer));
            sharer.window.lent.set(sharer.window.lent.get() | bit(self));
            self.turn_to(sharer, address, size);
        }
        [from, size, address]
    }

    fn turn_to(&self, sharer: &Self, address: u32, size: u32) {
        self.window.shown.set(sharer.index() as u8);
        self.show(Some((address, size)));
    }

    /// Turns the region to what is open to this process at an address. Whether something is, that
    /// the region doesn't show: an access to what it shows is refused for another reason.
    pub(super) fn turn_to_address(&self, address: u32) -> bool {
        let driver = self.window.driver.get();
        let shown = usize::from(self.window.shown.get());
        let is_hidden =
            |sharer: &&Self| self.window.open.get() & bit(sharer) != 0 && sharer.index() != shown;
        for sharer in system().processes().iter().filter(is_hidden) {
            let (begin, size) = shared(driver, sharer.index(), self);
            if address.wrapping_sub(begin) < size {
                self.turn_to(sharer, begin, size);
                return true;
            }
        }
        false
    }

    /// A buffer of this process is another one now: what was open of it is closed.
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

    /// Closes what is open of `sharer`.
    fn close_from(&self, sharer: &Self) {
        self.window.open.set(self.window.open.get() & !bit(sharer));
        sharer.window.lent.set(sharer.window.lent.get() & !bit(self));
        if usize::from(self.window.shown.get()) == sharer.index() {
            self.window.shown.set(NONE);
            self.show(None);
        }
    }

    /// Closes all that is open to this process and of it.
    pub(super) fn close_windows(&self) {
        for other in system().processes() {
            if self.window.open.get() & bit(other) != 0 {
                self.close_from(other);
            }
            if self.window.lent.get() & bit(other) != 0 {
                other.close_from(self);
            }
        }
        self.window.driver.set(NONE);
    }
}
