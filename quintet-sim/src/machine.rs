//! A whole microcontroller: processor, memory and devices of a board, under a tool's control.
//!
//! ```text
//!  let board = Board::named("lm3s6965")?;
//!  let mut machine = Machine::new(&board);
//!  machine.load(&image)?;
//!  machine.reset();
//!  let stop = machine.run(&Until { max_cycles: Some(1_000_000), ..Until::default() });
//! ```
//! The same image and the same inputs give the same cycles, everywhere and however often
//! [`Machine::run`] is cut into pieces. Nothing is added to the image: breakpoints, watches and
//! measurements are all made from outside.

mod control;
mod core;
#[cfg(test)]
mod front_tests;
mod hosting;
mod inspect;
mod load;
mod passed;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::board::Board;
use crate::bus::{SystemBus, WatchedRange};
use crate::image::{Found, VectorTable};
use crate::observe::{MaskedTimes, StackHighWater, StackOverflow, Tracker};
use crate::processor::Processor;
use crate::processor::bus::PRIVATE_START;
use crate::processor::events::{Event, Mask};
use crate::processor::instruction::Size;
use crate::rtt::{Damage, Hosting as _, Rtt};
use crate::script::Script;
use crate::semihosting::{Channel, Host, Served};

use inspect::Watcher;
pub(crate) use passed::Passed;

/// A microcontroller with its program.
#[derive(Clone)]
pub struct Machine {
    /// The processor, with its bus. While the machine stands, a tool may read everything and change
    /// registers.
    pub processor: Processor<SystemBus>,
    board: Arc<Board>,
    table: Arc<VectorTable>,
    pub(crate) host: Host,
    pub(crate) rtt: Rtt,
    pub(crate) tracker: Tracker,
    pub(crate) events: Vec<Event>,
    pub(crate) observing: bool,
    watcher: Watcher,
    pub(crate) passed: Passed,
    /// `true` if each step is followed by [`Machine::inspect`].
    inspecting: bool,
    /// `true` if [`Machine::inspect`] may find something behind any instruction at all.
    inspects_each: bool,
}

/// When [`Machine::run`] stops. Without any of these, the machine runs until the program ends by
/// itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Until {
    /// Stop when the cycle, counted from power-on, has reached this one.
    pub max_cycles: Option<u64>,
    /// Stop when so many instructions have been executed since power-on.
    pub max_instructions: Option<u64>,
    /// Stop before the instruction at one of these addresses. If the machine stands at one, it
    /// first executes this instruction.
    pub addresses: Vec<u32>,
    /// Stop after one of these events.
    pub events: Vec<EventFilter>,
}

/// An event to stop at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventFilter {
    /// The entry of this exception, or of any.
    Enter(Option<u16>),
    /// The return from this exception, or from any.
    Exit(Option<u16>),
    /// The processor falls asleep.
    Sleep,
    /// The processor wakes up.
    Wake,
    /// This mask register changes, or any.
    MaskChange(Option<Mask>),
    /// The program or a watchdog resets the machine.
    Reset,
}

/// A place that stops the machine when the program touches it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Watch {
    /// Accesses to addresses. Of the processor's own peripherals (from 0xe0000000 on) only a change
    /// of the word at the first address is seen.
    Memory(WatchedRange),
    /// A change of R0 to R15 by an instruction or an exception. R15 changes with every one.
    Register(u8),
}

/// What a watch has noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchHit {
    /// The watch.
    pub watch: Watch,
    /// The address of the access; 0 for a register.
    pub address: u32,
    /// The value before.
    pub old: u32,
    /// The value after the access; for a load, the value that was read.
    pub new: u32,
    /// The cycle of the access.
    pub cycle: u64,
    /// The address of the instruction that made the access.
    pub pc: u32,
}

/// Why the machine stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program ended by semihosting.
    Exit {
        /// The program's code, 0 for success.
        code: u32,
    },
    /// A BKPT under a debugger, before it; [`Machine::skip_breakpoint`] goes on behind it.
    Breakpoint {
        /// The number in the instruction.
        immediate: u8,
    },
    /// Under a debugger, the program's own use of the processor's debug registers stops it: a
    /// breakpoint, watchpoint, vector catch or halt. The machine stops before the instruction.
    HardwareBreakpoint,
    /// One of [`Until::addresses`], before the instruction there.
    Address(u32),
    /// A watch.
    Watch(WatchHit),
    /// One of [`Until::events`].
    Event(Event),
    /// [`Until::max_cycles`].
    CycleLimit,
    /// [`Until::max_instructions`].
    InstructionLimit,
    /// A fault that the architecture has no way to handle (B1.5.15).
    Lockup,
    /// The processor sleeps, and neither a device nor the script will ever wake it.
    Asleep,
}

/// Bytes that the program has put out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// `stdout` or `stderr` of semihosting, the name of a UART, `itm0` to `itm31`, or `rtt0` to
    /// `rtt31`.
    pub channel: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// An address where nothing is, or nothing that can be read or written as asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is nothing at {address:#010x} that a debugger could {verb}")]
pub struct MemoryError {
    /// The first address asked for.
    pub address: u32,
    /// "read" or "write".
    pub verb: &'static str,
}

impl Machine {
    /// The microcontroller of `board` after power-on, with nothing in its flash.
    pub fn new(board: &Board) -> Self {
        let processor = Processor::new(board.configuration(), SystemBus::new(board));
        Self {
            processor,
            host: Host::new(board.clock_hz),
            rtt: Rtt::default(),
            board: Arc::new(board.clone()),
            table: Arc::new(VectorTable { address: board.vector_table, found: Found::Board }),
            tracker: Tracker::default(),
            events: Vec::new(),
            observing: false,
            watcher: Watcher::default(),
            passed: Passed::default(),
            inspecting: false,
            inspects_each: false,
        }
    }

    /// The board of the machine.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Resets processor and devices. Memory, the cycle and the script's progress stay as they are.
    pub fn reset(&mut self) {
        self.processor.forget_faults();
        if self.cycle() > 0 {
            self.restart();
        } else {
            // The devices are as power-on has left them, and some tell a program the cause of the
            // reset.
            self.processor.reset();
            self.processor.bus_changed();
        }
        self.tracker = self.tracker.anew();
        self.tracker.look(&self.processor.registers, self.cycle(), self.pc());
    }

    /// The cycle since power-on.
    pub fn cycle(&self) -> u64 {
        self.processor.pipeline.now()
    }

    /// The instructions executed since power-on, with the skipped ones.
    pub fn instructions(&self) -> u64 {
        self.processor.instructions()
    }

    /// The instructions since power-on that did nothing, because their condition in an IT block
    /// failed.
    pub fn skipped(&self) -> u64 {
        self.processor.skipped()
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.processor.registers.r[15]
    }

    /// Pends an exception (2 NMI, 3 HardFault, .. 14 PendSV, 15 SysTick, 16 and up the interrupts)
    /// before the next instruction.
    pub fn pend(&mut self, exception: u16) {
        self.processor.pend(exception);
    }

    /// Sets the actions of the outside world, from power-on.
    pub fn set_script(&mut self, script: Script) {
        self.passed = Passed::of(&script);
        self.processor.bus.set_script(script);
        self.processor.bus_changed();
        self.update_inspecting();
    }

    /// Returns the cycle in which the script's action at a place has happened, by the number of
    /// the action in [`Script::placed`]; `None` if it has not.
    pub fn happened(&self, number: usize) -> Option<u64> {
        self.passed.happened(number)
    }

    /// Returns the level of a pin now. `device` is the number of the GPIO among the board's
    /// devices.
    pub fn pin_level(&self, device: usize, pin: u8) -> bool {
        self.processor.bus.pin_level(device, pin)
    }

    /// Sets the program's command line.
    pub fn set_command_line(&mut self, text: &str) {
        self.host.set_command_line(text);
    }

    /// Sets the program's standard input, for semihosting or a down-channel of RTT.
    pub fn set_input(&mut self, bytes: &[u8]) {
        self.host.set_input(bytes);
        self.update_doorbell();
    }

    /// Keeps this many bytes of the program's output, on all channels together; `None` keeps all.
    pub fn set_output_limit(&mut self, bytes: Option<u64>) {
        self.host.set_output_limit(bytes);
    }

    /// Returns the limit of output if the program has printed more. The bytes beyond the limit are
    /// lost.
    pub fn output_cut(&self) -> Option<u64> {
        self.host.output_cut()
    }

    /// Lets the program list its tests, as the crate `embedded-test` up to 0.6 does.
    pub fn expect_tests(&mut self) {
        self.host.expect_tests();
    }

    /// Takes the tests that the program has told.
    pub fn take_tests(&mut self) -> Option<Vec<u8>> {
        self.host.take_tests()
    }

    /// Takes the program's output since the last call. Semihosting and RTT are in order. The output
    /// of UARTs and the ITM stands between the pieces of semihosting and RTT: one UART after the
    /// other, the ITM last.
    pub fn take_output(&mut self) -> Vec<Output> {
        self.collect_sent();
        let name = |channel| match channel {
            Channel::Output => "stdout".to_owned(),
            Channel::Error => "stderr".to_owned(),
            Channel::Device(index) => {
                self.board.devices.get(index).map_or_else(String::new, |device| device.name.clone())
            }
            Channel::Itm(port) => format!("itm{port}"),
            Channel::Rtt(channel) => format!("rtt{channel}"),
        };
        let output = self.host.take_output().into_iter();
        output.map(|(channel, bytes)| Output { channel: name(channel), bytes }).collect()
    }

    /// The damage of RTT's control block that has been found, of each kind once.
    pub fn rtt_damages(&self) -> &[Damage] {
        self.rtt.damages()
    }

    /// The name that the program gives to an up-channel of RTT.
    pub fn rtt_name(&self, channel: u8) -> Option<String> {
        self.rtt.name(channel, &self.processor.bus)
    }

    /// Delays exceptions that an instruction unmasks by this number of instructions, at most to the
    /// next ISB. The architecture allows this. With 0, the default, exceptions come as on the
    /// modelled processors.
    pub fn set_late_unmasking(&mut self, by: u64) {
        self.processor.set_late_unmasking(by);
    }

    /// Switches the memory of the pipeline's states off or on. Without it the machine takes the
    /// same cycles and is slower: the way to check the memory.
    pub fn remember_states(&mut self, on: bool) {
        self.processor.pipeline.set_memory(on);
    }

    /// Starts or stops recording events. A start forgets earlier events.
    pub fn observe(&mut self, on: bool) {
        if on {
            self.events.clear();
            self.processor.take_events();
        }
        self.observing = on;
        self.processor.observe(on);
        self.processor.bus.observe(on);
    }

    /// Takes the recorded events: exceptions, sleep, masks, resets.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.collect_events();
        std::mem::take(&mut self.events)
    }

    /// Starts or stops recording changes of GPIO pins, and nothing else. Starting forgets those
    /// recorded before.
    pub fn observe_pins(&mut self, on: bool) {
        self.processor.bus.observe(on);
    }

    /// Returns `true` if a change of a GPIO pin has been recorded and not been taken yet.
    #[inline]
    pub fn has_pin_changes(&self) -> bool {
        self.processor.bus.has_pin_changes()
    }

    /// Takes the recorded changes of GPIO pins, whoever drives them.
    pub fn take_pin_changes(&mut self) -> Vec<crate::bus::PinChange> {
        self.processor.bus.take_pin_changes()
    }

    /// Returns the depth of both stacks since reset.
    pub fn stack_high_water(&self) -> StackHighWater {
        self.tracker.stacks()
    }

    /// Sets the end of the main stack, so that the machine notes instructions that move the stack
    /// pointer below it. With 0, the default, there is no end.
    pub fn set_main_stack_end(&mut self, end: u32) {
        self.tracker.set_main_end(end);
    }

    /// Returns the end of the main stack; 0 if no tool has set it.
    pub fn main_stack_end(&self) -> u32 {
        self.tracker.main_end()
    }

    /// Returns the instructions that have moved the main stack below its end since reset, in the
    /// order of time, each once.
    pub fn main_stack_overflows(&self) -> &[StackOverflow] {
        self.tracker.overflows()
    }

    /// Returns for how long interrupts were held off since reset, and by which register.
    pub fn masked_time(&self) -> MaskedTimes {
        self.tracker.masked(self.cycle())
    }

    /// Reads as a debugger does: without side effects or time.
    pub fn read_memory(&self, address: u32, buffer: &mut [u8]) -> Result<(), MemoryError> {
        let refused = MemoryError { address, verb: "read" };
        if address < PRIVATE_START {
            return self.processor.bus.peek(address, buffer, self.cycle()).map_err(|_| refused);
        }
        let cycle = self.cycle();
        for (index, byte) in buffer.iter_mut().enumerate() {
            let at = address.wrapping_add(index as u32);
            match self.processor.peek_private(at & !3, Size::Word) {
                Some(word) => *byte = word.to_le_bytes()[(at & 3) as usize],
                None => {
                    let byte = std::slice::from_mut(byte);
                    self.processor.bus.peek(at, byte, cycle).map_err(|_| refused)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a word as a debugger does.
    pub fn read_word(&self, address: u32) -> Option<u32> {
        let mut buffer = [0; 4];
        self.read_memory(address, &mut buffer).ok()?;
        Some(u32::from_le_bytes(buffer))
    }

    /// Reads a halfword of code as a debugger does. The address must be even.
    pub fn read_halfword(&self, address: u32) -> Option<u16> {
        let word = self.read_word(address & !3)?;
        Some((word >> (8 * (address & 2))) as u16)
    }

    /// Writes as a debugger does, without time. You may write any memory, flash too. A write to a
    /// register of a device or of the processor has the effect of a store.
    pub fn write_memory(&mut self, address: u32, data: &[u8]) -> Result<(), MemoryError> {
        if self.processor.bus.poke(address, data).is_ok() {
            self.processor.flush_decoded();
            return Ok(());
        }
        self.write_registers(address, data).map_err(|_| MemoryError { address, verb: "write" })
    }
}
