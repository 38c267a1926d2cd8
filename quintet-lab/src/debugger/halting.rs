//! What a debugger needs of a machine, whichever core it has.

use quintet_sim::bus::WatchedRange;
use quintet_sim::cores::Core;
use quintet_sim::machine::{Machine, Stop, Watch};
use quintet_sim::processor::SEMIHOSTING;
use quintet_sim::riscv::machine::Machine as RiscV;
use quintet_sim::riscv::trap;
use quintet_sim::snapshot::Snapshot;

/// A machine that a debugger halts, steps and sets back.
pub trait Halting: Core {
    /// A state to go back to.
    type State: Clone;

    /// From now on, a breakpoint instruction halts the core.
    fn attach(&mut self);

    /// Halts the core as a probe does: its pipeline drains.
    fn halt(&mut self);

    /// Resets the board.
    fn restart(&mut self);

    /// Returns `true` if the next step executes the instruction at the program counter.
    fn is_instruction_next(&mut self) -> bool;

    /// Returns `true` if the instruction at `address` is a breakpoint for the debugger, and no
    /// request of semihosting.
    fn is_breakpoint(&self, address: u32) -> bool;

    /// Goes on behind the breakpoint instruction at the program counter.
    fn skip_breakpoint(&mut self);

    /// Returns `true` if the core sleeps.
    fn is_asleep(&self) -> bool;

    /// Holds exceptions that can wait off, or lets them come again; without effect on a core that
    /// has no such mask for debuggers.
    fn mask_interrupts(&mut self, on: bool);

    /// Replaces the watched ranges.
    fn watch_ranges(&mut self, ranges: &[WatchedRange]);

    /// Returns `true` if a handler is that of a fault.
    fn is_fault(handler: u16) -> bool;

    /// Executes one instruction, or enters a handler, or sleeps until the next event. Returns the
    /// stop, and which of the watched ranges was accessed.
    fn step_watching(&mut self, watches: &[WatchedRange]) -> (Option<Stop>, Option<WatchedRange>);

    /// Returns the present state.
    fn save(&mut self) -> Self::State;

    /// Goes back to a state of this machine.
    fn go_back(&mut self, state: &Self::State);
}

impl Halting for Machine {
    type State = Snapshot;

    fn attach(&mut self) {
        self.processor.attach_debugger(true);
    }

    fn halt(&mut self) {
        self.debug_halt();
    }

    fn restart(&mut self) {
        self.reset();
        self.processor.attach_debugger(true);
    }

    fn is_instruction_next(&mut self) -> bool {
        self.processor.is_instruction_next()
    }

    fn is_breakpoint(&self, address: u32) -> bool {
        let mut halfword = [0; 2];
        let readable = self.read_memory(address, &mut halfword).is_ok();
        readable && halfword[1] == 0xbe && halfword[0] != SEMIHOSTING
    }

    fn skip_breakpoint(&mut self) {
        self.skip_breakpoint();
    }

    fn is_asleep(&self) -> bool {
        self.processor.is_asleep()
    }

    fn mask_interrupts(&mut self, on: bool) {
        self.processor.mask_interrupts(on);
    }

    fn watch_ranges(&mut self, ranges: &[WatchedRange]) {
        self.clear_watches();
        for range in ranges {
            self.watch(Watch::Memory(*range));
        }
    }

    /// HardFault to UsageFault.
    #[inline]
    fn is_fault(handler: u16) -> bool {
        (3..=6).contains(&handler)
    }

    #[inline]
    fn step_watching(&mut self, _: &[WatchedRange]) -> (Option<Stop>, Option<WatchedRange>) {
        match self.step() {
            Some(Stop::Watch(hit)) => match hit.watch {
                Watch::Memory(range) => (None, Some(range)),
                Watch::Register(_) => (None, None),
            },
            stop => (stop, None),
        }
    }

    fn save(&mut self) -> Snapshot {
        self.snapshot()
    }

    fn go_back(&mut self, state: &Snapshot) {
        self.restore(state);
    }
}

/// An EBREAK, long and short, and the instruction in front of one that asks for a service.
const LONG: u32 = 0x0010_0073;
const SHORT: u32 = 0x9002;
const SERVICE: u32 = 0x01f0_1013;

impl Halting for RiscV {
    type State = quintet_sim::riscv::snapshot::Snapshot;

    fn attach(&mut self) {
        self.hart.halts_at_breakpoint = true;
    }

    /// No pipeline of these cores has a model of what a halt does to it.
    fn halt(&mut self) {}

    fn restart(&mut self) {
        self.reset();
    }

    fn is_instruction_next(&mut self) -> bool {
        self.hart.is_instruction_next()
    }

    fn is_breakpoint(&self, address: u32) -> bool {
        let bits = self.bits(address).unwrap_or(0);
        let is_service = self.bits(address.wrapping_sub(4)) == Some(SERVICE);
        bits & 0xffff == SHORT || bits == LONG && !is_service
    }

    fn skip_breakpoint(&mut self) {
        self.hart.skip_breakpoint();
    }

    fn is_asleep(&self) -> bool {
        false
    }

    fn mask_interrupts(&mut self, _: bool) {}

    fn watch_ranges(&mut self, ranges: &[WatchedRange]) {
        self.hart.bus.system.watch(ranges.to_vec());
    }

    /// All exceptions but the calls of an environment.
    #[inline]
    fn is_fault(handler: u16) -> bool {
        handler != 0
            && !trap::is_interrupt(handler)
            && ![trap::cause::CALL_FROM_USER, trap::cause::CALL_FROM_MACHINE]
                .map(trap::handler_number)
                .contains(&handler)
    }

    #[inline]
    fn step_watching(&mut self, watches: &[WatchedRange]) -> (Option<Stop>, Option<WatchedRange>) {
        let stop = self.step_within(u64::MAX);
        let access = self.hart.bus.system.take_access();
        let range = |access| watches.iter().find(|range| range.matches(&access)).copied();
        (stop, access.and_then(range))
    }

    fn save(&mut self) -> Self::State {
        self.snapshot()
    }

    fn go_back(&mut self, state: &Self::State) {
        self.restore(state);
    }
}
