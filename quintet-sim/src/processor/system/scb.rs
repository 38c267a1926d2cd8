//! The system control block (B3.2): identification, control and fault status.

use super::{System, byte_lanes};
use crate::processor::Architecture;
use crate::processor::exceptions::number::{
    BUS_FAULT, DEBUG_MONITOR, MEM_MANAGE, NMI, PEND_SV, SV_CALL, SYS_TICK, USAGE_FAULT,
};
use crate::processor::registers::Registers;

/// Bits of CCR.
pub mod ccr {
    /// NONBASETHRDENA: thread mode may be entered with other exceptions active.
    pub const NON_BASE_THREAD: u32 = 1;
    /// USERSETMPEND: unprivileged code may write STIR.
    pub const USER_SET_PENDING: u32 = 1 << 1;
    /// UNALIGN_TRP.
    pub const TRAP_UNALIGNED: u32 = 1 << 3;
    /// DIV_0_TRP.
    pub const TRAP_DIVISION: u32 = 1 << 4;
    /// BFHFNMIGN: data bus faults are ignored at the priority of HardFault and NMI.
    pub const IGNORE_BUS_FAULTS: u32 = 1 << 8;
    /// STKALIGN: frames are aligned to 8 bytes.
    pub const ALIGN_STACK: u32 = 1 << 9;
    /// STKOFHFNMIGN: no limits of stacks at the priority of HardFault and NMI (ARMv8-M).
    pub const IGNORE_STACK_LIMITS: u32 = 1 << 10;
    /// BP: branch prediction, which a Cortex-M7 always has.
    pub const BRANCH_PREDICTION: u32 = 1 << 18;
}

/// Bits of SCR.
pub mod scr {
    /// SLEEPONEXIT.
    pub const SLEEP_ON_EXIT: u32 = 1 << 1;
    /// SEVONPEND.
    pub const EVENT_ON_PENDING: u32 = 1 << 4;
}

/// Bits of CFSR.
pub mod cfsr {
    /// MemManage: instruction access violation.
    pub const IACCVIOL: u32 = 1;
    /// MemManage: data access violation.
    pub const DACCVIOL: u32 = 1 << 1;
    /// MemManage: on unstacking.
    pub const MUNSTKERR: u32 = 1 << 3;
    /// MemManage: on stacking.
    pub const MSTKERR: u32 = 1 << 4;
    /// MemManage: on stacking that was put off.
    pub const MLSPERR: u32 = 1 << 5;
    /// MMFAR is valid.
    pub const MMARVALID: u32 = 1 << 7;
    /// BusFault: instruction fetch.
    pub const IBUSERR: u32 = 1 << 8;
    /// BusFault: data, precise.
    pub const PRECISERR: u32 = 1 << 9;
    /// BusFault: data, imprecise.
    pub const IMPRECISERR: u32 = 1 << 10;
    /// BusFault: on unstacking.
    pub const UNSTKERR: u32 = 1 << 11;
    /// BusFault: on stacking.
    pub const STKERR: u32 = 1 << 12;
    /// BusFault: on stacking that was put off.
    pub const LSPERR: u32 = 1 << 13;
    /// BFAR is valid.
    pub const BFARVALID: u32 = 1 << 15;
    /// UsageFault: undefined instruction.
    pub const UNDEFINSTR: u32 = 1 << 16;
    /// UsageFault: invalid EPSR state.
    pub const INVSTATE: u32 = 1 << 17;
    /// UsageFault: bad exception return.
    pub const INVPC: u32 = 1 << 18;
    /// UsageFault: no such coprocessor.
    pub const NOCP: u32 = 1 << 19;
    /// UsageFault: a stack would have gone below its limit (ARMv8-M).
    pub const STKOF: u32 = 1 << 20;
    /// UsageFault: unaligned access.
    pub const UNALIGNED: u32 = 1 << 24;
    /// UsageFault: division by zero.
    pub const DIVBYZERO: u32 = 1 << 25;
}

/// Bits of HFSR.
pub mod hfsr {
    /// A vector could not be read.
    pub const VECTTBL: u32 = 1 << 1;
    /// Another fault escalated.
    pub const FORCED: u32 = 1 << 30;
    /// A debug event that nothing handles.
    pub const DEBUGEVT: u32 = 1 << 31;
}

/// Bits of DFSR.
pub mod dfsr {
    /// HALTED: a step, or a halt that was asked for.
    pub const HALTED: u32 = 1;
    /// BKPT: the instruction, or the FPB.
    pub const BREAKPOINT: u32 = 1 << 1;
    /// DWTTRAP.
    pub const WATCHPOINT: u32 = 1 << 2;
    /// VCATCH.
    pub const VECTOR_CATCH: u32 = 1 << 3;
}

/// ACTLR.DISDEFWBUF: stores in the default memory map are not buffered.
const ACTLR_NO_WRITE_BUFFER: u32 = 1 << 1;

/// A reset that software asks for through AIRCR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResetRequest {
    /// SYSRESETREQ: the whole chip.
    System,
    /// VECTRESET: the processor only.
    Processor,
}

/// The content of the fault status registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FaultStatus {
    /// CFSR: MemManage, BusFault and UsageFault status, see [`cfsr`].
    pub configurable: u32,
    /// HFSR, see [`hfsr`].
    pub hard: u32,
    /// DFSR.
    pub debug: u32,
    /// MMFAR, valid with MMARVALID.
    pub memory_address: u32,
    /// BFAR, valid with BFARVALID.
    pub bus_address: u32,
}

/// The registers of the block that hold state of their own.
#[derive(Clone, Debug)]
pub struct Scb {
    /// VTOR.
    pub vector_table: u32,
    /// AIRCR.PRIGROUP.
    pub priority_group: u8,
    /// SCR.
    pub system_control: u32,
    /// CCR.
    pub configuration_control: u32,
    /// ACTLR.
    pub auxiliary_control: u32,
    /// The fault status registers.
    pub faults: FaultStatus,
    /// AIRCR's request, until the processor has seen it.
    pub reset_request: Option<ResetRequest>,
}

impl Scb {
    /// Returns `true` if stores in the default memory map go through the write buffer.
    pub fn buffers_stores(&self) -> bool {
        self.auxiliary_control & ACTLR_NO_WRITE_BUFFER == 0
    }

    /// Returns `true` if a bit of CCR is set.
    #[inline]
    pub fn is_set(&self, bit: u32) -> bool {
        self.configuration_control & bit != 0
    }
}

/// SHCSR's active bits: exception number and bit.
const ACTIVE_BITS: [(u16, u32); 7] = [
    (MEM_MANAGE, 0),
    (BUS_FAULT, 1),
    (USAGE_FAULT, 3),
    (SV_CALL, 7),
    (DEBUG_MONITOR, 8),
    (PEND_SV, 10),
    (SYS_TICK, 11),
];
/// SHCSR's pending bits.
const PENDING_BITS: [(u16, u32); 4] =
    [(USAGE_FAULT, 12), (MEM_MANAGE, 13), (BUS_FAULT, 14), (SV_CALL, 15)];
/// SHCSR's enable bits.
const ENABLE_BITS: [(u16, u32); 3] = [(MEM_MANAGE, 16), (BUS_FAULT, 17), (USAGE_FAULT, 18)];

/// ID_ISAR0 to ID_ISAR4 of a Cortex-M4: with the DSP extension.
const CORTEX_M4_FEATURES: [u32; 5] =
    [0x0114_1110, 0x0211_2000, 0x2123_2231, 0x0111_1131, 0x0131_0132];

impl System {
    /// Reads the register at `offset` (0xd00 to 0xd8f) of the system control space.
    pub(super) fn read_control_block(&self, offset: u32, registers: &Registers) -> u32 {
        let scb = &self.scb;
        match offset {
            0xd00 => self.configuration.cpuid,
            0xd04 => self.interrupt_control_state(registers),
            0xd08 => scb.vector_table,
            0xd0c => 0xfa05_0000 | u32::from(scb.priority_group) << 8,
            0xd10 => scb.system_control,
            0xd14 => scb.configuration_control,
            0xd18..=0xd23 => {
                let first = 4 + (offset - 0xd18) as u16;
                u32::from_le_bytes([0, 1, 2, 3].map(|i| self.exceptions.priority_byte(first + i)))
            }
            _ if self.configuration.architecture == Architecture::V6M => 0,
            0xd24 => self.handler_control(),
            0xd28 => scb.faults.configurable,
            0xd2c => scb.faults.hard,
            0xd30 => scb.faults.debug,
            0xd34 => scb.faults.memory_address,
            0xd38 => scb.faults.bus_address,
            0xd60..=0xd70 if self.configuration.has_dsp() => {
                CORTEX_M4_FEATURES.get((offset - 0xd60) as usize / 4).copied().unwrap_or_default()
            }
            // The processor feature registers of a Cortex-M3.
            0xd40 => 0x0000_0030,
            0xd44 => 0x0000_0200,
            0xd48 => 0x0010_0000,
            0xd50 => 0x0000_0030,
            0xd58 => 0x0100_0000,
            0xd60 => 0x0110_1110,
            0xd64 => 0x0211_1000,
            0xd68 => 0x2111_2231,
            0xd6c => 0x0111_1110,
            0xd70 => 0x0131_0132,
            _ => 0,
        }
    }

    /// Writes `bytes` bytes of the word register at `offset`; `value` and `lanes` are already in
    /// their place.
    pub(super) fn write_control_block(&mut self, offset: u32, value: u32, lanes: u32) {
        let is_full = self.configuration.architecture != Architecture::V6M;
        match offset {
            0xd04 => self.set_interrupt_control_state(value),
            0xd08 => self.scb.vector_table = value & self.vector_table_mask(),
            0xd0c if value >> 16 == 0x05fa => self.set_application_control(value),
            0xd10 => self.scb.system_control = value & 0x16,
            // ARMv8-M always aligns frames, and any handler may return to thread mode.
            0xd14 if self.configuration.architecture == Architecture::V8M => {
                let always = ccr::ALIGN_STACK | ccr::NON_BASE_THREAD;
                self.scb.configuration_control = value & 0x51a | always;
            }
            // The caches may be on, and prediction always is.
            0xd14 if self.configuration.is_cortex_m7() => {
                let always = ccr::ALIGN_STACK | ccr::BRANCH_PREDICTION;
                self.scb.configuration_control = value & 0x3_011b | always;
            }
            0xd14 if is_full => self.scb.configuration_control = value & 0x31b,
            0xd18..=0xd23 => {
                let first = 4 + (offset - 0xd18) as u16;
                for (index, byte) in byte_lanes(value, lanes) {
                    self.exceptions.set_priority_byte(first + index, byte);
                }
            }
            _ if !is_full => {}
            0xd24 => self.set_handler_control(value),
            0xd28 => self.scb.faults.configurable &= !value,
            0xd2c => self.scb.faults.hard &= !value,
            0xd30 => self.scb.faults.debug &= !value,
            0xd34 => self.scb.faults.memory_address = value,
            0xd38 => self.scb.faults.bus_address = value,
            _ => {}
        }
    }

    /// ICSR.
    fn interrupt_control_state(&self, registers: &Registers) -> u32 {
        let table = &self.exceptions;
        let bit = |condition: bool, position: u32| u32::from(condition) << position;
        // VECTPENDING takes BASEPRI and FAULTMASK into account, but not PRIMASK (B3.2.4).
        let candidate = table.candidate();
        let base = match registers.basepri {
            0 => i16::MAX,
            level => table.group(i16::from(level)),
        };
        let limit = if registers.faultmask { -1 } else { base };
        let vector = if candidate.priority < limit { candidate.exception } else { 0 };
        let others = table.active_count() - u32::from(table.is_active(registers.ipsr));
        // RETTOBASE is also 1 if nothing is active, as the guides of the Cortex-M3, M4 and M33 say.
        // The architecture leaves the bit UNKNOWN in thread mode.
        let none_preempted = others == 0;
        u32::from(registers.ipsr)
            | bit(none_preempted && self.configuration.architecture != Architecture::V6M, 11)
            | u32::from(vector) << 12
            | bit(table.is_interrupt_pending(), 22)
            | bit(table.is_pending(SYS_TICK), 26)
            | bit(table.is_pending(PEND_SV), 28)
            | bit(table.is_pending(NMI), 31)
    }

    fn set_interrupt_control_state(&mut self, value: u32) {
        // A set bit wins over the clear bit beside it. Both together are UNPREDICTABLE.
        for (exception, set, clear) in [(SYS_TICK, 26, 25), (PEND_SV, 28, 27)] {
            if value >> set & 1 != 0 {
                self.exceptions.set_pending(exception, true);
            } else if value >> clear & 1 != 0 {
                self.exceptions.set_pending(exception, false);
            }
        }
        if value >> 31 != 0 {
            self.exceptions.set_pending(NMI, true);
        }
    }

    fn vector_table_mask(&self) -> u32 {
        match self.configuration.architecture {
            Architecture::V7M | Architecture::V7EM | Architecture::V8M => 0xffff_ff80,
            Architecture::V6M if self.configuration.is_cortex_m0_plus() => 0xffff_ff00,
            Architecture::V6M => 0,
        }
    }

    /// Writes AIRCR, after the check of the key.
    fn set_application_control(&mut self, value: u32) {
        if value & 1 << 2 != 0 {
            self.scb.reset_request = Some(ResetRequest::System);
        }
        if self.configuration.architecture == Architecture::V6M {
            return;
        }
        self.scb.priority_group = (value >> 8 & 7) as u8;
        self.exceptions.set_priority_grouping(self.scb.priority_group);
        if value & 1 << 1 != 0 {
            self.exceptions.clear_active();
        }
        if value & 1 != 0 && self.scb.reset_request.is_none() {
            self.scb.reset_request = Some(ResetRequest::Processor);
        }
    }

    /// SHCSR.
    fn handler_control(&self) -> u32 {
        let table = &self.exceptions;
        let active = ACTIVE_BITS.iter().map(|&(n, bit)| u32::from(table.is_active(n)) << bit);
        let pending = PENDING_BITS.iter().map(|&(n, bit)| u32::from(table.is_pending(n)) << bit);
        let enabled = ENABLE_BITS.iter().map(|&(n, bit)| u32::from(table.is_enabled(n)) << bit);
        active.chain(pending).chain(enabled).fold(0, |bits, bit| bits | bit)
    }

    fn set_handler_control(&mut self, value: u32) {
        for (exception, bit) in ACTIVE_BITS {
            self.exceptions.set_active(exception, value >> bit & 1 != 0);
        }
        for (exception, bit) in ENABLE_BITS {
            self.exceptions.set_enabled(exception, value >> bit & 1 != 0);
        }
        for (exception, bit) in PENDING_BITS {
            self.exceptions.set_pending(exception, value >> bit & 1 != 0);
        }
    }
}
