//! Permissions: the commands that the header of an application allows.
//!
//! A header lists drivers, each with bits for its commands. The list is read once, when the
//! application is loaded, into a word for each driver of the kernel. So a call needs no search: the
//! word has a bit for each of the commands 0 to 30, the highest bit for command 0, and one that
//! tells whether the list names the driver at all. The assembly of SVCall looks at these bits.
//! Commands from 31 on are searched in the list, which has [few entries](PERMISSIONS_MAX).

#![expect(unsafe_code, reason = "the words of a process lie in a table elsewhere")]

use ::core::cell::Cell;

use super::record::Process;
use super::system::system;
use crate::arch::process::PERMITTED;

/// The largest number of entries in the list of an application's header.
pub const PERMISSIONS_MAX: usize = 16;

/// The bit of a driver that the list names.
const NAMED: u32 = 1;
/// The bit of command 0.
const FIRST: u32 = 1 << PERMITTED;

/// The permissions of a process for a driver.
#[derive(Debug)]
#[repr(transparent)]
pub struct Permit(Cell<u32>);

// SAFETY: written before the processes begin, and read in SVCall.
unsafe impl Sync for Permit {}

/// Returns the permissions of `N` processes for `D` drivers: none.
#[must_use]
pub const fn permits<const D: usize, const N: usize>() -> [[Permit; D]; N] {
    [const { [const { Permit(Cell::new(0)) }; D] }; N]
}

impl Process {
    /// Notes the permissions of the loaded application for each driver.
    pub(super) fn note_permissions(&self) {
        let Some(list) = self.permissions() else { return };
        for (index, driver) in system().drivers.iter().enumerate() {
            let number = driver.number;
            let bits = (0..PERMITTED).filter(|&command| list.allow(number, command));
            let bits = bits.fold(0, |bits, command| bits | FIRST >> command);
            let named = if list.name(number) { NAMED } else { 0 };
            self.permit(index).0.set(bits | named);
        }
    }

    /// Returns the permissions for the driver at this place of the table.
    fn permit(&self, driver: usize) -> &'static Permit {
        assert!(driver < system().drivers.len(), "no driver is there");
        // SAFETY: the table has as many words for each process, by the promise of `Table::new`.
        unsafe { &*self.permits.add(driver) }
    }

    /// Returns `true` if the process, whose commands are limited, may call the driver at this place
    /// of the table.
    pub(super) fn may_call(&self, driver: u8) -> bool {
        self.permit(usize::from(driver)).0.get() & NAMED != 0
    }

    /// Returns `true` if the process may give this command to the driver with this number, at this
    /// place.
    pub(super) fn may_command(&self, driver: usize, number: u32, command: u32) -> bool {
        match self.permissions() {
            None => true,
            Some(_) if command < PERMITTED => self.permit(driver).0.get() & FIRST >> command != 0,
            Some(list) => list.allow(number, command),
        }
    }
}
