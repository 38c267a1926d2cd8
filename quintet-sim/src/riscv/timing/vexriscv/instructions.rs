//! The cache of instructions: 4 KiB, lines of 32 bytes, one way.
//!
//! A miss loads a whole line, and nothing is fetched before its last word. FENCE.I empties the
//! cache, a line a cycle. A line that comes meanwhile is lost, because the tags are written by what
//! empties them. The cache has no data: what is fetched is what memory has.

use super::LINES;

/// The words of a line.
const WORDS: u8 = 8;
const OFFSET_BITS: u32 = 5;

/// The cache and its port.
#[derive(Clone, Debug)]
pub struct InstructionCache {
    wait_states: u64,
    /// The address of the line in each place, without its low bits; `None` if there is none.
    lines: [Option<u32>; LINES],
    /// The line that is being loaded.
    loading: Option<u32>,
    /// The first word has been acknowledged.
    is_asked: bool,
    /// The words that have come.
    words: u8,
    /// The words that the port has acknowledged.
    beat: u8,
    waited: u64,
    /// A word comes in this cycle.
    responds: bool,
    flush_pending: bool,
    /// The lines that have been emptied.
    flushed: u8,
    was_flushed: bool,
}

/// What the front end asks for in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// There is an instruction in the stage behind the one that reads the cache.
    pub is_fetching: bool,
    /// A line that is missing.
    pub fill: Option<u32>,
    /// FENCE.I is in the decoder.
    pub flush: bool,
}

fn place(address: u32) -> usize {
    (address >> OFFSET_BITS) as usize % LINES
}

impl InstructionCache {
    pub fn new(wait_states: u8) -> Self {
        Self {
            wait_states: u64::from(wait_states),
            lines: [None; LINES],
            loading: None,
            is_asked: false,
            words: 0,
            beat: 0,
            waited: 0,
            responds: false,
            flush_pending: true,
            flushed: 0,
            was_flushed: false,
        }
    }

    /// Returns `true` if the line of an address is there.
    pub fn has(&self, address: u32) -> bool {
        self.lines[place(address)] == Some(address >> OFFSET_BITS)
    }

    fn is_flushed(&self) -> bool {
        usize::from(self.flushed) == LINES
    }

    /// Returns `true` if no fetch can begin, beside a FENCE.I in the decoder.
    pub fn halts(&self) -> bool {
        self.loading.is_some() || self.flush_pending || !self.is_flushed() || !self.was_flushed
    }

    /// Does the work of a cycle.
    pub fn clock(&mut self, asked: Asked) {
        let asks = self.loading.is_some() && !self.is_asked;
        let strobes = asks || self.beat != 0;
        let acknowledged = strobes && self.waited == self.wait_states;
        self.waited = if strobes && !acknowledged { self.waited + 1 } else { 0 };
        let begins_flush = self.flush_pending && self.loading.is_none() && !asked.is_fetching;

        if acknowledged {
            self.is_asked |= asks;
            self.beat = (self.beat + 1) % WORDS;
        }
        if self.responds {
            self.words = (self.words + 1) % WORDS;
            if self.words == 0
                && let Some(line) = self.loading.take()
            {
                if self.is_flushed() {
                    self.lines[place(line)] = Some(line >> OFFSET_BITS);
                }
                self.is_asked = false;
            }
        }
        if let Some(line) = asked.fill {
            self.loading = Some(line);
        }
        self.responds = acknowledged;
        self.was_flushed = self.is_flushed();
        if !self.is_flushed() {
            self.flushed += 1;
        }
        self.flush_pending |= asked.flush;
        if begins_flush {
            self.flush_pending = false;
            self.flushed = 0;
            self.lines = [None; LINES];
        }
    }

    /// Returns `true` if a cycle in which nothing is asked for changes nothing.
    pub fn is_quiet(&self) -> bool {
        !self.halts() && self.beat == 0 && !self.responds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_comes_while_the_cache_is_emptied_is_lost() {
        let nothing = Asked { is_fetching: false, fill: None, flush: false };
        let mut cache = InstructionCache::new(0);
        let until_quiet = |cache: &mut InstructionCache| {
            for _ in 0..2 * LINES {
                cache.clock(nothing);
            }
            assert!(cache.is_quiet());
        };
        until_quiet(&mut cache);
        cache.clock(Asked { fill: Some(0x40), ..nothing });
        until_quiet(&mut cache);
        assert!(cache.has(0x40));
        // FENCE.I is in the decoder, and what stands behind it misses.
        cache.clock(Asked { flush: true, ..nothing });
        cache.clock(Asked { fill: Some(0x80), ..nothing });
        until_quiet(&mut cache);
        assert!(!cache.has(0x40) && !cache.has(0x80));
    }
}
