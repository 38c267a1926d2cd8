//! Faults of processes, told while the firmware runs on: where, why, and the calls that led there.
//!
//! The kernel settles each fault in one function. There the registers of the fault and the stack of
//! the process are still as they were; a process that starts anew has lost both.

use quintet_sim::machine::Machine;
use quintet_sim::processor::history::{FaultCause, FaultRecord};

use super::first_fault::FirstFault;
use super::trace::backtrace_text;
use crate::debug::Place;
use crate::debug::backtrace::{CoreState, Frame, backtrace};
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::process::names::{InFlash, in_flash};
use crate::process::place;
use crate::threads::layout::Layout;

/// The kernel's function that settles faults.
const SETTLES: &str = "quintet::process::fault::settle";
/// So many faults are told; a process that starts anew may have the same one for ever.
const TOLD_MAX: usize = 8;
/// A stack pointer, or an access, this far below a process's memory comes from its stack.
const BELOW_MAX: u32 = 8192;
/// And the stack pointer is no further than this above.
const ABOVE_MAX: u32 = 512;
/// BKPT 0xAB asks for semihosting.
const SEMIHOSTING: u16 = 0xbeab;

/// What to do about a stack overflow.
const LARGER: &str = "its stack has overflowed: give it more (`main!(.., stack = BYTES)`)";
/// What to do about semihosting.
const NO_SEMIHOSTING: &str = "it asks for semihosting, which a board without a debugger doesn't \
                              serve: let it print by the console's driver, or serve it by \
                              --process-semihosting";

/// Tells the faults of processes.
pub struct Teller {
    /// Where the kernel settles a fault; none in firmware without processes.
    pub addresses: Vec<u32>,
    applications: Vec<InFlash>,
    /// The time of the last fault that was told, and how often it had come.
    last: Option<(u64, u64)>,
    told: usize,
}

impl Teller {
    /// Finds the applications and the kernel's function.
    pub fn new(firmware: &Firmware) -> Self {
        let image = &firmware.image;
        let applications = place::flash(image).map(|flash| in_flash(image, flash));
        let is_it = |name: &str| name.contains("settle") && demangle(name) == SETTLES;
        let settles = image.symbols.iter().find(|symbol| is_it(&symbol.name));
        let addresses = settles.filter(|_| applications.is_ok()).map(|symbol| symbol.address);
        Self {
            addresses: addresses.into_iter().collect(),
            applications: applications.unwrap_or_default(),
            last: None,
            told: 0,
        }
    }

    /// Returns the text about the fault that the kernel is about to settle; `None` where enough
    /// was told.
    pub fn tell(&mut self, firmware: &Firmware, machine: &Machine) -> Option<String> {
        self.told += 1;
        if self.told > TOLD_MAX {
            return (self.told == TOLD_MAX + 1)
                .then(|| "further faults of processes are not told".to_owned());
        }
        let read = |address: u32| machine.read_word(address);
        let stacked = CoreState::interrupted(&machine.processor.registers, &read);
        let record = self.fault(machine, stacked.as_ref());
        // What the kernel has saved since says nothing of the process's other registers.
        let at_fault = machine.processor.last_fault.as_ref().filter(|then| {
            record.is_some() || stacked.is_some_and(|state| state.registers[15] == then.r[15])
        });
        let state = at_fault.map(CoreState::of).or(stacked)?;
        let pc = state.registers[15];
        let application = self.applications.iter().find(|one| one.contains(pc));
        let is_request = machine.read_halfword(pc & !1) == Some(SEMIHOSTING);
        let told = record.as_ref().map(|record| FirstFault::of(firmware, machine, record));
        let what = match &told {
            Some(fault) => format!("has a fault {}", fault.text()),
            None => {
                let how =
                    if is_request { "asks for semihosting" } else { "is stopped by the kernel" };
                format!("{how} at {}", Place::at(pc, &firmware.locate(pc)))
            }
        };
        let mut text = format!("{} {what}\n", who(firmware, machine, application));
        let mut frames = backtrace(firmware, &state, &read);
        // Above its stack lies what is another's.
        let is_other = |frame: &Frame| application.is_some_and(|one| !one.contains(frame.address));
        if let Some(first) = frames.iter().skip(1).position(is_other) {
            frames.truncate(1 + first);
        }
        text.push_str(&format!("\nBacktrace:\n{}", backtrace_text(&frames)));
        let advice = match (&record, application) {
            _ if is_request => Some(NO_SEMIHOSTING.to_owned()),
            (Some(record), application) if is_overflow(record, application) => {
                Some(LARGER.to_owned())
            }
            _ => told.and_then(|fault| fault.advice),
        };
        text.extend(advice.map(|advice| format!("\nWhat to do:\n  - {advice}\n")));
        Some(text.trim_end().to_owned())
    }

    /// Returns the processor's fault, unless the kernel stops the process for another reason: for
    /// a call that doesn't exist, or a watchdog.
    fn fault(&mut self, machine: &Machine, stacked: Option<&CoreState>) -> Option<FaultRecord> {
        let history = machine.processor.fault_history()?;
        let now = (history.first.cycle, history.faults);
        let is_new = self.last.replace(now) != Some(now);
        let record = &history.first;
        let is_of_frame =
            stacked.is_some_and(|state| state.registers[15] == record.registers.r[15]);
        let is_here = is_of_frame || matches!(record.cause, FaultCause::Stacking { .. });
        (is_new && is_here).then(|| record.clone())
    }
}

/// The process, in words: its place in the kernel's table, and its application.
fn who(firmware: &Firmware, machine: &Machine, application: Option<&InFlash>) -> String {
    let layout = Layout::find(&firmware.image);
    let running = layout.as_ref().and_then(|layout| {
        let about = layout.about(machine, layout.running(machine)?)?;
        about.name.starts_with("process ").then_some(about.name)
    });
    let who = running.unwrap_or_else(|| "a process".to_owned());
    match application {
        Some(one) if !one.header.name.is_empty() => format!("{who} ({})", one.header.name),
        _ => who,
    }
}

/// Returns `true` if a fault comes from a stack that is too small. Applications have their stack at
/// the beginning of their memory.
fn is_overflow(record: &FaultRecord, application: Option<&InFlash>) -> bool {
    if matches!(record.cause, FaultCause::Stacking { .. } | FaultCause::LateStacking(_)) {
        return true;
    }
    let begin = application.and_then(|one| one.header.fixed_memory);
    let accessed = record.access.map(|access| access.address);
    begin.zip(accessed).is_some_and(|(begin, accessed)| {
        let pointer = record.registers.r[13];
        let is_below = (1..=BELOW_MAX).contains(&begin.wrapping_sub(accessed));
        let lowest = begin.saturating_sub(BELOW_MAX);
        is_below && (lowest..begin.saturating_add(ABOVE_MAX)).contains(&pointer)
    })
}
