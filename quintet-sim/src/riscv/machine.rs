//! A microcontroller with a RISC-V core, under a tool's control.
//!
//! A clone of a machine is a snapshot of it: the parts that a program changes are copied.

use super::board::Board;
use super::finisher;
use super::hart::{Halt, Hart};
use super::platform::Platform;
use super::trap::cause;
use crate::bus::WatchedRange;
use crate::image::{Image, ImageError};
pub use crate::machine::Stop;
use crate::machine::{Output, Passed, Until};
use crate::processor::bus::Bus as _;
use crate::processor::instruction::Size;
use crate::rtt::{Damage, Hosting as _, Rtt};
use crate::script::Script;
use crate::semihosting::{Channel, Host, Program, Served};

/// A microcontroller with its program.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The hart, with its bus.
    pub hart: Hart<Platform>,
    board: Board,
    pub(super) host: Host,
    pub(super) rtt: Rtt,
    pub(super) watches: Vec<WatchedRange>,
    pub(super) passed: Passed,
    /// `true` if each step is followed by [`Machine::inspect`].
    pub(super) inspecting: bool,
}

/// When [`Machine::run`] stops, if the program has not ended by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The cycle, counted from power-on.
    pub cycles: Option<u64>,
    /// So many instructions since power-on.
    pub instructions: Option<u64>,
}

impl Machine {
    /// The microcontroller of `board` after power-on, with nothing in its memory.
    pub fn new(board: &Board) -> Self {
        let mut hart = Hart::new(board.configuration(), Platform::new(board));
        if let Some(xh3irq) = &board.xh3irq {
            hart.add_controller(xh3irq.irqs, xh3irq.priority_bits);
        }
        Self {
            hart,
            board: board.clone(),
            host: Host::new(board.clock_hz),
            rtt: Rtt::default(),
            watches: Vec::new(),
            passed: Passed::default(),
            inspecting: false,
        }
    }

    /// The board of the machine.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Loads an image into memory. The hart starts from the board's first address.
    ///
    /// # Errors
    /// A part of the image is where the board has no memory.
    pub fn load(&mut self, image: &Image) -> Result<(), ImageError> {
        image.check_memories(&self.board.parts().memory_ranges())?;
        for segment in &image.segments {
            // The check has shown that every address is in memory.
            let _ = self.hart.bus.system.poke(segment.load_address, &segment.bytes);
        }
        self.expect_rtt(image);
        Ok(())
    }

    /// Resets the hart and the devices. Memory, the cycle and the script's progress stay.
    pub fn reset(&mut self) {
        let cycle = self.hart.cycle();
        self.hart.bus.reset(&self.board, cycle);
        self.hart.reset();
        self.rtt.restart();
    }

    /// Sets the actions of the outside world, from power-on.
    pub fn set_script(&mut self, script: Script) {
        self.passed = Passed::of(&script);
        self.hart.bus.system.set_script(script);
        self.hart.look_at_bus();
        self.update_inspecting();
    }

    /// Sets the program's command line.
    pub fn set_command_line(&mut self, text: &str) {
        self.host.set_command_line(text);
    }

    /// Sets the program's standard input.
    pub fn set_input(&mut self, bytes: &[u8]) {
        self.host.set_input(bytes);
        self.update_doorbell();
    }

    /// Keeps this many bytes of the program's output; `None` keeps all.
    pub fn set_output_limit(&mut self, bytes: Option<u64>) {
        self.host.set_output_limit(bytes);
    }

    /// Returns the limit of output if the program has printed more.
    pub fn output_cut(&self) -> Option<u64> {
        self.host.output_cut()
    }

    /// The damage of RTT's control block that has been found, of each kind once.
    pub fn rtt_damages(&self) -> &[Damage] {
        self.rtt.damages()
    }

    /// The name that the program gives to an up-channel of RTT.
    pub fn rtt_name(&self, channel: u8) -> Option<String> {
        self.rtt.name(channel, &self.hart.bus.system)
    }

    /// Takes the program's output since the last call. That of UARTs stands between the pieces of
    /// semihosting.
    pub fn take_output(&mut self) -> Vec<Output> {
        self.collect_sent();
        let name = |channel| match channel {
            Channel::Error => "stderr".to_owned(),
            Channel::Device(index) => {
                self.board.devices.get(index).map_or_else(String::new, |device| device.name.clone())
            }
            Channel::Rtt(channel) => format!("rtt{channel}"),
            Channel::Output | Channel::Itm(_) => "stdout".to_owned(),
        };
        let output = self.host.take_output().into_iter();
        output.map(|(channel, bytes)| Output { channel: name(channel), bytes }).collect()
    }

    /// Reads memory and registers of devices as a debugger does. `None` if nothing is there.
    pub fn read_memory(&self, address: u32, buffer: &mut [u8]) -> Option<()> {
        self.hart.bus.peek(address, buffer, self.hart.cycle()).ok()
    }

    /// Makes interrupts pending until the handler of each is entered: bits of
    /// [`mod@super::bus::line`].
    pub fn pulse(&mut self, lines: u32) {
        self.hart.bus.pulse(lines);
        self.hart.look_at_bus();
    }

    /// Ends a pulse whose handler has been entered.
    fn end_pulse(&mut self) {
        let Some(trap) = self.hart.open_traps().last() else { return };
        if trap.cause & cause::INTERRUPT != 0 && self.hart.bus.end_pulse(1 << (trap.cause & 31)) {
            self.hart.look_at_bus();
        }
    }

    /// Executes one instruction, enters a trap, or sleeps until the next event.
    pub fn step(&mut self) -> Option<Stop> {
        let from = self.hart.pc;
        let stop = self.advance();
        if self.hart.cycle() >= self.rtt.next_search() || stop.is_some() {
            self.search_rtt();
        }
        if !self.inspecting { stop } else { self.inspect(from, stop) }
    }

    fn advance(&mut self) -> Option<Stop> {
        let halt = self.hart.step();
        if self.hart.bus.is_pulsed() {
            self.end_pulse();
        }
        if let Some(request) = self.hart.bus.take_request() {
            match request {
                finisher::Request::Exit(code) => return Some(Stop::Exit { code }),
                finisher::Request::Reset => self.reset(),
            }
        }
        if self.hart.bus.system.has_requests() {
            self.attend();
        }
        match halt? {
            Halt::Semihosting => self.serve(),
            Halt::Breakpoint => Some(Stop::Breakpoint { immediate: 0 }),
            Halt::Asleep => Some(Stop::Asleep),
            Halt::Lockup => Some(Stop::Lockup),
        }
    }

    fn serve(&mut self) -> Option<Stop> {
        self.collect_sent();
        let served = self.host.serve(&mut self.hart);
        self.hart.skip_breakpoint();
        match served {
            Served::Continue => None,
            Served::Exit { code } => Some(Stop::Exit { code }),
        }
    }

    /// Runs until a limit is reached or the program ends.
    pub fn run(&mut self, limits: &Limits) -> Stop {
        let Limits { cycles, instructions } = *limits;
        let (max_cycles, max_instructions) = (cycles, instructions);
        self.run_until(&Until { max_cycles, max_instructions, ..Until::default() })
    }

    /// Runs until a limit or one of the addresses is reached, or the program ends. A machine that
    /// stands at one of the addresses first executes the instruction there. Events of
    /// [`Until::events`] are those of a Cortex-M, and don't occur.
    pub fn run_until(&mut self, until: &Until) -> Stop {
        let cycles = until.max_cycles.unwrap_or(u64::MAX);
        let instructions = until.max_instructions.unwrap_or(u64::MAX);
        self.hart.horizon = cycles;
        loop {
            if self.hart.cycle() >= cycles {
                return Stop::CycleLimit;
            }
            if self.hart.instructions() >= instructions {
                return Stop::InstructionLimit;
            }
            if let Some(stop) = self.step() {
                return stop;
            }
            let pc = self.hart.pc;
            if until.addresses.contains(&pc) && self.hart.is_instruction_next() {
                return Stop::Address(pc);
            }
        }
    }

    /// Writes memory as a debugger does, flash too; registers of devices get a store. `None` if
    /// nothing is there.
    pub fn write_memory(&mut self, address: u32, data: &[u8]) -> Option<()> {
        if self.hart.bus.system.poke(address, data).is_ok() {
            return Some(());
        }
        self.hart.store_as_debugger(address, data)
    }

    /// Returns where the program is and what the last trap was, in words.
    pub fn whereabouts(&self) -> String {
        use super::csr::number;
        let csr = |number| self.hart.peek_csr(number).unwrap_or(0);
        let here = format!("at {:#010x}", self.hart.pc);
        if self.hart.traps() == 0 {
            return here;
        }
        let (cause, value) = (csr(number::MCAUSE), csr(number::MTVAL));
        let from = csr(number::MEPC);
        format!(
            "{here}; the last trap was from {from:#010x}: {}, mtval {value:#010x}",
            cause::name(cause)
        )
    }
}

impl Program for Hart<Platform> {
    fn request(&self) -> [u32; 2] {
        [self.registers[10], self.registers[11]]
    }

    fn answer(&mut self, value: u32) {
        self.registers[10] = value;
    }

    fn cycle(&self) -> u64 {
        self.cycle()
    }

    fn wait(&mut self, cycles: u64) {
        self.wait(cycles);
    }

    /// Nothing tells where the stack of a RISC-V program begins.
    fn stack_base(&self) -> u32 {
        0
    }

    fn peek(&self, address: u32, buffer: &mut [u8]) -> Option<()> {
        self.bus.peek(address, buffer, self.cycle()).ok()
    }

    fn poke(&mut self, address: u32, data: &[u8]) -> Option<()> {
        let cycle = self.cycle();
        for (index, byte) in data.iter().enumerate() {
            let at = address.wrapping_add(index as u32);
            self.bus.system.write(at, Size::Byte, u32::from(*byte), cycle).ok()?;
        }
        Some(())
    }
}
