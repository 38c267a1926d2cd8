//! The processor: registers, instructions, exceptions and the private peripherals, over any
//! [`bus::Bus`].
//!
//! ```text
//!  step() ── exception due? ── yes ─> exceptions::enter
//!     │ no
//!     ├─ fetch + decode (cached)            decode/
//!     ├─ pipeline.issue
//!     ├─ execute ── loads and stores ──>    memory.rs ── MPU, bit-band, private peripherals, bus
//!     │      └──── fault ──────────────>    faults.rs ── pends the exception, or escalates
//!     └─ pipeline.retire
//! ```

pub mod bus;
mod cache;
mod configuration;
mod copy;
mod debug;
pub mod decode;
pub mod events;
pub mod exceptions;
mod exclusive;
mod execute;
pub mod faults;
pub mod float;
pub mod history;
pub mod instruction;
mod memory;
pub(crate) mod quick;
pub mod registers;
mod sleep;
pub mod system;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use configuration::{Architecture, Configuration};
pub use debug::SEMIHOSTING;

use crate::timing::Timing;
use bus::Bus;
use cache::{DecodeCache, Decoded};
use decode::is_wide;
use events::{Event, EventKind};
use exceptions::late::LateUnmasking;
use exceptions::number::{NMI, RESET, SV_CALL};
use exclusive::ExclusiveMonitor;
use faults::Fault;
use history::{FaultCause, Notes};
use instruction::Size;
use registers::Registers;
use std::ops::ControlFlow;
use system::scb::{ResetRequest, ccr, hfsr};
use system::{System, mpu::default_execute_never};

/// The program counter of a processor that is locked up, as an NMI stacks it (B1.5.15).
const LOCKUP_ADDRESS: u32 = 0xffff_fffe;

/// Where execution goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// At the instruction behind this one.
    Next,
    /// At the new value of `registers.r[15]`, or again at the same instruction (an interrupted load
    /// multiple).
    Branched,
    /// Again at the same instruction: an exception has ended it before it wrote anything.
    Abandoned,
    /// Nowhere for now: a debugger has stopped the processor before the instruction.
    Halted(Halt),
}

/// The state of the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Activity {
    /// Executing instructions.
    Running,
    /// In a WFI.
    WaitingForInterrupt,
    /// In a WFE.
    WaitingForEvent,
    /// Asleep at the end of the last handler, whose frame is still stacked: the next exception
    /// tail-chains.
    SleepingOnExit {
        /// The EXC_RETURN value with which the handler returned.
        exc_return: u32,
    },
    /// Locked up.
    Lockup,
}

/// Why [`Processor::step`] gives control back to its caller in a state where calling it again does
/// not help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// A BKPT. The processor stands before it; [`Processor::skip_breakpoint`] goes on behind it.
    Breakpoint {
        /// The number in the instruction; 0xAB asks for a semihosting service.
        immediate: u8,
    },
    /// Under a debugger, the program's own use of the debug registers halts the processor: a
    /// breakpoint of the FPB, a watchpoint of the DWT, a vector catch, DHCSR.C_HALT. The processor
    /// stands before the instruction.
    DebugEvent,
    /// A fault that the architecture has no way to handle (B1.5.15).
    Lockup,
    /// The processor sleeps, and nothing known will wake it.
    Asleep,
    /// Software asked for a reset of the whole system (AIRCR.SYSRESETREQ).
    ResetRequested,
}

/// A Cortex-M processor.
pub struct Processor<B: Bus> {
    /// The core registers.
    pub registers: Registers,
    /// Everything outside the processor.
    pub bus: B,
    /// The timing model.
    pub pipeline: Timing,
    /// The configuration of the processor.
    pub configuration: Configuration,
    /// The private peripherals and the exceptions' state.
    pub system: System,
    /// A sleeping processor does not sleep beyond this cycle in one step; `u64::MAX` normally.
    pub horizon: u64,
    /// `true` if BKPT 0xAB halts even without a debugger, so that the caller can serve it.
    pub semihosting: bool,
    /// `true` if that goes for unprivileged code too, as it does unless a tool says otherwise.
    pub unprivileged_semihosting: bool,
    /// The registers just before the last entry of a fault exception, for a tool's post-mortem. If
    /// the frame could not be stacked, nothing else keeps them.
    pub last_fault: Option<Registers>,
    notes: Notes,
    pub(crate) exclusive: ExclusiveMonitor,
    cache: DecodeCache,
    activity: Activity,
    /// WFE's event register.
    event_register: bool,
    halted: bool,
    /// The hardware breakpoint that the next step passes.
    passed_breakpoint: Option<u32>,
    /// Something other than the next instruction may have to happen: the only flag that
    /// [`Self::step`] tests.
    attention: bool,
    /// An exception is due.
    due: bool,
    /// The exception is seen at the instruction boundaries from this cycle on.
    visible_from: u64,
    late: LateUnmasking,
    /// The cycle of the next event of SysTick or of a device.
    next_event: u64,
    /// The cycle from which on [`Self::step`] looks for the event: while the next instruction waits
    /// for its fetch, the event may come before the instruction.
    look_from: u64,
    /// Data accesses below this address need no checks; 0 while the MPU or a watchpoint is on.
    plain_limit: u32,
    observing: bool,
    observed_masks: [u8; 3],
    events: Vec<Event>,
    instructions: u64,
    /// Those of them whose condition in an IT block failed.
    skipped: u64,
}

impl<B: Bus> Processor<B> {
    /// A processor in front of `bus`, after power-on: [`Processor::reset`] must follow when memory
    /// is filled.
    pub fn new(configuration: Configuration, bus: B) -> Self {
        let mut processor = Self {
            registers: Registers::default(),
            pipeline: Timing::new(
                bus.regions(),
                bus.fronts(),
                configuration.holds_addresses(),
                configuration.timing_table(),
            ),
            bus,
            configuration,
            system: System::new(configuration),
            horizon: u64::MAX,
            semihosting: true,
            unprivileged_semihosting: true,
            last_fault: None,
            notes: Notes::default(),
            exclusive: ExclusiveMonitor::default(),
            cache: DecodeCache::default(),
            activity: Activity::Running,
            event_register: false,
            halted: false,
            passed_breakpoint: None,
            attention: false,
            due: false,
            visible_from: 0,
            late: LateUnmasking::default(),
            next_event: 0,
            look_from: 0,
            plain_limit: 0,
            observing: false,
            observed_masks: [0; 3],
            events: Vec::new(),
            instructions: 0,
            skipped: 0,
        };
        processor.system_changed(0);
        processor
    }

    /// Resets the processor (not the bus, nor the cycle): the stack pointer and the program counter
    /// come from the vector table (B1.5.5).
    pub fn reset(&mut self) {
        let lines = self.system.exceptions.lines();
        self.registers = Registers::default();
        self.system.reset(lines);
        self.exclusive.clear();
        self.cache.distrust();
        self.activity = Activity::Running;
        self.event_register = false;
        self.halted = false;
        self.passed_breakpoint = None;
        self.last_fault = None;
        self.notes.reset();
        self.due = false;
        let table = self.configuration.vector_table;
        self.system.scb.vector_table = table;
        let now = self.pipeline.now();
        let mut word = |address| self.bus.read(address, Size::Word, now);
        match (word(table), word(table.wrapping_add(4))) {
            (Ok(stack), Ok(start)) => {
                self.registers.r[13] = stack & !3;
                self.registers.r[15] = start & !1;
                self.registers.thumb = start & 1 != 0;
            }
            _ => {
                self.system.scb.faults.hard |= hfsr::VECTTBL;
                self.note_fault(FaultCause::Vector { exception: RESET }, None);
                self.lock_up();
            }
        }
        self.registers.r[14] = u32::MAX;
        self.pipeline.reset_fronts(self.bus.fronts());
        self.pipeline.resume(self.registers.r[15]);
        self.catch_vector(RESET);
        self.system_changed(now);
    }

    /// Executes one instruction, or enters one exception, or sleeps until the next thing happens.
    #[inline(always)]
    pub fn step(&mut self) -> Option<Halt> {
        if self.attention || self.pipeline.now() >= self.look_from {
            match self.attend() {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(halt) => return halt,
            }
        }
        let address = self.registers.r[15];
        let decoded = match self.cache.get(address) {
            Some(decoded) if self.plain_limit != 0 && self.registers.thumb => *decoded,
            cached => {
                let cached = cached.copied();
                match self.fetch_checked(address, cached) {
                    Ok(decoded) => decoded,
                    Err(fault) => {
                        self.take_fault(fault);
                        return None;
                    }
                }
            }
        };
        self.instructions += 1;
        let mut halt = None;
        match self.execute(address, &decoded) {
            Ok(Flow::Next) => {
                self.registers.r[15] = address.wrapping_add(u32::from(decoded.instruction.length));
            }
            Ok(Flow::Branched) => {}
            Ok(Flow::Abandoned) => {
                self.instructions -= 1;
                // For an exception, which would wait forever for the end of the next instruction.
                self.end_late_unmasking();
            }
            Ok(Flow::Halted(reason)) => halt = Some(reason),
            Err(fault) => {
                self.instructions -= 1;
                self.take_fault(fault);
            }
        }
        self.pipeline.retire();
        halt
    }

    /// Does everything that may come before the next instruction: an exception, sleep, lockup,
    /// reset, a breakpoint. Breaks if this takes the place of the instruction.
    #[cold]
    fn attend(&mut self) -> ControlFlow<Option<Halt>> {
        if self.halted {
            self.resume();
        }
        self.prepare_for_event();
        let now = self.pipeline.now();
        self.catch_up(now);
        match self.system.scb.reset_request.take() {
            Some(ResetRequest::System) => return ControlFlow::Break(Some(Halt::ResetRequested)),
            Some(ResetRequest::Processor) => {
                self.reset();
                return ControlFlow::Break(None);
            }
            None => {}
        }
        if self.handle_debug_event() {
            return ControlFlow::Break(Some(Halt::DebugEvent));
        }
        let is_nmi = self.system.exceptions.candidate().exception == NMI;
        match self.activity {
            Activity::Running => {}
            Activity::Lockup if self.due && is_nmi => {
                self.activity = Activity::Running;
                self.registers.r[15] = LOCKUP_ADDRESS;
            }
            Activity::Lockup => return ControlFlow::Break(Some(Halt::Lockup)),
            _ => return ControlFlow::Break(self.sleep_on()),
        }
        if self.is_exception_next(now) {
            self.pipeline.wait_until(self.visible_from);
            self.enter_exception();
            return ControlFlow::Break(None);
        }
        if self.is_at_hardware_breakpoint() {
            return ControlFlow::Break(Some(Halt::DebugEvent));
        }
        if self.is_at_monitor_breakpoint() {
            self.enter_exception();
            return ControlFlow::Break(None);
        }
        self.step_for_monitor();
        ControlFlow::Continue(())
    }

    /// The next instruction is stepped through the pipeline, and so are those behind it until an
    /// event that may come within one.
    fn prepare_for_event(&mut self) {
        self.pipeline.settle();
        if self.next_event.saturating_sub(self.pipeline.now()) <= self.pipeline.longest() {
            self.pipeline.hold(self.next_event);
        }
    }

    /// Returns `true` if the next step executes the instruction at the program counter, rather than
    /// sleep on or take an exception first. A breakpoint there is only reached then.
    pub fn is_instruction_next(&mut self) -> bool {
        let now = self.pipeline.now();
        self.catch_up(now);
        matches!(self.activity, Activity::Running)
            && self.system.debug_event == 0
            && !self.is_exception_next(now)
    }

    fn is_exception_next(&mut self, now: u64) -> bool {
        if self.is_unmasking_late() {
            return false;
        }
        if self.due && now >= self.visible_from {
            return !self.is_waiting_decoded(now);
        }
        self.comes_before_fetch(now)
    }

    /// Returns `true` if the next instruction is a WFI or WFE in the decode stage. Such an
    /// instruction is complete there. So if an exception becomes visible in this cycle, the
    /// instruction completes, and the frame holds the address behind it.
    fn is_waiting_decoded(&mut self, now: u64) -> bool {
        const WFE: u16 = 0xbf20;
        const WFI: u16 = 0xbf30;
        now == self.visible_from && matches!(self.bus.fetch(self.registers.r[15]), Ok(WFE | WFI))
    }

    /// Returns the instruction at `address` if the cache doesn't simply have it. Makes all checks
    /// of a fetch.
    #[inline(never)]
    fn fetch_checked(&mut self, address: u32, cached: Option<Decoded>) -> Result<Decoded, Fault> {
        if !self.registers.thumb {
            return Err(Fault::InvalidState);
        }
        let decoded = match cached {
            Some(decoded) => decoded,
            None => self.decode_at(address)?,
        };
        if self.plain_limit == 0 {
            self.check_execution(address, decoded.instruction.length)?;
            self.watch_execution(address);
            self.check_stack_limit(&decoded.instruction)?;
        }
        Ok(decoded)
    }

    fn decode_at(&mut self, address: u32) -> Result<Decoded, Fault> {
        let first = self.fetch(address)?;
        let behind = address.wrapping_add(2);
        let bus = &mut self.bus;
        if let Some(decoded) = self.cache.revive(address, first, || bus.fetch(behind).ok()) {
            return Ok(decoded);
        }
        let second = if is_wide(first) { self.fetch(behind)? } else { 0 };
        let architecture = self.configuration.architecture;
        let decoded = Decoded::new([first, second], architecture);
        // An address that only the MPU makes executable must be checked each time.
        if !default_execute_never(address) && !default_execute_never(behind) {
            self.cache.insert(address, [first, second], decoded);
        }
        Ok(decoded)
    }

    fn fetch(&mut self, address: u32) -> Result<u16, Fault> {
        if default_execute_never(address) && !self.is_made_executable(address) {
            return Err(Fault::InstructionAccess);
        }
        self.bus.fetch(address).map_err(|_| Fault::InstructionBus)
    }

    /// The number of instructions executed since power-on, as a counter of the hardware counts:
    /// with the [skipped](Self::skipped) ones.
    #[inline]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// The number of instructions since power-on that took their time and did nothing, because
    /// their condition in an IT block failed.
    #[inline]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Tells the processor that a tool has written memory: decoded instructions are compared with
    /// memory before their next use.
    pub fn flush_decoded(&mut self) {
        self.cache.distrust();
    }

    /// Switches the recording of events on or off.
    pub fn observe(&mut self, on: bool) {
        self.observing = on;
        let registers = &self.registers;
        self.observed_masks =
            [u8::from(registers.primask), u8::from(registers.faultmask), registers.basepri];
    }

    /// Takes the events recorded so far.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Records an event in the present cycle. The caller has checked that observation is on.
    fn record(&mut self, kind: EventKind) {
        self.pipeline.settle();
        self.events.push(Event { cycle: self.pipeline.now(), kind });
    }

    /// Returns `true` if the current code is privileged.
    #[inline]
    pub fn is_privileged(&self) -> bool {
        self.registers.ipsr != 0 || !self.registers.unprivileged_thread
    }

    /// SVC: pends SVCall, or HardFault where SVCall is held off. In both cases the instruction
    /// completes, so that the frame holds the address behind it, as on chips: handlers of NuttX
    /// serve such an SVC in HardFault and return. In NMI, in HardFault and under FAULTMASK the
    /// processor locks up.
    pub(crate) fn supervisor_call(&mut self) -> Result<Flow, Fault> {
        let priority = self.execution_priority();
        if self.system.exceptions.can_preempt(SV_CALL, priority) {
            self.system.exceptions.set_pending(SV_CALL, true);
            self.reconsider_now();
        } else if priority > -1 {
            self.escalate(Fault::SupervisorCall, hfsr::FORCED);
        } else {
            return Err(Fault::SupervisorCall);
        }
        Ok(Flow::Next)
    }

    /// CCR.DIV_0_TRP: whether a division by zero is a fault.
    #[inline]
    pub(crate) fn traps_division_by_zero(&self) -> bool {
        self.system.scb.is_set(ccr::TRAP_DIVISION)
    }

    /// The bits of BASEPRI (and of every priority) that exist.
    #[inline]
    pub(crate) fn priority_mask(&self) -> u8 {
        self.configuration.priority_mask()
    }

    /// The version of the architecture.
    #[inline]
    pub(crate) fn architecture(&self) -> Architecture {
        self.configuration.architecture
    }
}
