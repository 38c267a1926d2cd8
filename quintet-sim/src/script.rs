//! The actions of the outside world on a machine, against time: buttons, bytes, interrupts.
//!
//! A script is a TOML file of `[[at]]` entries. Each has one time and one action:
//!
//! ```toml
//! [[at]]
//! ms = 3                  # or us = .., or cycle = ..; since power-on, at the board's clock
//! pin = "PA0"             # port and pin; ports that are digits: "P0.3"; RP2040's: "GP25"
//! level = 1               # drives the pin to 1 or 0 from now on
//!
//! [[at]]
//! ms = 10
//! pin = "PA0"
//! press_ms = 20           # or press_us, press_cycles: drives it to `active`, then back
//! active = 1              # optional; 0 for a button that connects to ground
//!
//! [[at]]
//! us = 5000
//! uart = "uart0"          # the name of a UART of the board
//! send = "hello\n"        # or bytes: [0x01, 0xff]; they arrive at the UART's baud rate
//!
//! [[at]]
//! cycle = 123_456
//! pend = 17               # pends an external interrupt; on RISC-V 3, 7 or 11, as in mcause
//!
//! [[at]]
//! us = 70
//! poke = "app::LEVEL"     # a variable, or an address of memory: 0x2000_0100
//! value = 3               # a number of the variable's size (a word at an address), or bytes
//!
//! [[at]]
//! place = "app::step"     # in place of a time: before the instruction there executes
//! nth = 2                 # optional: the second time; the first if left out
//! flip = "app::LEVEL"     # as poke
//! bit = 4                 # from 0, the lowest
//! ```
//! Entries need not be in order. Entries of the same cycle happen in the order of the file. An
//! entry may have a `name`, for a tool that asks when it happened. Names of variables and places
//! need [`Names`], the symbols of a program.

mod lines;
mod memory;
mod pins;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::board::Parts as Board;
use crate::files;
pub use memory::Target;
use memory::Value;
pub use pins::find_pin;

/// A script for a certain board.
#[derive(Clone, Debug, Default)]
pub struct Script {
    actions: Arc<[(u64, Action)]>,
    placed: Arc<[Placed]>,
    names: Arc<BTreeMap<String, When>>,
}

/// When an action happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// In a cycle.
    Cycle(u64),
    /// At a place in the code: the number of the entry in [`Script::placed`].
    Place(usize),
}

/// An action at a place in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The address of the instruction.
    pub address: u32,
    /// The action happens when the program comes there for the `nth` time, from 1.
    pub nth: u64,
    /// The action.
    pub action: Action,
}

/// The names of a program. A script without a program has addresses only.
pub trait Names {
    /// Returns the address and the size of a variable, or why there is none.
    fn variable(&self, name: &str) -> Result<(u32, u32), String>;

    /// Returns the address of an instruction, or why there is none.
    fn code(&self, name: &str) -> Result<u32, String>;
}

/// No program, so no names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoNames;

impl Names for NoNames {
    fn variable(&self, name: &str) -> Result<(u32, u32), String> {
        Err(format!("there is no program here to find \"{name}\" in: write an address, 0x20000100"))
    }

    fn code(&self, name: &str) -> Result<u32, String> {
        self.variable(name).map(|(address, _)| address)
    }
}

/// Something that the world does. Devices are given by their number in the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Drives a pin of a GPIO.
    Drive {
        /// The GPIO.
        device: usize,
        /// The pin.
        pin: u8,
        /// The level.
        level: bool,
    },
    /// Sends bytes to a UART.
    Send {
        /// The UART.
        device: usize,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Pends an external interrupt.
    Pend {
        /// The interrupt's number, from 0.
        interrupt: u16,
    },
    /// Writes memory, as a debugger does.
    Poke {
        /// The first address.
        address: u32,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Changes a bit of memory, as radiation does.
    Flip {
        /// The address of the byte.
        address: u32,
        /// The bit, 0 to 7.
        bit: u8,
    },
}

/// Why a script could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file could not be read.
    #[error("cannot read the file of inputs {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not TOML, or a field is unknown or of the wrong type. The message shows the
    /// line.
    #[error("{message}")]
    Syntax {
        /// The parser's message, with the line.
        message: String,
    },
    /// An entry makes no sense on this board.
    #[error("line {line}: {field}: {problem}")]
    Invalid {
        /// The line of the entry's `[[at]]`.
        line: usize,
        /// The field.
        field: &'static str,
        /// The error, and the correct form.
        problem: String,
    },
    /// Any of these, in a file.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The error in the file.
        source: Box<Self>,
    },
}

impl ScriptError {
    fn within(self, path: &Path) -> Self {
        Self::InFile { path: path.to_owned(), source: Box::new(self) }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    at: Entries,
}

/// The entries `at` of a file, which may have other tables beside them.
#[derive(Deserialize, Debug, Default)]
#[serde(transparent)]
pub struct Entries(Vec<toml::Spanned<Entry>>);

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    ms: Option<u64>,
    us: Option<u64>,
    cycle: Option<u64>,
    place: Option<String>,
    nth: Option<u64>,
    pin: Option<String>,
    level: Option<u8>,
    press_ms: Option<u64>,
    press_us: Option<u64>,
    press_cycles: Option<u64>,
    active: Option<u8>,
    uart: Option<String>,
    send: Option<Bytes>,
    pend: Option<u16>,
    poke: Option<Target>,
    value: Option<Value>,
    flip: Option<Target>,
    bit: Option<u32>,
}

#[derive(Deserialize, Debug)]
#[serde(untagged, expecting = "expected a text or a list of bytes, 0 to 255")]
enum Bytes {
    Text(String),
    List(Vec<u8>),
}

/// A field and its error.
pub type Refusal = (&'static str, String);

impl Script {
    /// Reads a script file for `board`, and for a program with names.
    pub fn from_file<'b>(
        path: &Path,
        board: impl Into<Board<'b>>,
        names: &dyn Names,
    ) -> Result<Self, ScriptError> {
        let text = files::read_text(path)
            .map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        Self::parse_for(&text, board, names).map_err(|error| error.within(path))
    }

    /// Reads a script without names from its text.
    pub fn parse<'b>(text: &str, board: impl Into<Board<'b>>) -> Result<Self, ScriptError> {
        Self::parse_for(text, board, &NoNames)
    }

    /// Reads a script from its text.
    pub fn parse_for<'b>(
        text: &str,
        board: impl Into<Board<'b>>,
        names: &dyn Names,
    ) -> Result<Self, ScriptError> {
        let file: File = toml::from_str(text)
            .map_err(|error| ScriptError::Syntax { message: error.to_string() })?;
        Self::of(&file.at, text, board, names)
    }

    /// Makes a script of the entries of a file with this text.
    pub fn of<'b>(
        entries: &Entries,
        text: &str,
        board: impl Into<Board<'b>>,
        names: &dyn Names,
    ) -> Result<Self, ScriptError> {
        let board = board.into();
        let mut parts = Parts { board, names, actions: Vec::new(), placed: Vec::new() };
        let mut known = BTreeMap::new();
        for entry in &entries.0 {
            let resolved = parts.resolve(entry.get_ref(), &mut known);
            resolved.map_err(|(field, problem)| {
                let line = 1 + text[..entry.span().start].matches('\n').count();
                ScriptError::Invalid { line, field, problem }
            })?;
        }
        let Parts { mut actions, placed, .. } = parts;
        actions.sort_by_key(|(cycle, _)| *cycle);
        Ok(Self { actions: actions.into(), placed: placed.into(), names: known.into() })
    }

    /// Returns the actions at places, in the order of the file.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// Returns when the entry of this name happens.
    pub fn named(&self, name: &str) -> Option<When> {
        self.names.get(name).copied()
    }

    /// Returns the names of entries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Returns the actions, with their cycles, in order.
    pub fn actions(&self) -> &[(u64, Action)] {
        &self.actions
    }
}

/// A script that is being made.
struct Parts<'a> {
    board: Board<'a>,
    names: &'a dyn Names,
    actions: Vec<(u64, Action)>,
    placed: Vec<Placed>,
}

/// The moment of an entry.
#[derive(Clone, Copy)]
enum Moment {
    Cycle(u64),
    Place { address: u32, nth: u64 },
}

impl Parts<'_> {
    fn resolve(
        &mut self,
        entry: &Entry,
        known: &mut BTreeMap<String, When>,
    ) -> Result<(), Refusal> {
        let moment = self.moment(entry)?;
        if let Some(name) = &entry.name {
            let when = match moment {
                Moment::Cycle(cycle) => When::Cycle(cycle),
                Moment::Place { .. } => When::Place(self.placed.len()),
            };
            if known.insert(name.clone(), when).is_some() {
                return Err(("name", format!("an entry before has the name \"{name}\", too")));
            }
        }
        let asked = (&entry.pin, &entry.uart, entry.pend, &entry.poke, &entry.flip);
        match asked {
            (Some(pin), None, None, None, None) => self.resolve_pin(entry, pin, moment),
            (None, Some(uart), None, None, None) => self.resolve_uart(entry, uart, moment),
            (None, None, Some(interrupt), None, None) => {
                self.check_interrupt(interrupt)?;
                entry.refuse_extras("pend")?;
                self.push(moment, Action::Pend { interrupt });
                Ok(())
            }
            (None, None, None, Some(target), None) => {
                entry.refuse_extras("poke")?;
                let Some(value) = &entry.value else {
                    let problem = "a poke needs a number, or a list of bytes".to_owned();
                    return Err(("value", problem));
                };
                let (address, size) = target.find("poke", self.board, self.names)?;
                let bytes = value.bytes(size)?;
                memory::check(("poke", address), bytes.len(), self.board)?;
                self.push(moment, Action::Poke { address, bytes });
                Ok(())
            }
            (None, None, None, None, Some(target)) => {
                entry.refuse_extras("flip")?;
                let (address, size) = target.find("flip", self.board, self.names)?;
                let bit = memory::bit(entry.bit, size)?;
                let (address, bit) = (address.wrapping_add(bit / 8), (bit % 8) as u8);
                memory::check(("flip", address), 1, self.board)?;
                self.push(moment, Action::Flip { address, bit });
                Ok(())
            }
            _ => {
                let problem = "an entry needs exactly one of pin, uart, pend, poke and flip";
                Err(("pin", problem.to_owned()))
            }
        }
    }

    fn moment(&self, entry: &Entry) -> Result<Moment, Refusal> {
        let cycle = time("ms", [entry.ms, entry.us, entry.cycle], self.board)?;
        match (cycle, &entry.place) {
            (Some(_), Some(_)) => Err(("place", "an entry has either a time or a place".into())),
            (Some(_), None) if entry.nth.is_some() => Err(("nth", "goes with place".to_owned())),
            (Some(cycle), None) => Ok(Moment::Cycle(cycle)),
            (None, Some(place)) => {
                let nth = entry.nth.unwrap_or(1);
                if nth == 0 {
                    return Err(("nth", "is 0; the first time is 1".to_owned()));
                }
                let address = match memory::parse_address(place) {
                    Some(address) => address,
                    None => self.names.code(place).map_err(|problem| ("place", problem))?,
                };
                Ok(Moment::Place { address: address & !1, nth })
            }
            (None, None) => {
                let problem = "an entry needs one of ms, us and cycle, or a place";
                Err(("ms", problem.to_owned()))
            }
        }
    }

    fn push(&mut self, moment: Moment, action: Action) {
        match moment {
            Moment::Cycle(cycle) => self.actions.push((cycle, action)),
            Moment::Place { address, nth } => self.placed.push(Placed { address, nth, action }),
        }
    }

    fn resolve_pin(&mut self, entry: &Entry, name: &str, moment: Moment) -> Result<(), Refusal> {
        let (device, pin) = find_pin(name, self.board)?;
        entry.refuse_extras("pin")?;
        let press = [entry.press_ms, entry.press_us, entry.press_cycles];
        let duration = time("press_ms", press, self.board)?;
        match (entry.level, duration) {
            (Some(level), None) => {
                let level = level_of("level", level)?;
                if entry.active.is_some() {
                    return Err(("active", "goes with press_ms, not with level".to_owned()));
                }
                self.push(moment, Action::Drive { device, pin, level });
            }
            (None, Some(0)) => return Err(("press_ms", "a press takes time".to_owned())),
            (None, Some(duration)) => {
                let level = level_of("active", entry.active.unwrap_or(1))?;
                let Moment::Cycle(cycle) = moment else {
                    let problem = "a press needs a time; at a place, drive the pin by level";
                    return Err(("press_ms", problem.to_owned()));
                };
                let end = Moment::Cycle(cycle.saturating_add(duration));
                self.push(moment, Action::Drive { device, pin, level });
                self.push(end, Action::Drive { device, pin, level: !level });
            }
            _ => return Err(("level", "a pin needs either level or press_ms".to_owned())),
        }
        Ok(())
    }
}

impl Entry {
    /// Fields of another kind of action than this entry's.
    fn refuse_extras(&self, kind: &str) -> Result<(), Refusal> {
        let fields = [
            ("level", self.level.is_some(), "pin"),
            ("press_ms", self.press_ms.is_some(), "pin"),
            ("press_us", self.press_us.is_some(), "pin"),
            ("press_cycles", self.press_cycles.is_some(), "pin"),
            ("active", self.active.is_some(), "pin"),
            ("send", self.send.is_some(), "uart"),
            ("value", self.value.is_some(), "poke"),
            ("bit", self.bit.is_some(), "flip"),
        ];
        let extra = fields.into_iter().find(|(_, given, owner)| *given && *owner != kind);
        extra.map_or(Ok(()), |(field, _, owner)| Err((field, format!("goes with {owner}"))))
    }
}

/// A time from milliseconds, microseconds or cycles, of which at most one may be given.
fn time(
    field: &'static str,
    [ms, us, cycles]: [Option<u64>; 3],
    board: Board<'_>,
) -> Result<Option<u64>, Refusal> {
    match (ms, us, cycles) {
        (None, None, None) => Ok(None),
        (Some(ms), None, None) => Ok(Some(board.cycles_of(ms.saturating_mul(1000)))),
        (None, Some(us), None) => Ok(Some(board.cycles_of(us))),
        (None, None, Some(cycles)) => Ok(Some(cycles)),
        _ => Err((field, "give only one of milliseconds, microseconds and cycles".to_owned())),
    }
}

fn level_of(field: &'static str, value: u8) -> Result<bool, Refusal> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err((field, format!("is {value}; a level is 0 or 1"))),
    }
}

#[cfg(test)]
mod tests;
