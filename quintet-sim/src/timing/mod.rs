//! The pipeline: the cycle of each step of the processor.
//!
//! The processor reports each instruction to the pipeline, in order, during its execution. The
//! pipeline answers with the cycle of each bus access and keeps [`Pipeline::now`].
//!
//! Three stages: fetch into a queue of words (`fetch`, over `transfers`), `decode`, `execute`. An
//! instruction enters the decode stage when its last halfword has arrived and the one before it has
//! left; it enters the execute stage a cycle later at the earliest, if this stage is free. Its time
//! in this stage depends on the bus (`data`) and on the address where execution goes on (`branch`,
//! `exceptions`). Nothing is ticked: each stage is known by the first cycle in which it is free.
//!
//! ```text
//!            decode d │ execute x            behind it
//!  plain              │ 1 cycle
//!  load               │ address x, data x+1  next at x+2, a load or store on the same bus at x+1
//!  store              │ address x, data x+1  next at x+1, a load at x+2
//!  B, BL, Bcc  fetch d│ 1 cycle              the target is fetched from d on, executes at x+2
//!  BX, CBZ            │ fetch x              the target executes at x+3
//! ```

mod branch;
mod data;
mod decode;
mod exceptions;
mod execute;
mod facts;
mod fetch;
mod front;
mod memo;
mod operands;
mod ports;
mod state;
#[cfg(test)]
mod state_tests;
mod table;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
mod transfers;

pub use data::Direction;
pub use facts::{Facts, Kind};
pub use memo::{Inputs, Timing};
pub use state::{Key, NOW};
pub use table::Table;

use crate::processor::bus::{FrontTiming, Port, RegionTiming};
use fetch::Fetch;
use front::Front;
use ports::Ports;

/// The number of core registers.
const REGISTERS: usize = 16;

/// The properties of the last instruction that matter to the instruction behind it.
#[derive(Clone, Copy, Debug)]
struct Previous {
    kind: Kind,
    /// The registers that the instruction writes.
    writes: u16,
    /// The register with the high word of a long multiplication.
    high: u16,
    /// An IT may fold behind the instruction.
    takes_it: bool,
    /// The instruction needs the execute stage's second cycle only for its data.
    waits_for_data: bool,
    /// The instruction is a store whose address shared a cycle with the data of a load.
    overlapped: bool,
}

/// The instruction that the processor is executing.
#[derive(Clone, Copy, Debug)]
struct Current {
    facts: Facts,
    address: u32,
    /// The instruction's condition holds.
    passed: bool,
    /// The cycle in which the instruction entered the decode stage.
    decode: u64,
    /// The target's fetch began in the decode stage.
    early: bool,
    /// The flags on which the instruction depends were being made while it was decoded.
    speculates: bool,
    /// Set if the instruction's load or store may begin while the load before it gets its data, if
    /// both use the same bus: that bus, and the cycle of its beginning otherwise.
    overlap: Option<(Port, u64)>,
    /// The instruction has accessed memory.
    accessed: bool,
    /// The instruction has written the program counter.
    redirected: bool,
}

/// The timing model of the Cortex-M3's pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The table of the core's manual, for a core that has one. Then only three of the fields below
    /// are in use: `fetched`, the word of the instructions fetched last, and the cycles of the
    /// latest accesses.
    table: Option<Table>,
    fetched: u32,
    fetch: Fetch,
    ports: Ports,
    current: Current,
    previous: Previous,
    /// The first cycle in which the next instruction can enter the decode stage.
    decode_free: u64,
    /// The cycle in which the current instruction entered the execute stage.
    start: u64,
    /// The first cycle in which the execute stage is free.
    execute_free: u64,
    /// The bus of the last load, while it is the latest instruction.
    load_bus: Option<Port>,
    /// The cycles of the last address phase and of the last transfer of data.
    last_address: u64,
    transferred: u64,
    /// The first cycle in which a load or a barrier can follow the last store.
    stored: u64,
    /// A fetch may still put that off.
    may_be_put_off: bool,
    /// The cycle in which flags were last made.
    flags_made: u64,
    /// The cycle before the first access of an exception's entry or return.
    exception_began: u64,
    /// The cycle in which an exception's vector arrived.
    vector_read: u64,
    /// For each register, the first cycle in which an execute stage can begin with an address made
    /// of it. Two more places stand for no register; see `execute`.
    address_ready: [u64; REGISTERS + 2],
}

impl Pipeline {
    /// A pipeline after reset, in front of the given memories. `holds_addresses`: see
    /// [`Configuration::holds_addresses`](crate::processor::Configuration::holds_addresses).
    pub fn new(regions: &[RegionTiming], fronts: &[FrontTiming], holds_addresses: bool) -> Self {
        let ports = Ports::new(regions);
        let fronts = fronts.iter().map(Front::new).collect();
        Self {
            table: None,
            fetched: table::NO_WORD,
            fetch: Fetch::new(ports.clone(), fronts, holds_addresses),
            ports,
            current: Current::new(&Facts::NONE, 0, true, 0),
            previous: Previous::NOTHING,
            decode_free: 0,
            start: 0,
            execute_free: 0,
            load_bus: None,
            last_address: 0,
            transferred: 0,
            stored: 0,
            may_be_put_off: false,
            flags_made: u64::MAX,
            exception_began: 0,
            vector_read: 0,
            address_ready: [0; REGISTERS + 2],
        }
    }

    /// The program has changed the settings of front ends.
    pub fn set_fronts(&mut self, fronts: &[FrontTiming]) {
        self.fetch.set_fronts(fronts);
    }

    /// Empties the front ends, and gives them these settings.
    pub fn reset_fronts(&mut self, fronts: &[FrontTiming]) {
        self.fetched = table::NO_WORD;
        self.fetch.replace_fronts(fronts.iter().map(Front::new).collect());
    }

    /// Returns the current cycle since reset: the first cycle in which the execute stage is free
    /// for the next instruction.
    #[inline]
    pub fn now(&self) -> u64 {
        self.execute_free
    }
}

impl Current {
    fn new(facts: &Facts, address: u32, passed: bool, decode: u64) -> Self {
        Self {
            facts: *facts,
            address,
            passed,
            decode,
            early: false,
            speculates: false,
            overlap: None,
            accessed: false,
            redirected: false,
        }
    }
}

impl Previous {
    /// An instruction that the next one need not care about.
    const NOTHING: Self = Self {
        kind: Kind::Plain,
        writes: 0,
        high: 0,
        takes_it: false,
        waits_for_data: false,
        overlapped: false,
    };

    /// The instruction adds to a product. One behind it that is skipped is dropped while that goes
    /// on, before it would ask for the sum as its address.
    #[inline(always)]
    fn accumulates(&self) -> bool {
        match self.kind {
            Kind::MultiplyAccumulate => true,
            Kind::MultiplyLong => self.high == 0,
            _ => false,
        }
    }
}
