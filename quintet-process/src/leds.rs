//! LEDs. Tock's driver 2. No function here waits.

use crate::{ErrorCode, command};

/// The driver's number.
pub const DRIVER: u32 = 2;
/// Its commands.
const COUNT: u32 = 0;
const ON: u32 = 1;
const OFF: u32 = 2;
const TOGGLE: u32 = 3;
const STATE: u32 = 4;

/// Returns the number of LEDs.
///
/// # Errors
/// `NoDevice`: the kernel has no LEDs, or the process may not use them.
pub fn count() -> Result<u32, ErrorCode> {
    command(DRIVER, COUNT, 0, 0).word()
}

/// An LED, by its number.
///
/// All functions of an `Led` fail with `Invalid` if there is no LED of this number, and with
/// `NoDevice` if there are no LEDs at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Led(pub u32);

impl Led {
    /// Switches the LED on.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn on(self) -> Result<(), ErrorCode> {
        command(DRIVER, ON, self.0, 0).done()
    }

    /// Switches the LED off.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn off(self) -> Result<(), ErrorCode> {
        command(DRIVER, OFF, self.0, 0).done()
    }

    /// Inverts the LED.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn toggle(self) -> Result<(), ErrorCode> {
        command(DRIVER, TOGGLE, self.0, 0).done()
    }

    /// Returns `true` if the LED is on.
    ///
    /// # Errors
    /// See [`Led`].
    pub fn is_on(self) -> Result<bool, ErrorCode> {
        Ok(command(DRIVER, STATE, self.0, 0).word()? != 0)
    }
}
