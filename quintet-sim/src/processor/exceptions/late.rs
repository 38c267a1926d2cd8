//! Late unmasking: what the architecture allows, and none of the processors that are modelled does.
//!
//! An instruction that lowers a mask lets a pending exception in behind it, or a few instructions
//! later; only behind an ISB it has surely been taken (Arm DAI 0321A, 4.7). Software must not
//! depend on which. By how many instructions it is late is set from outside: 0 unless asked for.

use crate::processor::Processor;
use crate::processor::bus::Bus;
use crate::processor::exceptions::number::PEND_SV;

/// How late exceptions come behind a mask, in instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::processor) struct LateUnmasking {
    by: u64,
    /// None comes before so many instructions were executed.
    until: u64,
}

impl<B: Bus> Processor<B> {
    /// Lets exceptions that an instruction unmasks come so many instructions later, at the latest
    /// behind an ISB. 0 is what the processors do.
    pub const fn set_late_unmasking(&mut self, by: u64) {
        self.late = LateUnmasking { by, until: 0 };
    }

    /// An instruction has lowered a mask.
    pub(in crate::processor) const fn note_unmasking(&mut self) {
        self.late.until = self.instructions + self.late.by;
    }

    /// An ISB was executed.
    pub(in crate::processor) const fn end_late_unmasking(&mut self) {
        self.late.until = 0;
    }

    /// Whether the exception that is due comes later. What instructions cause doesn't.
    pub(in crate::processor) fn is_unmasking_late(&self) -> bool {
        self.instructions < self.late.until
            && self.system.exceptions.candidate().exception >= PEND_SV
    }
}
