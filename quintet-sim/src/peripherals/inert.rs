//! A device that nothing models: reads as zero, ignores writes.
//!
//! Start-up code of a real program switches on and sets up devices that its test does not need; the
//! addresses must exist, or the program ends in a bus fault.

use super::Device;
use crate::processor::bus::BusError;

/// Nothing.
#[derive(Clone, Debug)]
pub struct Inert;

impl Inert {
    /// Nothing.
    pub fn new(_clock_hz: u64) -> Self {
        Self
    }
}

impl Device for Inert {
    fn read(&mut self, _offset: u32, _cycle: u64) -> Result<u32, BusError> {
        Ok(0)
    }

    fn write(&mut self, _offset: u32, _value: u32, _cycle: u64) -> Result<(), BusError> {
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_what_is_written() {
        let mut device = Inert::new(1);
        assert_eq!(device.write(8, 5, 0), Ok(()));
        assert_eq!(device.read(8, 0), Ok(0));
    }
}
