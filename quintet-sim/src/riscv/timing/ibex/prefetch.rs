//! The prefetch buffer of Ibex: it requests words one after the other, and a queue of three words
//! gives instructions, which may begin in the middle of a word.
//!
//! ```text
//!  address ──> request ──grant──> memory ──response──> queue (3 words) ──> instruction to decode
//!                                                        ╰── a response passes through if empty
//! ```
//! A jump empties the queue. A request that waits for its grant stays as it is, and what comes for
//! it is thrown away, as is what comes for a request that was granted before the jump.

/// The words of the queue.
const WORDS: u8 = 3;
/// The cycle of no response.
const NEVER: u64 = u64::MAX;

/// What the stage that decodes asks for in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Whether new words may be requested.
    pub(super) run: bool,
    /// The address at which to go on.
    pub(super) jump: Option<u32>,
    /// Whether the next instruction can be taken.
    pub(super) take: bool,
}

/// The prefetch buffer and its port.
#[derive(Clone, Debug)]
pub(super) struct Prefetch {
    /// The cycles between a grant and the response.
    latency: u64,
    /// When the granted request is answered; [`NEVER`] without one.
    response: u64,
    /// Whether what is answered then is of no use.
    is_stale: bool,
    /// A request that has not been granted.
    waits: bool,
    /// Whether a jump has come since that request.
    waits_in_vain: bool,
    /// The words in the queue.
    words: u8,
    /// Whether the next instruction begins in the second half of a word.
    is_upper: bool,
}

impl Prefetch {
    /// A buffer after reset, at a memory with these wait states.
    pub(super) fn new(wait_states: u8) -> Self {
        Self {
            latency: 1 + u64::from(wait_states),
            response: NEVER,
            is_stale: false,
            waits: false,
            waits_in_vain: false,
            words: 0,
            is_upper: false,
        }
    }

    /// Returns `true` while a word is requested or on its way.
    pub(super) fn is_busy(&self) -> bool {
        self.response != NEVER || self.waits
    }

    /// Returns the first cycle from `now` on in which no word is on its way, if none is requested.
    pub(super) fn quiet_from(&self, now: u64) -> u64 {
        match self.response {
            NEVER => now,
            response => response + 1 + if self.waits { self.latency } else { 0 },
        }
    }

    /// Returns `true` if a cycle changes nothing unless something is asked for.
    pub(super) fn is_full(&self) -> bool {
        self.words == WORDS && !self.is_busy()
    }

    /// Does the work of the cycle `now`, in which the next instruction has `length` bytes. Returns
    /// `true` if the instruction goes on to the next stage.
    #[inline]
    pub(super) fn clock(&mut self, now: u64, length: u32, asked: Asked) -> bool {
        let answered = self.response == now;
        let pushed = answered && !self.is_stale;
        let is_taken = asked.take && self.has_instruction(length, pushed);
        let jumps = asked.jump.is_some();
        self.request(now, asked.run, jumps, answered);
        if let Some(target) = asked.jump {
            self.words = 0;
            self.is_upper = target & 2 != 0;
            return false;
        }
        self.words += u8::from(pushed);
        if is_taken {
            self.words -= u8::from(self.is_upper || length == 4);
            self.is_upper ^= length == 2;
        }
        is_taken
    }

    fn has_instruction(&self, length: u32, pushed: bool) -> bool {
        let needed = if self.is_upper && length == 4 { 2 } else { 1 };
        self.words + u8::from(pushed) >= needed
    }

    /// Requests the next word if there is room, and learns whether the port takes it: a port has
    /// one request at a time.
    fn request(&mut self, now: u64, run: bool, jumps: bool, answered: bool) {
        let outstanding = self.response != NEVER;
        let has_room = self.words < WORDS - 1 || self.words < WORDS && !outstanding;
        let requests = self.waits || run && (has_room || jumps);
        let in_vain = self.waits && (jumps || self.waits_in_vain);
        let granted = requests && (!outstanding || answered);
        if granted {
            self.response = now + self.latency;
            self.is_stale = in_vain;
        } else if answered {
            self.response = NEVER;
        } else {
            self.is_stale |= outstanding && jumps;
        }
        self.waits = requests && !granted;
        self.waits_in_vain = in_vain;
    }
}
