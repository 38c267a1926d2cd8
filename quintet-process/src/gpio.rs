//! Pins of general purpose. Tock's driver 4.
//!
//! A [`Pin`] becomes an [`Output`] or an [`Input`]. All functions fail with `Invalid` where there is
//! no pin of that number, and with `NoDevice` where the process may not use it.

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

/// How many numbers pins have.
///
/// # Errors
/// `NoDevice`: the kernel has no pins for processes, or this one may not use them.
pub fn count() -> Result<u32, ErrorCode> {
    command(DRIVER, COUNT, 0, 0).word()
}

/// What pulls an input where nothing drives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Nothing does.
    None = 0,
    /// It is high then.
    Up = 1,
    /// It is low then.
    Down = 2,
}

/// Which change of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Each.
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
    /// Makes it an output.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn output(self) -> Result<Output, ErrorCode> {
        command(DRIVER, OUTPUT, self.0, 0).done().map(|()| Output(self.0))
    }

    /// Makes it an input.
    ///
    /// # Errors
    /// See [`the module`](self). `NoSupport`: it can't be pulled that way.
    pub fn input(self, pull: Pull) -> Result<Input, ErrorCode> {
        command(DRIVER, INPUT, self.0, pull as u32).done().map(|()| Input(self.0))
    }

    /// Switches it off.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn disable(self) -> Result<(), ErrorCode> {
        command(DRIVER, DISABLE, self.0, 0).done()
    }
}

/// A pin that the process drives.
#[derive(Debug, PartialEq, Eq)]
pub struct Output(u32);

impl Output {
    /// Drives it high.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn set(&mut self) -> Result<(), ErrorCode> {
        command(DRIVER, SET, self.0, 0).done()
    }

    /// Drives it low.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn clear(&mut self) -> Result<(), ErrorCode> {
        command(DRIVER, CLEAR, self.0, 0).done()
    }

    /// Drives it the other way.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn toggle(&mut self) -> Result<(), ErrorCode> {
        command(DRIVER, TOGGLE, self.0, 0).done()
    }
}

/// A pin that others drive.
#[derive(Debug, PartialEq, Eq)]
pub struct Input(u32);

impl Input {
    /// Whether it is high.
    ///
    /// # Errors
    /// See [`the module`](self).
    pub fn is_high(&self) -> Result<bool, ErrorCode> {
        Ok(command(DRIVER, READ, self.0, 0).word()? != 0)
    }

    /// Waits until it changes that way, from now on: whether it is high then. A kernel has one kind
    /// of edge for a pin: two futures for one pin should want the same.
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

    /// Blocks until it changes that way, from now on: whether it is high then.
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
