//! Drivers: what processes call.

#![expect(unsafe_code, reason = "a driver's type is behind a pointer in the table")]

use super::client::{Client, Slots};
use super::Answer;

/// A driver: a static, in the list of an application's drivers.
///
/// A command runs in SVCall, below all levels: every task preempts it, and no thread or process runs
/// meanwhile. It must be short, and can't wait; what takes longer it begins, and later says by an
/// [upcall](Client::upcall) that it is done.
pub trait Driver: Sync + 'static {
    /// Its number, which processes call it by.
    const NUMBER: u32;

    /// What it keeps for a process, by the place of that: from its [`Clients`](super::Clients).
    fn slots(&'static self, process: usize) -> Slots;

    /// Does what is asked, as far as it can be done at once. Command 0 isn't handed over: it asks
    /// whether the driver is there, which [`exists`](Self::exists) answers.
    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer;

    /// What command 0 answers. Some drivers say how many of something they have.
    fn exists(&'static self, _client: Client) -> Answer {
        Answer::Success
    }

    /// The process has ended, or starts anew: what was begun for it is of no use any more. What it had
    /// allowed and subscribed is gone. In SVCall, or where a process is stopped.
    fn forget(&'static self, _client: Client) {}
}

/// A line of the table of drivers.
#[derive(Clone, Copy)]
pub struct Entry {
    pub(super) number: u32,
    driver: *const (),
    command: unsafe fn(*const (), Client, u32, u32, u32) -> Answer,
    slots: unsafe fn(*const (), usize) -> Slots,
    forget: unsafe fn(*const (), Client),
}

debug_by_name!([] Entry: "Entry");

// SAFETY: drivers are `Sync`, and statics.
unsafe impl Sync for Entry {}

impl Entry {
    /// The line of a driver.
    #[must_use]
    pub const fn of<D: Driver>(driver: &'static D) -> Self {
        Self {
            number: D::NUMBER,
            driver: ::core::ptr::from_ref(driver).cast(),
            command: command::<D>,
            slots: slots::<D>,
            forget: forget::<D>,
        }
    }

    pub(super) fn command(&self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.command)(self.driver, client, command, first, second) }
    }

    pub(super) fn slots(&self, process: usize) -> Slots {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.slots)(self.driver, process) }
    }

    pub(super) fn forget(&self, client: Client) {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.forget)(self.driver, client) };
    }
}

/// # Safety
/// `driver` is a static of this type.
unsafe fn command<D: Driver>(
    driver: *const (),
    client: Client,
    command: u32,
    first: u32,
    second: u32,
) -> Answer {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    if command == 0 { driver.exists(client) } else { driver.command(client, command, first, second) }
}

/// # Safety
/// `driver` is a static of this type.
unsafe fn slots<D: Driver>(driver: *const (), process: usize) -> Slots {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.slots(process)
}

/// # Safety
/// `driver` is a static of this type.
unsafe fn forget<D: Driver>(driver: *const (), client: Client) {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.forget(client);
}
