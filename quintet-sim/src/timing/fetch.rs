//! The fetch unit: a queue of three words, filled a word at a time whenever the bus is free.
//!
//! ```text
//!  words on their way ──> queue: 4 halfwords ──> head: 2 halfwords ──> decode stage
//! ```
//!
//! An instruction stays in the head until it enters the execute stage, and the queue moves up then.
//! The unit asks for a word when there will be room: the head counts as full as soon as it holds
//! any halfword. In the cycle in which an instruction enters the decode stage the unit counts on
//! the instruction to move on in the next one, unless the execute stage is busy for longer. So
//! while a load, a store, a division or the like executes, the words behind it are not replaced.
//!
//! A branch whose target is known in the decode stage empties the queue there, and stays in the
//! head until it has executed.
//!
//! The unit is simulated lazily: [`Fetch::time`] is the first cycle whose request is not decided.
//! The unit learns all influences on a cycle before it decides that cycle.

mod state;

use super::front::{Asks, Front};
use super::ports::Ports;
use super::transfers::Transfers;
use crate::processor::bus::{FrontTiming, Port, RegionTiming};

/// The room behind the head, in halfwords.
const QUEUE: u8 = 4;
/// The most that the head holds, in halfwords.
const HEAD: u8 = 2;
/// No cycle.
const NEVER: u64 = u64::MAX;

/// The prefetch queue.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The cycle whose words have arrived, but whose request is not decided.
    time: u64,
    /// The address of the head's first halfword, and the next one to ask for.
    address: u32,
    next: u32,
    /// The number of halfwords in the head.
    head: u8,
    queue: u8,
    /// For each halfword of the head, the cycle since when it is there. For the second one, also
    /// the same for the halfword that the last instruction found there.
    since: [u64; HEAD as usize],
    second_since: u64,
    /// The halfwords that leave the head in cycle `leaves`.
    leaving: u8,
    leaves: u64,
    /// The instruction is a branch, and the words in the queue belong to its target.
    branches: bool,
    /// The cycle in which an instruction is decoded that moves on in the next cycle, as far as the
    /// unit knows, and its halfwords.
    moves_on: u64,
    length: u8,
    /// In this cycle the target of a conditional branch is asked for that is not taken.
    speculates: u64,
    /// An exception is being entered or left, or a load has yet to bring the next address.
    paused: bool,
    transfers: Transfers,
    ports: Ports,
}

impl Fetch {
    /// An empty queue. With `holds`, an address on a bus stays there until the memory takes it.
    pub fn new(mut ports: Ports, fronts: Vec<Front>, holds: bool) -> Self {
        Self {
            time: 0,
            address: 0,
            next: 0,
            head: 0,
            queue: 0,
            since: [NEVER; HEAD as usize],
            second_since: NEVER,
            leaving: 0,
            leaves: NEVER,
            branches: false,
            moves_on: NEVER,
            length: 0,
            speculates: NEVER,
            paused: false,
            transfers: Transfers::new(ports.at(0), fronts, holds),
            ports,
        }
    }

    /// The first cycle from `from` on in which the instruction at `address` can be decoded.
    #[inline]
    pub fn available(&mut self, address: u32, length: u8, from: u64) -> u64 {
        if self.leaves != NEVER {
            self.advance_near(self.leaves);
        }
        if self.paused || self.address != address {
            self.go_elsewhere(address);
        }
        if length == 2 {
            if self.head == 0 {
                self.wait_for(1);
            }
            return self.since[0].max(from);
        }
        if self.head < HEAD {
            self.wait_for(HEAD);
        }
        self.since[1].max(from)
    }

    /// The next instruction, of `length` bytes, is decoded in `cycle`, and as far as can be known
    /// there `moves_on` in the next one.
    #[inline]
    pub fn decode(&mut self, cycle: u64, length: u8, moves_on: bool) {
        self.advance_near(cycle);
        self.length = length / 2;
        self.moves_on = if moves_on { cycle } else { NEVER };
    }

    /// The decoded instruction enters the execute stage in `cycle`.
    #[inline]
    pub fn leave(&mut self, cycle: u64) {
        self.leaving = self.length;
        self.leaves = cycle;
    }

    /// The last decoded instruction has left in `cycle`. If the decode stage saw the halfword
    /// behind it before, that halfword leaves too.
    pub fn leave_together(&mut self, cycle: u64) -> bool {
        self.advance_to(cycle);
        let together = self.second_since < cycle;
        if together {
            self.shift(1);
            self.fill();
        }
        together
    }

    /// Returns the number of cycles from a request to the first cycle in which its word can be
    /// decoded, if nothing delays it.
    #[inline]
    pub fn latency(&self) -> u64 {
        self.transfers.latency()
    }

    /// Returns `true` if instructions come, or a last one still comes, over the system bus.
    #[inline]
    pub fn uses_system_bus(&self) -> bool {
        self.transfers.use_system_bus()
    }

    /// Returns `true` if a conditional branch asks for its target although the flags already say
    /// that it is not taken. An address that can be taken back is taken back before it gets into
    /// the system bus's register.
    #[inline]
    pub fn asks_in_vain(&self) -> bool {
        self.transfers.holds() || !self.transfers.use_system_bus()
    }

    /// Fetches nothing from `cycle` on, until redirected.
    pub fn pause(&mut self, cycle: u64) {
        self.advance_to(cycle);
        self.empty();
        self.head = 0;
        self.transfers.forget();
        self.paused = true;
    }

    /// Empties the queue in cycle `stop`, and fills it from `target` from cycle `start` on. The
    /// branch leaves the head in cycle `leaves`.
    #[inline]
    pub fn redirect(&mut self, target: u32, stop: u64, start: u64, leaves: u64) {
        if stop < start {
            self.pause(stop);
        }
        self.advance_to(start);
        self.empty();
        self.paused = false;
        self.address = target;
        let waits = self.transfers.redirect(target, self.ports.at(target));
        self.next = if waits { behind(target) } else { target };
        if leaves > self.time {
            self.branches = true;
            self.leaves = leaves;
        } else {
            self.head = 0;
        }
    }

    /// In `cycle`, which is not decided yet, asks for the target of a conditional branch that is
    /// not taken.
    #[inline]
    pub fn speculate(&mut self, cycle: u64) {
        self.speculates = cycle;
    }

    /// The target of a branch that is not taken.
    #[inline]
    pub fn pass_by(&mut self, target: u32) {
        self.transfers.pass_by(target);
    }

    /// Takes the address phase of the code bus for data, and returns its cycle. The address is on
    /// the bus from cycle `presented` on, and can be taken from cycle `from` on.
    #[inline]
    pub fn claim_code_bus(&mut self, presented: u64, from: u64, wait_states: u8) -> u64 {
        if !self.transfers.data_is_served(presented) {
            self.advance_to(presented);
            if let Some(cycle) = self.transfers.fetch_goes_first(presented) {
                self.advance_to(cycle);
            }
        }
        self.transfers.claim_code_bus(from, wait_states)
    }

    /// Takes the address phase for data of a memory with a front end. Returns the cycle, not before
    /// `from`, and the wait states. See [`Fetch::claim_code_bus`].
    #[cold]
    pub fn claim_front(
        &mut self,
        address: u32,
        presented: u64,
        from: u64,
        region: &RegionTiming,
    ) -> (u64, u64) {
        let at = match region.port {
            Port::CodeShared => self.claim_code_bus(presented, from, 0),
            _ => {
                self.advance_to(from);
                from
            }
        };
        let wait = self.transfers.read_front(region.front, address, at, Asks::Data);
        if region.port == Port::CodeShared {
            self.transfers.hold_code_bus(at + 1 + wait);
        }
        (at, wait)
    }

    /// The wait states of a read whose address is taken in `cycle`, through a front end.
    pub fn read_front(&mut self, front: u8, address: u32, cycle: u64, is_fetch: bool) -> u64 {
        let asks = if is_fetch { Asks::Fetch } else { Asks::Data };
        self.transfers.read_front(front, address, cycle, asks)
    }

    /// The program has changed the settings of front ends.
    pub fn set_fronts(&mut self, fronts: &[FrontTiming]) {
        self.transfers.set_fronts(fronts);
    }

    /// Replaces the front ends by new ones, which hold nothing yet.
    pub fn replace_fronts(&mut self, fronts: Vec<Front>) {
        self.transfers.replace_fronts(fronts);
    }

    /// Takes the address phase of the system bus for data. Returns its cycle, not before `cycle`.
    /// The transfer is in the cycle behind it.
    #[inline]
    pub fn claim_system_bus(&mut self, mut cycle: u64, write: bool, wait_states: u8) -> u64 {
        loop {
            self.advance_to(cycle);
            cycle = cycle.max(self.time);
            if self.transfers.claim_system_bus(cycle, write, wait_states) {
                return cycle;
            }
            cycle += 1;
        }
    }

    /// Returns the first cycle in which a load can follow a store. Without a fetch in the way, this
    /// is `stored`.
    #[inline]
    pub fn behind_store(&mut self, stored: u64) -> u64 {
        if !self.transfers.holds() || !self.transfers.use_system_bus() {
            return stored;
        }
        self.advance_to(stored);
        stored + u64::from(self.transfers.has_put_off(stored))
    }

    /// Decides all cycles before `cycle`.
    #[inline]
    pub fn advance_to(&mut self, cycle: u64) {
        if self.time < cycle {
            self.advance(cycle);
        }
    }

    /// The same, where most often one cycle is not decided.
    #[inline(always)]
    fn advance_near(&mut self, cycle: u64) {
        if self.time < cycle {
            self.step();
            self.advance_to(cycle);
        }
    }

    /// Time stood still until now and the queue was filled from `target` meanwhile.
    pub fn refill(&mut self, target: u32, now: u64) {
        self.redirect(target, now, now, now);
        self.transfers.settle(now);
        self.head = HEAD;
        self.queue = QUEUE;
        self.next = target.wrapping_add(2 * u32::from(HEAD + QUEUE));
        self.since = [now; HEAD as usize];
    }

    /// Execution went on at `address` without telling: a tool moved the program counter, or an
    /// exception ended halfway.
    #[cold]
    fn go_elsewhere(&mut self, address: u32) {
        self.redirect(address, self.time, self.time, self.time);
    }

    #[inline(never)]
    fn wait_for(&mut self, halfwords: u8) {
        while self.head < halfwords {
            self.step();
        }
    }

    #[inline(never)]
    fn advance(&mut self, cycle: u64) {
        while self.time < cycle {
            self.step();
            if self.transfers.is_idle() {
                self.skip_to(cycle);
            }
        }
    }

    /// Lets time pass to `cycle` in one step if nothing happens until then, as in a long sleep.
    #[inline]
    fn skip_to(&mut self, cycle: u64) {
        let waits_for_something = self.leaves != NEVER || self.speculates == self.time;
        if self.time < cycle && !waits_for_something && !self.wants_word() {
            self.time = cycle;
        }
    }

    /// Decides one cycle.
    #[inline(always)]
    fn step(&mut self) {
        if self.speculates == self.time {
            self.ask_for_target();
        } else if self.transfers.can_ask() && self.wants_word() {
            self.transfers.ask(self.time, self.next);
            self.next = behind(self.next);
        } else {
            self.transfers.present(self.time);
        }
        self.time += 1;
        self.queue += self.transfers.arrive(self.time);
        if self.leaves == self.time {
            self.let_leave();
        }
        self.fill();
    }

    #[cold]
    fn ask_for_target(&mut self) {
        if let Some(address) = self.transfers.speculate(self.time) {
            self.next = address;
        }
    }

    /// Returns `true` if there will be room for a word.
    #[inline(always)]
    fn wants_word(&self) -> bool {
        let head = if self.head == 0 { 0 } else { HEAD };
        let used = head + self.queue + self.transfers.expected();
        // An instruction of one halfword leaves room for one, or for the other one's as well.
        let freed = match self.moves_on == self.time {
            true if self.length == 1 && self.head == HEAD => 1,
            true => HEAD,
            false => 0,
        };
        used <= QUEUE + freed && !self.paused
    }

    fn empty(&mut self) {
        self.queue = 0;
        self.leaves = NEVER;
        self.branches = false;
        self.moves_on = NEVER;
    }

    #[inline(always)]
    fn let_leave(&mut self) {
        self.leaves = NEVER;
        if self.branches {
            self.branches = false;
            self.head = 0;
        } else {
            self.second_since = if self.head == HEAD { self.since[1] } else { NEVER };
            self.shift(self.leaving);
        }
    }

    #[inline(always)]
    fn shift(&mut self, halfwords: u8) {
        self.address = self.address.wrapping_add(2 * u32::from(halfwords));
        self.head = self.head.saturating_sub(halfwords);
        self.since[0] = self.time;
    }

    /// The queue moves up.
    #[inline(always)]
    fn fill(&mut self) {
        if self.branches {
            return;
        }
        let moving = (HEAD - self.head).min(self.queue);
        if moving == 0 {
            return;
        }
        if self.head == 0 {
            self.since[0] = self.time;
        }
        self.head += moving;
        self.queue -= moving;
        if self.head == HEAD {
            self.since[1] = self.time;
        }
    }
}

/// The word behind the one with `address`.
fn behind(address: u32) -> u32 {
    (address & !3).wrapping_add(4)
}
