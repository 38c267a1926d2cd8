//! Running a machine for a command.
//!
//! It runs in slices, so that output appears, progress shows and Ctrl-C works.
//!
//! The slices change nothing about the simulation: it is the same whether it is cut or not.

use crate::commands::options::MachineOptions;
use crate::firmware::Firmware;
use crate::output;
use crate::progress::Progress;
use crate::report::death::Cause;
use quintet_sim::machine::{Machine, Output, Stop, Until};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The cycles of the first slice; each is twice as long as the one before.
const SLICE_CYCLES_MIN: u64 = 10_000;

/// The cycles of the longest slice: some tens of milliseconds.
const SLICE_CYCLES_MAX: u64 = 1_000_000;

/// What happens with what the firmware prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sink {
    /// It is printed as it comes.
    Print,
    /// It is kept, by channel.
    Keep(BTreeMap<String, Vec<u8>>),
    /// It goes to standard error, because standard output is the command's own.
    Divert,
}

impl Sink {
    /// What was kept, as text by channel.
    pub fn into_texts(self) -> BTreeMap<String, String> {
        let Self::Keep(kept) = self else { return BTreeMap::new() };
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        kept.into_iter().map(|(channel, bytes)| (channel, text(bytes))).collect()
    }
}

/// Why [`Simulation::advance`] came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The program counter has reached one of the addresses.
    Reached(u32),
    /// The firmware ended with this code.
    Exit(u32),
    /// It ended otherwise.
    Ended(Cause),
}

/// A machine at work for a command.
pub struct Simulation<'a> {
    /// The machine.
    pub machine: Machine,
    /// The firmware in it.
    pub firmware: &'a Firmware,
    /// What happens with what it prints.
    pub sink: Sink,
    cycle_limit: Option<u64>,
    instruction_limit: Option<u64>,
    progress: Progress,
    stuck_at: Option<u32>,
    slice: u64,
}

impl<'a> Simulation<'a> {
    /// A machine with the firmware, after reset.
    pub fn new(
        firmware: &'a Firmware,
        options: &MachineOptions,
        sink: Sink,
    ) -> anyhow::Result<Self> {
        let machine = options.machine(firmware)?;
        let cycle_limit = options.cycle_limit();
        Ok(Self {
            machine,
            firmware,
            sink,
            cycle_limit,
            instruction_limit: options.instruction_limit(),
            progress: Progress::new("simulating", "cycles", cycle_limit),
            stuck_at: None,
            slice: SLICE_CYCLES_MIN,
        })
    }

    /// Runs until an address is reached or the firmware ends. Standing on one of the addresses, it
    /// first executes the instruction there.
    pub fn advance(&mut self, addresses: &[u32]) -> anyhow::Result<Advance> {
        let interrupted = interrupted();
        loop {
            let end = self.slice_end();
            let until = Until {
                max_cycles: Some(end),
                max_instructions: self.instruction_limit,
                addresses: addresses.to_vec(),
                ..Until::default()
            };
            let stop = self.machine.run(&until);
            self.print_output()?;
            self.progress.at(self.machine.cycle());
            if let Some(advance) = self.judge(stop, interrupted.load(Ordering::Relaxed)) {
                self.progress.finish();
                return Ok(advance);
            }
        }
    }

    /// Runs like [`Self::advance`] to the end, and lets `visit` look at the machine after each
    /// step.
    pub fn advance_stepwise(&mut self, mut visit: impl FnMut(&Machine)) -> anyhow::Result<Advance> {
        let interrupted = interrupted();
        loop {
            let end = self.slice_end();
            let instructions = self.instruction_limit.unwrap_or(u64::MAX);
            let stop = loop {
                if self.machine.cycle() >= end {
                    break Stop::CycleLimit;
                }
                if self.machine.instructions() >= instructions {
                    break Stop::InstructionLimit;
                }
                let stop = self.machine.step_within(end);
                visit(&self.machine);
                if let Some(stop) = stop {
                    break stop;
                }
            };
            self.print_output()?;
            self.progress.at(self.machine.cycle());
            if let Some(advance) = self.judge(stop, interrupted.load(Ordering::Relaxed)) {
                self.progress.finish();
                return Ok(advance);
            }
        }
    }

    /// Where the next slice ends.
    fn slice_end(&mut self) -> u64 {
        let end = self.machine.cycle().saturating_add(self.slice);
        self.slice = SLICE_CYCLES_MAX.min(self.slice * 2);
        self.cycle_limit.map_or(end, |limit| limit.min(end))
    }

    /// What a stop means; `None` to go on.
    fn judge(&mut self, stop: Stop, interrupted: bool) -> Option<Advance> {
        let cause = match stop {
            Stop::Address(address) => return Some(Advance::Reached(address)),
            Stop::Exit { code } => return Some(Advance::Exit(code)),
            Stop::CycleLimit => {
                let limit = self.cycle_limit.filter(|&limit| self.machine.cycle() >= limit);
                match (limit, self.stuck(limit.is_some())) {
                    (_, Some(cause)) => cause,
                    (Some(limit), None) => Cause::CycleLimit(limit),
                    (None, None) if interrupted => Cause::Interrupted,
                    (None, None) => return None,
                }
            }
            Stop::InstructionLimit => self
                .stuck(true)
                .unwrap_or(Cause::InstructionLimit(self.instruction_limit.unwrap_or(0))),
            Stop::Breakpoint { immediate } => Cause::Breakpoint { immediate },
            // Nothing here asks for watches or events; firmware may program the debug units.
            Stop::HardwareBreakpoint | Stop::Watch(_) | Stop::Event(_) => {
                Cause::Breakpoint { immediate: 0 }
            }
            Stop::Lockup => Cause::Lockup,
            Stop::Asleep => Cause::Asleep,
        };
        Some(Advance::Ended(cause))
    }

    /// Whether the processor can do nothing any more but loop on one instruction that jumps to
    /// itself: in a HardFault handler or with interrupts masked at once, in another fault's handler
    /// if it is still there a slice later or at the limit.
    fn stuck(&mut self, at_limit: bool) -> Option<Cause> {
        const JUMP_TO_ITSELF: u32 = 0xe7fe;
        let pc = self.machine.pc();
        let word = self.machine.read_word(pc & !3)?;
        let half = if pc & 2 == 0 { word & 0xffff } else { word >> 16 };
        if half != JUMP_TO_ITSELF {
            self.stuck_at = None;
            return None;
        }
        if self.machine.processor.system.scb.reset_request.is_some() {
            return None;
        }
        let stays = self.stuck_at.replace(pc) == Some(pc) || at_limit;
        let registers = &self.machine.processor.registers;
        match registers.ipsr {
            3 => Some(Cause::FaultLoop { exception: 3 }),
            exception @ 4..=6 if stays => Some(Cause::FaultLoop { exception }),
            _ if registers.primask || registers.faultmask => Some(Cause::MaskedLoop),
            _ => None,
        }
    }

    fn print_output(&mut self) -> anyhow::Result<()> {
        for Output { channel, bytes } in self.machine.take_output() {
            match &mut self.sink {
                Sink::Keep(kept) => kept.entry(channel).or_default().extend(bytes),
                Sink::Print if channel != "stderr" => {
                    self.progress.suspend(|| output::print_bytes(&bytes))?;
                }
                _ => self.progress.suspend(|| output::print_error_bytes(&bytes)),
            }
        }
        Ok(())
    }
}

/// The flag that Ctrl-C sets. A second Ctrl-C ends the process at once.
pub fn interrupted() -> &'static AtomicBool {
    static FLAG: OnceLock<&'static AtomicBool> = OnceLock::new();
    FLAG.get_or_init(|| {
        static INTERRUPTED: AtomicBool = AtomicBool::new(false);
        // Without a handler Ctrl-C ends the process, which is what it should do then.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(crate::exit::INTERRUPTED));
            }
        });
        &INTERRUPTED
    })
}
