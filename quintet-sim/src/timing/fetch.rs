//! The fetch unit: a queue of three words, filled a word at a time whenever the bus is free.
//!
//! ```text
//!  code bus      cycle   t: address    t+1: data        t+2: may be decoded
//!  system bus    cycle   t: request    t+1: address     t+2: data    t+3: may be decoded
//! ```
//!
//! On the code bus a word can be requested each cycle. The system bus takes requests through a
//! register, so one fetch at a time is under way: a word each two cycles. There it competes with
//! data: the registered request goes first, a read behind a write waits a cycle for the memory's
//! single port, and a word in the queue keeps its place until the instruction that ends it leaves
//! the decode stage. On the code bus of a memory with one port, data goes first.
//!
//! The unit is simulated lazily: [`Fetch::time`] is the first cycle not yet decided, and everything
//! that influences a cycle is made known before it is decided.

use super::ports::{Ports, is_code, same_bus};
use crate::processor::bus::{Port, RegionTiming};

/// The queue's length in words.
const CAPACITY: u8 = 3;
/// The word is not there yet, nor is it known when it will be.
const UNKNOWN: u64 = u64::MAX;
/// The word under way belongs to no place in the queue: a branch has emptied it.
const ORPHAN: u8 = u8::MAX;

/// The prefetch queue and the buses that fill it.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The first cycle that is not decided.
    time: u64,
    /// The address of the oldest word.
    head: u32,
    count: u8,
    /// For each word, the first cycle in which it may be decoded.
    ready: [u64; CAPACITY as usize],
    /// Where the words being fetched come from.
    region: RegionTiming,
    /// Bit n: nothing is fetched over the code bus in cycle `time` + n.
    blocked: u64,
    /// The first cycle in which the code bus can take the next fetch.
    code_free: u64,
    /// Words that left the queue with an instruction that is still being decoded, and until when it
    /// is.
    held: u8,
    held_until: u64,
    /// When the newest fetch has arrived, and on which port it was.
    arrived: u64,
    arrived_port: Port,
    /// The system bus: a registered request and the cycle from which it drives the address, the
    /// place of its word, the first cycle with a free address phase, the cycle of the last write's
    /// address phase, and when the next request can be registered.
    request: Option<u64>,
    request_place: u8,
    slot: u64,
    last_write: u64,
    request_free: u64,
    /// An exception is being entered or left.
    paused: bool,
    ports: Ports,
}

impl Fetch {
    /// An empty queue.
    pub fn new(mut ports: Ports) -> Self {
        let region = ports.at(0);
        Self {
            time: 0,
            head: 0,
            count: 0,
            ready: [0; CAPACITY as usize],
            region,
            blocked: 0,
            code_free: 0,
            held: 0,
            held_until: 0,
            arrived: 0,
            arrived_port: region.port,
            request: None,
            request_place: ORPHAN,
            slot: 0,
            last_write: UNKNOWN,
            request_free: 0,
            paused: false,
            ports,
        }
    }

    /// The first cycle in which the instruction at `address` can be decoded.
    #[inline]
    pub fn available(&mut self, address: u32, length: u8) -> u64 {
        if self.paused || self.head != address & !3 {
            // Execution went elsewhere without telling: a tool moved the program counter, or an
            // exception ended halfway.
            self.redirect(address, self.time, self.time);
        }
        let last = (address.wrapping_add(u32::from(length) - 2) & !3).wrapping_sub(self.head) >> 2;
        let place = last as usize;
        while place >= usize::from(self.count) || self.ready[place] == UNKNOWN {
            self.step();
        }
        self.ready[place]
    }

    /// Whether the halfword at `address` could be decoded in `cycle`.
    #[inline]
    pub fn is_available(&self, address: u32, cycle: u64) -> bool {
        let place = ((address & !3).wrapping_sub(self.head) >> 2) as usize;
        place < usize::from(self.count) && self.ready[place] <= cycle
    }

    /// From the cycle of a request to the first one in which its word can be decoded, when nothing
    /// is in the way.
    #[inline]
    pub fn latency(&self) -> u64 {
        let unregistered = is_code(self.region.port);
        (if unregistered { 2 } else { 3 }) + u64::from(self.region.read_wait_states)
    }

    /// Whether instructions come, or a last one still comes, over the system bus.
    #[inline]
    pub fn uses_system_bus(&self) -> bool {
        !is_code(self.region.port) || self.request.is_some()
    }

    /// Fetches nothing from `cycle` on, until redirected.
    pub fn pause(&mut self, cycle: u64) {
        self.advance_to(cycle);
        self.count = 0;
        self.request_place = ORPHAN;
        self.paused = true;
    }

    /// The instruction at `address` enters the decode stage in `cycle`; what it ends leaves the
    /// queue.
    #[inline]
    pub fn consume(&mut self, address: u32, length: u8, cycle: u64) {
        self.advance_to(cycle);
        let words = (address.wrapping_add(u32::from(length)).wrapping_sub(self.head) >> 2) as u8;
        let words = words.min(self.count);
        let [_, second, third] = self.ready;
        self.ready = match words {
            0 => self.ready,
            1 => [second, third, UNKNOWN],
            2 => [third, UNKNOWN, UNKNOWN],
            _ => [UNKNOWN; CAPACITY as usize],
        };
        self.count -= words;
        self.head = self.head.wrapping_add(4 * u32::from(words));
        if self.request_place != ORPHAN {
            self.request_place = self.request_place.wrapping_sub(words);
        }
        self.held = words;
        self.held_until = UNKNOWN;
    }

    /// The halfword at `address` enters the decode stage together with the instruction last
    /// consumed.
    #[inline(never)]
    pub fn consume_with_last(&mut self, address: u32, cycle: u64) {
        let held = self.held;
        self.consume(address, 2, cycle);
        self.held += held;
    }

    /// The instruction last consumed leaves the decode stage in `cycle`.
    #[inline]
    pub fn release(&mut self, cycle: u64) {
        self.held_until = cycle;
    }

    /// The queue is emptied in cycle `stop`, and from cycle `start` on it is filled from `target`.
    pub fn redirect(&mut self, target: u32, stop: u64, start: u64) {
        self.advance_to(stop);
        self.count = 0;
        self.held = 0;
        self.request_place = ORPHAN;
        while self.time < start {
            self.address_phase();
            self.pass();
        }
        self.paused = false;
        self.head = target & !3;
        self.region = self.ports.at(self.head);
    }

    /// A fetch slot in `cycle` goes to the target of a branch that is not taken.
    pub fn waste(&mut self, cycle: u64) {
        self.advance_to(cycle);
        self.address_phase();
        if is_code(self.region.port) {
            self.blocked |= 1;
        } else if self.request.is_none() && self.time >= self.request_free {
            self.request = Some(self.time + 1);
            self.request_place = ORPHAN;
        }
    }

    /// Nothing is fetched over the code bus in `cycle`.
    #[inline]
    pub fn block(&mut self, cycle: u64) {
        if let Some(offset) = cycle.checked_sub(self.time)
            && offset < 64
        {
            self.blocked |= 1 << offset;
        }
    }

    /// The first cycle, not before `cycle`, in which data gets the address phase of the system bus,
    /// which it takes. The transfer is in the cycle behind it.
    #[inline]
    pub fn claim_system_bus(&mut self, mut cycle: u64, write: bool, wait_states: u8) -> u64 {
        loop {
            self.advance_to(cycle);
            cycle = self.time.max(cycle);
            self.address_phase();
            let contested = self.request.is_some_and(|since| since <= cycle);
            if cycle >= self.slot && !contested {
                self.slot = cycle + 1 + u64::from(wait_states);
                self.last_write = if write { cycle } else { UNKNOWN };
                return cycle;
            }
            cycle += 1;
        }
    }

    /// Decides all cycles before `cycle`.
    #[inline]
    pub fn advance_to(&mut self, cycle: u64) {
        while self.time < cycle {
            if (self.paused || self.count >= CAPACITY) && self.request.is_none() {
                // Nothing is fetched until then, which may be a long sleep away.
                let idle = cycle - self.time;
                self.blocked = if idle < 64 { self.blocked >> idle } else { 0 };
                self.time = cycle;
                return;
            }
            self.step();
        }
    }

    /// Time stood still until now and the queue was filled from `target` meanwhile.
    pub fn refill(&mut self, target: u32, now: u64) {
        self.redirect(target, now, now);
        self.count = CAPACITY;
        self.ready = [now; CAPACITY as usize];
        self.arrived = now;
        self.arrived_port = self.region.port;
    }

    /// Decides one cycle.
    fn step(&mut self) {
        self.address_phase();
        if is_code(self.region.port) {
            self.fetch_code();
        } else {
            self.register_request();
        }
        self.pass();
    }

    fn pass(&mut self) {
        self.time += 1;
        self.blocked >>= 1;
    }

    fn has_room(&self) -> bool {
        let holds = !is_code(self.region.port) && self.time < self.held_until;
        !self.paused && self.count + if holds { self.held } else { 0 } < CAPACITY
    }

    /// The bus that was fetched from last must have delivered before another can be used.
    fn may_change_bus(&self) -> bool {
        same_bus(self.arrived_port, self.region.port) || self.time >= self.arrived
    }

    fn fetch_code(&mut self) {
        if !self.has_room()
            || self.blocked & 1 != 0
            || self.time < self.code_free
            || self.request.is_some()
            || !self.may_change_bus()
        {
            return;
        }
        self.code_free = self.time + 1 + u64::from(self.region.read_wait_states);
        self.arrived = self.time + self.latency();
        self.push(self.arrived);
        self.arrived_port = self.region.port;
    }

    fn register_request(&mut self) {
        if !self.has_room()
            || self.request.is_some()
            || self.time < self.request_free
            || !self.may_change_bus()
        {
            return;
        }
        self.request = Some(self.time + 1);
        self.request_place = self.count;
        self.push(UNKNOWN);
        self.arrived = UNKNOWN;
        self.arrived_port = self.region.port;
    }

    fn push(&mut self, ready: u64) {
        self.ready[usize::from(self.count)] = ready;
        self.count += 1;
    }

    /// A registered request drives the system bus's address in this cycle, where it is free.
    fn address_phase(&mut self) {
        if self.request.is_none_or(|since| since > self.time) || self.time < self.slot {
            return;
        }
        let behind_write = self.last_write != UNKNOWN && self.last_write + 1 == self.time;
        let wait = u64::from(self.region.read_wait_states) + u64::from(behind_write);
        self.request = None;
        self.slot = self.time + 1 + wait;
        self.request_free = self.slot;
        self.last_write = UNKNOWN;
        self.arrived = self.time + 2 + wait;
        if self.request_place != ORPHAN {
            self.ready[usize::from(self.request_place)] = self.arrived;
        }
    }
}
