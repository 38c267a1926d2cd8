//! LEDs. Tock's driver 2. Nothing here waits.

use crate::{ErrorCode, command};

/// The driver's number.
pub const DRIVER: u32 = 2;
/// Its commands.
const COUNT: u32 = 0;
const ON: u32 = 1;
const OFF: u32 = 2;
const TOGGLE: u32 = 3;
const STATE: u32 = 4;

/// How many there are.
///
/// # Errors
/// `NoDevice`: the kernel has no LEDs, or the process may not use them.
pub fn count() -> Result<u32, ErrorCode> {
    command(DRIVER, COUNT, 0, 0).word()
}

/// An LED, by its number.
///
/// All its functions fail with `Invalid` where there is none of that number, and with `NoDevice`
/// where there are none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Led(pub u32);

impl Led {
    /// Switches it on.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn on(self) -> Result<(), ErrorCode> {
        command(DRIVER, ON, self.0, 0).done()
    }

    /// Switches it off.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn off(self) -> Result<(), ErrorCode> {
        command(DRIVER, OFF, self.0, 0).done()
    }

    /// Switches it over.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn toggle(self) -> Result<(), ErrorCode> {
        command(DRIVER, TOGGLE, self.0, 0).done()
    }

    /// Whether it is on.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn is_on(self) -> Result<bool, ErrorCode> {
        Ok(command(DRIVER, STATE, self.0, 0).word()? != 0)
    }
}
