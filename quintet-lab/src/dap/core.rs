//! What a session asks of a core, beside what a debugger needs anyway.

use quintet_sim::machine::{Machine, Stop};
use quintet_sim::riscv::machine::Machine as RiscV;

use crate::debug::backtrace::{CoreState, Frame, backtrace};
use crate::debug::walk;
use crate::debugger::Halting;
use crate::firmware::Firmware;
use crate::gdb::registers::{self, SPECIAL};
use crate::gdb::riscv::registers::CSRS;
use crate::report::death::{Cause, examine};
use crate::report::riscv::PostMortem;
use crate::report::thread;
use crate::simulated::Simulated;

/// A register beside those that a program computes with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Special {
    /// The register's name.
    pub name: &'static str,
    /// Its value.
    pub value: u32,
    /// Its fields: names and values.
    pub fields: Vec<(&'static str, u32)>,
}

/// A machine that a session debugs.
pub trait Debugged: Halting + Simulated {
    /// The calls that led to the present instruction, the innermost first.
    fn calls(&self, firmware: &Firmware) -> Vec<Frame>;

    /// The registers that a program doesn't compute with.
    fn special(&self) -> Vec<Special>;

    /// Sets one of these. Returns `false` if it can't be set.
    fn set_special(&mut self, name: &str, value: u32) -> bool;

    /// Sets the program's command line.
    fn set_line(&mut self, line: &str);

    /// A register of floating point by DWARF's number.
    fn float(&self, number: u16) -> Option<u64>;

    /// The report about the end or the fault, as `quintet run` prints it.
    fn explain(&self, firmware: &Firmware, cause: &Cause) -> String;
}

/// The fields of xPSR: name, lowest bit, bits.
const FIELDS: [(&str, u32, u32); 9] = [
    ("N", 31, 1),
    ("Z", 30, 1),
    ("C", 29, 1),
    ("V", 28, 1),
    ("Q", 27, 1),
    ("GE", 16, 4),
    ("T", 24, 1),
    ("ICI/IT", 10, 6),
    ("exception", 0, 9),
];

/// DWARF's numbers of S0 to S31 and of D0 to D15.
const SINGLES: std::ops::Range<u16> = 64..96;
const DOUBLES: std::ops::Range<u16> = 256..272;

impl Debugged for Machine {
    fn calls(&self, firmware: &Firmware) -> Vec<Frame> {
        let process_top = thread::stack_top(&firmware.image, self);
        let state = CoreState { process_top, ..CoreState::of(&self.processor.registers) };
        backtrace(firmware, &state, &|address| self.read_word(address))
    }

    fn special(&self) -> Vec<Special> {
        let of = |(name, place)| {
            let value = registers::read(&self.processor.registers, place);
            let field = |(name, low, bits): &(&'static str, u32, u32)| {
                (*name, value >> low & ((1 << bits) - 1))
            };
            let fields =
                if name == "xpsr" { FIELDS.iter().map(field).collect() } else { Vec::new() };
            Special { name, value, fields }
        };
        SPECIAL.into_iter().map(of).collect()
    }

    fn set_special(&mut self, name: &str, value: u32) -> bool {
        let place = SPECIAL.iter().find(|(special, _)| *special == name);
        let Some((_, place)) = place else { return false };
        let configuration = self.processor.configuration;
        registers::write(&mut self.processor.registers, *place, value, &configuration);
        true
    }

    fn set_line(&mut self, line: &str) {
        self.set_command_line(line);
    }

    fn float(&self, number: u16) -> Option<u64> {
        let singles = &self.processor.registers.float.s;
        let single = |at: u16| singles.get(usize::from(at)).map(|single| u64::from(*single));
        if !self.processor.configuration.has_floating_point() {
            return None;
        }
        if SINGLES.contains(&number) {
            return single(number - SINGLES.start);
        }
        let double = DOUBLES.contains(&number).then(|| 2 * (number - DOUBLES.start))?;
        Some(single(double)? | single(double + 1)? << 32)
    }

    fn explain(&self, firmware: &Firmware, cause: &Cause) -> String {
        examine(firmware, self, cause).text()
    }
}

impl Debugged for RiscV {
    fn calls(&self, firmware: &Firmware) -> Vec<Frame> {
        walk::backtrace(firmware, self)
    }

    fn special(&self) -> Vec<Special> {
        let of = |(name, number)| {
            let value = self.hart.peek_csr(number).unwrap_or(0);
            Special { name, value, fields: Vec::new() }
        };
        CSRS.into_iter().map(of).collect()
    }

    fn set_special(&mut self, _: &str, _: u32) -> bool {
        false
    }

    fn set_line(&mut self, line: &str) {
        self.set_command_line(line);
    }

    fn float(&self, _: u16) -> Option<u64> {
        None
    }

    fn explain(&self, firmware: &Firmware, cause: &Cause) -> String {
        PostMortem::of(firmware, self, cause).text()
    }
}

/// The cause of an end for its report; `None` if the program has ended by itself.
pub fn cause(stop: &Stop) -> Option<Cause> {
    match stop {
        Stop::Lockup => Some(Cause::Lockup),
        Stop::Asleep => Some(Cause::Asleep),
        Stop::Breakpoint { immediate } => Some(Cause::Breakpoint { immediate: *immediate }),
        _ => None,
    }
}
