//! The front end of a flash memory that is slower than the core: the line that was read last, a
//! prefetch of the next line, caches.
//!
//! ```text
//!  fetch ──> line read last ─┬─> cache of fetches ─┐
//!              or prefetched │                     ├─> array: a line at a time, wait states + 1
//!  data ───> (the same line) ┴─> cache of data ────┘
//! ```
//! The array reads one line at a time and completes each read. A prefetch begins as soon as the
//! line in front of it is complete and the array is free, unless another access asks for the array
//! in that cycle. That access then goes first.
//!
//! A front end is asked once for each address that a bus takes, in the order of those cycles, and
//! answers with the wait states of that access. Fetches are decided later than data (see `fetch`),
//! so data may be asked for a cycle or two before a fetch that came earlier; the array is then
//! taken as busy until the later of both.

mod lines;
#[cfg(test)]
mod tests;

use crate::processor::bus::{Buffer, DataCache, FrontSettings, FrontTiming};
use lines::{Lines, NO_LINE};

/// The access that asks for a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// The fetch unit.
    Fetch,
    /// A load.
    Data,
}

/// The next line, which the array reads ahead as soon as it can.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    line: u32,
    /// The first cycle in which the read may begin.
    from: u64,
    /// The cycle in which the read, once begun, is complete.
    complete: Option<u64>,
}

/// One front end and its content.
#[derive(Clone, Debug)]
pub struct Front {
    shift: u32,
    buffer: Buffer,
    data_cache: DataCache,
    settings: FrontSettings,
    /// The line that was read last, when it was complete, and the one read ahead.
    current: u32,
    complete_current: u64,
    ahead: Option<Ahead>,
    instructions: Lines,
    data: Lines,
    /// The first cycle in which the array can begin to read another line.
    free: u64,
}

impl Front {
    /// An empty front end.
    pub fn new(timing: &FrontTiming) -> Self {
        let data = match timing.data {
            DataCache::Own(shape) => Lines::new(shape),
            DataCache::None | DataCache::Shared => Lines::new(Default::default()),
        };
        Self {
            shift: timing.line_bytes.trailing_zeros(),
            buffer: timing.buffer,
            data_cache: timing.data,
            settings: timing.settings,
            current: NO_LINE,
            complete_current: 0,
            ahead: None,
            instructions: Lines::new(timing.instructions),
            data,
            free: 0,
        }
    }

    /// The program has set the front end otherwise.
    pub fn set(&mut self, settings: FrontSettings) {
        self.settings = settings;
        if settings.flush {
            self.instructions.clear();
            self.data.clear();
        }
        if !settings.buffer {
            self.current = NO_LINE;
        }
        if !settings.prefetch {
            self.ahead = None;
        }
    }

    /// The wait states of a read whose address is taken in `cycle`.
    pub fn read(&mut self, address: u32, cycle: u64, asks: Asks) -> u64 {
        let line = address >> self.shift;
        let is_kept = self.settings.buffer
            && match asks {
                Asks::Fetch => self.buffer != Buffer::None,
                Asks::Data => self.buffer == Buffer::All,
            };
        if is_kept && line == self.current {
            return self.complete_current.saturating_sub(cycle);
        }
        self.begin_ahead(cycle);
        let ahead = if asks == Asks::Fetch { self.take_ahead(line, cycle) } else { None };
        let complete = match ahead {
            _ if self.is_cached(line, asks) => cycle,
            Some(complete) => {
                self.keep(line, asks);
                complete
            }
            None => {
                self.keep(line, asks);
                self.array(cycle)
            }
        };
        if is_kept {
            (self.current, self.complete_current) = (line, complete);
        }
        if asks == Asks::Fetch {
            self.look_ahead(line, complete);
        }
        complete - cycle
    }

    fn is_cached(&mut self, line: u32, asks: Asks) -> bool {
        match (asks, self.data_cache) {
            (Asks::Fetch, _) => self.settings.instructions && self.instructions.find(line),
            (Asks::Data, DataCache::Shared) => {
                self.settings.instructions && self.instructions.find(line)
            }
            (Asks::Data, _) => self.settings.data && self.data.find(line),
        }
    }

    fn keep(&mut self, line: u32, asks: Asks) {
        match (asks, self.data_cache) {
            (Asks::Fetch, _) | (Asks::Data, DataCache::Shared) if self.settings.instructions => {
                self.instructions.insert(line);
            }
            (Asks::Data, DataCache::Own(_)) if self.settings.data => self.data.insert(line),
            _ => {}
        }
    }

    /// Reads a line in the array, for an address taken in `cycle`. Returns the cycle in which an
    /// access without wait states would have had that address taken.
    fn array(&mut self, cycle: u64) -> u64 {
        let begins = cycle.max(self.free);
        let complete = begins + u64::from(self.settings.wait_states);
        self.free = complete + 1;
        complete
    }

    /// A read ahead that was free to begin before `cycle` has.
    fn begin_ahead(&mut self, cycle: u64) {
        if let Some(ahead) = &mut self.ahead
            && ahead.complete.is_none()
            && ahead.from.max(self.free) < cycle
        {
            let complete = ahead.from.max(self.free) + u64::from(self.settings.wait_states);
            ahead.complete = Some(complete);
            self.free = complete + 1;
        }
    }

    /// Returns the cycle in which the prefetched line is complete, if the access asks for this
    /// line. Otherwise the prefetch is given up, but the array completes a read that has begun.
    fn take_ahead(&mut self, line: u32, cycle: u64) -> Option<u64> {
        let ahead = self.ahead.take().filter(|ahead| ahead.line == line)?;
        ahead.complete.map(|complete| complete.max(cycle))
    }

    /// Prefetches the line behind `line`, which is complete in that cycle, unless the front end has
    /// it.
    fn look_ahead(&mut self, line: u32, complete: u64) {
        let next = line.wrapping_add(1);
        if self.settings.prefetch && !(self.settings.instructions && self.instructions.has(next)) {
            self.ahead = Some(Ahead { line: next, from: complete + 1, complete: None });
        }
    }
}
