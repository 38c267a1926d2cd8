//! Traps: exceptions and interrupts, and the return from them.

use super::bus::{Bus, line};
use super::csr::{Registers, status};
use super::hart::{Hart, Privilege};

/// An exception: its number in `mcause`, and what `mtval` tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exception {
    /// The number.
    pub cause: u32,
    /// The address or the instruction.
    pub value: u32,
}

/// The numbers of exceptions.
#[expect(missing_docs, reason = "the names are those of the specification")]
pub mod cause {
    pub const FETCH_MISALIGNED: u32 = 0;
    pub const FETCH_FAULT: u32 = 1;
    pub const ILLEGAL_INSTRUCTION: u32 = 2;
    pub const BREAKPOINT: u32 = 3;
    pub const LOAD_MISALIGNED: u32 = 4;
    pub const LOAD_FAULT: u32 = 5;
    pub const STORE_MISALIGNED: u32 = 6;
    pub const STORE_FAULT: u32 = 7;
    pub const CALL_FROM_USER: u32 = 8;
    pub const CALL_FROM_MACHINE: u32 = 11;
    /// Set for an interrupt.
    pub const INTERRUPT: u32 = 1 << 31;

    /// Returns the name of a cause.
    pub fn name(cause: u32) -> &'static str {
        match cause {
            FETCH_MISALIGNED => "instruction address misaligned",
            FETCH_FAULT => "instruction access fault",
            ILLEGAL_INSTRUCTION => "illegal instruction",
            BREAKPOINT => "breakpoint",
            LOAD_MISALIGNED => "load address misaligned",
            LOAD_FAULT => "load access fault",
            STORE_MISALIGNED => "store address misaligned",
            STORE_FAULT => "store access fault",
            CALL_FROM_USER => "call from user mode",
            CALL_FROM_MACHINE => "call from machine mode",
            0x8000_0003 => "machine software interrupt",
            0x8000_0007 => "machine timer interrupt",
            0x8000_000b => "machine external interrupt",
            _ => "unknown cause",
        }
    }
}

impl Registers {
    /// Returns `true` if one of the pending interrupts is taken.
    #[inline]
    pub(super) fn takes(&self, pending: u32, privilege: Privilege) -> bool {
        let is_open = privilege == Privilege::User || self.status & status::MIE != 0;
        pending & self.enabled != 0 && is_open
    }
}

impl<B: Bus> Hart<B> {
    /// Enters the handler of an exception of the instruction at `pc`.
    pub(super) fn raise(&mut self, exception: Exception) {
        let target = self.csr.vector_base();
        self.enter(exception.cause, exception.value, target);
    }

    /// Returns the interrupt to take now, if there is one: external before software before timer.
    #[inline]
    pub(super) fn interrupt(&self) -> Option<u32> {
        if !self.csr.takes(self.pending, self.privilege) {
            return None;
        }
        let enabled = self.pending & self.csr.enabled;
        let order = [line::EXTERNAL, line::SOFTWARE, line::TIMER];
        order.into_iter().find(|line| enabled & line != 0).map(u32::trailing_zeros)
    }

    /// Enters the handler of an interrupt.
    pub(super) fn take_interrupt(&mut self, number: u32) {
        let is_vexriscv = self.configuration.model.is_vexriscv();
        let vectored = if self.csr.is_vectored() && !is_vexriscv { 4 * number } else { 0 };
        let target = self.csr.vector_base().wrapping_add(vectored);
        let value = if is_vexriscv { self.csr.value } else { 0 };
        self.enter(cause::INTERRUPT | number, value, target);
    }

    fn enter(&mut self, cause: u32, value: u32, target: u32) {
        self.csr.cause = cause;
        self.csr.value = value;
        self.csr.exception_pc = self.pc;
        let was_enabled = self.csr.status & status::MIE != 0;
        self.csr.status &= !(status::MIE | status::MPIE | status::MPP);
        if was_enabled {
            self.csr.status |= status::MPIE;
        }
        if self.privilege == Privilege::Machine {
            self.csr.status |= status::MPP;
        }
        self.privilege = Privilege::Machine;
        if !self.configuration.model.is_vexriscv() {
            self.reservation = None;
        }
        self.pc = target;
        self.traps += 1;
    }

    /// MRET.
    pub(super) fn leave(&mut self) {
        self.privilege = self.csr.previous_privilege();
        let was_enabled = self.csr.status & status::MPIE != 0;
        self.csr.status &= !(status::MIE | status::MPP);
        self.csr.status |= status::MPIE | if was_enabled { status::MIE } else { 0 };
        if self.configuration.user_mode {
            if self.privilege == Privilege::User {
                self.csr.status &= !status::MPRV;
            }
        } else {
            self.csr.status |= status::MPP;
        }
        if !self.configuration.model.is_vexriscv() {
            self.reservation = None;
        }
        self.pc = self.csr.exception_pc & self.configuration.pc_mask();
    }
}
