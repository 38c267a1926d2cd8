//! Permissions: the commands that the header of an application allows.
//!
//! A header lists drivers, each with bits for its commands. The list is read once, when the
//! application is loaded, into a word for each driver of the kernel. So a call needs no search: the
//! word has a bit for each of the commands 0 to 30, and one that tells whether the list names the
//! driver at all. Commands from 31 on are searched in the list, which has [few
//! entries](PERMISSIONS_MAX).

use ::core::cell::Cell;

use super::record::Process;

/// The largest number of entries in the list of an application's header.
pub const PERMISSIONS_MAX: usize = 16;

/// The commands that have a bit.
const COMMANDS: u32 = 31;
/// The bit of a driver that the list names.
const NAMED: u32 = 1 << COMMANDS;

/// The permissions of a process for a driver.
#[derive(Debug)]
#[repr(transparent)]
pub struct Permit(Cell<u32>);

// SAFETY: written before the processes begin, and read in SVCall.
#[expect(unsafe_code, reason = "a table of cells is in a static")]
unsafe impl Sync for Permit {}

/// Returns the permissions of `N` processes for `D` drivers: none.
#[must_use]
pub const fn permits<const D: usize, const N: usize>() -> [[Permit; D]; N] {
    [const { [const { Permit(Cell::new(0)) }; D] }; N]
}

impl Process {
    /// Notes the permissions of the loaded application for each driver, by the drivers' numbers.
    pub(super) fn note_permissions(&self, numbers: impl Iterator<Item = u32>) {
        let Some(list) = self.permissions() else { return };
        for (permit, number) in self.permits.iter().zip(numbers) {
            let bits = (0..COMMANDS).filter(|&command| list.allow(number, command));
            let bits = bits.fold(0, |bits, command| bits | 1 << command);
            permit.0.set(bits | if list.name(number) { NAMED } else { 0 });
        }
    }

    /// Returns `true` if the process, whose commands are limited, may call the driver at this place
    /// of the table.
    pub(super) fn may_call(&self, driver: u8) -> bool {
        let permit = self.permits.get(usize::from(driver));
        permit.is_some_and(|permit| permit.0.get() & NAMED != 0)
    }

    /// Returns `true` if the process, whose commands are limited, may give this command to the
    /// driver at this place, by the driver's word alone.
    #[inline(always)]
    pub(super) fn permits(&self, driver: usize, command: u32) -> bool {
        let permit = self.permits.get(driver);
        command < COMMANDS && permit.is_some_and(|permit| permit.0.get() >> command & 1 != 0)
    }

    /// Returns `true` if the process may give this command to the driver with this number, at this
    /// place.
    pub(super) fn may_command(&self, driver: usize, number: u32, command: u32) -> bool {
        if !self.is_limited() || self.permits(driver, command) {
            return true;
        }
        command >= COMMANDS && self.permissions().is_some_and(|list| list.allow(number, command))
    }
}
