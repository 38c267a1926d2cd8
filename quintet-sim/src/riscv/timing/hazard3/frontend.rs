//! The front end of Hazard3: it fetches words one after the other into a queue of two, and gives
//! halfwords to the register from which instructions execute. A predictor remembers one branch.
//!
//! ```text
//!  address phase ──> data phase ──> queue (2 words) ──> register (3 halfwords) ──> execute
//!       ^                              ╰── a word passes through if there is room in the register
//!       ╰── jumps, and the predictor, by the address of each fetched word
//! ```

/// The cycle of no data.
const NEVER: u64 = u64::MAX;

/// The halves of a word that are wanted, and those that a predicted branch has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Halves {
    wanted: [bool; 2],
    predicted: [bool; 2],
}

impl Halves {
    const ALL: Self = Self { wanted: [true; 2], predicted: [false; 2] };

    fn count(self) -> usize {
        usize::from(self.wanted[0]) + usize::from(self.wanted[1])
    }
}

/// The branch of which the predictor knows that it was taken.
#[derive(Clone, Copy, Debug)]
struct Branch {
    at: u32,
    /// Whether it has four bytes.
    is_long: bool,
    target: u32,
}

/// A jump that the core asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    pub(super) target: u32,
    /// Whether the instruction that jumps stays in the register: its length.
    pub(super) keeps: Option<u32>,
}

/// The front end and its port.
#[derive(Clone, Debug)]
pub(super) struct FrontEnd {
    /// The cycles of a data phase.
    latency: u64,
    /// When the data phase ends; [`NEVER`] without one.
    data: u64,
    fetch: u32,
    /// The address phase has begun, and the port has not taken it.
    holds: bool,
    pending: u8,
    /// Those of the pending words that are of no use.
    stale: u8,
    /// The halves of the word in the data phase, and those of the next address.
    arriving: Halves,
    next_wanted: [bool; 2],
    /// The last fetched word began with the first half of the predicted branch.
    overhangs: bool,
    queue: [Halves; 2],
    queued: usize,
    /// The halfwords in the register, and whether each is of a predicted branch.
    level: usize,
    predicted: [bool; 3],
    branch: Option<Branch>,
}

impl FrontEnd {
    pub(super) fn new(wait_states: u8, start: u32) -> Self {
        Self {
            latency: 1 + u64::from(wait_states),
            data: NEVER,
            fetch: start,
            holds: false,
            pending: 0,
            stale: 0,
            arriving: Halves::ALL,
            next_wanted: [true; 2],
            overhangs: false,
            queue: [Halves::default(); 2],
            queued: 0,
            level: 0,
            predicted: [false; 3],
            branch: None,
        }
    }

    /// Returns `true` if the instruction of so many bytes is in the register.
    pub(super) fn has(&self, length: u32) -> bool {
        2 * self.level >= length as usize
    }

    /// Returns `true` if a jump can be taken in this cycle.
    pub(super) fn can_jump(&self) -> bool {
        !self.holds
    }

    /// Whether the first two halfwords in the register are of a predicted branch.
    pub(super) fn prediction(&self) -> [bool; 2] {
        [self.predicted[0], self.predicted[1]]
    }

    /// Forgets the branch.
    pub(super) fn forget(&mut self) {
        self.branch = None;
    }

    /// Remembers a branch.
    pub(super) fn remember(&mut self, at: u32, is_long: bool, target: u32) {
        self.branch = Some(Branch { at, is_long, target });
    }

    /// Does the work of a cycle in which `used` bytes leave the register. A jump is only asked for
    /// if [`Self::can_jump`].
    pub(super) fn clock(&mut self, now: u64, used: u32, jump: Option<Jump>) {
        let arrived = self.data == now;
        let is_useful = arrived && self.stale == 0;
        let requests = self.holds || jump.is_some() || !self.is_full();
        let accepted = requests && (self.data == NEVER || arrived);
        let pending = self.pending;
        self.fill(used as usize / 2, is_useful, jump);
        if arrived {
            self.data = NEVER;
            self.pending -= 1;
        }
        if requests && !self.holds {
            self.pending += 1;
        }
        if jump.is_some() {
            self.stale = pending - u8::from(arrived);
        } else if arrived && self.stale > 0 {
            self.stale -= 1;
        }
        self.address(accepted, jump);
        if accepted {
            self.data = now + self.latency;
        }
        self.holds = requests && !accepted;
    }

    fn is_full(&self) -> bool {
        self.queued == 2 || self.queued == 1 && self.pending > 0 || self.pending > 1
    }

    /// The data phase's word goes to the register or the queue.
    fn fill(&mut self, used: usize, is_useful: bool, jump: Option<Jump>) {
        let left = self.level - used;
        self.predicted.rotate_left(used);
        let from_queue = self.queued > 0;
        let word = if from_queue { self.queue[0] } else { self.arriving };
        let room = left <= if word.count() < 2 { 2 } else { 1 };
        let mut level = left;
        if room {
            let first = usize::from(!word.wanted[0]);
            let marks = [word.predicted[first], word.predicted[1]];
            for (place, mark) in self.predicted.iter_mut().skip(left).zip(marks) {
                *place = mark;
            }
            if from_queue || is_useful {
                level += word.count();
            }
        }
        if room && from_queue {
            self.queue[0] = self.queue[1];
            self.queued -= 1;
        }
        if is_useful && (from_queue || !room) {
            self.queue[self.queued.min(1)] = self.arriving;
            self.queued += 1;
        }
        self.level = level;
        if let Some(jump) = jump {
            self.queued = 0;
            self.level = jump.keeps.map_or(0, |length| length as usize / 2);
        }
    }

    /// The address phase: where the next word is, and which of its halves are wanted.
    fn address(&mut self, accepted: bool, jump: Option<Jump>) {
        if let Some(Jump { target, .. }) = jump {
            let wanted = [target & 2 == 0, true];
            self.fetch = target & !3;
            self.overhangs = false;
            self.arriving.predicted = [false; 2];
            if accepted {
                self.fetch = self.fetch.wrapping_add(4);
                self.next_wanted = [true; 2];
                self.arriving.wanted = wanted;
            } else {
                self.next_wanted = wanted;
            }
            return;
        }
        if !accepted {
            return;
        }
        let known = self.branch.filter(|branch| branch.at >> 2 == self.fetch >> 2);
        let is_upper = |branch: &Branch| branch.at & 2 != 0;
        let begins = known.is_some_and(|branch| branch.is_long && is_upper(&branch));
        let is_past = known
            .is_some_and(|branch| !branch.is_long && !is_upper(&branch) && !self.next_wanted[0]);
        let matches = known.is_some() && !begins && !is_past || self.overhangs;
        let target = self.branch.filter(|_| matches);
        let cut = target.is_some_and(|branch| is_upper(&branch) == branch.is_long);
        self.arriving.wanted = [self.next_wanted[0], self.next_wanted[1] && !cut];
        self.next_wanted = [target.is_none_or(|branch| branch.target & 2 == 0), true];
        self.arriving.predicted = match known {
            Some(branch) if is_upper(&branch) => [false, true],
            Some(branch) => [true, branch.is_long],
            None => [self.overhangs, false],
        };
        self.fetch = target.map_or(self.fetch.wrapping_add(4), |branch| branch.target & !3);
        self.overhangs = begins;
    }
}
