//! Backtraces: the calls that led to the present instruction.
//!
//! The walk goes through calls by the debug information, and through exception frames by the
//! architecture. Where both end, it searches the stack, and marks the results as a guess.

use super::Place;
use super::unwind::KnownRegisters;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;
use quintet_sim::processor::instruction::Operation;
use quintet_sim::processor::registers::Registers;
use quintet_sim::timing::Facts;

/// Frames beyond this many are not shown: a recursion without end has no more to say.
const FRAMES_MAX: usize = 64;

/// The parts of an exception's frame (B1.5.6): registers, their bytes, the place of the status
/// among them, and the status bit that means a word of padding behind the frame.
const FRAME_REGISTERS: [usize; 7] = [0, 1, 2, 3, 12, 14, 15];
const FRAME_BYTES: u32 = 0x20;
/// The further bytes of a frame with floating-point state, which a frame has unless this bit of
/// EXC_RETURN is set.
const FLOAT_BYTES: u32 = 0x48;
const NO_FLOATS: u32 = 0x10;
const FRAME_STATUS: u32 = 0x1c;
const FRAME_IS_PADDED: u32 = 1 << 9;

/// The most words in which the walk searches the stack.
const SEARCH_WORDS_MAX: u32 = 1024;

/// A leaf in assembly is no longer than this, as far as the walk reads it.
const LEAF_BYTES_MAX: u32 = 0x1000;

/// The address to which the kernel lets every thread's function return.
const END_OF_THREAD: &str = "quintet::thread::end_of_thread";

/// The way in which a frame was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// The instruction that the processor was about to execute.
    Current,
    /// A caller, by the debug information.
    Caller,
    /// The code that an exception interrupted, by the frame that the hardware stacked.
    Interrupted,
    /// A word of the stack that looks like a return address. May be left over from an earlier call.
    Guess,
}

/// One line of a backtrace.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Frame {
    /// The instruction's address. For callers, the address of the call's end.
    pub address: u32,
    /// The value of the stack pointer, where known.
    pub stack_pointer: Option<u32>,
    /// The way in which the frame was found.
    pub found: Found,
    /// The exception number of the code; 0 in thread mode.
    pub exception: u16,
    /// The function and line, inlined functions first; at least one entry.
    pub places: Vec<Place>,
    /// The registers of the function, as far as they are known, by DWARF's numbers.
    #[serde(skip)]
    pub registers: Vec<Option<u32>>,
}

/// The state that a backtrace starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoreState {
    /// R0 to R15; R15 is the address of the current instruction.
    pub registers: [u32; 16],
    /// The main stack pointer.
    pub main_stack: u32,
    /// The process stack pointer.
    pub process_stack: u32,
    /// The end of the process stack, one above its highest byte, if it is known. Bytes above belong
    /// to another stack.
    pub process_top: Option<u32>,
    /// IPSR.
    pub exception: u16,
}

impl CoreState {
    /// The state in the processor's registers.
    pub fn of(registers: &Registers) -> Self {
        Self {
            registers: registers.r,
            main_stack: registers.main_stack_pointer(),
            process_stack: registers.process_stack_pointer(),
            process_top: None,
            exception: registers.ipsr,
        }
    }

    /// The state of the thread mode that a handler has interrupted on the process stack, by the
    /// frame there, while the other registers are still that code's.
    pub fn interrupted(registers: &Registers, read: &dyn Fn(u32) -> Option<u32>) -> Option<Self> {
        let mut state = Self::of(registers);
        let frame = state.process_stack;
        let status = read(frame.wrapping_add(FRAME_STATUS))?;
        for (index, number) in (0..).zip(FRAME_REGISTERS) {
            state.registers[number] = read(frame.wrapping_add(4 * index))?;
        }
        let padding = if status & FRAME_IS_PADDED != 0 { 4 } else { 0 };
        // The handler's link register still says how long the frame is.
        let link = registers.r[14];
        let floats =
            if is_exception_return(link) && link & NO_FLOATS == 0 { FLOAT_BYTES } else { 0 };
        state.process_stack = frame.wrapping_add(FRAME_BYTES + floats + padding);
        state.registers[13] = state.process_stack;
        state.exception = 0;
        Some(state)
    }
}

/// The call stack from `state`, the innermost frame first. `read` reads a word of memory.
pub fn backtrace(
    firmware: &Firmware,
    state: &CoreState,
    read: &dyn Fn(u32) -> Option<u32>,
) -> Vec<Frame> {
    let is_end = |name: &str| name.contains("end_of_thread") && demangle(name) == END_OF_THREAD;
    let end = firmware.image.symbols.iter().find(|symbol| is_end(&symbol.name));
    let mut walker = Walker {
        firmware,
        read,
        end_of_thread: end.map(|symbol| symbol.address),
        registers: state.registers.map(Some),
        process_stack: state.process_stack,
        process_top: state.process_top,
        exception: state.exception,
        frames: Vec::new(),
    };
    walker.push(state.registers[15], Found::Current);
    while walker.frames.len() < FRAMES_MAX && walker.step() {}
    walker.frames
}

/// Returns the functions and lines at an address, inlined ones first. There is at least one entry,
/// which names a function or says that there is none.
pub fn places(firmware: &Firmware, address: u32) -> Vec<Place> {
    let mut places = firmware.locate(address);
    if places.iter().all(|place| place.function.is_none()) {
        let function = firmware.describe(address);
        match places.first_mut() {
            Some(place) => place.function = Some(function),
            None => places.push(Place { function: Some(function), ..Place::default() }),
        }
    }
    places
}

struct Walker<'a> {
    firmware: &'a Firmware,
    read: &'a dyn Fn(u32) -> Option<u32>,
    /// The return address of a thread's function, which has no caller.
    end_of_thread: Option<u32>,
    registers: KnownRegisters,
    process_stack: u32,
    process_top: Option<u32>,
    exception: u16,
    frames: Vec<Frame>,
}

impl Walker<'_> {
    fn push(&mut self, address: u32, found: Found) {
        // A return address may lie behind the last instruction of its function, so the lookup takes
        // the address before it.
        let lookup = match found {
            Found::Current | Found::Interrupted => address,
            Found::Caller | Found::Guess => address.wrapping_sub(1),
        };
        let places = places(self.firmware, lookup);
        let stack_pointer = self.registers[13];
        let exception = self.exception;
        let registers = self.registers[..15].to_vec();
        self.frames.push(Frame { address, stack_pointer, found, exception, places, registers });
    }

    /// Finds the next frame. Returns `false` at the end.
    fn step(&mut self) -> bool {
        let Some(last) = self.frames.last() else { return false };
        let lookup = match last.found {
            Found::Current | Found::Interrupted => last.address,
            Found::Caller => last.address.wrapping_sub(1),
            Found::Guess if self.is_first_of_guest(last.address.wrapping_sub(1)) => return false,
            Found::Guess => return self.guess(),
        };
        if self.is_first_of_guest(lookup) {
            return false;
        }
        let leaf = last.found != Found::Caller;
        let link = self.registers[14];
        if let Some(caller) = self.firmware.debug.unwind(&self.registers, lookup, self.read) {
            return self.enter_caller(caller);
        }
        // Without debug information: a leaf routine may not have touched LR and SP.
        match link {
            Some(link) if leaf && is_exception_return(link) => self.leave_exception(link),
            Some(u32::MAX) => false,
            // A jump into nothing: no prologue has run there, so LR is still the value of the
            // jump's call.
            Some(link) if leaf && !self.is_code(lookup) && self.is_return_address(link) => {
                self.registers[14] = None;
                self.push(link & !1, Found::Caller);
                true
            }
            // A leaf in assembly that has left LR and SP alone: what called it is no guess, and its
            // rules of unwinding go on from here.
            Some(link) if leaf && self.is_return_address(link) && self.is_untouched(lookup) => {
                self.registers[14] = None;
                self.push(link & !1, Found::Caller);
                true
            }
            Some(link) if leaf && self.is_return_address(link) => {
                self.registers[14] = None;
                self.push(link & !1, Found::Guess);
                true
            }
            _ => self.guess(),
        }
    }

    fn enter_caller(&mut self, caller: KnownRegisters) -> bool {
        let Some(return_address) = caller[15] else { return false };
        let before = self.registers[13];
        let leaf = self.frames.last().is_some_and(|frame| frame.found != Found::Caller);
        self.registers = caller;
        if is_exception_return(return_address) {
            return self.leave_exception(return_address);
        }
        // The stack must shrink, or the walk could go on forever. Only a leaf may have used none.
        let progress = self.registers[13] > before || leaf;
        // The kernel wrote the return address of a thread's function, which has no caller.
        let ends = before.is_some_and(|before| self.is_beyond(before, self.registers[13]));
        if !progress || ends || !self.is_return_address(return_address) {
            return false;
        }
        self.push(return_address & !1, Found::Caller);
        true
    }

    /// Continues in the code that the exception interrupted. The hardware's frame is on the stack
    /// that the EXC_RETURN value names (B1.5.6, B1.5.8).
    fn leave_exception(&mut self, exc_return: u32) -> bool {
        let on_process_stack = exc_return & 4 != 0;
        let frame = if on_process_stack { Some(self.process_stack) } else { self.registers[13] };
        let Some(frame) = frame else { return false };
        let word = |index: u32| (self.read)(frame.wrapping_add(index * 4));
        let (Some(address), Some(status)) = (word(6), word(7)) else { return false };
        let mut registers: KnownRegisters = self.registers;
        for (index, number) in FRAME_REGISTERS.into_iter().enumerate() {
            registers[number] = word(index as u32);
        }
        // Bit 4 clear: the frame has floating-point registers too. Bit 9 of xPSR: a word of
        // padding.
        let floats = if exc_return & NO_FLOATS == 0 { FLOAT_BYTES } else { 0 };
        let size = FRAME_BYTES + floats;
        let padding = if status & FRAME_IS_PADDED != 0 { 4 } else { 0 };
        registers[13] = Some(frame.wrapping_add(size + padding));
        if on_process_stack {
            self.process_stack = frame.wrapping_add(size + padding);
        }
        self.registers = registers;
        self.exception = (status & 0x1ff) as u16;
        self.push(address & !1, Found::Interrupted);
        true
    }

    /// Returns `true` if no instruction from the function's first to the one at `address` writes LR
    /// or SP.
    fn is_untouched(&self, address: u32) -> bool {
        let Some(function) = self.firmware.image.function_at(address) else { return false };
        let mut at = function.address;
        if address.wrapping_sub(at) > LEAF_BYTES_MAX {
            return false;
        }
        while at < address {
            let halves = (self.halfword(at), self.halfword(at.wrapping_add(2)));
            let (Some(first), Some(second)) = halves else { return false };
            let instruction = decode(first, second, Architecture::V8M);
            let is_call = matches!(
                instruction.operation,
                Operation::BranchLink { .. } | Operation::BranchLinkExchange { .. }
            );
            let facts = Facts::of(&instruction);
            if is_call || (facts.results | facts.base) & (1 << 13 | 1 << 14) != 0 {
                return false;
            }
            at = at.wrapping_add(instruction.length.into());
        }
        true
    }

    fn halfword(&self, address: u32) -> Option<u16> {
        let word = (self.read)(address & !3)?;
        Some((word >> (8 * (address & 2))) as u16)
    }

    /// Searches the stack upwards for a return address.
    fn guess(&mut self) -> bool {
        let Some(from) = self.registers[13] else { return false };
        for index in 0..SEARCH_WORDS_MAX {
            let at = from.wrapping_add(index * 4);
            if self.is_beyond(from, Some(at)) {
                return false;
            }
            // A stack that left its memory comes back into it further up.
            let Some(word) = (self.read)(at) else { continue };
            if self.is_return_address(word) {
                self.registers = [None; 16];
                self.registers[13] = Some(at.wrapping_add(4));
                self.push(word & !1, Found::Guess);
                return true;
            }
        }
        false
    }

    /// Returns `true` if a walk that comes from `before` leaves the process stack at `pointer`. A
    /// walk from above that stack is on the main one.
    fn is_beyond(&self, before: u32, pointer: Option<u32>) -> bool {
        let leaves = |top: u32| before <= top && pointer.is_some_and(|pointer| pointer >= top);
        self.process_top.is_some_and(leaves)
    }

    /// Returns `true` if the address is in the first function of an application, which has no
    /// caller.
    fn is_first_of_guest(&self, address: u32) -> bool {
        let image = &self.firmware.image;
        let own = image.guests.iter().find(|guest| (guest.begin..guest.end).contains(&address));
        own.is_some_and(|guest| {
            let function = image.function_at(address);
            function.is_some() && function == image.function_at(guest.entry)
        })
    }

    fn is_code(&self, address: u32) -> bool {
        self.firmware.image.sections.iter().any(|section| {
            section.executable && address.wrapping_sub(section.address) < section.size
        })
    }

    /// Returns `true` if the value is a Thumb address right behind a BL or BLX in the image, unless
    /// that call never returns.
    fn is_return_address(&self, value: u32) -> bool {
        let is_end = self.end_of_thread == Some(value & !1);
        if value & 1 == 0 || is_end || !self.is_code((value & !1).wrapping_sub(2)) {
            return false;
        }
        let end = value & !1;
        let before = |bytes: u32| self.halfword(end.wrapping_sub(bytes));
        let (Some(first), Some(second)) = (before(4), before(2)) else { return false };
        let branch_link = first & 0xf800 == 0xf000 && second & 0xd000 == 0xd000;
        let branch_link_exchange = second & 0xff87 == 0x4780;
        branch_link || branch_link_exchange
    }
}

/// Returns `true` if the value in LR belongs to a handler, which returns by it: an EXC_RETURN of
/// ARMv7-M (0xfffffff9 and the like), or of ARMv8-M, where bits 6, 5 and 0 say more (0xffffffb8
/// without the Security Extension). A handler is never on the process stack.
pub fn is_exception_return(value: u32) -> bool {
    value & 0xffff_ff82 == 0xffff_ff80 && value & 0xc != 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_of_both_architectures_are_told_from_addresses() {
        let of_v7 = [0xffff_ffe1, 0xffff_ffe9, 0xffff_ffed, 0xffff_fff1, 0xffff_fff9, 0xffff_fffd];
        let of_v8 = [0xffff_ffb0, 0xffff_ffb8, 0xffff_ffbc, 0xffff_ffa0, 0xffff_ffa8, 0xffff_ffac];
        assert!(of_v7.into_iter().chain(of_v8).all(is_exception_return));
        for other in [u32::MAX, 0xffff_fffe, 0, 0x0800_0101, 0xffff_fef9, 0xffff_fff5] {
            assert!(!is_exception_return(other), "{other:#x}");
        }
    }
}
