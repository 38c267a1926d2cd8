//! The cache of data: 4 KiB, lines of 32 bytes, one way, written through.
//!
//! A store changes a line that is there, and loads none. A load that misses asks for its line, and
//! begins anew from its fetch; nothing executes until the line is there. A load that was read from
//! the cache while a store changed the same bytes begins anew too, even if it then fails.

use super::LINES;
use super::port::{Command, Done, Port};
use super::slot::Memory;

const OFFSET_BITS: u32 = 5;
const WORDS: u8 = 8;

/// An access in the stages behind the one that executes.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub memory: Memory,
    pub address: u32,
    /// Whether protection refuses it.
    pub is_refused: bool,
    is_hit: bool,
    collides: bool,
}

impl Access {
    /// It leaves the stage of memory in a cycle with this verdict about the last stage.
    pub fn pass(self, verdict: &Verdict) -> Self {
        let now = meets(verdict.change, touched(self.memory, self.address));
        Self { collides: self.collides || now, ..self }
    }
}

/// What a store changes in the cache: the word and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    word: u32,
    bytes: u32,
}

/// What comes of the access in the last stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verdict {
    /// It stays.
    pub halts: bool,
    /// It begins anew.
    pub again: bool,
    /// It raises an exception.
    pub fails: bool,
    /// It asks the port.
    pub asks: Option<Command>,
    loads: bool,
    change: Option<Change>,
}

/// The cache and its port.
#[derive(Clone, Debug)]
pub struct DataCache {
    pub port: Port,
    lines: [Option<u32>; LINES],
    loading: Option<u32>,
    was_loading: bool,
    words: u8,
    is_asked: bool,
    reserved: bool,
    /// The lines that are empty after reset.
    flushed: u8,
    last_change: Option<Change>,
}

fn place(address: u32) -> usize {
    (address >> OFFSET_BITS) as usize % LINES
}

/// Returns what an access touches of a word of the cache.
fn touched(memory: Memory, address: u32) -> Change {
    let bytes = ((1 << memory.bytes) - 1) << (address & 3) & 0xf;
    Change { word: address >> 2 & 0x3ff, bytes }
}

fn meets(change: Option<Change>, other: Change) -> bool {
    change.is_some_and(|it| it.word == other.word && it.bytes & other.bytes != 0)
}

/// Addresses from here on are devices to the core, and pass by the cache.
fn is_device(address: u32) -> bool {
    address >> 31 != 0
}

impl DataCache {
    pub fn new(wait_states: u8) -> Self {
        Self {
            port: Port::new(wait_states),
            lines: [None; LINES],
            loading: None,
            was_loading: false,
            words: 0,
            is_asked: false,
            reserved: false,
            flushed: 0,
            last_change: None,
        }
    }

    /// Returns `true` while the cache is emptied after reset, in which nothing executes.
    pub fn is_flushing(&self) -> bool {
        // The first cycle starts it.
        usize::from(self.flushed) <= LINES
    }

    /// Returns `true` while a line comes.
    pub fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Looks an access up that comes into the stage of memory.
    pub fn look_up(&self, memory: Memory, address: u32, is_refused: bool) -> Access {
        let is_hit = self.lines[place(address)] == Some(address >> OFFSET_BITS);
        let collides = meets(self.last_change, touched(memory, address));
        Access { memory, address, is_refused, is_hit, collides }
    }

    /// Judges the access in the last stage.
    pub fn judge(&self, access: &Access) -> Verdict {
        let mut verdict =
            Verdict { again: self.loading.is_some() && !self.was_loading, ..Verdict::default() };
        let Memory { is_store, is_exclusive, bytes } = access.memory;
        let is_device = is_device(access.address);
        let is_misaligned = access.address & (bytes - 1) != 0;
        if is_misaligned || access.is_refused && !is_device {
            // One that was read too early begins anew first.
            verdict.again |= !is_device && !is_store && access.is_hit && access.collides;
            verdict.fails = !verdict.again;
            return verdict;
        }
        let is_ready = self.port.is_ready();
        let write = Command::Write { posted: false };
        let is_lost = is_exclusive && !self.reserved;
        if is_device {
            verdict.halts = if is_store { !is_ready } else { !self.port.responds() };
            verdict.asks = (!self.is_asked).then_some(if is_store { write } else { Command::Read });
        } else if is_store {
            verdict.halts = !is_ready;
            verdict.asks = Some(write);
            verdict.change = access.is_hit.then(|| touched(access.memory, access.address));
        } else if access.is_hit {
            verdict.again |= access.collides;
        } else {
            verdict.halts = true;
            verdict.asks = (!self.is_asked).then_some(Command::ReadLine);
            verdict.loads = is_ready;
            return verdict;
        }
        if is_lost {
            verdict.halts = false;
            verdict.asks = None;
            verdict.change = None;
        }
        verdict
    }

    /// Does the work of a cycle. `access` is the one in the last stage, and `verdict` about it.
    pub fn clock(&mut self, access: Option<&Access>, verdict: &Verdict) {
        let came = self.loading.is_some() && self.port.responds();
        self.was_loading = self.loading.is_some();
        if verdict.loads
            && let Some(access) = access
        {
            self.loading = Some(access.address >> OFFSET_BITS);
        }
        if came {
            self.words = (self.words + 1) % WORDS;
            if self.words == 0
                && let Some(line) = self.loading.take()
            {
                self.lines[line as usize % LINES] = Some(line);
            }
        }
        if let Some(access) = access
            && access.memory.is_exclusive
            && !verdict.halts
            && !verdict.fails
        {
            self.reserved = !access.memory.is_store;
        }
        self.is_asked |= verdict.asks.is_some() && self.port.is_ready();
        if !verdict.halts {
            self.is_asked = false;
        }
        self.last_change = verdict.change;
        self.port.clock(verdict.asks.filter(|_| self.port.is_ready()));
        if self.is_flushing() {
            self.flushed += 1;
        }
    }

    /// Returns what the bus does in this cycle.
    pub fn done(&self) -> Done {
        self.port.done()
    }

    /// Returns `true` if a cycle without an access changes nothing.
    pub fn is_quiet(&self) -> bool {
        self.port.is_quiet() && self.loading.is_none() && !self.was_loading && !self.is_flushing()
    }
}
