//! A halting debugger on a simulated machine, like a debug probe on a board.
//!
//! The debugger runs the processor until a breakpoint, a BKPT or the end of the program, steps it,
//! and reads it while it is halted. While the processor is halted, no time passes and CYCCNT stands
//! still. A BKPT halts the processor in front of the BKPT. A resume there skips the BKPT without
//! executing it, as probes do. `run --gdb`, `validate` and `bench` use this debugger.

use std::collections::BTreeSet;

use quintet_sim::bus::WatchedRange;
use quintet_sim::machine::{Machine, Stop, Watch, WatchHit};
use quintet_sim::processor::SEMIHOSTING;

/// The address of DWT_CYCCNT.
const CYCLE_COUNTER: u32 = 0xe000_1004;

/// A machine with a debugger attached, halted.
#[derive(Clone)]
pub struct Debugger {
    machine: Machine,
    breakpoints: BTreeSet<u32>,
    masks_steps: bool,
}

/// Why the processor is halted again.
#[derive(Clone, Copy, Debug)]
pub enum Halted {
    /// The processor stands at a breakpoint, or at a BKPT.
    Breakpoint,
    /// The program accessed a watched place. The processor stands behind the instruction that did.
    Watchpoint(WatchHit),
    /// The processor executed one instruction.
    Stepped,
    /// The processor ran as long as it was allowed to.
    Limit,
    /// The simulated program or the machine ended or met something that concerns the user.
    Stopped(Stop),
}

impl Debugger {
    /// Attaches to a machine.
    pub fn attach(mut machine: Machine) -> Self {
        machine.processor.attach_debugger(true);
        machine.debug_halt();
        Self { machine, breakpoints: BTreeSet::new(), masks_steps: false }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the machine, for changes while it is halted.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
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

    /// Takes all breakpoints and watchpoints back.
    pub fn clear_stops(&mut self) {
        self.breakpoints.clear();
        self.machine.clear_watches();
    }

    /// With `true`, steps hold PendSV, SysTick and the interrupts off, as probes do by C_MASKINTS.
    /// The default is `false`. Exceptions that became pending come when the processor runs.
    pub fn mask_steps(&mut self, masks: bool) {
        self.masks_steps = masks;
    }

    /// Returns `true` if steps hold interrupts off.
    pub fn masks_steps(&self) -> bool {
        self.masks_steps
    }

    /// Returns CYCCNT, as a debugger reads it.
    pub fn cycle_counter(&self) -> u32 {
        // Every processor with a DWT has the counter. Other processors count nothing.
        self.machine.read_word(CYCLE_COUNTER).unwrap_or(0)
    }

    /// Halts behind each access to a range of addresses.
    pub fn add_watchpoint(&mut self, range: WatchedRange) {
        self.machine.watch(Watch::Memory(range));
    }

    /// Takes a watchpoint back.
    pub fn remove_watchpoint(&mut self, range: WatchedRange) {
        self.machine.unwatch(&Watch::Memory(range));
    }

    /// Returns `true` if there is a breakpoint at `address`.
    pub fn has_breakpoint(&self, address: u32) -> bool {
        self.breakpoints.contains(&address)
    }

    /// Resets the board and halts the processor before its first instruction.
    pub fn reset(&mut self) {
        self.machine.reset();
        self.machine.processor.attach_debugger(true);
        self.machine.debug_halt();
    }

    /// Runs until something halts the processor, for at most `limit` instructions.
    pub fn resume(&mut self, limit: u64) -> Halted {
        self.resume_while(limit, &mut |_| false)
    }

    /// Runs until the processor halts, or until `go_on` returns `false`. The debugger asks `go_on`
    /// every `chunk` instructions.
    pub fn resume_while(
        &mut self,
        chunk: u64,
        go_on: &mut dyn FnMut(&mut Machine) -> bool,
    ) -> Halted {
        self.skip_breakpoint_instruction();
        let halted = loop {
            if let Some(halted) = self.run_chunk(chunk) {
                break halted;
            }
            if !go_on(&mut self.machine) {
                break Halted::Limit;
            }
        };
        self.machine.debug_halt();
        halted
    }

    /// Executes one instruction. At a BKPT, executes the instruction behind it, as the document's
    /// debugger does.
    pub fn step(&mut self) -> Halted {
        self.skip_breakpoint_instruction();
        // A sleeping processor must wake for exceptions that are held off otherwise, or it never
        // would.
        let masks = self.masks_steps && !self.machine.processor.is_asleep();
        if masks {
            self.machine.processor.mask_interrupts(true);
        }
        let halted = self.run_one().unwrap_or(Halted::Stepped);
        if masks {
            self.machine.processor.mask_interrupts(false);
        }
        self.machine.debug_halt();
        halted
    }

    fn run_chunk(&mut self, instructions: u64) -> Option<Halted> {
        for _ in 0..instructions {
            if let Some(halted) = self.run_one() {
                return Some(halted);
            }
            let is_here = self.breakpoints.contains(&self.machine.pc());
            if is_here && self.machine.processor.is_instruction_next() {
                return Some(Halted::Breakpoint);
            }
        }
        None
    }

    fn run_one(&mut self) -> Option<Halted> {
        match self.machine.step()? {
            Stop::Breakpoint { .. } | Stop::HardwareBreakpoint => Some(Halted::Breakpoint),
            Stop::Watch(hit) => Some(Halted::Watchpoint(hit)),
            other => Some(Halted::Stopped(other)),
        }
    }

    /// Steps over a BKPT without executing it.
    fn skip_breakpoint_instruction(&mut self) {
        if self.is_breakpoint_instruction(self.machine.pc()) {
            self.machine.skip_breakpoint();
        }
    }

    /// Returns `true` if a BKPT for the debugger is at the address; BKPT 0xAB belongs to
    /// semihosting.
    pub fn is_breakpoint_instruction(&self, address: u32) -> bool {
        let mut halfword = [0; 2];
        let readable = self.machine.read_memory(address, &mut halfword).is_ok();
        readable && halfword[1] == 0xbe && halfword[0] != SEMIHOSTING
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
