//! The execute stage: an instruction's entry and duration, and the cycle from which on its results
//! can make addresses.
//!
//! Results are forwarded to the instruction behind. Only the address unit takes results from the
//! register file, a cycle later.

use super::{Facts, Kind, Pipeline, Previous, operands};

/// In the place of a register: an address that is always ready, and one that nobody asks for.
const ALWAYS_READY: u32 = 1 << 16;
const NOBODY_ASKS: u32 = 1 << 17;

impl Pipeline {
    /// Gives the operands of a division, on which its time depends.
    #[inline]
    pub fn divide(&mut self, signed: bool, dividend: u32, divisor: u32) {
        self.busy(operands::divide_cycles(signed, dividend, divisor));
    }

    /// Gives the operands of a long multiplication, on which its time depends, except on a
    /// Cortex-M4.
    #[inline]
    pub fn multiply_long(&mut self, signed: bool, accumulate: bool, n: u32, m: u32) {
        if self.current.facts.kind != Kind::MultiplyLong {
            return;
        }
        self.busy(operands::multiply_long_cycles(signed, accumulate, n, m));
    }

    /// A floating-point instruction without memory accesses of its own takes `cycles`, behind any
    /// lazy save.
    pub fn float(&mut self, cycles: u32) {
        self.execute_free += u64::from(cycles - 1);
        self.ready(self.current.facts.results, self.execute_free + 1);
    }

    /// CPSID sets a mask that was clear: one cycle more, so that no exception below the mask is
    /// taken behind the instruction.
    pub fn set_mask(&mut self) {
        if self.table.is_none() {
            self.busy(2);
        }
    }

    /// Finds the cycle in which the current instruction enters the execute stage.
    #[inline(always)]
    pub(super) fn enter_execute(&mut self, facts: &Facts, passed: bool) {
        let mut ready = self.current.decode + 1;
        // Nearly every instruction has one register or none, which cost no branch.
        let asks = passed || !self.previous.accumulates();
        let registers = if asks { u32::from(facts.address_registers) } else { 0 };
        let first = registers | ALWAYS_READY;
        ready = ready.max(self.address_ready[first.trailing_zeros() as usize]);
        let mut rest = registers & registers.wrapping_sub(1);
        while rest != 0 {
            ready = ready.max(self.address_ready[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
        match facts.kind {
            // The data of a store goes first. Only the address of a plain load waits for it.
            Kind::Load if passed && facts.base == 0 && self.previous.kind == Kind::Store => {}
            Kind::Load | Kind::LoadMultiple | Kind::TableBranch | Kind::DataBarrier if passed => {
                ready = ready.max(self.behind_store());
            }
            // MRS reads over a path from outside the register bank. Right behind an MRS, this path
            // is busy for an MRS or MSR. CPS sets its bits without the path.
            Kind::SpecialRead | Kind::SpecialWrite if self.previous.kind == Kind::SpecialRead => {
                ready = ready.max(self.execute_free + 1);
            }
            _ => {}
        }
        let free = if passed { self.shared_free(facts, ready) } else { self.execute_free };
        self.begin(ready.max(free), facts, passed);
    }

    /// Returns the first cycle in which the execute stage takes the current instruction. Some
    /// instructions share the stage with the one before: a load or store behind a load, and MLA
    /// behind the long multiplication whose high word it accumulates. `ready` is the cycle by all
    /// other conditions.
    #[inline(always)]
    fn shared_free(&mut self, facts: &Facts, ready: u64) -> u64 {
        let (free, previous) = (self.execute_free, &self.previous);
        match facts.kind {
            Kind::Load | Kind::Store => {
                let independent = facts.base == 0 && facts.address_registers & previous.writes == 0;
                self.current.overlap =
                    self.load_bus.filter(|_| independent).map(|bus| (bus, ready.max(free)));
                if self.current.overlap.is_some() { self.last_address + 1 } else { free }
            }
            Kind::MultiplyAccumulate => {
                let adds_it = facts.accumulator & previous.high != 0;
                free - u64::from(previous.kind == Kind::MultiplyLong && adds_it)
            }
            _ => free,
        }
    }

    #[inline(always)]
    fn begin(&mut self, start: u64, facts: &Facts, passed: bool) {
        self.start = start;
        self.decode_free = start;
        self.fetch.leave(start);
        self.load_bus = None;
        self.execute_free = start + 1;
        self.previous = Previous::NOTHING;
        if !passed {
            return;
        }
        self.previous.kind = facts.kind;
        self.previous.writes = facts.results | facts.base;
        self.previous.waits_for_data =
            facts.kind == Kind::Load || facts.kind == Kind::Store && facts.register_offset;
        self.previous.overlapped = facts.kind == Kind::Store && self.current.overlap.is_some();
        match facts.kind {
            // The adder is busy with the high word of one that accumulates.
            Kind::MultiplyLong if facts.accumulator == 0 => self.previous.high = facts.late,
            // The sum follows the product in a cycle of its own.
            Kind::MultiplyAccumulate | Kind::MultiplySubtract => self.execute_free += 1,
            _ => {}
        }
        if facts.sets_flags {
            self.flags_made = start;
        }
        self.ready(facts.results, self.execute_free + 1);
    }

    /// Registers can make addresses for execute stages from `cycle` on.
    #[inline]
    pub(super) fn ready(&mut self, registers: u16, cycle: u64) {
        // See `enter_execute`.
        let registers = u32::from(registers);
        let first = registers | NOBODY_ASKS;
        self.address_ready[first.trailing_zeros() as usize] = cycle;
        let mut rest = registers & registers.wrapping_sub(1);
        while rest != 0 {
            self.address_ready[rest.trailing_zeros() as usize] = cycle;
            rest &= rest - 1;
        }
    }

    /// Execution takes `cycles` in all.
    pub(super) fn busy(&mut self, cycles: u32) {
        let facts = self.current.facts;
        self.execute_free = self.start + u64::from(cycles);
        self.ready(facts.results, self.execute_free + 1);
        if facts.kind == Kind::MultiplyLong {
            // The low word is written a cycle before the high one.
            self.ready(facts.results & !facts.late, self.execute_free);
        }
    }
}
