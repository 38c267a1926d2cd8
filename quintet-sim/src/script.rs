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
//! pend = 17               # pends an external interrupt
//! ```
//! Entries need not be in order. Entries of the same cycle happen in the order of the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::board::{Board, DeviceDescription};
use crate::bus::is_serial;
use crate::files;
use crate::peripherals::DeviceKind;

/// A script for a certain board.
#[derive(Clone, Debug, Default)]
pub struct Script {
    actions: Arc<[(u64, Action)]>,
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
    at: Vec<toml::Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    ms: Option<u64>,
    us: Option<u64>,
    cycle: Option<u64>,
    pin: Option<String>,
    level: Option<u8>,
    press_ms: Option<u64>,
    press_us: Option<u64>,
    press_cycles: Option<u64>,
    active: Option<u8>,
    uart: Option<String>,
    send: Option<Bytes>,
    pend: Option<u16>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of bytes, 0 to 255")]
enum Bytes {
    Text(String),
    List(Vec<u8>),
}

/// A field and its error.
type Refusal = (&'static str, String);

impl Script {
    /// Reads a script file for `board`.
    pub fn from_file(path: &Path, board: &Board) -> Result<Self, ScriptError> {
        let text = files::read_text(path)
            .map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text, board).map_err(|error| error.within(path))
    }

    /// Reads a script from its text.
    pub fn parse(text: &str, board: &Board) -> Result<Self, ScriptError> {
        let file: File = toml::from_str(text)
            .map_err(|error| ScriptError::Syntax { message: error.to_string() })?;
        let mut actions = Vec::new();
        for entry in &file.at {
            entry.get_ref().resolve(board, &mut actions).map_err(|(field, problem)| {
                let line = 1 + text[..entry.span().start].matches('\n').count();
                ScriptError::Invalid { line, field, problem }
            })?;
        }
        actions.sort_by_key(|(cycle, _)| *cycle);
        Ok(Self { actions: actions.into() })
    }

    /// Returns the actions, with their cycles, in order.
    pub fn actions(&self) -> &[(u64, Action)] {
        &self.actions
    }
}

impl Entry {
    fn resolve(&self, board: &Board, actions: &mut Vec<(u64, Action)>) -> Result<(), Refusal> {
        let cycle = time("ms", [self.ms, self.us, self.cycle], board)?;
        let Some(cycle) = cycle else {
            return Err(("ms", "an entry needs one of ms, us and cycle".to_owned()));
        };
        match (&self.pin, &self.uart, self.pend) {
            (Some(pin), None, None) => self.resolve_pin(pin, cycle, board, actions),
            (None, Some(uart), None) => self.resolve_uart(uart, cycle, board, actions),
            (None, None, Some(interrupt)) => {
                if interrupt >= board.interrupts {
                    let problem = format!("{interrupt} is beyond the board's {}", board.interrupts);
                    return Err(("pend", problem));
                }
                self.refuse_extras(false, false)?;
                actions.push((cycle, Action::Pend { interrupt }));
                Ok(())
            }
            _ => Err(("pin", "an entry needs exactly one of pin, uart and pend".to_owned())),
        }
    }

    fn resolve_pin(
        &self,
        name: &str,
        cycle: u64,
        board: &Board,
        actions: &mut Vec<(u64, Action)>,
    ) -> Result<(), Refusal> {
        let (device, pin) = find_pin(name, board)?;
        self.refuse_extras(true, false)?;
        let press = [self.press_ms, self.press_us, self.press_cycles];
        let duration = time("press_ms", press, board)?;
        match (self.level, duration) {
            (Some(level), None) => {
                let level = level_of("level", level)?;
                if self.active.is_some() {
                    return Err(("active", "goes with press_ms, not with level".to_owned()));
                }
                actions.push((cycle, Action::Drive { device, pin, level }));
            }
            (None, Some(0)) => return Err(("press_ms", "a press takes time".to_owned())),
            (None, Some(duration)) => {
                let level = level_of("active", self.active.unwrap_or(1))?;
                let end = cycle.saturating_add(duration);
                actions.push((cycle, Action::Drive { device, pin, level }));
                actions.push((end, Action::Drive { device, pin, level: !level }));
            }
            _ => return Err(("level", "a pin needs either level or press_ms".to_owned())),
        }
        Ok(())
    }

    fn resolve_uart(
        &self,
        name: &str,
        cycle: u64,
        board: &Board,
        actions: &mut Vec<(u64, Action)>,
    ) -> Result<(), Refusal> {
        let uarts = board.devices.iter().enumerate().filter(|(_, device)| is_serial(device.kind));
        let Some((device, _)) = uarts.clone().find(|(_, device)| device.name == name) else {
            let known: Vec<_> = uarts.map(|(_, device)| device.name.as_str()).collect();
            return Err(("uart", format!("no UART \"{name}\"; there are {}", known.join(", "))));
        };
        self.refuse_extras(false, true)?;
        let bytes: Arc<[u8]> = match &self.send {
            Some(Bytes::Text(text)) => text.as_bytes().into(),
            Some(Bytes::List(list)) => list.as_slice().into(),
            None => return Err(("send", "a uart needs a text or a list of bytes".to_owned())),
        };
        actions.push((cycle, Action::Send { device, bytes }));
        Ok(())
    }

    /// Fields of another kind of action than this entry's.
    fn refuse_extras(&self, is_pin: bool, is_uart: bool) -> Result<(), Refusal> {
        let of_pin = [
            ("level", self.level.is_some()),
            ("press_ms", self.press_ms.is_some()),
            ("press_us", self.press_us.is_some()),
            ("press_cycles", self.press_cycles.is_some()),
            ("active", self.active.is_some()),
        ];
        if let Some((field, _)) = of_pin.into_iter().find(|(_, given)| *given && !is_pin) {
            return Err((field, "goes with pin".to_owned()));
        }
        if self.send.is_some() && !is_uart {
            return Err(("send", "goes with uart".to_owned()));
        }
        Ok(())
    }
}

/// A time from milliseconds, microseconds or cycles, of which at most one may be given.
fn time(
    field: &'static str,
    [ms, us, cycles]: [Option<u64>; 3],
    board: &Board,
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

/// The GPIO and pin of a name such as "PA0", "P0.3" or, of RP2040, "GP25".
fn find_pin(name: &str, board: &Board) -> Result<(usize, u8), Refusal> {
    let is_rp2040 = board.devices.iter().any(|device| device.kind == DeviceKind::Rp2040Sio);
    let parts = || {
        if is_rp2040 && let Some(number) = name.strip_prefix("GP") {
            let number = number.strip_prefix("IO").unwrap_or(number);
            return Some(("0", number.parse().ok()?));
        }
        let rest = name.strip_prefix('P')?;
        let port = rest.get(..1)?;
        let number = rest.get(1..)?;
        let pin: u8 = number.strip_prefix('.').unwrap_or(number).parse().ok()?;
        Some((port, pin))
    };
    let Some((port, pin)) = parts() else {
        let forms = if is_rp2040 { "\"GP25\"" } else { "\"PA0\" or \"P0.3\"" };
        return Err(("pin", format!("\"{name}\" is not of the form {forms}")));
    };
    let has_port = |device: &DeviceDescription| device.port.as_deref() == Some(port);
    let Some(device) = board.devices.iter().position(has_port) else {
        let known: Vec<_> =
            board.devices.iter().filter_map(|device| device.port.as_deref()).collect();
        return Err(("pin", format!("no port \"{port}\"; there are {}", known.join(", "))));
    };
    let last = last_pin(board.devices[device].kind);
    if pin > last {
        return Err(("pin", format!("{pin} is beyond the last pin, {last}")));
    }
    Ok((device, pin))
}

/// The number of the last pin of a port.
const fn last_pin(kind: DeviceKind) -> u8 {
    match kind {
        DeviceKind::Mps2Fpgaio => 3,
        DeviceKind::Lm3sGpio => 7,
        DeviceKind::Rp2040Sio => 29,
        DeviceKind::NrfGpio => 31,
        _ => 15,
    }
}

#[cfg(test)]
mod tests;
