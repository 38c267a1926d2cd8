//! A halting debugger on a simulated machine, like a debug probe on a board.
//!
//! The debugger runs the processor until a breakpoint, a BKPT or the end of the program, steps it,
//! and reads it while it is halted. While the processor is halted, no time passes and CYCCNT stands
//! still. A BKPT halts the processor in front of the BKPT. A resume there skips the BKPT without
//! executing it, as probes do. `run --gdb`, `validate` and `bench` use this debugger.

mod halting;
pub mod history;

use std::collections::BTreeSet;

use quintet_sim::bus::WatchedRange;
use quintet_sim::machine::{Machine, Stop};

pub use halting::Halting;
use history::{Act, History, Search, Stops};

/// The address of DWT_CYCCNT.
const CYCLE_COUNTER: u32 = 0xe000_1004;

/// A machine with a debugger attached, halted.
#[derive(Clone)]
pub struct Debugger<M: Halting = Machine> {
    machine: M,
    breakpoints: BTreeSet<u32>,
    watches: Vec<WatchedRange>,
    masks_steps: bool,
    /// `false` if a halt leaves no trace in the run.
    drains: bool,
    /// `true` if the entry of a fault's handler halts.
    catches_faults: bool,
    /// The handler that runs, as far as faults are caught.
    handler: u16,
    history: Option<History<M>>,
}

/// Why the processor is halted again.
#[derive(Clone, Copy, Debug)]
pub enum Halted {
    /// The processor stands at a breakpoint, or at a BKPT.
    Breakpoint,
    /// The program accessed a watched place. The processor stands behind the instruction that did.
    Watchpoint(WatchedRange),
    /// The handler of a fault was entered. The processor stands before its first instruction.
    Fault(u16),
    /// The processor executed one instruction.
    Stepped,
    /// The processor ran as long as it was allowed to.
    Limit,
    /// The way back ended where the history begins.
    Beginning,
    /// The simulated program or the machine ended or met something that concerns the user.
    Stopped(Stop),
}

impl<M: Halting> Debugger<M> {
    /// Attaches to a machine, as a probe does: each halt empties the pipeline.
    pub fn attach(machine: M) -> Self {
        let mut debugger = Self::observe(machine);
        debugger.drains = true;
        debugger.machine.halt();
        debugger
    }

    /// Attaches to a machine whose run no halt changes.
    pub fn observe(mut machine: M) -> Self {
        machine.attach();
        Self {
            machine,
            breakpoints: BTreeSet::new(),
            watches: Vec::new(),
            masks_steps: false,
            drains: false,
            catches_faults: false,
            handler: 0,
            history: None,
        }
    }

    /// Remembers the way from here on, so that the debugger can go back.
    pub fn remember(&mut self) {
        self.history = Some(History::new(&mut self.machine));
    }

    /// The machine.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Returns the machine of a debugger that doesn't remember, for changes while it is halted.
    pub fn machine_mut(&mut self) -> &mut M {
        debug_assert!(self.history.is_none(), "a history doesn't know what changes");
        &mut self.machine
    }

    /// Changes the machine by hand. The history begins anew then, because steps before the change
    /// would not lead to it.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut M) -> R) -> R {
        let result = change(&mut self.machine);
        if let Some(history) = &mut self.history {
            history.begin_anew(&mut self.machine);
        }
        result
    }

    /// Hands the machine to `take`, which takes its output. What the program prints again, after
    /// the debugger went back, is dropped.
    pub fn print(&mut self, take: &mut dyn FnMut(&mut M)) {
        match &mut self.history {
            Some(history) if history.is_past() => drop(self.machine.take_output()),
            Some(history) => {
                take(&mut self.machine);
                history.printed();
            }
            None => take(&mut self.machine),
        }
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.machine.pc()
    }

    /// Halts before every execution of the instruction at `address`.
    pub fn add_breakpoint(&mut self, address: u32) {
        self.breakpoints.insert(address & !1);
    }

    /// Takes a breakpoint back. Returns `false` if there was none.
    pub fn remove_breakpoint(&mut self, address: u32) -> bool {
        self.breakpoints.remove(&(address & !1))
    }

    /// Replaces all breakpoints.
    pub fn set_breakpoints(&mut self, addresses: impl IntoIterator<Item = u32>) {
        self.breakpoints = addresses.into_iter().map(|address| address & !1).collect();
    }

    /// With `true`, the entry of a fault's handler halts the processor. The default is `false`.
    pub fn catch_faults(&mut self, catches: bool) {
        self.catches_faults = catches;
        self.handler = self.machine.handler();
    }

    /// Takes all breakpoints and watchpoints back.
    pub fn clear_stops(&mut self) {
        self.breakpoints.clear();
        self.set_watchpoints(Vec::new());
    }

    /// With `true`, steps hold PendSV, SysTick and the interrupts off, as probes do by C_MASKINTS.
    /// The default is `false`. Exceptions that became pending come when the processor runs. A core
    /// of RISC-V has no such mask.
    pub fn mask_steps(&mut self, masks: bool) {
        self.masks_steps = masks;
    }

    /// Returns `true` if steps hold interrupts off.
    pub fn masks_steps(&self) -> bool {
        self.masks_steps
    }

    /// Halts behind each access to a range of addresses.
    pub fn add_watchpoint(&mut self, range: WatchedRange) {
        self.watches.push(range);
        self.machine.watch_ranges(&self.watches);
    }

    /// Takes a watchpoint back. Returns `false` if there was none.
    pub fn remove_watchpoint(&mut self, range: WatchedRange) -> bool {
        let count = self.watches.len();
        self.watches.retain(|watched| *watched != range);
        self.machine.watch_ranges(&self.watches);
        self.watches.len() < count
    }

    /// Replaces all watchpoints.
    pub fn set_watchpoints(&mut self, ranges: Vec<WatchedRange>) {
        self.watches = ranges;
        self.machine.watch_ranges(&self.watches);
    }

    /// Returns `true` if there is a breakpoint at `address`.
    pub fn has_breakpoint(&self, address: u32) -> bool {
        self.breakpoints.contains(&address)
    }

    /// Resets the board and halts the processor before its first instruction.
    pub fn reset(&mut self) {
        self.change(Halting::restart);
        self.halt();
    }

    /// Runs until something halts the processor, for at most `limit` instructions.
    pub fn resume(&mut self, limit: u64) -> Halted {
        self.resume_while(limit, &mut |_| false)
    }

    /// Runs until the processor halts, or until `go_on` returns `false`. The debugger asks `go_on`
    /// every `chunk` instructions.
    pub fn resume_while(&mut self, chunk: u64, go_on: &mut dyn FnMut(&mut Self) -> bool) -> Halted {
        self.skip_breakpoint_instruction();
        let halted = loop {
            if let Some(halted) = self.run_chunk(chunk) {
                break halted;
            }
            if !go_on(self) {
                break Halted::Limit;
            }
        };
        self.halt();
        halted
    }

    /// Executes one instruction. At a BKPT, executes the instruction behind it, as the document's
    /// debugger does.
    pub fn step(&mut self) -> Halted {
        self.skip_breakpoint_instruction();
        // A sleeping processor must wake for exceptions that are held off otherwise, or it never
        // would.
        let masks = self.masks_steps && !self.machine.is_asleep();
        if masks {
            self.note(Act::Mask);
            self.machine.mask_interrupts(true);
        }
        let halted = self.run_one().unwrap_or(Halted::Stepped);
        if masks {
            self.machine.mask_interrupts(false);
        }
        self.halt();
        halted
    }

    /// Goes to the last place before this one that a search finds. Returns `None` if `go_on` has
    /// broken off, and without a history.
    pub fn go_back(
        &mut self,
        search: &mut impl Search<M>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Halted> {
        let history = self.history.as_mut()?;
        self.machine.watch_ranges(&[]);
        let found = history.search(&mut self.machine, search, &[], go_on);
        self.machine.watch_ranges(&self.watches);
        Some(found?.map_or(Halted::Beginning, |_| Halted::Stepped))
    }

    /// Goes back by one step.
    pub fn step_back(&mut self) -> Halted {
        let Some(history) = self.history.as_mut() else { return Halted::Beginning };
        let Some(place) = history.now().checked_sub(1) else { return Halted::Beginning };
        history.go_to(&mut self.machine, place);
        Halted::Stepped
    }

    /// Runs backwards to the last breakpoint, or to the instruction of the last access that a
    /// watchpoint sees. Returns `None` if `go_on` has broken off.
    pub fn resume_back(&mut self, go_on: &mut dyn FnMut() -> bool) -> Option<Halted> {
        let history = self.history.as_mut()?;
        let mut search = Stops { breakpoints: &self.breakpoints, accessed: None };
        let found = history.search(&mut self.machine, &mut search, &self.watches, go_on)?;
        Some(match (found, search.accessed) {
            (None, _) => Halted::Beginning,
            (Some(_), Some(range)) => Halted::Watchpoint(range),
            (Some(_), None) => Halted::Breakpoint,
        })
    }

    /// The number of steps since the history began; 0 without one.
    pub fn place(&self) -> u64 {
        self.history.as_ref().map_or(0, History::now)
    }

    fn note(&mut self, act: Act) {
        if let Some(history) = &mut self.history {
            history.act(act);
        }
    }

    fn halt(&mut self) {
        if self.drains {
            self.machine.halt();
            self.note(Act::Halt);
        }
    }

    fn run_chunk(&mut self, instructions: u64) -> Option<Halted> {
        for _ in 0..instructions {
            if let Some(halted) = self.run_one() {
                return Some(halted);
            }
            let is_here = self.breakpoints.contains(&self.machine.pc());
            if is_here && self.machine.is_instruction_next() {
                return Some(Halted::Breakpoint);
            }
        }
        None
    }

    fn run_one(&mut self) -> Option<Halted> {
        let (stop, watched) = self.machine.step_watching(&self.watches);
        if let Some(history) = &mut self.history {
            history.step(&mut self.machine);
        }
        if self.catches_faults && stop.is_none() {
            let handler = self.machine.handler();
            let before = std::mem::replace(&mut self.handler, handler);
            if handler != before && M::is_fault(handler) && !M::is_fault(before) {
                return Some(Halted::Fault(handler));
            }
        }
        match stop {
            None => watched.map(Halted::Watchpoint),
            Some(Stop::Breakpoint { .. } | Stop::HardwareBreakpoint) => Some(Halted::Breakpoint),
            Some(other) => Some(Halted::Stopped(other)),
        }
    }

    /// Steps over a BKPT without executing it.
    fn skip_breakpoint_instruction(&mut self) {
        if self.machine.is_breakpoint(self.machine.pc()) {
            self.note(Act::Skip);
            self.machine.skip_breakpoint();
        }
    }

    /// Returns `true` if a BKPT for the debugger is at the address; BKPT 0xAB belongs to
    /// semihosting.
    pub fn is_breakpoint_instruction(&self, address: u32) -> bool {
        self.machine.is_breakpoint(address)
    }
}

impl Debugger {
    /// Returns CYCCNT, as a debugger reads it.
    pub fn cycle_counter(&self) -> u32 {
        // Every processor with a DWT has the counter. Other processors count nothing.
        self.machine.read_word(CYCLE_COUNTER).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::Board;
    use quintet_sim::image::Image;

    /// A loop that counts in R2 and sleeps until SysTick, whose handler counts in R3.
    fn sleeper() -> Debugger {
        let code: [u16; 14] = [
            0x4804, // LDR R0, the address of SYST_CSR
            0x2128, // MOVS R1, #40
            0x6041, // STR R1, [R0, #4]
            0x6081, // STR R1, [R0, #8]
            0x2107, // MOVS R1, #7
            0x6001, // STR R1, [R0]
            0x3201, // ADDS R2, #1
            0xbf30, // WFI
            0xe7fc, // B to the line before the last
            0xbf00, 0xe010, 0xe000, // the address
            0x3301, // ADDS R3, #1, at 0x58
            0x4770, // BX LR
        ];
        let mut image = 0x2000_1000_u32.to_le_bytes().to_vec();
        image.extend(0x41_u32.to_le_bytes());
        image.extend(0x59_u32.to_le_bytes().repeat(14));
        image.extend(code.iter().flat_map(|half| half.to_le_bytes()));
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        machine.load(&Image::raw(&image, 0).unwrap()).unwrap();
        machine.reset();
        Debugger::attach(machine)
    }

    #[test]
    fn masked_steps_pass_a_wfi_and_come_to_no_handler() {
        for masks in [true, false] {
            let mut debugger = sleeper();
            debugger.mask_steps(masks);
            for _ in 0..200 {
                assert!(matches!(debugger.step(), Halted::Stepped));
            }
            let registers = debugger.machine().processor.registers.r;
            assert!(registers[2] > 20, "{registers:x?}");
            assert_eq!(registers[3] == 0, masks);
        }
    }
}
