//! General-purpose input and output pins. Tock's driver 4.
//!
//! You turn a [`Pin`] into an [`Output`] or an [`Input`]. All functions fail with `Invalid` if
//! there is no pin of this number, and with `NoDevice` if the process may not use the pin.

use crate::{ErrorCode, Upcall, command};

/// The driver's number.
pub const DRIVER: u32 = 4;
/// Its commands.
const OUTPUT: u32 = 1;
const SET: u32 = 2;
const CLEAR: u32 = 3;
const TOGGLE: u32 = 4;
const INPUT: u32 = 5;
const READ: u32 = 6;
const ENABLE_INTERRUPT: u32 = 7;
const DISABLE: u32 = 9;
const COUNT: u32 = 10;

static CHANGED: Upcall = Upcall::new(DRIVER, 0);

/// Returns how many numbers of pins there are.
///
/// # Errors
/// `NoDevice`: the kernel has no pins for processes, or this process may not use them.
pub fn count() -> Result<u32, ErrorCode> {
    command(DRIVER, COUNT, 0, 0).word()
}

/// The level of an input that nothing drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Undefined: the input floats.
    None = 0,
    /// High: a pull-up.
    Up = 1,
    /// Low: a pull-down.
    Down = 2,
}

/// The change of an input that you wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Each change.
    Both = 0,
    /// From low to high.
    Rising = 1,
    /// From high to low.
    Falling = 2,
}

/// A pin, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin(pub u32);

impl Pin {
    /// Makes the pin an output.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn output(self) -> Result<Output, ErrorCode> {
        command(DRIVER, OUTPUT, self.0, 0).done().map(|()| Output(self.0))
    }

    /// Makes the pin an input.
    ///
    /// # Errors
    /// See [`the module`](self). `NoSupport`: the pin has no such pull.
    pub fn input(self, pull: Pull) -> Result<Input, ErrorCode> {
        command(DRIVER, INPUT, self.0, pull as u32).done().map(|()| Input(self.0))
    }

    /// Switches the pin off.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn disable(self) -> Result<(), ErrorCode> {
        command(DRIVER, DISABLE, self.0, 0).done()
    }
}

/// A pin that your process drives.
#[derive(Debug, PartialEq, Eq)]
pub struct Output(u32);

impl Output {
    /// Drives the pin high.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn set(&mut self) -> Result<(), ErrorCode> {
        command(DRIVER, SET, self.0, 0).done()
    }

    /// Drives the pin low.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn clear(&mut self) -> Result<(), ErrorCode> {
        command(DRIVER, CLEAR, self.0, 0).done()
    }

    /// Inverts the pin.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn toggle(&mut self) -> Result<(), ErrorCode> {
        command(DRIVER, TOGGLE, self.0, 0).done()
    }
}

/// A pin that something else drives.
#[derive(Debug, PartialEq, Eq)]
pub struct Input(u32);

impl Input {
    /// Returns `true` if the pin is high.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn is_high(&self) -> Result<bool, ErrorCode> {
        Ok(command(DRIVER, READ, self.0, 0).word()? != 0)
    }

    /// Waits until the pin changes in this way, from now on. Returns `true` if the pin is high
    /// then. The kernel watches one kind of edge for each pin: two futures for one pin should wait
    /// for the same kind.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub async fn changed(&self, edge: Edge) -> Result<bool, ErrorCode> {
        loop {
            let next = CHANGED.next();
            command(DRIVER, ENABLE_INTERRUPT, self.0, edge as u32).done()?;
            let [pin, level, _] = next.await?;
            if pin == self.0 {
                return Ok(level != 0);
            }
        }
    }

    /// Blocks until the pin changes in this way, from now on. Returns `true` if the pin is high
    /// then.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn changed_blocking(&self, edge: Edge) -> Result<bool, ErrorCode> {
        command(DRIVER, ENABLE_INTERRUPT, self.0, edge as u32).done()?;
        loop {
            let [pin, level, _] = CHANGED.wait();
            if pin == self.0 {
                return Ok(level != 0);
            }
        }
    }
}
