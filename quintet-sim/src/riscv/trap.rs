//! Traps: exceptions and interrupts, and the return from them.

use super::bus::{Bus, line};
use super::csr::{Registers, status};
use super::hart::{Hart, Privilege};
use super::history::Trap;

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

    /// The name of a cause that the specification leaves open.
    pub const UNKNOWN: &str = "unknown cause";

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
            _ => UNKNOWN,
        }
    }
}

/// The number of the external interrupt.
const EXTERNAL: u32 = line::EXTERNAL.trailing_zeros();
/// The number of the first interrupt's handler.
const FIRST_INTERRUPT: u16 = 0x100;

/// Returns the number of the handler of a trap: one more than the exception's, or 256 more than the
/// interrupt's. No handler is 0.
pub fn handler_number(cause: u32) -> u16 {
    let number = (cause & 0xff) as u16;
    if cause & cause::INTERRUPT == 0 { 1 + number } else { FIRST_INTERRUPT + number }
}

/// Returns `true` if a handler is an interrupt's.
pub fn is_interrupt(number: u16) -> bool {
    number >= FIRST_INTERRUPT
}

/// Returns `true` if a handler is one by which kernels switch threads: that of calls, and of the
/// software interrupt.
pub fn is_switch(number: u16) -> bool {
    const SOFTWARE: u16 = FIRST_INTERRUPT + line::SOFTWARE.trailing_zeros() as u16;
    let calls = [cause::CALL_FROM_USER, cause::CALL_FROM_MACHINE];
    number == SOFTWARE || calls.map(handler_number).contains(&number)
}

/// Returns the name of a handler: what has raised the trap.
pub fn handler_name(number: u16) -> String {
    let cause = match number {
        0 => return "program".to_owned(),
        FIRST_INTERRUPT.. => cause::INTERRUPT | u32::from(number - FIRST_INTERRUPT),
        exception => u32::from(exception - 1),
    };
    match cause::name(cause) {
        cause::UNKNOWN if is_interrupt(number) => {
            format!("interrupt {}", number - FIRST_INTERRUPT)
        }
        cause::UNKNOWN => format!("exception {cause}"),
        name => name.to_owned(),
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
        self.history.enter(Trap {
            cause,
            value,
            from: self.pc,
            registers: self.registers,
            cycle: self.cycle,
            from_user: self.privilege == Privilege::User,
        });
        if let Some(controller) = &mut self.controller {
            controller.enter(cause == cause::INTERRUPT | EXTERNAL);
            self.ask_controller();
        }
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
        self.history.leave(self.cycle);
        if let Some(controller) = &mut self.controller {
            controller.leave();
            self.ask_controller();
        }
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
