//! Stepping, running, stopping and restarting.

use super::{Machine, Served, Stop, Until};
use crate::processor::bus::{Bus, BusError};
use crate::processor::events::{Event, EventKind};
use crate::processor::instruction::Size;
use crate::processor::quick::Limits;
use crate::processor::registers::Registers;
use crate::processor::{Halt, SEMIHOSTING};
use crate::rtt::Hosting as _;

/// Addresses to stop at, made so that nearly every other address is told apart with one test.
struct Addresses<'a> {
    list: &'a [u32],
    /// Bit n: an address whose bits 6:1 are n is in the list.
    filter: u64,
}

impl<'a> Addresses<'a> {
    fn new(list: &'a [u32]) -> Self {
        let filter = list.iter().fold(0, |filter, address| filter | 1 << (address >> 1 & 63));
        Self { list, filter }
    }

    #[inline]
    fn may_contain(&self, address: u32) -> bool {
        self.filter >> (address >> 1 & 63) & 1 != 0
    }

    #[inline]
    fn contains(&self, address: u32) -> bool {
        self.may_contain(address) && self.list.contains(&address)
    }
}

impl Machine {
    /// Executes one instruction, or enters one exception, or sleeps until the next thing happens.
    pub fn step(&mut self) -> Option<Stop> {
        self.step_within(u64::MAX)
    }

    /// The same, but sleeps until the cycle `end` at most.
    pub fn step_within(&mut self, end: u64) -> Option<Stop> {
        let limits = Limits { cycle: u64::MAX, instructions: self.instructions() + 1 };
        let stop = if self.hurry(limits, |_| false) {
            None
        } else {
            self.processor.horizon = end;
            let stop = self.advance();
            self.processor.horizon = u64::MAX;
            stop
        };
        if self.cycle() >= self.rtt.next_search() {
            self.search_rtt();
        }
        stop
    }

    /// Runs until something of `until` is reached or the program ends.
    pub fn run(&mut self, until: &Until) -> Stop {
        let max_cycles = until.max_cycles.unwrap_or(u64::MAX);
        let max_instructions = until.max_instructions.unwrap_or(u64::MAX);
        let addresses = Addresses::new(&until.addresses);
        self.processor.horizon = max_cycles;
        self.set_filters(&until.events);
        let mut pause = max_cycles.min(self.rtt.next_search());
        let stop = loop {
            if self.processor.pipeline.now() >= pause {
                if self.processor.pipeline.now() >= max_cycles {
                    break Stop::CycleLimit;
                }
                self.search_rtt();
                pause = max_cycles.min(self.rtt.next_search());
            }
            if self.processor.instructions() >= max_instructions {
                break Stop::InstructionLimit;
            }
            let limits = Limits { cycle: pause, instructions: max_instructions };
            let is_stop = |address| addresses.may_contain(address);
            if !self.hurry(limits, is_stop)
                && let Some(stop) = self.advance()
            {
                break stop;
            }
            let pc = self.processor.registers.r[15];
            if addresses.contains(pc) && self.processor.is_instruction_next() {
                break Stop::Address(pc);
            }
        };
        self.set_filters(&[]);
        self.processor.horizon = u64::MAX;
        stop
    }

    /// Halts the processor as a debugger does: the pipeline drains and time stands still.
    pub fn debug_halt(&mut self) {
        self.processor.halt();
    }

    /// Lets a halted processor go on. Steps and runs do this by themselves.
    pub fn debug_resume(&mut self) {
        self.processor.resume();
    }

    /// Goes on behind the BKPT at which the machine stopped.
    pub fn skip_breakpoint(&mut self) {
        self.processor.skip_breakpoint();
    }

    /// Executes instructions on the quick path. Returns `false` if there was none for it.
    #[inline]
    fn hurry(&mut self, limits: Limits, is_stop: impl Fn(u32) -> bool) -> bool {
        if self.inspects_each || self.processor.bus.has_requests() {
            return false;
        }
        let Some(stack) = self.tracker.stack_seen(&self.processor.registers) else { return false };
        let tracker = &mut self.tracker;
        let look = |registers: &Registers, cycle, from| tracker.look(registers, cycle, from);
        self.processor.hurry(limits, stack, is_stop, look)
    }

    /// A step of a run, of which this is the loop.
    #[inline(always)]
    fn advance(&mut self) -> Option<Stop> {
        let pc = self.processor.registers.r[15];
        let halt = self.processor.step();
        self.tracker.look(&self.processor.registers, self.processor.pipeline.now(), pc);
        if halt.is_none() && !self.inspecting && !self.processor.bus.has_requests() {
            return None;
        }
        self.attend(halt, pc)
    }

    /// After a step that was not an ordinary one, or while someone is watching.
    #[cold]
    fn attend(&mut self, halt: Option<Halt>, pc: u32) -> Option<Stop> {
        let recorded = self.events.len();
        let requests = self.processor.bus.take_requests();
        for interrupt in requests.pend {
            self.processor.pend(interrupt + 16);
        }
        for change in &requests.changes {
            self.change(change);
        }
        self.serve_rtt(&requests.rung);
        let stop = match halt {
            _ if requests.reset => {
                self.restart_on_request();
                None
            }
            Some(halt) => self.judge(halt),
            None => None,
        };
        if stop.is_some() {
            self.search_rtt();
        }
        let seen = if self.inspecting { self.inspect(pc, recorded) } else { None };
        if self.passed.is_waiting() && stop.is_none() {
            self.pass();
        }
        stop.or(seen)
    }

    fn judge(&mut self, halt: Halt) -> Option<Stop> {
        match halt {
            Halt::Breakpoint { immediate: SEMIHOSTING } if self.processor.serves_semihosting() => {
                self.collect_sent();
                let served = self.host.serve(&mut self.processor);
                self.processor.skip_breakpoint();
                match served {
                    Served::Continue => None,
                    Served::Exit { code } => Some(Stop::Exit { code }),
                }
            }
            Halt::Breakpoint { immediate } => Some(Stop::Breakpoint { immediate }),
            Halt::DebugEvent => Some(Stop::HardwareBreakpoint),
            Halt::Lockup => Some(Stop::Lockup),
            Halt::Asleep => Some(Stop::Asleep),
            Halt::ResetRequested => {
                self.restart_on_request();
                None
            }
        }
    }

    /// Resets processor and devices, and nothing else.
    pub(super) fn restart(&mut self) {
        let cycle = self.cycle();
        self.processor.bus.reset_devices(cycle);
        self.processor.reset();
        self.processor.bus_changed();
        self.rtt.restart();
    }

    fn restart_on_request(&mut self) {
        self.restart();
        if self.observing || self.watcher.wants_events() {
            self.collect_events();
            self.events.push(Event { cycle: self.cycle(), kind: EventKind::Reset });
        }
    }

    /// A debugger writes registers: of the processor, or of a device.
    pub(super) fn write_registers(&mut self, address: u32, data: &[u8]) -> Result<(), BusError> {
        let mut done = 0;
        while done < data.len() {
            let at = address.wrapping_add(done as u32);
            let rest = &data[done..];
            let (size, value) = match rest {
                [a, b, c, d, ..] if at.is_multiple_of(4) => {
                    (Size::Word, u32::from_le_bytes([*a, *b, *c, *d]))
                }
                [a, b, ..] if at.is_multiple_of(2) => {
                    (Size::Half, u32::from(u16::from_le_bytes([*a, *b])))
                }
                _ => (Size::Byte, u32::from(rest[0])),
            };
            match self.processor.poke_private(at, size, value) {
                Some(result) => result?,
                None => {
                    let cycle = self.cycle();
                    self.processor.bus.write(at, size, value, cycle)?;
                    self.processor.bus_changed();
                }
            }
            done += size.bytes() as usize;
        }
        Ok(())
    }
}
