//! The registers of the floating-point extension in the system control space (B3.2.20 and on): the
//! permissions to use the unit, and the handling of its registers on exceptions.

use super::System;
use crate::processor::float::fpscr;
use crate::processor::instruction::float::FloatUnit;

/// FPCCR: LSPACT, the frame's floating-point part is reserved and not yet written.
pub const PUT_OFF: u32 = 1;
/// FPCCR: USER, the context belongs to unprivileged code.
pub const OF_UNPRIVILEGED: u32 = 1 << 1;
/// FPCCR: THREAD, the context belongs to thread mode.
pub const OF_THREAD: u32 = 1 << 3;
/// FPCCR: HFRDY, a HardFault could have been taken then.
pub const HARD_FAULT_READY: u32 = 1 << 4;
/// FPCCR: MMRDY.
pub const MEM_MANAGE_READY: u32 = 1 << 5;
/// FPCCR: BFRDY.
pub const BUS_FAULT_READY: u32 = 1 << 6;
/// FPCCR: MONRDY.
pub const MONITOR_READY: u32 = 1 << 8;
/// FPCCR: LSPEN, saving is put off until a handler uses the unit.
pub const PUTS_OFF: u32 = 1 << 30;
/// FPCCR: ASPEN, code that uses the unit gets a context of its own.
pub const SAVES: u32 = 1 << 31;
/// The bits of FPCCR that say whose state is put off.
const OF_WHOM: u32 = OF_UNPRIVILEGED
    | OF_THREAD
    | HARD_FAULT_READY
    | MEM_MANAGE_READY
    | BUS_FAULT_READY
    | MONITOR_READY;

/// MVFR0 to MVFR2.
const fn features(unit: FloatUnit) -> [u32; 3] {
    match unit {
        FloatUnit::None => [0; 3],
        FloatUnit::Fpv4Single => [0x1011_0021, 0x1100_0011, 0],
        FloatUnit::Fpv5Single => [0x1011_0021, 0x1100_0011, 0x40],
        FloatUnit::Fpv5Double => [0x1011_0221, 0x1200_0011, 0x40],
    }
}

/// The settings of the unit.
#[derive(Clone, Debug)]
pub struct FloatControl {
    unit: FloatUnit,
    /// CPACR.
    access: u32,
    /// FPCCR.
    context: u32,
    /// FPCAR: where the state goes that is put off.
    pub(in crate::processor) address: u32,
    /// FPDSCR.
    pub(in crate::processor) defaults: u32,
}

impl FloatControl {
    /// After reset. Without a unit, all words are zero and stay so.
    pub fn new(unit: FloatUnit) -> Self {
        let context = if unit == FloatUnit::None { 0 } else { SAVES | PUTS_OFF };
        Self { unit, access: 0, context, address: 0, defaults: 0 }
    }

    /// CPACR: returns `true` if privileged or unprivileged code may use the unit.
    pub fn allows(&self, privileged: bool) -> bool {
        match self.access >> 20 & 3 {
            1 => privileged,
            3 => true,
            _ => false,
        }
    }

    /// Returns `true` if a bit of FPCCR is set.
    pub fn is_set(&self, bit: u32) -> bool {
        self.context & bit != 0
    }

    /// `UpdateFPCCR`: the state that belongs into the frame part at `address` is put off.
    pub fn put_off(&mut self, address: u32, of_whom: u32) {
        self.address = address & !7;
        self.context = self.context & !OF_WHOM | of_whom | PUT_OFF;
    }

    /// The lazy save is done, or is not needed any more.
    pub fn settle(&mut self) {
        self.context &= !PUT_OFF;
    }
}

impl System {
    /// CPACR.
    pub(super) fn read_float_access(&self) -> u32 {
        self.float.access
    }

    /// CPACR. The two fields are one coprocessor. Different values in the two are UNPREDICTABLE.
    pub(super) fn write_float_access(&mut self, value: u32) {
        if self.float.unit != FloatUnit::None {
            self.float.access = value & 0xf0_0000;
        }
    }

    /// FPCCR to MVFR2, 0xf34 to 0xf48.
    pub(super) fn read_float_control(&self, offset: u32) -> u32 {
        let float = &self.float;
        match offset {
            0xf34 => float.context,
            0xf38 => float.address,
            0xf3c => float.defaults,
            0xf40..=0xf48 => features(float.unit)[(offset as usize - 0xf40) / 4],
            _ => 0,
        }
    }

    /// The same.
    pub(super) fn write_float_control(&mut self, offset: u32, value: u32) {
        let float = &mut self.float;
        if float.unit == FloatUnit::None {
            return;
        }
        match offset {
            0xf34 => float.context = value & (SAVES | PUTS_OFF | OF_WHOM | PUT_OFF),
            0xf38 => float.address = value & !7,
            0xf3c => float.defaults = value & fpscr::DEFAULTS,
            _ => {}
        }
    }
}
