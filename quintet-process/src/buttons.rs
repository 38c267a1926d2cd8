//! Buttons. Tock's driver 3.

use crate::{ErrorCode, Upcall, command};

/// The driver's number.
pub const DRIVER: u32 = 3;
/// Its commands.
const COUNT: u32 = 0;
const ENABLE: u32 = 1;
const STATE: u32 = 3;

static CHANGED: Upcall = Upcall::new(DRIVER, 0);

/// Returns the number of buttons.
///
/// # Errors
/// `NoDevice`: the kernel has no buttons, or the process may not use them.
pub fn count() -> Result<u32, ErrorCode> {
    command(DRIVER, COUNT, 0, 0).word()
}

/// A button, by its number.
///
/// All functions of a `Button` fail with `Invalid` if there is no button of this number, and with
/// `NoDevice` if there are no buttons at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Button(pub u32);

impl Button {
    /// Returns `true` if the button is pressed.
    ///
    /// # Errors
    /// See [`Button`].
    pub fn is_pressed(self) -> Result<bool, ErrorCode> {
        Ok(command(DRIVER, STATE, self.0, 0).word()? != 0)
    }

    /// Waits until the button is pressed, from now on. If the button is pressed already, it must be
    /// released first.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// See [`Button`].
    pub async fn pressed(self) -> Result<(), ErrorCode> {
        self.changes_to(true).await
    }

    /// Waits until the button is released, from now on.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// See [`Button`].
    pub async fn released(self) -> Result<(), ErrorCode> {
        self.changes_to(false).await
    }

    /// Blocks until the button is pressed, from now on.
    ///
    /// # Errors
    /// See [`Button`].
    pub fn pressed_blocking(self) -> Result<(), ErrorCode> {
        command(DRIVER, ENABLE, self.0, 0).done()?;
        while CHANGED.wait()[..2] != [self.0, 1] {}
        Ok(())
    }

    async fn changes_to(self, pressed: bool) -> Result<(), ErrorCode> {
        loop {
            let next = CHANGED.next();
            command(DRIVER, ENABLE, self.0, 0).done()?;
            if next.await?[..2] == [self.0, pressed.into()] {
                return Ok(());
            }
        }
    }
}
