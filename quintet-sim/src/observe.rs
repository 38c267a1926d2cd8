//! The machine's notes about its program, without the program's help: stacks and masks.
//!
//! The machine checks both after each step, with two compares if nothing has changed. If a tool has
//! set the end of the main stack, the machine also notes instructions that move the stack pointer
//! below this end. The tool must find out, from the instruction, whether the stack overflowed or a
//! kernel has set the pointer to another stack.

use crate::processor::events::Mask;
use crate::processor::registers::Registers;

/// The depth of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackUse {
    /// The lowest value of the stack's pointer; `None` if the pointer was never set.
    pub lowest: Option<u32>,
    /// The highest one.
    pub highest: Option<u32>,
}

impl StackUse {
    const UNUSED: Self = Self { lowest: None, highest: None };

    /// The bytes between the highest and the lowest value.
    pub fn bytes(&self) -> u32 {
        self.highest.unwrap_or(0) - self.lowest.unwrap_or(0)
    }

    fn note(&mut self, pointer: u32) {
        // Reset leaves the process stack pointer unknown, and here 0.
        if pointer != 0 {
            self.lowest = Some(self.lowest.map_or(pointer, |lowest| lowest.min(pointer)));
            self.highest = Some(self.highest.map_or(pointer, |highest| highest.max(pointer)));
        }
    }
}

/// The depth of both stacks since reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackHighWater {
    /// The main stack.
    pub main: StackUse,
    /// The process stack. If a kernel switches between several, all of them together.
    pub process: StackUse,
}

/// The main stack has gone below its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackOverflow {
    /// The instruction that moved the pointer there. For an exception's entry, the instruction that
    /// was next.
    pub pc: u32,
    /// The exception whose handler ran after that; 0 in thread mode.
    pub exception: u16,
    /// When, for the first time.
    pub cycle: u64,
    /// The lowest address before the pointer came back.
    pub lowest: u32,
    /// The instruction that moved the pointer there.
    pub lowest_pc: u32,
}

/// The most places that are told apart.
const OVERFLOWS_MAX: usize = 32;

/// For how long one register held interrupts off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MaskedTime {
    /// Cycles in all, the present interval included.
    pub total: u64,
    /// The number of intervals.
    pub count: u64,
    /// Cycles of the longest interval.
    pub longest: u64,
    /// The address of the instruction after the one that began the longest interval.
    pub longest_pc: u32,
    /// When the longest interval began.
    pub longest_start: u64,
}

/// For how long interrupts were held off, by register. BASEPRI counts while it is not 0, whatever
/// its level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MaskedTimes {
    /// By PRIMASK.
    pub primask: MaskedTime,
    /// By FAULTMASK.
    pub faultmask: MaskedTime,
    /// By BASEPRI.
    pub basepri: MaskedTime,
}

impl MaskedTimes {
    /// The time by one register.
    pub fn by(&self, mask: Mask) -> MaskedTime {
        match mask {
            Mask::Primask => self.primask,
            Mask::Faultmask => self.faultmask,
            Mask::Basepri => self.basepri,
        }
    }
}

/// An interval in which a register masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Interval {
    start: u64,
    pc: u32,
}

impl MaskedTime {
    fn add(&mut self, interval: Interval, end: u64) {
        let length = end.saturating_sub(interval.start);
        self.total += length;
        self.count += 1;
        if length > self.longest {
            self.longest = length;
            self.longest_pc = interval.pc;
            self.longest_start = interval.start;
        }
    }
}

/// Notes stacks and masks.
#[derive(Clone, Debug)]
pub struct Tracker {
    last_stack_pointer: u32,
    last_masks: u32,
    stacks: StackHighWater,
    masked: MaskedTimes,
    open: [Option<Interval>; 3],
    /// The end of the main stack, and the last value of its pointer.
    main_end: u32,
    main_last: u32,
    overflows: Vec<StackOverflow>,
    /// The overflow that goes on.
    overflow: usize,
}

impl Default for Tracker {
    fn default() -> Self {
        Self {
            last_stack_pointer: 0,
            last_masks: 0,
            stacks: StackHighWater { main: StackUse::UNUSED, process: StackUse::UNUSED },
            masked: MaskedTimes::default(),
            open: [None; 3],
            main_end: 0,
            main_last: u32::MAX,
            overflows: Vec::new(),
            overflow: 0,
        }
    }
}

/// The masks in one word, to compare.
#[inline]
fn masks_of(registers: &Registers) -> u32 {
    u32::from(registers.primask)
        | u32::from(registers.faultmask) << 8
        | u32::from(registers.basepri) << 16
}

impl Tracker {
    /// One that has seen nothing, with the same end of the main stack.
    pub fn anew(&self) -> Self {
        Self { main_end: self.main_end, ..Self::default() }
    }

    /// Sets where the main stack must end.
    pub fn set_main_end(&mut self, end: u32) {
        self.main_end = end;
    }

    /// Returns the end of the main stack.
    pub fn main_end(&self) -> u32 {
        self.main_end
    }

    /// Returns the overflows of the main stack.
    pub fn overflows(&self) -> &[StackOverflow] {
        &self.overflows
    }

    /// The stack pointer that was seen last, if the masks are those that were seen last.
    #[inline]
    pub fn stack_seen(&self, registers: &Registers) -> Option<u32> {
        (masks_of(registers) == self.last_masks).then_some(self.last_stack_pointer)
    }

    /// Looks at the registers after the step at `from`.
    #[inline]
    pub fn look(&mut self, registers: &Registers, cycle: u64, from: u32) {
        if registers.r[13] != self.last_stack_pointer {
            self.note_stacks(registers, cycle, from);
        }
        if masks_of(registers) != self.last_masks {
            self.note_masks(registers, cycle);
        }
    }

    /// Returns the depth of both stacks.
    pub fn stacks(&self) -> StackHighWater {
        self.stacks
    }

    /// Returns for how long interrupts were held off, up to `cycle`.
    pub fn masked(&self, cycle: u64) -> MaskedTimes {
        let mut masked = self.masked;
        let times = [&mut masked.primask, &mut masked.faultmask, &mut masked.basepri];
        for (time, open) in times.into_iter().zip(self.open) {
            if let Some(interval) = open {
                time.add(interval, cycle);
            }
        }
        masked
    }

    /// An exception entry moves the pointer that is not selected afterwards too, so both are looked
    /// at.
    #[inline(never)]
    fn note_stacks(&mut self, registers: &Registers, cycle: u64, from: u32) {
        self.last_stack_pointer = registers.r[13];
        let on_process_stack = registers.process_stack && registers.ipsr == 0;
        let (main, process) = if on_process_stack {
            (registers.other_sp, registers.r[13])
        } else {
            (registers.r[13], registers.other_sp)
        };
        self.stacks.main.note(main);
        self.stacks.process.note(process);
        if main < self.main_end {
            self.note_overflow(main, cycle, (from, registers.ipsr));
        }
        self.main_last = main;
    }

    #[cold]
    fn note_overflow(&mut self, main: u32, cycle: u64, (from, exception): (u32, u16)) {
        if self.main_last >= self.main_end {
            let known = self.overflows.iter().position(|one| one.pc == from);
            self.overflow = known.unwrap_or(self.overflows.len());
            if known.is_none() && self.overflow < OVERFLOWS_MAX {
                let (pc, lowest, lowest_pc) = (from, main, from);
                self.overflows.push(StackOverflow { pc, exception, cycle, lowest, lowest_pc });
            }
        }
        if let Some(one) = self.overflows.get_mut(self.overflow)
            && main < one.lowest
        {
            (one.lowest, one.lowest_pc) = (main, from);
        }
    }

    #[inline(never)]
    fn note_masks(&mut self, registers: &Registers, cycle: u64) {
        let masks = masks_of(registers);
        self.last_masks = masks;
        let pc = registers.r[15];
        let times =
            [&mut self.masked.primask, &mut self.masked.faultmask, &mut self.masked.basepri];
        for (index, time) in times.into_iter().enumerate() {
            let is_set = masks >> (8 * index) & 0xff != 0;
            match (is_set, self.open[index]) {
                (true, None) => self.open[index] = Some(Interval { start: cycle, pc }),
                (false, Some(interval)) => {
                    time.add(interval, cycle);
                    self.open[index] = None;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stacks_are_followed_through_an_exception() {
        let mut tracker = Tracker::default();
        let mut registers = Registers::default();
        registers.r[13] = 0x2000_1000;
        tracker.look(&registers, 0, 0);
        assert_eq!(tracker.stacks().process, StackUse::UNUSED);
        // Thread mode moves to the process stack, then an exception stacks a frame on it.
        registers.process_stack = true;
        (registers.r[13], registers.other_sp) = (0x2000_0800, 0x2000_1000);
        tracker.look(&registers, 1, 0);
        registers.ipsr = 16;
        (registers.r[13], registers.other_sp) = (0x2000_0ff8, 0x2000_07e0);
        tracker.look(&registers, 2, 0);
        let stacks = tracker.stacks();
        assert_eq!((stacks.main.lowest, stacks.main.bytes()), (Some(0x2000_0ff8), 8));
        assert_eq!((stacks.process.lowest, stacks.process.bytes()), (Some(0x2000_07e0), 0x20));
    }

    #[test]
    fn masked_time_is_summed_by_register() {
        let mut tracker = Tracker::default();
        let mut registers = Registers::default();
        let mut at = |cycle, primask, basepri, pc, tracker: &mut Tracker| {
            registers.primask = primask;
            registers.basepri = basepri;
            registers.r[15] = pc;
            tracker.look(&registers, cycle, pc);
        };
        at(10, true, 0, 0x100, &mut tracker);
        at(15, false, 0, 0x102, &mut tracker);
        at(20, false, 0x80, 0x104, &mut tracker);
        at(25, false, 0x40, 0x106, &mut tracker);
        at(40, true, 0, 0x108, &mut tracker);
        let masked = tracker.masked(100);
        assert_eq!(masked.basepri.total, 20, "one interval, whatever the level");
        assert_eq!((masked.basepri.count, masked.basepri.longest_pc), (1, 0x104));
        let primask = masked.by(Mask::Primask);
        assert_eq!((primask.total, primask.count), (65, 2));
        assert_eq!((primask.longest, primask.longest_pc, primask.longest_start), (60, 0x108, 40));
        assert_eq!(masked.by(Mask::Faultmask), MaskedTime::default());
    }

    #[test]
    fn what_goes_below_the_end_of_the_main_stack_is_noted_by_place() {
        let mut tracker = Tracker::default();
        tracker.set_main_end(0x2000_0800);
        let mut registers = Registers::default();
        let mut at = |cycle, pointer, from, tracker: &mut Tracker| {
            registers.r[13] = pointer;
            tracker.look(&registers, cycle, from);
        };
        at(0, 0x2000_1000, 0, &mut tracker);
        at(1, 0x2000_0800, 0x100, &mut tracker);
        assert_eq!(tracker.overflows(), [], "it may be full");
        at(2, 0x2000_07f8, 0x110, &mut tracker);
        at(3, 0x2000_0700, 0x112, &mut tracker);
        at(4, 0x2000_1000, 0x114, &mut tracker);
        at(5, 0x2000_0000, 0x200, &mut tracker);
        at(6, 0x2000_1000, 0x202, &mut tracker);
        at(7, 0x2000_07f8, 0x110, &mut tracker);
        let exception = 0;
        let pushed =
            StackOverflow { pc: 0x110, exception, cycle: 2, lowest: 0x2000_0700, lowest_pc: 0x112 };
        let set =
            StackOverflow { pc: 0x200, exception, cycle: 5, lowest: 0x2000_0000, lowest_pc: 0x200 };
        assert_eq!(tracker.overflows(), [pushed, set]);
        assert_eq!(tracker.anew().main_end, 0x2000_0800);
        assert_eq!(tracker.anew().overflows(), []);
    }
}
