//! The registers for control and status.
//!
//! What is not here is illegal to touch: supervisor mode and its registers, triggers, debug mode.
//! The counters of performance are there and stay 0.

use super::bus::{Bus, line};
use super::hart::{Configuration, Hart, Privilege};
use super::instruction::{CsrOperation, Register, Source};
use super::mask::Mask;
use super::{vexriscv, vexriscv_pmp, xh3irq};

/// The bits of `mstatus` that exist.
pub mod status {
    /// Interrupts are taken in machine mode.
    pub const MIE: u32 = 1 << 3;
    /// What this was before the trap.
    pub const MPIE: u32 = 1 << 7;
    /// The privilege before the trap.
    pub const MPP: u32 = 3 << 11;
    /// Loads and stores have the privilege before the trap.
    pub const MPRV: u32 = 1 << 17;
    /// WFI is illegal in user mode.
    pub const TW: u32 = 1 << 21;
}

/// The numbers of the registers.
#[expect(missing_docs, reason = "the names are those of the specification")]
pub mod number {
    pub const MSTATUS: u16 = 0x300;
    pub const MISA: u16 = 0x301;
    pub const MIE: u16 = 0x304;
    pub const MTVEC: u16 = 0x305;
    pub const MCOUNTEREN: u16 = 0x306;
    pub const MENVCFG: u16 = 0x30a;
    pub const MSTATUSH: u16 = 0x310;
    pub const MENVCFGH: u16 = 0x31a;
    pub const MCOUNTINHIBIT: u16 = 0x320;
    pub const MSCRATCH: u16 = 0x340;
    pub const MEPC: u16 = 0x341;
    pub const MCAUSE: u16 = 0x342;
    pub const MTVAL: u16 = 0x343;
    pub const MIP: u16 = 0x344;
    pub const PMPCFG0: u16 = 0x3a0;
    pub const PMPCFG3: u16 = 0x3a3;
    pub const PMPADDR0: u16 = 0x3b0;
    pub const PMPADDR15: u16 = 0x3bf;
    pub const MCYCLE: u16 = 0xb00;
    pub const MINSTRET: u16 = 0xb02;
    pub const MCYCLEH: u16 = 0xb80;
    pub const MINSTRETH: u16 = 0xb82;
    pub const CYCLE: u16 = 0xc00;
    pub const TIME: u16 = 0xc01;
    pub const INSTRET: u16 = 0xc02;
    pub const CYCLEH: u16 = 0xc80;
    pub const TIMEH: u16 = 0xc81;
    pub const INSTRETH: u16 = 0xc82;
    /// VexRiscv's: the interrupts of devices that are let through.
    pub const EXTERNAL_MASK: u16 = 0xbc0;
    /// VexRiscv's: those of them that are pending.
    pub const EXTERNAL_PENDING: u16 = 0xfc0;
    pub const MVENDORID: u16 = 0xf11;
    pub const MARCHID: u16 = 0xf12;
    pub const MIMPID: u16 = 0xf13;
    pub const MHARTID: u16 = 0xf14;
    pub const MCONFIGPTR: u16 = 0xf15;
}

/// The bits of `mtvec` that a program can write on an Ibex, whose handlers are always vectored.
const IBEX_VECTOR: u32 = !0xff;

/// Bits of `mcountinhibit` and `mcounteren`.
const OF_CYCLE: u32 = 1 << 0;
const OF_TIME: u32 = 1 << 1;
const OF_INSTRET: u32 = 1 << 2;

/// Registers that are plain values.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    pub(super) status: u32,
    pub(super) enabled: u32,
    pub(super) vector: u32,
    pub(super) counters_enabled: u32,
    pub(super) inhibited: u32,
    pub(super) scratch: u32,
    pub(super) exception_pc: u32,
    pub(super) cause: u32,
    pub(super) value: u32,
    /// A VexRiscv's controller of interrupts.
    pub(super) external: Mask,
    cycles: Counter,
    retired: Counter,
}

/// A counter that a program can set and stop.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// What is added to the number that it counts; while it is stopped, its value.
    base: u64,
    stopped: bool,
}

impl Counter {
    fn value(self, now: u64) -> u64 {
        if self.stopped { self.base } else { now.wrapping_add(self.base) }
    }

    /// Sets the value that the next instruction reads.
    fn set(&mut self, value: u64, now: u64) {
        self.base = if self.stopped { value } else { value.wrapping_sub(now.wrapping_add(1)) };
    }

    fn stop(&mut self, stopped: bool, now: u64) {
        if self.stopped != stopped {
            let value = self.value(now);
            self.stopped = stopped;
            self.base = if stopped { value } else { value.wrapping_sub(now) };
        }
    }
}

impl Registers {
    /// After a reset.
    pub(super) fn new(configuration: &Configuration) -> Self {
        let status = if configuration.user_mode { 0 } else { status::MPP };
        if !configuration.model.is_ibex() {
            return Self { status, ..Self::default() };
        }
        let (status, vector) = (status::MPIE, configuration.reset_vector & IBEX_VECTOR | 1);
        Self { status, vector, ..Self::default() }
    }

    pub(super) fn vector_base(&self) -> u32 {
        self.vector & !3
    }

    pub(super) fn is_vectored(&self) -> bool {
        self.vector & 3 == 1
    }

    /// The privilege before the trap.
    pub(super) fn previous_privilege(&self) -> Privilege {
        if self.status & status::MPP == 0 { Privilege::User } else { Privilege::Machine }
    }
}

impl<B: Bus> Hart<B> {
    /// Reads a register as an instruction does. `None` if it isn't there, or not for this mode.
    pub(super) fn read_csr(&mut self, csr: u16) -> Option<u32> {
        let needed = csr >> 8 & 3;
        if needed != 0 && self.privilege == Privilege::User {
            return None;
        }
        if csr == number::MIP && !self.configuration.model.is_vexriscv() {
            self.look_at_bus();
        }
        self.peek_csr(csr).filter(|_| self.may_count(csr))
    }

    /// Reads and writes a register for control and status; `None` if that is illegal.
    pub(super) fn change_csr(
        &mut self,
        operation: CsrOperation,
        rd: Register,
        source: Source,
        csr: u16,
    ) -> Option<()> {
        if xh3irq::has(csr) {
            return self.change_controller(operation, rd, source, csr);
        }
        let (value, is_zero) = match source {
            Source::Register(register) => (self.get(register), register == 0),
            Source::Immediate(value) => (u32::from(value), value == 0),
        };
        let old = self.read_csr(csr)?;
        let new = match operation {
            CsrOperation::Write => Some(value),
            CsrOperation::Set => (!is_zero).then_some(old | value),
            CsrOperation::Clear => (!is_zero).then_some(old & !value),
        };
        if let Some(new) = new
            && !self.write_csr(csr, new)
        {
            return None;
        }
        self.set(rd, old);
        Some(())
    }

    /// Returns `true` if an instruction may access a register in this mode; `writes` says whether
    /// it writes too.
    pub(super) fn may_access(&self, csr: u16, writes: bool) -> bool {
        let is_hidden = csr >> 8 & 3 != 0 && self.privilege == Privilege::User;
        let is_constant = csr >> 10 == 3 && writes;
        !is_hidden && !is_constant && self.may_count(csr) && self.peek_csr(csr).is_some()
    }

    /// Reads a register as a debugger does.
    pub fn peek_csr(&self, csr: u16) -> Option<u32> {
        if self.configuration.model.is_vexriscv() && !vexriscv::has(csr) {
            return None;
        }
        let users = self.configuration.user_mode;
        Some(match csr {
            number::MSTATUS => self.csr.status,
            number::MISA => self.configuration.extensions.misa() | if users { 1 << 20 } else { 0 },
            number::MIE => self.csr.enabled,
            number::MTVEC => self.csr.vector,
            number::MCOUNTEREN if users => self.csr.counters_enabled,
            number::MENVCFG | number::MENVCFGH if users => 0,
            number::MSTATUSH => 0,
            number::MCOUNTINHIBIT => self.csr.inhibited,
            number::MSCRATCH => self.csr.scratch,
            number::MEPC => self.csr.exception_pc & self.configuration.pc_mask(),
            number::MCAUSE => self.csr.cause,
            number::MTVAL => self.csr.value,
            number::MIP => self.pending,
            number::PMPCFG0..=number::PMPCFG3 if self.configuration.protection => {
                self.protection.configuration(usize::from(csr - number::PMPCFG0))
            }
            number::PMPADDR0..=number::PMPADDR15 if self.configuration.protection => {
                self.protection.address(usize::from(csr - number::PMPADDR0))
            }
            number::EXTERNAL_MASK if self.configuration.model.is_vexriscv() => {
                self.csr.external.mask
            }
            number::EXTERNAL_PENDING if self.configuration.model.is_vexriscv() => {
                self.csr.external.pending()
            }
            number::MVENDORID | number::MARCHID | number::MIMPID => {
                if self.configuration.model.is_vexriscv() {
                    u32::from(csr - number::MVENDORID + 1)
                } else {
                    0
                }
            }
            number::MHARTID | number::MCONFIGPTR => 0,
            _ => return self.counter(csr),
        })
    }

    /// The counters, and the events of those for performance.
    fn counter(&self, csr: u16) -> Option<u32> {
        let cycles = || self.csr.cycles.value(self.counted_cycles());
        let retired = || self.csr.retired.value(self.instructions);
        let time = || self.bus.time(self.cycle);
        Some(match csr {
            number::MCYCLE | number::CYCLE => cycles() as u32,
            number::MCYCLEH | number::CYCLEH => (cycles() >> 32) as u32,
            number::MINSTRET | number::INSTRET => retired() as u32,
            number::MINSTRETH | number::INSTRETH => (retired() >> 32) as u32,
            number::TIME if self.configuration.time => time() as u32,
            number::TIMEH if self.configuration.time => (time() >> 32) as u32,
            0xb03..=0xb1f | 0xb83..=0xb9f | 0xc03..=0xc1f | 0xc83..=0xc9f | 0x323..=0x33f => 0,
            _ => return None,
        })
    }

    /// Returns `false` for a counter that machine mode has not given to user mode.
    fn may_count(&self, csr: u16) -> bool {
        let is_counter = matches!(csr, 0xc00..=0xc1f | 0xc80..=0xc9f);
        let is_given = self.configuration.model.is_vexriscv()
            || self.csr.counters_enabled >> (csr & 0x1f) & 1 != 0;
        !is_counter || self.privilege == Privilege::Machine || is_given
    }

    /// Writes a register that this mode may read. Returns `false` if it is read-only.
    pub(super) fn write_csr(&mut self, csr: u16, value: u32) -> bool {
        if csr >> 10 == 3 {
            // A VexRiscv forgets the write, if the instruction reads too.
            return self.configuration.model.is_vexriscv();
        }
        let (cycle, instructions) = (self.counted_cycles(), self.instructions);
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        match csr {
            number::MSTATUS => self.write_status(value),
            number::MIE => self.csr.enabled = value & line::ALL,
            number::MTVEC if self.configuration.model.is_ibex() => {
                self.csr.vector = value & IBEX_VECTOR | 1;
            }
            // The other modes are reserved.
            number::MTVEC if value & 3 < 2 => self.csr.vector = value,
            number::MCOUNTEREN => {
                self.csr.counters_enabled = value & (OF_CYCLE | OF_TIME | OF_INSTRET);
            }
            number::MCOUNTINHIBIT => {
                self.csr.inhibited = value & (OF_CYCLE | OF_INSTRET);
                self.csr.cycles.stop(value & OF_CYCLE != 0, cycle);
                self.csr.retired.stop(value & OF_INSTRET != 0, instructions);
            }
            number::MSCRATCH => self.csr.scratch = value,
            number::EXTERNAL_MASK => self.csr.external.mask = value,
            number::MEPC => self.csr.exception_pc = value & !1,
            number::MCAUSE => self.csr.cause = value,
            number::MTVAL => self.csr.value = value,
            number::PMPCFG0..=number::PMPCFG3 => {
                let register = usize::from(csr - number::PMPCFG0);
                if self.configuration.has_vexriscv_protection() {
                    vexriscv_pmp::set_configuration(&mut self.protection, register, value);
                } else {
                    self.protection.set_configuration(register, value);
                }
            }
            number::PMPADDR0..=number::PMPADDR15 => {
                let region = usize::from(csr - number::PMPADDR0);
                if self.configuration.has_vexriscv_protection() {
                    vexriscv_pmp::set_address(&mut self.protection, region, value);
                } else {
                    self.protection.set_address(region, value);
                }
            }
            number::MCYCLE => self.csr.cycles.set(low(self.csr.cycles.value(cycle)), cycle),
            number::MCYCLEH => self.csr.cycles.set(high(self.csr.cycles.value(cycle)), cycle),
            number::MINSTRET => {
                let old = self.csr.retired.value(instructions);
                self.csr.retired.set(low(old), instructions);
            }
            number::MINSTRETH => {
                let old = self.csr.retired.value(instructions);
                self.csr.retired.set(high(old), instructions);
            }
            // What is left has no bits that a program can change.
            _ => {}
        }
        true
    }

    fn write_status(&mut self, value: u32) {
        let users = self.configuration.user_mode;
        let bits = status::MIE | status::MPIE | if users { status::MPRV | status::TW } else { 0 };
        self.csr.status = self.csr.status & !bits | value & bits;
        // Two values of the field stand for modes that are not there, and change nothing.
        let is_mode = [0, status::MPP].contains(&(value & status::MPP));
        if users && is_mode {
            self.csr.status = self.csr.status & !status::MPP | value & status::MPP;
        }
    }
}
