//! Late unmasking, which the architecture allows, and no modelled processor does.
//!
//! Behind an instruction that lowers a mask, a pending exception comes at once or a few
//! instructions later. Only behind an ISB it has surely come (Arm DAI 0321A, 4.7). Software must
//! not depend on one of these. A tool sets the number of instructions; the default is 0.

use crate::processor::Processor;
use crate::processor::bus::Bus;
use crate::processor::exceptions::number::PEND_SV;

/// The delay of exceptions behind a mask, in instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::processor) struct LateUnmasking {
    by: u64,
    /// None comes before so many instructions were executed.
    until: u64,
}

impl<B: Bus> Processor<B> {
    /// Delays exceptions that an instruction unmasks by this number of instructions, at most to the
    /// next ISB. 0 is the behaviour of the processors.
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

    /// Returns `true` if the due exception comes later. Exceptions that instructions cause are
    /// never late.
    pub(in crate::processor) fn is_unmasking_late(&self) -> bool {
        self.instructions < self.late.until
            && self.system.exceptions.candidate().exception >= PEND_SV
    }
}
