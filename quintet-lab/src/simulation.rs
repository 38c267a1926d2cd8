//! Runs a machine for a command.
//!
//! A run has slices, so that output appears, progress shows and Ctrl-C works.
//!
//! The slices don't change the simulation: its results are the same with and without cuts.

mod follow;
mod ordered;

pub use follow::Follow;

use crate::commands::options::MachineOptions;
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::log::{Log, Prefixer};
use crate::output;
use crate::pins::Pins;
use crate::progress::Progress;
use crate::report::death::{Cause, PostMortem, examine};
use crate::report::trap::tell_panic;
use crate::simulated::Simulated;
use quintet_sim::machine::{Machine, Output, Stop, Until};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// The cycles of the first slice; each is twice as long as the one before.
const SLICE_CYCLES_MIN: u64 = 10_000;

/// The cycles of the longest slice: some tens of milliseconds.
const SLICE_CYCLES_MAX: u64 = 1_000_000;

/// The destination of the firmware's output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sink {
    /// The output is printed as it comes.
    Print,
    /// The output is kept, by channel.
    Keep(BTreeMap<String, Vec<u8>>),
    /// The output goes to standard error, because standard output belongs to the command.
    Divert,
    /// The output is gathered as it would be printed, for a caller that shows it: pieces in order,
    /// each with its channel. The tool's remarks about it are on the channel [`TOOL`].
    Gather(Vec<Output>),
}

/// The channel of the tool's own words.
pub const TOOL: &str = "quintet";

impl Sink {
    /// Returns the kept output, as text by channel.
    pub fn into_texts(self) -> BTreeMap<String, String> {
        let Self::Keep(kept) = self else { return BTreeMap::new() };
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        kept.into_iter().map(|(channel, bytes)| (channel, text(bytes))).collect()
    }
}

/// [`Simulation::advance_following`] looks for output after this number of steps, and before a step
/// that takes more cycles.
const OUTPUT_STEPS: u32 = 16;
const OUTPUT_CYCLES: u64 = 64;

/// The limits of a run. `None` means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// In cycles.
    pub cycles: Option<u64>,
    /// In instructions.
    pub instructions: Option<u64>,
    /// The most bytes of output that are kept.
    pub output: Option<u64>,
}

/// Why [`Simulation::advance`] came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The program counter has reached one of the addresses.
    Reached(u32),
    /// The firmware ended with this code.
    Exit(u32),
    /// The run ended in another way.
    Ended(Cause),
}

/// The result of a slice with an observer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slice {
    /// The run goes on after the slice.
    Goes,
    /// The follower has seen enough.
    Left,
    /// The run has ended.
    Ended(Advance),
}

/// A machine at work for a command.
pub struct Simulation<'a, M = Machine> {
    /// The machine.
    pub machine: M,
    /// The machine's firmware.
    pub firmware: &'a Firmware,
    /// The destination of the firmware's output.
    pub sink: Sink,
    /// The firmware's output, made readable.
    pub log: Log<'a>,
    /// What its pins did, where [`Self::watch_pins`] was called.
    pub pins: Pins,
    /// Whether each change of a pin is printed.
    prints_pins: bool,
    /// Whether it has printed anything.
    pub has_printed: bool,
    prefixer: Prefixer,
    /// The number of remarks on the output that were printed.
    remarks: usize,
    cycle_limit: Option<u64>,
    instruction_limit: Option<u64>,
    progress: Progress,
    stuck_at: Option<u32>,
    slice: u64,
    has_told_cut: bool,
    /// Whether Ctrl-C has ended the run.
    is_cut: bool,
    /// From the beginning on, so that no Ctrl-C behind the first line is missed.
    interrupted: &'static AtomicBool,
}

impl<'a, M: Simulated> Simulation<'a, M> {
    /// A machine with the firmware, after reset.
    pub fn new(
        firmware: &'a Firmware,
        options: &MachineOptions,
        sink: Sink,
    ) -> anyhow::Result<Self> {
        let limits = Limits {
            cycles: options.cycle_limit(),
            instructions: options.instruction_limit(),
            output: options.output_limit(),
        };
        let machine = M::started(options, firmware)?;
        // A command with an output of its own reports cycles.
        if sink == Sink::Divert {
            machine.untimed().iter().for_each(|text| output::complain(text));
        }
        let mut simulation = Self::of(firmware, machine, limits, sink);
        simulation.progress = Progress::new("simulating", "cycles", limits.cycles);
        Ok(simulation)
    }

    /// Returns a run of a machine that has the firmware and its inputs, after reset. It shows no
    /// progress.
    pub fn of(firmware: &'a Firmware, machine: M, limits: Limits, sink: Sink) -> Self {
        let log = Log::new(firmware, limits.output, matches!(sink, Sink::Keep(_)));
        Self {
            machine,
            firmware,
            sink,
            log,
            pins: Pins::default(),
            prints_pins: false,
            has_printed: false,
            prefixer: Prefixer::default(),
            remarks: 0,
            cycle_limit: limits.cycles,
            instruction_limit: limits.instructions,
            progress: Progress::silent(),
            stuck_at: None,
            slice: SLICE_CYCLES_MIN,
            has_told_cut: false,
            is_cut: false,
            interrupted: ctrl_c::flag(),
        }
    }

    /// Runs until an address is reached or the firmware ends. Standing on one of the addresses, it
    /// first executes the instruction there.
    pub fn advance(&mut self, addresses: &[u32]) -> anyhow::Result<Advance> {
        if self.prints_pins && addresses.is_empty() {
            return self.advance_in_order();
        }
        loop {
            if let Some(advance) = self.advance_a_slice(addresses)? {
                return Ok(advance);
            }
        }
    }

    /// Runs like [`Self::advance`], but for a slice at most. Returns `None` if the run goes on
    /// after the slice.
    pub fn advance_a_slice(&mut self, addresses: &[u32]) -> anyhow::Result<Option<Advance>> {
        let until = Until {
            max_cycles: Some(self.slice_end()),
            max_instructions: self.instruction_limit,
            addresses: addresses.to_vec(),
            ..Until::default()
        };
        let stop = self.machine.run(&until);
        self.conclude(stop)
    }

    /// Runs like [`Self::advance`] to the end, and lets `visit` look at the machine after each
    /// step, with the address that the step began at.
    pub fn advance_stepwise(
        &mut self,
        mut visit: impl FnMut(&mut M, u32),
    ) -> anyhow::Result<Advance> {
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
                let from = self.machine.pc();
                let stop = self.machine.step_within(end);
                visit(&mut self.machine, from);
                if let Some(stop) = stop {
                    break stop;
                }
            };
            if let Some(advance) = self.conclude(stop)? {
                return Ok(advance);
            }
        }
    }

    /// Runs like [`Self::advance_stepwise`], for an observer that also watches memory and wants to
    /// know when the firmware prints. Returns `None` if the observer has seen enough.
    pub fn advance_following(
        &mut self,
        follower: &mut impl Follow<M>,
    ) -> anyhow::Result<Option<Advance>> {
        loop {
            match self.follow_a_slice(follower)? {
                Slice::Goes => (),
                Slice::Left => return Ok(None),
                Slice::Ended(advance) => return Ok(Some(advance)),
            }
        }
    }

    /// Runs like [`Self::advance_following`], but for a slice at most.
    pub fn follow_a_slice(&mut self, follower: &mut impl Follow<M>) -> anyhow::Result<Slice> {
        let mut steps = 0;
        let end = self.slice_end();
        let instructions = self.instruction_limit.unwrap_or(u64::MAX);
        let stop = loop {
            let before = self.machine.cycle();
            if before >= end {
                break Stop::CycleLimit;
            }
            if self.machine.instructions() >= instructions {
                break Stop::InstructionLimit;
            }
            let stop = self.machine.step_within(end);
            let is_hit = matches!(stop, Some(Stop::Watch(_)));
            if let Some(Stop::Watch(hit)) = &stop {
                follower.accessed(hit);
            }
            let goes_on = follower.step(&mut self.machine, is_hit);
            steps += 1;
            if steps >= OUTPUT_STEPS || self.machine.cycle() - before > OUTPUT_CYCLES {
                steps = 0;
                self.print_output_to(follower, before)?;
            }
            match stop {
                _ if !goes_on => {
                    self.finish();
                    return Ok(Slice::Left);
                }
                None | Some(Stop::Watch(_)) => (),
                Some(stop) => break stop,
            }
        };
        let now = self.machine.cycle();
        self.print_output_to(follower, now)?;
        Ok(self.conclude(stop)?.map_or(Slice::Goes, Slice::Ended))
    }

    fn print_output_to(&mut self, follower: &mut impl Follow<M>, cycle: u64) -> anyhow::Result<()> {
        let readable = self.machine.take_log(&mut self.log);
        if readable.is_empty() {
            return Ok(());
        }
        for Output { channel, bytes } in &readable {
            follower.printed(cycle, &self.machine.channel_name(channel), bytes);
        }
        self.print(readable)
    }

    /// Executes one instruction, or enters one exception, or sleeps for a slice. Returns the end if
    /// the run has ended.
    pub fn step(&mut self) -> anyhow::Result<Option<Advance>> {
        let end = self.slice_end();
        let stop = if self.machine.cycle() >= end {
            Some(Stop::CycleLimit)
        } else if self.instruction_limit.is_some_and(|limit| self.machine.instructions() >= limit) {
            Some(Stop::InstructionLimit)
        } else {
            self.machine.step_within(end)
        };
        stop.map_or(Ok(None), |stop| self.conclude(stop))
    }

    /// Counts the changes of pins from now on, and prints each where `prints`.
    pub fn watch_pins(&mut self, prints: bool) {
        self.machine.observe_pins(true);
        self.prints_pins = prints;
    }

    /// Prints the new output, and judges a stop. Returns `None` to go on.
    fn conclude(&mut self, stop: Stop) -> anyhow::Result<Option<Advance>> {
        self.print_output()?;
        self.progress.at(self.machine.cycle());
        let advance = self.judge(stop, self.interrupted.load(Ordering::Relaxed));
        if let Some(advance) = &advance {
            if !matches!(advance, Advance::Reached(_)) {
                let rest = self.log.finish();
                self.print(rest)?;
            }
            self.finish();
        }
        Ok(advance)
    }

    /// Returns `true` if Ctrl-C has ended the run, so that its results are partial.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// If the firmware died, prints the cause and returns `true`.
    pub fn tell_death(&self, end: &Advance) -> bool {
        let Advance::Ended(cause) = end else { return false };
        let has_died = cause.outcome() == Outcome::Died;
        if has_died {
            output::complain(M::post_mortem(self, cause).trim_end());
        }
        has_died
    }

    /// Says once, at an end, that output was lost.
    fn finish(&mut self) {
        self.progress.finish();
        if let Some(limit) = self.log.cut().filter(|_| !self.has_told_cut) {
            self.has_told_cut = true;
            self.say(&output::cut(limit));
        }
    }

    /// Returns the end of the next slice.
    fn slice_end(&mut self) -> u64 {
        let end = self.machine.cycle().saturating_add(self.slice);
        self.slice = SLICE_CYCLES_MAX.min(self.slice * 2);
        self.cycle_limit.map_or(end, |limit| limit.min(end))
    }

    /// Returns the meaning of a stop; `None` to go on.
    fn judge(&mut self, stop: Stop, interrupted: bool) -> Option<Advance> {
        let cause = match stop {
            Stop::Address(address) => return Some(Advance::Reached(address)),
            Stop::Exit { code } => return Some(Advance::Exit(code)),
            Stop::CycleLimit => {
                let limit = self.cycle_limit.filter(|&limit| self.machine.cycle() >= limit);
                match (limit, self.stuck(limit.is_some())) {
                    (_, Some(cause)) => cause,
                    (Some(limit), None) => Cause::CycleLimit(limit),
                    (None, None) if interrupted => {
                        self.is_cut = true;
                        ctrl_c::cut(&format!("the run at cycle {}", self.machine.cycle()));
                        Cause::Interrupted
                    }
                    (None, None) => return None,
                }
            }
            Stop::InstructionLimit => self
                .stuck(true)
                .unwrap_or(Cause::InstructionLimit(self.instruction_limit.unwrap_or(0))),
            Stop::Breakpoint { immediate } => Cause::Breakpoint { immediate },
            // No code here asks for watches or events. Firmware may program the debug units.
            Stop::HardwareBreakpoint | Stop::Watch(_) | Stop::Event(_) => {
                Cause::Breakpoint { immediate: 0 }
            }
            Stop::Lockup => Cause::Lockup,
            Stop::Asleep => Cause::Asleep,
        };
        Some(Advance::Ended(cause))
    }

    /// Returns a cause if the processor can only loop on one instruction that jumps to itself. In a
    /// HardFault handler or with interrupts masked, the function returns the cause at once. In
    /// another fault's handler, it does so if the processor is still there a slice later or at the
    /// limit.
    fn stuck(&mut self, at_limit: bool) -> Option<Cause> {
        let pc = self.machine.pc();
        if !self.machine.jumps_to_itself() {
            self.stuck_at = None;
            return None;
        }
        let stays = self.stuck_at.replace(pc) == Some(pc) || at_limit;
        self.machine.dead_loop(stays)
    }

    fn print_output(&mut self) -> anyhow::Result<()> {
        let readable = self.machine.take_log(&mut self.log);
        self.print(readable)?;
        let changes = self.machine.take_pin_changes();
        let pins = self.pins.take(&changes, self.machine.parts());
        if self.prints_pins && !pins.is_empty() {
            self.progress.suspend(|| output::print_bytes(pins.as_bytes()))?;
        }
        Ok(())
    }

    fn print(&mut self, readable: Vec<Output>) -> anyhow::Result<()> {
        self.has_printed |= !readable.is_empty();
        for output in readable {
            let Output { channel, bytes } = &output;
            if let Sink::Keep(kept) = &mut self.sink {
                kept.entry(channel.clone()).or_default().extend(bytes);
                continue;
            }
            let bytes = self.prefixer.print(&output, || self.machine.channel_name(channel));
            match &mut self.sink {
                Sink::Gather(pieces) => pieces.push(Output { channel: channel.clone(), bytes }),
                Sink::Print if channel != "stderr" => {
                    self.progress.suspend(|| output::print_bytes(&bytes))?;
                }
                _ => self.progress.suspend(|| output::print_error_bytes(&bytes)),
            }
        }
        let told = std::mem::replace(&mut self.remarks, self.log.remarks.len());
        if !matches!(self.sink, Sink::Keep(_)) {
            for remark in self.log.remarks.split_off(told) {
                self.say(&remark);
                self.log.remarks.push(remark);
            }
        }
        Ok(())
    }

    /// Prints a message of the tool, beside the firmware's output.
    fn say(&mut self, message: &str) {
        if let Sink::Gather(pieces) = &mut self.sink {
            let bytes = format!("{message}\n").into_bytes();
            pieces.push(Output { channel: TOOL.to_owned(), bytes });
            return;
        }
        self.progress.suspend(|| output::complain(message));
    }
}

impl Simulation<'_> {
    /// Returns the report about an end.
    pub fn examine(&self, cause: &Cause) -> PostMortem {
        let mut report = examine(self.firmware, &self.machine, cause);
        tell_panic(&mut report, &self.machine, cause, self.log.panicked().as_ref());
        report
    }
}

/// Returns `true` if the processor stands on an instruction that jumps to itself, and no reset is
/// on its way.
pub(crate) fn jumps_to_itself(machine: &Machine) -> bool {
    const JUMP_TO_ITSELF: u16 = 0xe7fe;
    machine.read_halfword(machine.pc()) == Some(JUMP_TO_ITSELF)
        && machine.processor.system.scb.reset_request.is_none()
}

/// The loop of one instruction that nothing but NMI can end: in a HardFault handler, or with
/// interrupts masked.
pub fn dead_loop(machine: &Machine) -> Option<Cause> {
    let registers = &machine.processor.registers;
    match registers.ipsr {
        _ if !jumps_to_itself(machine) => None,
        3 => Some(Cause::FaultLoop { exception: 3 }),
        _ if registers.primask || registers.faultmask => Some(Cause::MaskedLoop),
        _ => None,
    }
}

/// Returns the firmware's name of an RTT channel. Other channels, or channels without a name, have
/// the simulator's name.
pub fn channel_name(machine: &Machine, channel: &str) -> String {
    rtt_channel(channel, &|number| machine.rtt_name(number))
}

/// The same, where `rtt_name` names the up-channels of RTT.
pub fn rtt_channel(channel: &str, rtt_name: &dyn Fn(u8) -> Option<String>) -> String {
    let number = channel.strip_prefix("rtt").and_then(|number| number.parse().ok());
    number.and_then(rtt_name).unwrap_or_else(|| channel.to_owned())
}
