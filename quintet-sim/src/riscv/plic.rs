//! The platform-level interrupt controller (specification 1.0.0): which device calls, for each
//! context, which is a hart in a privilege.
//!
//! ```text
//!  line ──> gateway ──> pending ──enabled? priority > threshold?──> external interrupt
//!              ^           │ claim (a read): the highest, of equals the lowest number
//!              ╰─complete──╯ (a write of its number)
//!
//!  0x00_0000  priority of each source, 4 bytes; 0 never calls
//!  0x00_1000  pending, a bit a source (read-only)
//!  0x00_2000  enabled, a bit a source; 0x80 bytes a context
//!  0x20_0000  threshold, +4 claim and complete; 0x1000 bytes a context
//! ```
//! Lines are levels. A gateway lets a line through once; until its source is completed, it is
//! closed. A request stays pending when its line falls. There is no source 0.

use crate::processor::bus::BusError;

/// The bytes of addresses that it takes.
pub const SPAN: u32 = 0x0400_0000;
/// The sources at most, source 0 included.
pub const SOURCES_MAX: u32 = 256;
/// The contexts at most.
pub const CONTEXTS_MAX: usize = 16;

const PENDING: u32 = 0x1000;
const ENABLED: u32 = 0x2000;
const ENABLED_STRIDE: u32 = 0x80;
const CONTEXTS: u32 = 0x20_0000;
const CONTEXT_STRIDE: u32 = 0x1000;
/// The bits of priorities and thresholds.
const LEVELS: u32 = 7;

/// A bit for each source.
type Sources = [u32; SOURCES_MAX as usize / 32];

/// What a context asks for.
#[derive(Clone, Debug, Default)]
struct Context {
    enabled: Sources,
    threshold: u32,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Plic {
    /// Of each source.
    priorities: Vec<u32>,
    lines: Sources,
    pending: Sources,
    /// The sources that a context has claimed and not completed.
    claimed: Sources,
    contexts: Vec<Context>,
}

/// A place among the registers.
enum Place {
    Priority(usize),
    Pending(usize),
    Enabled(usize, usize),
    Threshold(usize),
    Claim(usize),
    /// A register that this controller does not have.
    Reserved,
}

fn has(sources: &Sources, source: u32) -> bool {
    sources.get(source as usize / 32).is_some_and(|word| word >> (source % 32) & 1 != 0)
}

fn set(sources: &mut Sources, source: u32, is_set: bool) {
    if let Some(word) = sources.get_mut(source as usize / 32) {
        *word = *word & !(1 << (source % 32)) | u32::from(is_set) << (source % 32);
    }
}

impl Plic {
    /// After a reset: nothing is enabled. `sources` counts source 0.
    pub fn new(sources: u32, contexts: usize) -> Self {
        Self {
            priorities: vec![0; sources.min(SOURCES_MAX) as usize],
            lines: Sources::default(),
            pending: Sources::default(),
            claimed: Sources::default(),
            contexts: vec![Context::default(); contexts],
        }
    }

    /// Takes the levels of the lines of devices.
    pub fn set_lines(&mut self, lines: &[u32; SOURCES_MAX as usize / 32]) {
        self.lines = *lines;
        self.pass_gateways();
    }

    fn pass_gateways(&mut self) {
        for (word, pending) in self.pending.iter_mut().enumerate() {
            *pending |= self.lines[word] & !self.claimed[word];
        }
        // Sources that are not there do not call.
        let count = self.priorities.len() as u32;
        for word in 0..self.pending.len() as u32 {
            let there = count.saturating_sub(32 * word).min(32);
            let mask = if there == 32 { u32::MAX } else { (1 << there) - 1 };
            self.pending[word as usize] &= mask & if word == 0 { !1 } else { u32::MAX };
        }
    }

    /// Returns the source that a context would claim: of those that are pending and enabled the one
    /// of the highest priority, whatever the threshold.
    fn best(&self, context: usize) -> Option<(u32, u32)> {
        let enabled = &self.contexts.get(context)?.enabled;
        let mut best = None;
        for (source, priority) in self.priorities.iter().enumerate() {
            let calls = has(&self.pending, source as u32) && has(enabled, source as u32);
            if calls && *priority > best.map_or(0, |(_, priority)| priority) {
                best = Some((source as u32, *priority));
            }
        }
        best
    }

    /// Returns `true` if a context has an external interrupt.
    pub fn calls(&self, context: usize) -> bool {
        let threshold = self.contexts.get(context).map_or(u32::MAX, |it| it.threshold);
        self.best(context).is_some_and(|(_, priority)| priority > threshold)
    }

    fn place(&self, offset: u32) -> Place {
        let (contexts, word) = (self.contexts.len(), offset as usize / 4);
        match offset {
            ..PENDING if word < self.priorities.len() => Place::Priority(word),
            PENDING..0x1080 => Place::Pending((offset - PENDING) as usize / 4),
            ENABLED..CONTEXTS => {
                let offset = offset - ENABLED;
                let context = (offset / ENABLED_STRIDE) as usize;
                let word = (offset % ENABLED_STRIDE) as usize / 4;
                let is_there = context < contexts && word < Sources::default().len();
                if is_there { Place::Enabled(context, word) } else { Place::Reserved }
            }
            CONTEXTS..SPAN => {
                let offset = offset - CONTEXTS;
                let context = (offset / CONTEXT_STRIDE) as usize;
                match offset % CONTEXT_STRIDE {
                    0 if context < contexts => Place::Threshold(context),
                    4 if context < contexts => Place::Claim(context),
                    _ => Place::Reserved,
                }
            }
            _ => Place::Reserved,
        }
    }

    /// Reads the word at `offset` as a debugger does, without a claim.
    ///
    /// # Errors
    /// No register can be there.
    pub fn peek(&self, offset: u32) -> Result<u32, BusError> {
        if offset >= SPAN {
            return Err(BusError);
        }
        Ok(match self.place(offset) {
            Place::Priority(source) => self.priorities[source],
            Place::Pending(word) => self.pending.get(word).copied().unwrap_or(0),
            Place::Enabled(context, word) => self.contexts[context].enabled[word],
            Place::Threshold(context) => self.contexts[context].threshold,
            Place::Claim(context) => self.best(context).map_or(0, |(source, _)| source),
            Place::Reserved => 0,
        })
    }

    /// Reads the word at `offset`, which may claim a source.
    ///
    /// # Errors
    /// No register can be there.
    pub fn read(&mut self, offset: u32) -> Result<u32, BusError> {
        let value = self.peek(offset)?;
        if value != 0 && matches!(self.place(offset), Place::Claim(_)) {
            set(&mut self.pending, value, false);
            set(&mut self.claimed, value, true);
        }
        Ok(value)
    }

    /// Writes the word at `offset`.
    ///
    /// # Errors
    /// No register can be there.
    pub fn write(&mut self, offset: u32, value: u32) -> Result<(), BusError> {
        if offset >= SPAN {
            return Err(BusError);
        }
        match self.place(offset) {
            Place::Priority(0) | Place::Pending(_) | Place::Reserved => {}
            Place::Priority(source) => self.priorities[source] = value & LEVELS,
            Place::Enabled(context, word) => self.contexts[context].enabled[word] = value,
            Place::Threshold(context) => self.contexts[context].threshold = value & LEVELS,
            Place::Claim(context) => {
                // A number that the context has not enabled completes nothing.
                if has(&self.contexts[context].enabled, value) {
                    set(&mut self.claimed, value, false);
                    self.pass_gateways();
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD: u32 = CONTEXTS;
    const CLAIM: u32 = CONTEXTS + 4;

    /// Sources 3 and 10 of 16 are enabled, with these priorities.
    fn with(priorities: [u32; 2]) -> Plic {
        let mut plic = Plic::new(16, 2);
        plic.write(4 * 3, priorities[0]).unwrap();
        plic.write(4 * 10, priorities[1]).unwrap();
        plic.write(ENABLED, 1 << 3 | 1 << 10).unwrap();
        plic
    }

    fn lines(plic: &mut Plic, bits: u32) {
        let mut lines = [0; 8];
        lines[0] = bits;
        plic.set_lines(&lines);
    }

    #[test]
    fn the_highest_priority_is_claimed_first_and_of_equals_the_lowest_number() {
        for (priorities, order) in [([1, 2], [10, 3]), ([5, 5], [3, 10])] {
            let mut plic = with(priorities);
            lines(&mut plic, 1 << 3 | 1 << 10);
            assert_eq!(plic.peek(CLAIM), Ok(order[0]), "a debugger claims nothing");
            assert_eq!([plic.read(CLAIM), plic.read(CLAIM)], order.map(Ok));
            assert_eq!((plic.read(CLAIM), plic.calls(0)), (Ok(0), false));
        }
    }

    #[test]
    fn only_what_is_above_the_threshold_calls() {
        let mut plic = with([2, 0]);
        lines(&mut plic, 1 << 3 | 1 << 10);
        plic.write(THRESHOLD, 2).unwrap();
        assert!(!plic.calls(0));
        assert_eq!(plic.read(CLAIM), Ok(3), "the threshold does not matter to a claim");
        plic.write(CLAIM, 3).unwrap();
        plic.write(THRESHOLD, 1).unwrap();
        assert!(plic.calls(0));
        plic.write(4 * 3, 0).unwrap();
        assert!(!plic.calls(0), "priority 0 never calls");
    }

    #[test]
    fn a_line_is_let_through_again_when_its_source_is_completed() {
        let mut plic = with([1, 1]);
        lines(&mut plic, 1 << 10);
        assert_eq!(plic.read(CLAIM), Ok(10));
        lines(&mut plic, 1 << 10);
        assert!(!plic.calls(0));
        plic.write(CLAIM, 4).unwrap();
        assert!(!plic.calls(0), "another number completes nothing");
        plic.write(CLAIM, 10).unwrap();
        assert_eq!((plic.calls(0), plic.read(PENDING)), (true, Ok(1 << 10)));
    }

    #[test]
    fn a_request_stays_when_its_line_falls() {
        let mut plic = with([1, 1]);
        lines(&mut plic, 1 << 3);
        lines(&mut plic, 0);
        assert!(plic.calls(0));
        assert_eq!(plic.read(CLAIM), Ok(3));
        plic.write(CLAIM, 3).unwrap();
        assert!(!plic.calls(0));
    }

    #[test]
    fn contexts_have_their_own_enables() {
        let mut plic = with([1, 1]);
        plic.write(ENABLED + ENABLED_STRIDE, 1 << 10).unwrap();
        lines(&mut plic, 1 << 3);
        assert_eq!((plic.calls(0), plic.calls(1), plic.calls(2)), (true, false, false));
        assert_eq!(plic.read(CLAIM + CONTEXT_STRIDE), Ok(0));
    }

    #[test]
    fn what_is_not_there_reads_as_zero() {
        let mut plic = with([7, 7]);
        lines(&mut plic, u32::MAX);
        assert_eq!(plic.read(PENDING), Ok(0xfffe), "no source 0 and none from 16 on");
        plic.write(0, 7).unwrap();
        plic.write(4 * 20, 7).unwrap();
        assert_eq!([plic.read(0), plic.read(4 * 20), plic.read(0x20_5000)], [Ok(0); 3]);
        assert_eq!((plic.read(SPAN), plic.write(SPAN, 0)), (Err(BusError), Err(BusError)));
    }
}
