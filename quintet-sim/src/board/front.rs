//! The front end between the core and a flash memory, as a board file describes it.

use serde::{Deserialize, Serialize};

use super::validate::{Refusal, refuse};
use super::{Board, MemoryDescription, PortName};
use crate::processor::bus::{Buffer, CacheShape, DataCache, FrontSettings, FrontTiming};

/// The most lines that a cache has.
const LINES_MAX: u16 = 4096;

/// A front end: the line that was read last, a prefetch, caches.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FrontDescription {
    /// The bytes that the memory delivers with one read.
    pub line_bytes: u16,
    /// Extra cycles of one read of the memory, after reset.
    #[serde(default)]
    pub wait_states: u8,
    /// The accesses for which the front end keeps the line that was read last.
    #[serde(default)]
    pub buffer: BufferName,
    /// `true` if the line is kept after reset.
    #[serde(default = "on")]
    pub buffer_on: bool,
    /// `true` if there is a prefetch of the next line, for fetches.
    #[serde(default)]
    pub prefetch: bool,
    /// `true` if the prefetch is on after reset.
    #[serde(default)]
    pub prefetch_on: bool,
    /// The lines of the cache of fetches; 0 for no cache.
    #[serde(default)]
    pub instruction_lines: u16,
    /// The number of places where a line can be. Without it, as many as there are lines.
    #[serde(default)]
    pub instruction_ways: Option<u16>,
    /// `true` if the cache of fetches is on after reset.
    #[serde(default)]
    pub instructions_on: bool,
    /// The lines of the cache of data; 0 for no cache.
    #[serde(default)]
    pub data_lines: u16,
    /// `true` if the cache of data is on after reset.
    #[serde(default)]
    pub data_on: bool,
    /// `true` if data is in the cache of fetches.
    #[serde(default)]
    pub data_shares: bool,
    /// The register by which a program sets the front end.
    #[serde(default)]
    pub control: Option<ControlDescription>,
}

/// A register with the settings of a front end.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ControlDescription {
    /// The name of the register's device.
    pub device: String,
    /// The register's offset in the device.
    pub offset: u32,
    /// The lowest bit of the number of wait states, and the number of its bits.
    #[serde(default)]
    pub wait_states: Option<(u8, u8)>,
    /// The bit that keeps the line read last.
    #[serde(default)]
    pub buffer: Option<u8>,
    /// The bit that switches the prefetch on.
    #[serde(default)]
    pub prefetch: Option<u8>,
    /// The bit that switches the cache of fetches on.
    #[serde(default)]
    pub instructions: Option<u8>,
    /// The bit that switches the cache of data on.
    #[serde(default)]
    pub data: Option<u8>,
    /// Bits that empty the caches while they are set.
    #[serde(default)]
    pub flush: Vec<u8>,
}

/// The accesses for which the front end keeps the line that was read last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BufferName {
    /// For no access.
    #[default]
    None,
    /// For fetches.
    Fetches,
    /// For fetches and data.
    All,
}

fn on() -> bool {
    true
}

impl FrontDescription {
    /// Returns the data for the pipeline, with the settings after reset.
    pub fn timing(&self) -> FrontTiming {
        let instructions = CacheShape {
            lines: self.instruction_lines,
            ways: self.instruction_ways.unwrap_or(self.instruction_lines),
        };
        let data = match (self.data_shares, self.data_lines) {
            (true, _) => DataCache::Shared,
            (false, 0) => DataCache::None,
            (false, lines) => DataCache::Own(CacheShape { lines, ways: lines }),
        };
        let settings = FrontSettings {
            wait_states: self.wait_states,
            buffer: self.buffer_on,
            prefetch: self.prefetch && self.prefetch_on,
            instructions: self.instructions_on,
            data: self.data_on,
            flush: false,
        };
        let buffer = match self.buffer {
            BufferName::None => Buffer::None,
            BufferName::Fetches => Buffer::Fetches,
            BufferName::All => Buffer::All,
        };
        FrontTiming { line_bytes: self.line_bytes, buffer, instructions, data, settings }
    }
}

impl ControlDescription {
    /// Returns the settings while the register holds `value`. Settings that the register lacks are
    /// as in `reset`.
    pub fn settings(&self, value: u32, reset: FrontSettings) -> FrontSettings {
        let is_set = |bit: Option<u8>, otherwise| match bit {
            Some(bit) => value >> bit & 1 != 0,
            None => otherwise,
        };
        let wait_states = self.wait_states.map(|(low, bits)| value >> low & !(u32::MAX << bits));
        FrontSettings {
            wait_states: wait_states.map_or(reset.wait_states, |number| number as u8),
            buffer: is_set(self.buffer, reset.buffer),
            prefetch: is_set(self.prefetch, reset.prefetch),
            instructions: is_set(self.instructions, reset.instructions),
            data: is_set(self.data, reset.data),
            flush: self.flush.iter().any(|bit| value >> bit & 1 != 0),
        }
    }
}

/// Checks the front end of a memory, if it has one.
pub fn check(board: &Board, memory: &MemoryDescription) -> Result<(), Refusal> {
    let Some(front) = &memory.front_end else { return Ok(()) };
    let place = |field: &str| format!("memory \"{}\", front_end.{field}", memory.name);
    if memory.port == PortName::System {
        let problem = "stands behind a code bus; give the memory the port \"code-shared\" or \
                       \"code-separate\", or leave the front end out";
        return refuse(format!("memory \"{}\", front_end", memory.name), problem);
    }
    if memory.read_wait_states != 0 {
        let problem = "a memory with a front end has its wait states there: leave \
                       read_wait_states out";
        return refuse(place("wait_states"), problem);
    }
    if !front.line_bytes.is_power_of_two() || !(4..=256).contains(&front.line_bytes) {
        let problem = format!("is {}; a line has 4, 8, .. 256 bytes", front.line_bytes);
        return refuse(place("line_bytes"), problem);
    }
    for (field, lines) in
        [("instruction_lines", front.instruction_lines), ("data_lines", front.data_lines)]
    {
        if lines > LINES_MAX {
            return refuse(place(field), format!("is {lines}; at most {LINES_MAX} are simulated"));
        }
    }
    let ways = front.instruction_ways.unwrap_or(front.instruction_lines);
    if front.instruction_lines != 0 && (ways == 0 || front.instruction_lines % ways != 0) {
        let problem = format!(
            "is {ways}, which does not divide the {} lines into equal sets",
            front.instruction_lines
        );
        return refuse(place("instruction_ways"), problem);
    }
    if front.data_shares && (front.data_lines != 0 || front.instruction_lines == 0) {
        let problem = "data is in the cache of fetches: give instruction_lines, and no data_lines";
        return refuse(place("data_shares"), problem);
    }
    if front.prefetch && front.buffer == BufferName::None {
        let problem = "reads the line behind the one read last: give buffer as \"fetches\" or \
                       \"all\"";
        return refuse(place("prefetch"), problem);
    }
    match &front.control {
        Some(control) => check_control(board, control, &place),
        None => Ok(()),
    }
}

fn check_control(
    board: &Board,
    control: &ControlDescription,
    place: &dyn Fn(&str) -> String,
) -> Result<(), Refusal> {
    let Some(device) = board.devices.iter().find(|device| device.name == control.device) else {
        let problem = format!("no [[device]] is named \"{}\"", control.device);
        return refuse(place("control.device"), problem);
    };
    if !control.offset.is_multiple_of(4) || control.offset >= device.span() {
        let problem = format!(
            "{:#x} is no register of \"{}\": a multiple of 4 below {:#x}",
            control.offset,
            device.name,
            device.span()
        );
        return refuse(place("control.offset"), problem);
    }
    if let Some((low, bits)) = control.wait_states
        && (bits == 0 || bits > 4 || low > 32 - bits)
    {
        let problem =
            format!("[{low}, {bits}] is no field: the lowest bit, and 1 to 4 bits below bit 32");
        return refuse(place("control.wait_states"), problem);
    }
    let bits = [control.buffer, control.prefetch, control.instructions, control.data];
    let mut bits = bits.iter().flatten().chain(&control.flush);
    match bits.find(|bit| **bit > 31) {
        Some(bit) => refuse(place("control"), format!("bit {bit} is beyond 31")),
        None => Ok(()),
    }
}
