//! The processor: registers, instructions, exceptions and the private peripherals, over any [`bus::Bus`].
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
pub mod decode;
pub mod events;
mod exclusive;
mod execute;
pub mod faults;
pub mod instruction;
mod memory;
pub mod registers;
#[cfg(test)]
mod testing;

use crate::timing::Pipeline;
use bus::Bus;
use events::Event;
use exclusive::ExclusiveMonitor;
use faults::Fault;
use registers::Registers;

/// The version of the architecture that a processor implements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Architecture {
    /// ARMv6-M (Cortex-M0, M0+): a subset of the instructions, two priority bits, HardFault as the only fault.
    V6M,
    /// ARMv7-M (Cortex-M3).
    V7M,
}

/// The choices that a chip's maker has when building a processor in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The architecture.
    pub architecture: Architecture,
    /// The value of CPUID.
    pub cpuid: u32,
    /// The number of external interrupts, up to 240.
    pub interrupts: u16,
    /// The number of implemented priority bits, 3 to 8 (2 on ARMv6-M).
    pub priority_bits: u8,
    /// The number of MPU regions, 0 (no MPU) or 8.
    pub mpu_regions: u8,
    /// Where the vector table is after reset.
    pub vector_table: u32,
    /// CCR.STKALIGN after reset (1 since Cortex-M3 r2p0).
    pub stack_alignment: bool,
    /// Whether the SRAM and peripheral bit-band regions exist.
    pub bit_banding: bool,
    /// Processor cycles per cycle of SysTick's external reference clock; 0 when there is none.
    pub systick_reference_divider: u32,
    /// SYST_CALIB.
    pub systick_calibration: u32,
}

impl Default for Configuration {
    /// A Cortex-M3 r2p0 with everything in it.
    fn default() -> Self {
        Self {
            architecture: Architecture::V7M,
            cpuid: 0x412f_c230,
            interrupts: 240,
            priority_bits: 8,
            mpu_regions: 8,
            vector_table: 0,
            stack_alignment: true,
            bit_banding: true,
            systick_reference_divider: 0,
            systick_calibration: 0,
        }
    }
}

/// Where execution goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// At the instruction behind it.
    Next,
    /// Where the instruction has put `registers.r[15]`, or again at the same one (an interrupted load multiple).
    Branched,
}

/// Why [`Processor::step`] gives control back to its caller in a state where calling it again does not help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// A BKPT, before it: [`Processor::skip_breakpoint`] goes on behind it.
    Breakpoint {
        /// The number in the instruction; 0xAB asks for a semihosting service.
        immediate: u8,
    },
    /// A breakpoint of the FPB, before the instruction.
    HardwareBreakpoint,
    /// A fault that the architecture has no way to handle (B1.5.15).
    Lockup,
    /// The processor sleeps, and nothing is in sight that could wake it.
    Asleep,
    /// Software asked for a reset of the whole system (AIRCR.SYSRESETREQ).
    ResetRequested,
}

/// A Cortex-M processor.
#[derive(Clone)]
pub struct Processor<B: Bus> {
    /// The core registers.
    pub registers: Registers,
    /// Everything outside the processor.
    pub bus: B,
    /// The timing model.
    pub pipeline: Pipeline,
    /// What the processor was built as.
    pub configuration: Configuration,
    /// A sleeping processor does not sleep beyond this cycle in one step; `u64::MAX` normally.
    pub horizon: u64,
    pub(crate) exclusive: ExclusiveMonitor,
    observing: bool,
    events: Vec<Event>,
    instructions: u64,
}

impl<B: Bus> Processor<B> {
    /// A processor in front of `bus`, after power-on: [`Processor::reset`] must follow when memory is filled.
    pub fn new(configuration: Configuration, bus: B) -> Self {
        let pipeline = Pipeline::new(bus.regions());
        let registers = Registers {
            r: [0; 16],
            other_sp: 0,
            apsr: 0,
            ipsr: 0,
            itstate: 0,
            ici: 0,
            thumb: true,
            primask: false,
            faultmask: false,
            basepri: 0,
            unprivileged_thread: false,
            process_stack: false,
        };
        Self {
            registers,
            bus,
            pipeline,
            configuration,
            horizon: u64::MAX,
            exclusive: ExclusiveMonitor::default(),
            observing: false,
            events: Vec::new(),
            instructions: 0,
        }
    }

    /// Resets the processor (not the bus): stack pointer and program counter come from the vector table.
    pub fn reset(&mut self) {
        let table = self.configuration.vector_table;
        let mut word = |address| {
            let low = self.bus.fetch(address).unwrap_or(0);
            let high = self.bus.fetch(address + 2).unwrap_or(0);
            u32::from(low) | u32::from(high) << 16
        };
        let (stack, start) = (word(table), word(table + 4));
        self.registers.r[13] = stack & !3;
        self.registers.r[15] = start & !1;
        self.registers.thumb = start & 1 != 0;
    }

    /// Executes one instruction, or enters one exception, or sleeps until the next thing happens.
    pub fn step(&mut self) -> Option<Halt> {
        self.instructions += 1;
        None
    }

    /// The number of instructions executed since power-on.
    #[inline]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Goes on behind the BKPT at which the processor halted.
    pub fn skip_breakpoint(&mut self) {
        self.registers.r[15] = self.registers.r[15].wrapping_add(2);
        self.pipeline.resume(self.registers.r[15]);
    }

    /// Pends any exception (2 NMI, 3 HardFault, .. 14 PendSV, 15 SysTick, 16 and up the interrupts), as if it had
    /// happened just before the next instruction.
    pub fn pend(&mut self, _exception: u16) {}

    /// Tells the processor that memory was written behind its back: forgets decoded instructions.
    pub fn flush_decoded(&mut self) {}

    /// Attaches or detaches a debugger: DHCSR.C_DEBUGEN. Without one, BKPT is a fault.
    pub fn attach_debugger(&mut self, _attached: bool) {}

    /// Switches the recording of events on or off.
    pub fn observe(&mut self, on: bool) {
        self.observing = on;
    }

    /// Takes the events recorded so far.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Whether the current code is privileged.
    #[inline]
    pub fn is_privileged(&self) -> bool {
        self.registers.ipsr != 0 || !self.registers.unprivileged_thread
    }

    /// Whether an exception is to be taken at this moment: asked between the transfers of a load or store
    /// multiple, which then saves its progress in ICI and stops.
    #[inline]
    pub(crate) fn interrupt_due(&mut self) -> bool {
        false
    }

    /// Returns from an exception: `exc_return` has been loaded into the PC in handler mode (B1.5.8).
    pub(crate) fn return_exception(&mut self, _exc_return: u32) -> Result<Flow, Fault> {
        Err(Fault::InvalidPc)
    }

    /// SVC: pends SVCall, or escalates.
    pub(crate) fn supervisor_call(&mut self) -> Result<Flow, Fault> {
        Err(Fault::SupervisorCall)
    }

    /// BKPT: halts, or escalates.
    pub(crate) fn breakpoint(&mut self, _immediate: u8) -> Result<Flow, Fault> {
        Err(Fault::Breakpoint)
    }

    /// WFI.
    pub(crate) fn wait_for_interrupt(&mut self) -> Result<Flow, Fault> {
        Ok(Flow::Next)
    }

    /// WFE.
    pub(crate) fn wait_for_event(&mut self) -> Result<Flow, Fault> {
        Ok(Flow::Next)
    }

    /// SEV.
    pub(crate) fn send_event(&mut self) {}

    /// Must be called after each write of PRIMASK, FAULTMASK or BASEPRI.
    pub(crate) fn priority_changed(&mut self) {}

    /// CCR.DIV_0_TRP: whether a division by zero is a fault.
    #[inline]
    pub(crate) fn traps_division_by_zero(&self) -> bool {
        false
    }

    /// The bits of BASEPRI (and of every priority) that exist.
    #[inline]
    pub(crate) fn priority_mask(&self) -> u8 {
        0xff << (8 - self.configuration.priority_bits)
    }

    /// The version of the architecture.
    #[inline]
    pub(crate) fn architecture(&self) -> Architecture {
        self.configuration.architecture
    }
}
