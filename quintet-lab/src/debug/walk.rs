//! Backtraces on a core whose traps leave no frame of their own on the stack.
//!
//! The walk goes through calls by the debug information. A handler's frames end where it was
//! entered, and there the simulator knows the registers of the code that was interrupted, so the
//! walk goes on with these. Only in the program itself does it search the stack, and marks what it
//! finds as a guess.

use quintet_sim::cores::{Core, Unwinding};
use quintet_sim::riscv::machine::Machine;
use quintet_sim::riscv::trap::handler_number;

use super::backtrace::{Found, Frame, places};
use crate::firmware::Firmware;

/// Frames beyond this many are not shown.
const FRAMES_MAX: usize = 64;

/// The most words in which the walk searches the stack.
const SEARCH_WORDS_MAX: u32 = 1024;

/// s0 to s11, in the order in which a switch of Quintet's leaves them.
const PRESERVED: [usize; 12] = [8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
/// The word behind them, and the bytes of all.
const LEFT_LINK: u32 = 12;
const LEFT_BYTES: u32 = 64;
/// The end of the path of the function that switches by a call.
const SWITCH: &str = "switch::switch";

/// The call stack of a machine as it stands, the innermost frame first.
pub fn backtrace(firmware: &Firmware, machine: &Machine) -> Vec<Frame> {
    let traps = machine.hart.open_traps();
    let mut frames = Vec::new();
    let mut registers = machine.hart.registers;
    let mut at = (machine.pc(), Found::Current);
    // The stack pointer that each handler found, the innermost last; the program has none.
    for depth in (0..=traps.len()).rev() {
        let trap = depth.checked_sub(1).map(|index| &traps[index]);
        let mut walker = Walker {
            firmware,
            machine,
            unwinding: machine.unwinding(),
            registers: registers.map(Some).to_vec(),
            entry: trap.map(|trap| trap.registers[usize::from(machine.unwinding().stack)]),
            handler: trap.map_or(0, |trap| handler_number(trap.cause)),
            frames,
        };
        walker.push(at.0, at.1);
        while walker.frames.len() < FRAMES_MAX && walker.step() {}
        frames = walker.frames;
        let Some(trap) = trap.filter(|_| frames.len() < FRAMES_MAX) else { break };
        registers = trap.registers;
        at = (trap.from, Found::Interrupted);
    }
    frames
}

/// The call stack of a thread of Quintet's that doesn't run, by what a switch has left on its
/// stack: the registers that a call preserves, the return address, and where the switch goes on.
pub fn suspended(firmware: &Firmware, machine: &Machine, left_at: u32) -> Option<Vec<Frame>> {
    let word = |index: u32| machine.read_word(left_at.checked_add(4 * index)?);
    let unwinding = machine.unwinding();
    let (link, goes_on) = (word(LEFT_LINK)?, word(LEFT_LINK + 1)?);
    let mut registers = vec![None; machine.hart.registers.len()];
    for (index, register) in PRESERVED.into_iter().enumerate() {
        registers[register] = Some(word(index as u32)?);
    }
    registers[usize::from(unwinding.stack)] = left_at.checked_add(LEFT_BYTES);
    let (entry, handler, frames) = (None, 0, Vec::new());
    let mut walker = Walker { firmware, machine, unwinding, registers, entry, handler, frames };
    // A call goes on in the function that switches, and then behind the call. A trap goes on where
    // its frame is left, and what it has interrupted is searched for.
    let is_call = firmware.function(goes_on).is_some_and(|name| name.ends_with(SWITCH));
    if is_call {
        walker.push(link, Found::Caller);
    } else {
        walker.push(goes_on, Found::Interrupted);
    }
    while walker.frames.len() < FRAMES_MAX && walker.step() {}
    Some(walker.frames)
}

struct Walker<'a> {
    firmware: &'a Firmware,
    machine: &'a Machine,
    unwinding: Unwinding,
    registers: Vec<Option<u32>>,
    /// The stack pointer of the code that the handler interrupted.
    entry: Option<u32>,
    handler: u16,
    frames: Vec<Frame>,
}

impl Walker<'_> {
    fn stack(&self) -> Option<u32> {
        *self.registers.get(usize::from(self.unwinding.stack))?
    }

    fn link(&self) -> Option<u32> {
        *self.registers.get(usize::from(self.unwinding.link))?
    }

    fn push(&mut self, address: u32, found: Found) {
        let lookup = match found {
            Found::Current | Found::Interrupted => address,
            // A return address may lie behind the last instruction of its function.
            Found::Caller | Found::Guess => address.wrapping_sub(1),
        };
        let (stack_pointer, exception) = (self.stack(), self.handler);
        let places = places(self.firmware, lookup);
        let registers = self.registers.clone();
        self.frames.push(Frame { address, stack_pointer, found, exception, places, registers });
    }

    /// Finds the next frame of this handler, or of the program. Returns `false` at the end.
    fn step(&mut self) -> bool {
        let Some(last) = self.frames.last() else { return false };
        let is_leaf = matches!(last.found, Found::Current | Found::Interrupted);
        let lookup = if is_leaf { last.address } else { last.address.wrapping_sub(1) };
        let before = self.stack();
        let read = |address: u32| self.machine.read_word(address);
        let debug = &self.firmware.debug;
        let caller = debug.unwind_by(&self.unwinding, &self.registers, lookup, &read);
        let Some((registers, to)) = caller else { return self.without_rules(is_leaf) };
        let now = registers.get(usize::from(self.unwinding.stack)).copied().flatten();
        // The stack must shrink, or the walk could go on for ever. Only a leaf may have used none.
        let makes_progress = now > before || is_leaf && now == before;
        let leaves = self.leaves_handler(before, now);
        let Some(to) = to.filter(|to| self.is_return_address(*to)) else { return false };
        if !makes_progress || leaves {
            return false;
        }
        self.registers = registers;
        self.push(to & !1, Found::Caller);
        true
    }

    /// Returns `true` if a handler's frames end between two values of the stack pointer.
    fn leaves_handler(&self, before: Option<u32>, now: Option<u32>) -> bool {
        let (Some(entry), Some(before), Some(now)) = (self.entry, before, now) else {
            return false;
        };
        before <= entry && now >= entry
    }

    /// Without debug information: what called a leaf is in its link register. The code that enters
    /// a handler has no caller.
    fn without_rules(&mut self, is_leaf: bool) -> bool {
        if self.entry.is_some() {
            return false;
        }
        let link = self.link().filter(|link| is_leaf && self.is_return_address(*link));
        let Some(link) = link else { return self.guess() };
        let is_described = self.firmware.function(link.wrapping_sub(1)).is_some();
        self.registers[usize::from(self.unwinding.link)] = None;
        self.push(link & !1, if is_described { Found::Caller } else { Found::Guess });
        true
    }

    /// Searches the stack upwards for a return address.
    fn guess(&mut self) -> bool {
        let Some(from) = self.stack() else { return false };
        for index in 0..SEARCH_WORDS_MAX {
            let at = from.wrapping_add(index * 4);
            let Some(word) = self.machine.read_word(at) else { continue };
            if self.is_return_address(word) {
                self.registers.fill(None);
                self.registers[usize::from(self.unwinding.stack)] = Some(at.wrapping_add(4));
                self.push(word, Found::Guess);
                return true;
            }
        }
        false
    }

    /// Returns `true` if the value is right behind a call in the image.
    fn is_return_address(&self, value: u32) -> bool {
        let sections = &self.firmware.image.sections;
        let is_code = |address: u32| {
            sections.iter().any(|section| {
                section.executable && address.wrapping_sub(section.address) < section.size
            })
        };
        let is_call = |length: u32| {
            let at = value.wrapping_sub(length);
            let flow = self.machine.bits(at).and_then(|bits| self.machine.flow(at, bits));
            is_code(at) && flow.is_some_and(|flow| flow.length == length && flow.to.is_call())
        };
        value & 1 == 0 && (is_call(4) || is_call(2))
    }
}
