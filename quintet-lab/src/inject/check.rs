//! The state that an interrupted run must have at its end.
//!
//! The firmware's own oracle tells by its exit code if everything happened exactly as it must. The
//! oracle can't see some states, which are compared with the end of the undisturbed run: output,
//! masks, stack pointers, and exceptions that are left pending, active or disabled.

use super::moment::label;
use crate::firmware::Firmware;
use crate::main_stack::first_overflow;
use crate::report::death::Cause;
use crate::report::table::grouped;
use quintet_sim::machine::{Machine, Stop};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most letters of differing output that a message shows.
const SHOWN: usize = 60;

/// A check that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// What the firmware prints is the same
    Output,
    /// PRIMASK, BASEPRI and FAULTMASK are the same
    Masks,
    /// The stack pointers are the same, and the main stack stays above its end
    Stack,
    /// Nothing is left pending, active or disabled
    Pending,
}

/// The comparisons.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// Not these.
    pub without: Vec<Check>,
    /// Not the output of these channels.
    pub ignored_channels: Vec<String>,
    /// Not lines that contain one of these.
    pub ignored_lines: Vec<String>,
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    stop: Stop,
    cycle: u64,
    pc: u32,
    exception: u16,
    /// The address of the last fault.
    fault: Option<u32>,
    output: BTreeMap<String, Vec<u8>>,
    masks: [(&'static str, u8); 3],
    stacks: [(&'static str, u32); 2],
    active: Vec<u16>,
    enabled: Vec<u16>,
    /// Pending and not about to be taken: something holds them off.
    held: Vec<u16>,
    /// The instruction that has moved the main stack below its end, and the handler.
    main_stack: Option<(u32, u16)>,
}

/// A problem at the end of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants say what their fields are")]
pub enum Problem {
    /// The firmware's oracle says no.
    ExitCode { code: u32, said: String },
    /// The firmware printed something else.
    Output { channel: String, expected: String, found: String },
    /// A fault that nobody handles, or lockup.
    Fault { exception: u16, pc: u32 },
    /// A BKPT.
    Breakpoint { pc: u32 },
    /// The firmware sleeps forever.
    Asleep { pc: u32 },
    /// The run has not ended.
    Limit { limit: u64, exception: u16, pc: u32 },
    /// A mask or stack pointer has another value.
    Register { name: &'static str, expected: u32, found: u32 },
    /// Exceptions have another state than at the end of the undisturbed run.
    Left { state: &'static str, exceptions: Vec<u16> },
    /// The main stack has gone below its end.
    MainStack { pc: u32, exception: u16 },
    /// Interrupts were masked for too long.
    Masked { register: &'static str, cycles: u64, limit: u64, pc: u32 },
    /// The run ended before the exception could be pended.
    Unreached,
}

impl End {
    /// The state of a machine that has stopped.
    pub fn of(machine: &mut Machine, stop: Stop) -> Self {
        let mut output: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for piece in machine.take_output() {
            output.entry(piece.channel).or_default().extend(piece.bytes);
        }
        let processor = &machine.processor;
        let (registers, table) = (&processor.registers, &processor.system.exceptions);
        let priority = processor.execution_priority();
        let all = |has: &dyn Fn(u16) -> bool| (1..256).filter(|&e| has(e)).collect();
        let taken_next = |e: u16| table.is_enabled(e) && table.group_priority_of(e) < priority;
        let fault = processor.last_fault.as_ref().map(|before| before.r[15]);
        Self {
            stop,
            cycle: machine.cycle(),
            pc: registers.r[15],
            exception: registers.ipsr,
            fault,
            output,
            masks: [
                ("PRIMASK", u8::from(registers.primask)),
                ("FAULTMASK", u8::from(registers.faultmask)),
                ("BASEPRI", registers.basepri),
            ],
            stacks: [
                ("the main stack pointer", registers.main_stack_pointer()),
                ("the process stack pointer", registers.process_stack_pointer()),
            ],
            active: all(&|e| table.is_active(e)),
            enabled: all(&|e| table.is_enabled(e)),
            held: all(&|e| table.is_pending(e) && !taken_next(e)),
            main_stack: first_overflow(machine).map(|one| (one.pc, one.exception)),
        }
    }

    /// The cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Why the machine stopped.
    pub fn stop(&self) -> Stop {
        self.stop
    }

    /// Returns the problems of this end. `undisturbed` is right.
    pub fn problems(&self, undisturbed: &Self, rules: &Rules) -> Vec<Problem> {
        let is_on = |check: Check| !rules.without.contains(&check);
        let main_stack = self.main_stack.filter(|_| is_on(Check::Stack));
        let main_stack = main_stack.filter(|_| undisturbed.main_stack.is_none());
        let overflow = main_stack.map(|(pc, exception)| Problem::MainStack { pc, exception });
        let mut problems: Vec<Problem> = overflow.into_iter().collect();
        if let Some(problem) = self.bad_stop() {
            problems.push(problem);
            return problems;
        }
        if is_on(Check::Output) {
            problems.extend(self.different_output(undisturbed, rules));
        }
        let register = |name, found: u32, expected: u32| {
            (found != expected).then_some(Problem::Register { name, expected, found })
        };
        if is_on(Check::Masks) {
            let pairs = self.masks.iter().zip(&undisturbed.masks);
            problems.extend(pairs.filter_map(|(&(name, found), &(_, expected))| {
                register(name, found.into(), expected.into())
            }));
        }
        if is_on(Check::Stack) {
            let pairs = self.stacks.iter().zip(&undisturbed.stacks);
            problems
                .extend(pairs.filter_map(|(&(name, found), &(_, expected))| {
                    register(name, found, expected)
                }));
        }
        if is_on(Check::Pending) {
            problems.extend(left("active", &self.active, &undisturbed.active));
            problems.extend(left("pending", &self.held, &undisturbed.held));
            problems.extend(left("disabled", &undisturbed.enabled, &self.enabled));
            problems.extend(left("enabled", &self.enabled, &undisturbed.enabled));
        }
        problems
    }

    /// An end that no undisturbed run of a campaign has.
    pub fn bad_stop(&self) -> Option<Problem> {
        let pc = self.pc;
        let is_fault = (3..=6).contains(&self.exception);
        let place = self.fault.unwrap_or(pc);
        Some(match self.stop {
            Stop::Exit { code: 0 } => return None,
            Stop::Exit { code } => Problem::ExitCode { code, said: self.last_words() },
            Stop::Asleep => Problem::Asleep { pc },
            Stop::Lockup => Problem::Fault { exception: 0, pc: place },
            Stop::Breakpoint { .. } => Problem::Breakpoint { pc },
            _ if is_fault => Problem::Fault { exception: self.exception, pc: place },
            _ => Problem::Limit { limit: self.cycle, exception: self.exception, pc },
        })
    }

    /// Returns the last line of the firmware's output, which usually says why the firmware gives
    /// up.
    fn last_words(&self) -> String {
        let channels = ["stderr", "stdout"].iter().filter_map(|name| self.output.get(*name));
        let last = |bytes: &Vec<u8>| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
        };
        channels.filter_map(last).next().map(|line| shown(&line)).unwrap_or_default()
    }

    fn different_output(&self, undisturbed: &Self, rules: &Rules) -> Vec<Problem> {
        let channels: std::collections::BTreeSet<&String> =
            self.output.keys().chain(undisturbed.output.keys()).collect();
        let compared = channels.into_iter().filter(|name| !rules.ignored_channels.contains(name));
        compared
            .filter_map(|channel| {
                let (expected, found) = difference(
                    &kept_lines(undisturbed.output.get(channel), rules),
                    &kept_lines(self.output.get(channel), rules),
                )?;
                Some(Problem::Output { channel: channel.clone(), expected, found })
            })
            .collect()
    }
}

fn left(state: &'static str, found: &[u16], expected: &[u16]) -> Option<Problem> {
    let exceptions: Vec<u16> = found.iter().filter(|e| !expected.contains(e)).copied().collect();
    (!exceptions.is_empty()).then_some(Problem::Left { state, exceptions })
}

fn kept_lines(output: Option<&Vec<u8>>, rules: &Rules) -> Vec<String> {
    let text = String::from_utf8_lossy(output.map_or(&[], Vec::as_slice)).into_owned();
    let ignored = |line: &&str| rules.ignored_lines.iter().any(|part| line.contains(part));
    text.lines().filter(|line| !ignored(line)).map(str::to_owned).collect()
}

/// The first lines that differ.
fn difference(expected: &[String], found: &[String]) -> Option<(String, String)> {
    let line = |lines: &[String], index: usize| {
        lines
            .get(index)
            .map_or_else(|| "nothing more".into(), |line| format!("\"{}\"", shown(line)))
    };
    let index = (0..expected.len().max(found.len()))
        .find(|&index| expected.get(index) != found.get(index))?;
    Some((line(expected, index), line(found, index)))
}

fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}

impl Problem {
    /// Returns the problem's word in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ExitCode { .. } => "exit",
            Self::Output { .. } => "output",
            Self::Fault { .. } => "fault",
            Self::Breakpoint { .. } => "breakpoint",
            Self::Asleep { .. } => "asleep",
            Self::Limit { .. } => "limit",
            Self::Register { .. } => "register",
            Self::Left { .. } => "left",
            Self::MainStack { .. } => "main_stack",
            Self::Masked { .. } => "masked",
            Self::Unreached => "unreached",
        }
    }

    /// Why the run did not end by itself, for a post-mortem.
    pub fn cause(&self) -> Option<Cause> {
        Some(match self {
            Self::Fault { exception: 0, .. } => Cause::Lockup,
            Self::Fault { exception, .. } => Cause::FaultLoop { exception: *exception },
            Self::Breakpoint { .. } => Cause::Breakpoint { immediate: 0 },
            Self::Asleep { .. } => Cause::Asleep,
            Self::Limit { limit, .. } => Cause::CycleLimit(*limit),
            _ => return None,
        })
    }

    /// Returns the problem in words.
    pub fn describe(&self, firmware: &Firmware) -> String {
        let place = |pc: u32| format!("{pc:#x} ({})", firmware.describe(pc));
        let at = |pc: u32| format!("at {}", place(pc));
        let names = |exceptions: &[u16]| {
            exceptions.iter().map(|&e| label(e)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::ExitCode { code, said } if said.is_empty() => format!("exit code {code}"),
            Self::ExitCode { code, said } => format!("exit code {code}, saying \"{said}\""),
            Self::Output { channel, expected, found } => {
                format!("{channel} has {found} where undisturbed it has {expected}")
            }
            Self::Fault { exception: 0, pc } => format!("lockup after a fault {}", at(*pc)),
            Self::Fault { exception, pc } => {
                let name = crate::report::fault::exception_name(*exception);
                format!("a fault that nobody handles ({name}) {}", at(*pc))
            }
            Self::Breakpoint { pc } => format!("a breakpoint instruction {}", at(*pc)),
            Self::Asleep { pc } => {
                format!("it sleeps and nothing will ever wake it, {}: a lost wake-up", at(*pc))
            }
            Self::Limit { limit, exception, pc } => {
                let why = match exception {
                    0 => "a lost wake-up or an endless loop?".to_owned(),
                    exception => format!("the handler of {} does not return", label(*exception)),
                };
                format!("not ended after {} cycles, {}: {why}", grouped(*limit), at(*pc))
            }
            Self::Register { name, expected, found } => {
                format!("{name} is {found:#x} at the end, undisturbed {expected:#x}")
            }
            Self::Left { state, exceptions } => {
                format!("left {state} at the end: {}", names(exceptions))
            }
            Self::MainStack { pc, exception } => {
                let context = match exception {
                    0 => String::new(),
                    exception => format!(" in the handler of {}", label(*exception)),
                };
                format!("the main stack goes below its end {}{context}", at(*pc))
            }
            Self::Masked { register, cycles, limit, pc } => format!(
                "{register} masked interrupts for {cycles} cycles, more than {limit}, behind {}",
                place(*pc)
            ),
            Self::Unreached => "the run has no instruction that begins there".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(difference(&lines("a\nb"), &lines("a\nb")), None);
        let (expected, found) = difference(&lines("a\nb"), &lines("a\nc\nd")).unwrap();
        assert_eq!((expected.as_str(), found.as_str()), ("\"b\"", "\"c\""));
        let (expected, found) = difference(&lines("a"), &lines("a\nb")).unwrap();
        assert_eq!((expected.as_str(), found.as_str()), ("nothing more", "\"b\""));
    }

    #[test]
    fn declared_lines_are_left_out() {
        let rules = Rules { ignored_lines: vec!["time".into()], ..Rules::default() };
        assert_eq!(kept_lines(Some(&b"one\ntime 3\ntwo\n".to_vec()), &rules), ["one", "two"]);
        assert_eq!(kept_lines(None, &rules), [] as [String; 0]);
    }

    #[test]
    fn only_what_was_not_there_before_is_left() {
        assert_eq!(left("pending", &[15, 16], &[15, 16]), None);
        let problem = left("pending", &[15, 20], &[15]);
        assert_eq!(problem, Some(Problem::Left { state: "pending", exceptions: vec![20] }));
    }
}
