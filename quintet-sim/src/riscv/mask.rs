//! VexRiscv's controller of interrupts: a mask and what is pending, in two registers for control
//! and status.
//!
//! ```text
//!  0xbc0  the lines of devices that are let through
//!  0xfc0  those of them that call (read-only)
//! ```
//! The external interrupt is pending while one of them calls. There are no priorities: the program
//! looks at the second register. Nothing is acknowledged here: a device stops to call by itself.

/// The controller, with 32 lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mask {
    /// The lines that are let through.
    pub mask: u32,
    /// The lines of the devices, as the core saw them last.
    pub lines: u32,
}

impl Mask {
    /// Returns what the program reads: the lines that call and are let through.
    pub fn pending(self) -> u32 {
        self.mask & self.lines
    }

    /// Returns `true` if the external interrupt is pending.
    pub fn calls(self) -> bool {
        self.pending() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_the_mask_call() {
        let mut mask = Mask { mask: 0, lines: 0b11 };
        assert!(!mask.calls());
        mask.mask = 0b110;
        assert_eq!((mask.pending(), mask.calls()), (0b10, true));
        mask.lines = 0b1;
        assert!(!mask.calls());
    }
}
