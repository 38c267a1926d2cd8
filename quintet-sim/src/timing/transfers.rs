//! Words on their way from memory to the queue, and the buses on which they compete with data.
//!
//! ```text
//!  code bus      cycle   t: address    t+1: data        t+2: may be decoded
//!  system bus    cycle   t: request    t+1: address     t+2: data    t+3: may be decoded
//! ```
//!
//! Wait states make the data later, and the bus is busy until then: an address that is presented
//! meanwhile waits. So there are two words on their way at most, and only the younger one's address
//! can wait. The system bus takes requests through a register, so that a word comes each two
//! cycles.
//!
//! A core that keeps to AHB-Lite leaves an address on the bus until the memory takes it, even if
//! the word is no longer needed (see [`Configuration::holds_addresses`]). A branch then waits for
//! that word too. Three things follow for data, as measured with two wait states and with code in
//! SRAM:
//! - An address of a fetch that the memory of the code bus has seen alone goes before data.
//! - Otherwise data goes first. On the system bus the registered request does.
//! - A fetch that comes to the system bus with the data of a store is put off by a cycle. So is a
//!   load behind that store, on any bus.
//!
//! [`Configuration::holds_addresses`]: crate::processor::Configuration::holds_addresses

mod state;

use super::front::{Asks, Front};
use super::ports::{is_code, same_bus};
use crate::processor::bus::{FrontTiming, Port, RegionTiming};

/// The cycle is unknown.
const UNKNOWN: u64 = u64::MAX;

/// The address of a word that no branch goes to.
const NOWHERE: u32 = u32::MAX;

/// The words on their way and the buses.
#[derive(Clone, Debug)]
pub struct Transfers {
    /// The words whose addresses are taken, the older first: the cycle in which each is in the
    /// queue, and the number of its halfwords. There is none if a branch has emptied the queue
    /// since.
    arrives: [u64; 2],
    halfwords: [u8; 2],
    count: u8,
    /// The halfwords of the queue that are spoken for.
    expected: u8,
    /// An address waits on a bus: of the first halfword that counts, and whether that does.
    waits: bool,
    waiting: u32,
    waiting_wanted: bool,
    /// The target of the latest conditional branch that was not taken, or that an IT block skipped.
    passed_by: u32,
    /// Words come over the code bus, without wait states, and did so before.
    quick: bool,
    /// The memory of the words, and the front ends of this and other memories.
    region: RegionTiming,
    fronts: Vec<Front>,
    /// An address stays on a bus until the memory takes it.
    holds: bool,
    /// The cycle in which the newest word has arrived, and its port.
    arrived: u64,
    arrived_port: Port,
    /// The code bus: the first cycle in which it can take an address, the cycle in which it last
    /// took one of data, and `true` if it has seen the address of a fetch alone.
    code_free: u64,
    data_taken: u64,
    locked: bool,
    /// The system bus: a registered request and the cycle from which it drives the address, the
    /// first cycle with a free address phase, the cycle of the last write's address phase, when
    /// the next request can be registered, and the last cycle in which a write put a fetch off.
    request: Option<u64>,
    slot: u64,
    last_write: u64,
    request_free: u64,
    put_off: u64,
}

impl Transfers {
    /// Nothing is on its way. The head of this file explains `holds`.
    pub fn new(region: RegionTiming, fronts: Vec<Front>, holds: bool) -> Self {
        Self {
            arrives: [UNKNOWN; 2],
            halfwords: [0; 2],
            count: 0,
            expected: 0,
            waits: false,
            waiting: 0,
            waiting_wanted: false,
            passed_by: NOWHERE,
            quick: false,
            region,
            fronts,
            holds,
            arrived: 0,
            arrived_port: region.port,
            code_free: 0,
            data_taken: 0,
            locked: false,
            request: None,
            slot: 0,
            last_write: UNKNOWN,
            request_free: 0,
            put_off: UNKNOWN,
        }
    }

    /// Returns the number of halfwords of the queue that are reserved, in whole words.
    #[inline(always)]
    pub fn expected(&self) -> u8 {
        self.expected
    }

    /// Returns `true` if nothing happens on the buses unless somebody asks.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.count == 0 && !self.waits && self.request.is_none()
    }

    /// Returns `true` if a word can be asked for.
    #[inline(always)]
    pub fn can_ask(&self) -> bool {
        !self.waits && self.count < 2
    }

    /// Returns `true` if an address, once presented, stays.
    #[inline]
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// Returns `true` if instructions come, or a last one still comes, over the system bus.
    #[inline]
    pub fn use_system_bus(&self) -> bool {
        !is_code(self.region.port) || self.request.is_some()
    }

    /// Returns the number of cycles from a request to the first cycle in which its word can be
    /// decoded, if nothing delays it.
    #[inline]
    pub fn latency(&self) -> u64 {
        let unregistered = is_code(self.region.port);
        (if unregistered { 2 } else { 3 }) + u64::from(self.region.read_wait_states)
    }

    /// Asks for the word at `address` in `cycle`.
    #[inline(always)]
    pub fn ask(&mut self, cycle: u64, address: u32) {
        self.expect(address);
        if self.quick && cycle >= self.code_free {
            // Nothing is in the way.
            self.code_free = cycle + 1;
            self.take(cycle + 2);
        } else {
            self.present(cycle);
        }
    }

    /// Asks for the word at `address`. Its address waits.
    #[inline(always)]
    fn expect(&mut self, address: u32) {
        self.waits = true;
        self.waiting = address;
        self.waiting_wanted = true;
        self.expected += 2;
    }

    /// From now on, words come from `region`, beginning with the word of `target`. If this word is
    /// on its way and its address still waits, it stays: the function returns `true`.
    #[inline]
    pub fn redirect(&mut self, target: u32, region: RegionTiming) -> bool {
        self.quick &= is_code(region.port) && region.read_wait_states == 0 && region.front == 0;
        self.region = region;
        self.forget();
        if !self.waits || self.waiting & !3 != target & !3 {
            return false;
        }
        self.expect(target);
        true
    }

    /// Drops all words on their way.
    #[inline]
    pub fn forget(&mut self) {
        self.waits &= self.holds;
        self.waiting_wanted = false;
        self.halfwords = [0; 2];
        self.expected = 0;
    }

    /// In `cycle` asks for the target of a conditional branch, and gives it up in the next cycle.
    /// Returns the address of a word that must be asked for again, because the target has taken its
    /// place. A target that the code bus has seen stays there; the request register has not seen
    /// the target yet.
    pub fn speculate(&mut self, cycle: u64) -> Option<u32> {
        if self.can_ask() {
            (self.waits, self.waiting, self.waiting_wanted) = (true, NOWHERE, false);
            self.present(cycle);
            self.waits &= self.holds;
            return None;
        }
        let waited = self.waits && self.waiting_wanted;
        self.present(cycle);
        let replaced = if self.holds { !is_code(self.region.port) } else { !self.waits };
        if !waited || !replaced {
            return None;
        }
        self.waiting_wanted = false;
        if !self.waits {
            self.halfwords[usize::from(self.count) - 1] = 0;
        }
        self.expected -= 2;
        Some(self.waiting)
    }

    /// Does the buses' work in `cycle` for an address that waits, and for a registered request.
    #[inline(always)]
    pub fn present(&mut self, cycle: u64) {
        if self.request.is_some() {
            self.address_phase(cycle);
        }
        if !self.waits {
            return;
        }
        if is_code(self.region.port) {
            self.present_to_code_bus(cycle);
        } else {
            self.register_request(cycle);
        }
    }

    /// The halfwords that are in the queue from `cycle` on.
    #[inline(always)]
    pub fn arrive(&mut self, cycle: u64) -> u8 {
        if self.count == 0 || self.arrives[0] > cycle {
            return 0;
        }
        let halfwords = self.halfwords[0];
        self.arrives[0] = self.arrives[1];
        self.halfwords[0] = self.halfwords[1];
        self.count -= 1;
        self.expected -= if halfwords == 0 { 0 } else { 2 };
        halfwords
    }

    /// The bus has taken the address that waited.
    #[inline(always)]
    fn take(&mut self, arrives: u64) {
        let index = usize::from(self.count & 1);
        let halfwords = 2 - (self.waiting >> 1 & 1) as u8;
        self.arrives[index] = arrives;
        self.halfwords[index] = if self.waiting_wanted { halfwords } else { 0 };
        self.count += 1;
        self.waits = false;
        self.arrived = arrives;
        self.arrived_port = self.region.port;
    }

    /// The bus that was fetched from last must have delivered before another can be used.
    #[inline]
    fn may_change_bus(&self, cycle: u64) -> bool {
        same_bus(self.arrived_port, self.region.port) || cycle >= self.arrived
    }

    #[inline(always)]
    fn present_to_code_bus(&mut self, cycle: u64) {
        if cycle < self.code_free {
            self.locked |= self.holds && cycle > self.data_taken;
            return;
        }
        if self.request.is_some() || !self.may_change_bus(cycle) {
            return;
        }
        self.locked = false;
        self.quick = self.region.read_wait_states == 0 && self.region.front == 0;
        self.code_free = cycle + 1 + self.wait_states_of_fetch(cycle);
        self.take(self.code_free + 1);
    }

    /// Those of the word whose address is taken in `cycle`. A front end looks for the target of a
    /// branch that is not taken too, and may lose a line for it: that nobody wants the word turns
    /// out too late.
    #[inline]
    fn wait_states_of_fetch(&mut self, cycle: u64) -> u64 {
        match self.region.front {
            0 => u64::from(self.region.read_wait_states),
            front if self.waiting == NOWHERE => {
                self.read_front(front, self.passed_by, cycle, Asks::Fetch)
            }
            front => self.read_front(front, self.waiting, cycle, Asks::Fetch),
        }
    }

    /// The target of a branch that is not taken.
    #[inline]
    pub fn pass_by(&mut self, target: u32) {
        self.passed_by = target;
    }

    /// The wait states of a read, whose address is taken in `cycle`, through a front end.
    #[cold]
    pub fn read_front(&mut self, front: u8, address: u32, cycle: u64, asks: Asks) -> u64 {
        let place = usize::from(front).wrapping_sub(1);
        self.fronts.get_mut(place).map_or(0, |front| front.read(address, cycle, asks))
    }

    /// The program has set the front ends otherwise.
    pub fn set_fronts(&mut self, fronts: &[FrontTiming]) {
        for (front, timing) in self.fronts.iter_mut().zip(fronts) {
            front.set(timing.settings);
        }
    }

    /// Replaces the front ends by new ones, which hold nothing yet.
    pub fn replace_fronts(&mut self, fronts: Vec<Front>) {
        self.passed_by = NOWHERE;
        self.fronts = fronts;
    }

    /// The code bus takes no further address before `cycle`.
    pub fn hold_code_bus(&mut self, cycle: u64) {
        self.code_free = cycle;
    }

    fn register_request(&mut self, cycle: u64) {
        if self.request.is_some() || cycle < self.request_free || !self.may_change_bus(cycle) {
            return;
        }
        self.request = Some(cycle + 1);
        self.take(UNKNOWN);
    }

    /// A registered request drives the system bus's address in `cycle`, if the bus is free. A read
    /// behind a write waits a cycle for the memory's single port.
    #[inline]
    fn address_phase(&mut self, cycle: u64) {
        if self.request.is_none_or(|since| since > cycle) || cycle < self.slot {
            return;
        }
        let behind_write = self.last_write != UNKNOWN && self.last_write + 1 == cycle;
        if behind_write {
            self.put_off = cycle;
        }
        let wait = u64::from(self.region.read_wait_states) + u64::from(behind_write);
        self.request = None;
        self.slot = cycle + 1 + wait;
        self.request_free = self.slot;
        self.last_write = UNKNOWN;
        self.arrived = cycle + 2 + wait;
        let first = self.arrives[0] == UNKNOWN;
        self.arrives[usize::from(!first)] = self.arrived;
    }
}

/// Data on the buses. The fetch unit has decided all cycles before the one in question.
impl Transfers {
    /// Returns `true` if data on the code bus in `cycle` finds the bus free, or has used it without
    /// a pause since its last service. Then fetches don't matter to the data.
    #[inline]
    pub fn data_is_served(&self, cycle: u64) -> bool {
        cycle <= self.data_taken + 1
    }

    /// Until when data that comes to the code bus in `cycle` must let a fetch go first.
    #[inline]
    pub fn fetch_goes_first(&self, cycle: u64) -> Option<u64> {
        self.locked.then(|| self.code_free.max(cycle) + 1)
    }

    /// Data takes the first address phase of the code bus from `cycle` on.
    #[inline]
    pub fn claim_code_bus(&mut self, cycle: u64, wait_states: u8) -> u64 {
        self.data_taken = cycle.max(self.code_free);
        self.locked = false;
        self.code_free = self.data_taken + 1 + u64::from(wait_states);
        self.data_taken
    }

    /// Takes the address phase of the system bus in `cycle` for data. Returns `true` if the data
    /// got it.
    #[inline]
    pub fn claim_system_bus(&mut self, cycle: u64, write: bool, wait_states: u8) -> bool {
        if self.request.is_some() {
            self.address_phase(cycle);
        }
        let contested = self.request.is_some_and(|since| since <= cycle);
        if cycle < self.slot || contested {
            return false;
        }
        self.slot = cycle + 1 + u64::from(wait_states);
        self.last_write = if write { cycle } else { UNKNOWN };
        true
    }

    /// Returns `true` if a fetch came to the system bus together with the data of the last store. A
    /// load behind that store could follow in `cycle`.
    #[inline]
    pub fn has_put_off(&self, cycle: u64) -> bool {
        self.put_off != UNKNOWN && self.put_off + 1 == cycle
    }

    /// All that was under way has come to an end by `now`.
    pub fn settle(&mut self, now: u64) {
        self.count = 0;
        self.waits = false;
        self.expected = 0;
        self.arrived = now;
        self.arrived_port = self.region.port;
    }
}
