//! Exceptions, sleep and halts as the pipeline sees them: the frame's accesses, the vector, the new
//! target.
//!
//! ```text
//!  entry       8 address phases of the frame from the boundary on; the vector beside them when
//!              the table is on the code bus, behind them otherwise; the handler executes when
//!              both its fetch and the frame are done
//!  tail-chain  BX LR executes r ── vector r+1 ── fetch r+3 ── handler executes r+6
//!  return      BX LR executes r ── frame from r+1 on, PC first ── goes on in r+10
//! ```
//!
//! With zero wait states this gives the documented 12, 6 and 10 cycles; with a vector table behind
//! the system bus, 16 to entry, as measured on a CC2650.

use super::facts::Facts;
use super::ports::is_code;
use super::{Direction, Kind, Pipeline, Previous};

impl Pipeline {
    /// Begins an exception entry, and empties the queue. Stacking follows as [`Pipeline::data`],
    /// the vector as [`Pipeline::vector`], then [`Pipeline::entered`].
    pub fn enter_exception(&mut self, tail_chained: bool) {
        if !tail_chained {
            self.last_address = self.execute_free - 1;
            if self.table.is_none() {
                self.fetch.pause(self.execute_free);
            }
        }
        self.exception_began = self.last_address;
        self.begin_sequence(Kind::Stacking);
    }

    /// Reads the vector at `address`. Returns the cycle of the transfer.
    pub fn vector(&mut self, address: u32) -> u64 {
        if self.table.is_some() {
            return self.data(address, Direction::Read);
        }
        let beside = is_code(self.ports.at(address).port);
        let (frame_end, frame_transferred) = (self.last_address, self.transferred);
        if beside {
            (self.last_address, self.transferred) = (self.exception_began, 0);
        }
        let free = self.execute_free;
        let transfer = self.data(address, Direction::Read);
        self.execute_free = free;
        self.last_address = frame_end.max(self.last_address);
        self.transferred = frame_transferred.max(transfer);
        self.vector_read = transfer;
        transfer
    }

    /// The handler's first instruction at `target` may be fetched.
    pub fn entered(&mut self, target: u32) {
        match self.table.map(Self::entry_and_return) {
            Some((entry, _)) => self.go_on_by_table(entry),
            None => self.go_on(target, self.vector_read + 1),
        }
    }

    /// Begins an exception return: an EXC_RETURN value was loaded into the PC. Unstacking follows
    /// as [`Pipeline::data`], the PC first, then [`Pipeline::returned`]. If the return tail-chains,
    /// [`Pipeline::enter_exception`] follows.
    pub fn return_exception(&mut self) {
        // Only in the execute stage does LR turn out to hold no address.
        self.current.early = false;
        let start = if self.table.is_some() {
            self.execute_free - 1
        } else {
            let (stop, start) = self.redirection();
            self.fetch.pause(stop);
            start
        };
        self.current.redirected = true;
        self.last_address = start;
        self.exception_began = start;
        self.begin_sequence(Kind::Unstacking);
    }

    /// The interrupted instruction at `target` may be fetched.
    pub fn returned(&mut self, target: u32) {
        match self.table.map(Self::entry_and_return) {
            Some((_, of_return)) => self.go_on_by_table(of_return),
            // The PC is the first word of the frame to be read.
            None => self.go_on(target, self.exception_began + 3),
        }
    }

    /// The processor sleeps (WFI, WFE, sleep-on-exit) until `cycle`.
    pub fn sleep_until(&mut self, cycle: u64) {
        self.execute_free = self.execute_free.max(cycle);
        self.last_address = self.last_address.max(cycle);
    }

    /// Takes back the instruction that was just issued: a BKPT halts before it.
    pub fn withdraw(&mut self) {
        self.execute_free = self.start;
    }

    /// Returns the cycle in which the current instruction entered the execute stage.
    #[inline]
    pub fn started(&self) -> u64 {
        self.start
    }

    /// Ends the current instruction in `cycle`, without an effect.
    pub fn abandon(&mut self, cycle: u64) {
        self.execute_free = cycle;
    }

    /// The execute stage stands empty until `cycle`.
    pub fn wait_until(&mut self, cycle: u64) {
        self.execute_free = self.execute_free.max(cycle);
    }

    /// A debugger lets the processor go on at `target`. The cycle counter does not count while the
    /// queue is filled again, so the first instruction executes at once.
    pub fn resume(&mut self, target: u32) {
        let now = self.execute_free.max(1);
        self.execute_free = now;
        self.fetched = super::table::NO_WORD;
        self.fetch.refill(target, now - 1);
        self.decode_free = now - 1;
        self.previous = Previous::NOTHING;
        self.load_bus = None;
        // All that was under way has long come to an end.
        self.address_ready = [0; super::REGISTERS + 2];
        self.stored = 0;
    }

    /// Returns the cycle in which the next instruction, at `address`, can enter the execute stage,
    /// by its fetch and the stage.
    pub fn arrival(&mut self, address: u32, length: u8) -> u64 {
        if self.table.is_some() {
            return self.execute_free;
        }
        let decode = self.fetch.available(address, length, self.decode_free);
        self.execute_free.max(decode + 1)
    }

    fn begin_sequence(&mut self, kind: Kind) {
        self.current.facts = Facts { kind, ..Facts::NONE };
        self.current.overlap = None;
        self.current.early = false;
        self.current.accessed = true;
        self.load_bus = None;
        self.previous = Previous::NOTHING;
    }

    /// Begins the fetch of `target` in `start`. The target executes after this fetch and the frame.
    fn go_on(&mut self, target: u32, start: u64) {
        self.fetch.redirect(target, start, start, start);
        self.decode_free = start;
        self.execute_free = self.arrival(target, 2);
    }
}
