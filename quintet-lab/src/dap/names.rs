//! What names stand for where the program stands: variables of a function, statics, registers.

use super::core::Debugged;
use super::expression::{Meaning, Names};
use super::run::frame;
use crate::debug::backtrace::{Found, Frame};
use crate::debug::evaluate::State;
use crate::debug::types::Key;
use crate::debug::values::{Shower, Value};
use crate::debug::variables::Variable;
use crate::firmware::Firmware;

/// A place in the program, with its frame and the number of the function there.
pub struct Here<'a, M> {
    machine: &'a M,
    firmware: &'a Firmware,
    frame: Option<(Frame, usize)>,
    read: Box<dyn Fn(u32) -> Option<u8> + 'a>,
}

impl<'a, M: Debugged> Here<'a, M> {
    /// A function, or no function at all.
    pub fn new(machine: &'a M, firmware: &'a Firmware, frame: Option<(Frame, usize)>) -> Self {
        let read = move |address| {
            let mut byte = [0];
            machine.read_memory(address, &mut byte).ok().map(|()| byte[0])
        };
        Self { machine, firmware, frame, read: Box::new(read) }
    }

    /// The arguments and locals of the function.
    pub fn variables(&self) -> Vec<Variable> {
        let Some((calls, place)) = &self.frame else { return Vec::new() };
        let address = lookup(calls);
        let register = |number: u16| match calls.registers.get(usize::from(number)) {
            Some(value) => value.map(u64::from),
            None if calls.found == Found::Current => self.machine.float(number),
            None => None,
        };
        let state = State {
            address,
            register: &register,
            frame: frame(self.firmware, self.machine, &calls.registers, address),
            read: &*self.read,
        };
        let mut functions = self.firmware.debug.variables(&state);
        if *place < functions.len() { functions.swap_remove(*place) } else { Vec::new() }
    }

    /// The statics whose paths end with a name.
    fn statics(&self, name: &str) -> Vec<(String, u32, Key)> {
        let is_it = |path: &str| {
            path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with("::"))
        };
        let statics = self.firmware.debug.types().statics();
        let mut found: Vec<_> = statics
            .filter(|(path, ..)| is_it(path))
            .map(|(path, address, kind)| (path.to_owned(), address, kind))
            .collect();
        found.sort();
        found.dedup_by_key(|(_, address, _)| *address);
        found
    }
}

impl<M: Debugged> Names for Here<'_, M> {
    fn variable(&self, name: &str) -> Option<Result<Value, String>> {
        // The innermost block comes last.
        let own = self.variables().into_iter().rev().find(|variable| variable.name == name);
        if let Some(variable) = own {
            let value = variable.content.map(|content| Value::new(content, variable.kind));
            return Some(value.ok_or_else(|| {
                format!("{name} is optimised out here: the compiler keeps it nowhere")
            }));
        }
        let mut statics = self.statics(name);
        match statics.len() {
            0 => None,
            1 => statics.pop().map(|(_, address, kind)| Ok(Value::at(address, kind))),
            _ => {
                let paths: Vec<String> = statics.into_iter().map(|(path, ..)| path).collect();
                Some(Err(format!("{name} is one of {}: write more of the path", paths.join(", "))))
            }
        }
    }

    fn register(&self, name: &str) -> Option<u32> {
        let lower = name.to_lowercase();
        let frame = self.frame.as_ref().map(|(frame, _)| frame);
        if lower == "pc" {
            return Some(frame.map_or(self.machine.pc(), |frame| frame.address));
        }
        let number = self.machine.register_names().iter().position(|one| *one == lower);
        if let Some(number) = number {
            return match frame {
                Some(frame) => *frame.registers.get(number)?,
                None => self.machine.register(number),
            };
        }
        let special = self.machine.special();
        special.into_iter().find(|special| special.name == lower).map(|special| special.value)
    }

    fn word(&self, address: u32) -> Option<u32> {
        self.machine.read_word(address)
    }

    fn shower(&self) -> Shower<'_> {
        Shower { types: self.firmware.debug.types(), read: &*self.read }
    }
}

/// The address by which a frame's function is looked up: a return address may lie behind it.
pub fn lookup(frame: &Frame) -> u32 {
    match frame.found {
        Found::Current | Found::Interrupted => frame.address,
        Found::Caller | Found::Guess => frame.address.wrapping_sub(1),
    }
}

/// A meaning in a line.
pub fn text(meaning: &Meaning, names: &dyn Names) -> String {
    match meaning {
        Meaning::Number(number) if *number > 9 => format!("{number} ({number:#x})"),
        Meaning::Number(number) => number.to_string(),
        Meaning::Truth(truth) => truth.to_string(),
        Meaning::Value(value) => names.shower().text(value),
    }
}
