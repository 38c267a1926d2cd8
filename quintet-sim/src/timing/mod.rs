//! The pipeline: when each thing that the processor does happens.
//!
//! The processor tells the pipeline what it executes, in order and as it does it; the pipeline answers with
//! the cycle of each bus access and keeps [`Pipeline::now`].

use crate::processor::bus::RegionTiming;
use crate::processor::instruction::{Instruction, Size};

/// What an instruction's data does on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// A load.
    Read,
    /// A store.
    Write,
}

/// The timing model of the Cortex-M3's pipeline.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    now: u64,
}

impl Pipeline {
    /// A pipeline after reset, in front of the given memories.
    pub fn new(_regions: &[RegionTiming]) -> Self {
        Self::default()
    }

    /// The current cycle since reset: the one in which the instruction being executed is in its execute
    /// stage, or the next one will enter it.
    #[inline]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// An instruction enters the execute stage. `passed` is false when its condition failed (inside an IT
    /// block), in which case it only passes through.
    #[inline]
    pub fn issue(&mut self, _pc: u32, _instruction: &Instruction, _passed: bool) {
        self.now += 1;
    }

    /// The instruction accesses memory; returns the cycle of the transfer. Called once for each aligned
    /// part of an unaligned access, and once for each register of a load or store multiple, in bus order.
    #[inline]
    pub fn data(&mut self, _address: u32, _size: Size, _direction: Direction) -> u64 {
        self.now += 1;
        self.now
    }

    /// The execute stage is busy for `cycles` more because of operand values (division, long multiplication).
    #[inline]
    pub fn busy(&mut self, cycles: u32) {
        self.now += u64::from(cycles);
    }

    /// The instruction wrote the program counter: the queue refills from `target`.
    #[inline]
    pub fn redirect(&mut self, _target: u32) {
        self.now += 1;
    }

    /// The instruction is complete.
    #[inline]
    pub fn retire(&mut self) {}

    /// An exception entry begins: what is in the queue is thrown away.
    /// Stacking and the vector's fetch follow as [`Pipeline::data`], then [`Pipeline::entered`].
    pub fn enter_exception(&mut self, _tail_chained: bool) {}

    /// The handler's first instruction at `target` may be fetched.
    pub fn entered(&mut self, _target: u32) {}

    /// An exception return begins (the EXC_RETURN value has been loaded into the PC).
    /// Unstacking follows as [`Pipeline::data`], then [`Pipeline::returned`]; or [`Pipeline::enter_exception`]
    /// when it tail-chains.
    pub fn return_exception(&mut self) {}

    /// The interrupted instruction at `target` may be fetched.
    pub fn returned(&mut self, _target: u32) {}

    /// The processor sleeps (WFI, WFE, sleep-on-exit) until `cycle`.
    pub fn sleep_until(&mut self, cycle: u64) {
        self.now = self.now.max(cycle);
    }

    /// A debugger halted the processor; time stops.
    pub fn halt(&mut self) {}

    /// A debugger lets the processor go on at `target`; the queue is empty.
    pub fn resume(&mut self, _target: u32) {}
}
