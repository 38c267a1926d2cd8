//! The registers of the nested vectored interrupt controller (B3.4), which access the exception
//! table. There are priority registers for 496 interrupts (B3.4.9). For interrupts that no core
//! has, they read as zero and ignore writes, also of bytes.

use super::{System, byte_lanes};
use crate::processor::exceptions::number::FIRST_INTERRUPT;

impl System {
    /// Reads the word register at `offset` (0x100 to 0x5ef) of the system control space.
    pub(super) fn read_interrupts(&self, offset: u32) -> u32 {
        let word = (offset as usize & 0x7f) / 4;
        match offset {
            0x100..=0x3ff if word >= 8 => 0,
            0x100..=0x1ff => self.exceptions.enabled_word(word),
            0x200..=0x2ff => self.exceptions.pending_word(word),
            0x300..=0x37f => self.exceptions.active_word(word),
            0x400..=0x4ef => {
                let first = FIRST_INTERRUPT + (offset - 0x400) as u16;
                u32::from_le_bytes([0, 1, 2, 3].map(|i| self.exceptions.priority_byte(first + i)))
            }
            _ => 0,
        }
    }

    /// Writes the bytes `lanes` of the word register at `offset`.
    pub(super) fn write_interrupts(&mut self, offset: u32, value: u32, lanes: u32) {
        let word = (offset as usize & 0x7f) / 4;
        match offset {
            0x100..=0x3ff if word >= 8 => {}
            0x100..=0x17f => self.exceptions.write_enabled_word(word, value, true),
            0x180..=0x1ff => self.exceptions.write_enabled_word(word, value, false),
            0x200..=0x27f => self.exceptions.write_pending_word(word, value, true),
            0x280..=0x2ff => self.exceptions.write_pending_word(word, value, false),
            0x400..=0x4ef => {
                let first = FIRST_INTERRUPT + (offset - 0x400) as u16;
                for (index, byte) in byte_lanes(value, lanes) {
                    self.exceptions.set_priority_byte(first + index, byte);
                }
            }
            _ => {}
        }
    }

    /// Writes STIR: pends one interrupt by its number.
    pub(super) fn trigger(&mut self, value: u32) {
        self.exceptions.set_pending(FIRST_INTERRUPT + (value & 0x1ff) as u16, true);
    }
}
