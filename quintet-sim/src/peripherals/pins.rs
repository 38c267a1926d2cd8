//! The pins of a port as the outside world drives them.

/// The pins that the outside drives, and their levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Driven {
    mask: u32,
    levels: u32,
}

impl Driven {
    /// Drives one pin.
    pub fn drive(&mut self, pin: u8, level: bool) {
        let bit = 1_u32.checked_shl(u32::from(pin)).unwrap_or(0);
        self.mask |= bit;
        self.levels = if level { self.levels | bit } else { self.levels & !bit };
    }

    /// Returns the levels of the pins: the driven level, or `otherwise` (a pull resistor, or 0).
    pub fn over(self, otherwise: u32) -> u32 {
        (self.levels & self.mask) | (otherwise & !self.mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driven_pin_overrules_its_pull_resistor() {
        let mut driven = Driven::default();
        assert_eq!(driven.over(0b11), 0b11);
        driven.drive(0, false);
        driven.drive(4, true);
        assert_eq!(driven.over(0b11), 0b1_0010);
        driven.drive(200, true);
        assert_eq!(driven.over(0), 0b1_0000, "a pin that does not exist changes nothing");
    }
}
