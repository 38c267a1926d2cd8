//! The checks when a process is left, and when it goes on.
//!
//! A process goes on with the registers that it had when it was left, but for the answer of a call
//! and for an upcall. Or it starts again. No register contains an address of the kernel's memory,
//! unless the process has had this address in a register in its present life.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quintet_sim::processor::registers::Registers;

/// The memory of the kernel.
const KERNEL: Range<u32> = 0x2000_0000..0x2000_4000;
/// The size of what the hardware stores, and how much more it is with floating-point registers.
const FRAME: u32 = 32;
const FLOATS: u32 = 72;
/// The classes of calls.
const YIELD: u8 = 0;
const SUBSCRIBE: u8 = 1;
const COMMAND: u8 = 2;
const ALLOW_READ_WRITE: u8 = 3;
const ALLOW_READ_ONLY: u8 = 4;
const MEMORY: u8 = 5;
const ALLOW_READABLE: u8 = 7;
/// The command that finds a process by its name: driver and number.
const FIND: [u32; 2] = [0x1_0000, 1];
/// The operations that move the end of the used memory, and the kinds of yields, are up to here.
const MOVES_MAX: u32 = 1;
const YIELDS_MAX: u32 = 2;
/// The most times that the kernel needs for one call: 256 bytes of memory at a time, or the names
/// of 16 processes.
const AGAIN_MAX: u32 = 128;
/// The answer of calls that swap: the old value.
const SWAPPED: u32 = 130;
/// The answers of a call: their numbers, and how many registers they change.
const ANSWERS: [(u32, usize); 10] =
    [(0, 2), (1, 3), (2, 4), (3, 4), (128, 1), (129, 2), (130, 3), (131, 3), (132, 4), (133, 4)];

/// Two words, by class, driver and number.
type Swapped = HashMap<(u8, u32, u32), (u32, u32)>;

/// The state of a process that was left.
struct Left {
    registers: Registers,
    /// The class of the call that the process has made, or may have made.
    class: Option<u8>,
    /// The address of the frame.
    frame: u32,
    /// Whether it had the right to use floating-point registers, and so has a state in them.
    floats: bool,
}

/// The facts about a process.
pub struct Watched {
    /// The process's first function.
    entry: u32,
    flash: Range<u32>,
    memory: Range<u32>,
    left: Option<Left>,
    /// Addresses in the kernel's memory that the process has had in registers.
    known: HashSet<u32>,
    /// Memory that drivers may write to: begin and size.
    lent: Vec<(u32, u32)>,
    /// The upcalls and buffers that the process has subscribed and lent in this life, by class,
    /// driver and number. `None` if a call was not seen.
    swapped: Option<Swapped>,
    /// How often the present call has come again.
    again: u32,
    /// The number of times that the process has gone on, by the class of its call, started again,
    /// and gone on otherwise.
    pub calls: [u64; 9],
    pub begun: u64,
    pub interrupted: u64,
    /// How often it has gone on with floating-point registers of its own.
    pub floated: u64,
}

impl Watched {
    /// A process that has not run since the watch began. At the first time, all registers are
    /// accepted.
    pub fn new(entry: u32, memory: Range<u32>, flash: Range<u32>) -> Self {
        Self {
            entry,
            flash,
            memory,
            left: None,
            known: HashSet::new(),
            lent: Vec::new(),
            swapped: None,
            again: 0,
            calls: [0; 9],
            begun: 0,
            interrupted: 0,
            floated: 0,
        }
    }

    /// It was left with these registers; the halfword before the next instruction is `before`.
    pub fn leave(&mut self, registers: &Registers, before: Option<u16>, frame: u32, floats: bool) {
        let class = before.filter(|half| half >> 8 == 0xdf).map(|half| half as u8);
        let known = registers.r[..13].iter().chain([&registers.r[14]]);
        self.known.extend(known.filter(|word| KERNEL.contains(word)));
        self.left = Some(Left { registers: registers.clone(), class, frame, floats });
    }

    /// It goes on with these, and with floating-point registers or without.
    pub fn go_on(&mut self, now: &Registers, floats: bool) -> Result<(), String> {
        let Some(left) = self.left.take() else { return Ok(()) };
        if self.begins(now) {
            self.begun += 1;
            self.known.clear();
            self.lent.clear();
            self.again = 0;
            self.swapped = Some(Swapped::new());
            return if floats {
                Err("begins with floating-point registers".into())
            } else {
                Ok(())
            };
        }
        let was = &left.registers;
        for number in (4..12).chain([13]) {
            if now.r[number] != was.r[number] {
                return Err(changed(number, was, now));
            }
        }
        if self.is_frame_lent(&left) {
            self.swapped = None;
            return Ok(());
        }
        self.compare_floats(&left, now, floats)?;
        let pc = now.r[15];
        // The unit refuses to execute memory, but the function of an upcall may be there.
        let is_own = self.flash.contains(&pc) || self.memory.contains(&pc);
        if !is_own && pc != was.r[15] {
            return Err(format!("goes on at {pc:#010x}, which isn't its own"));
        }
        if let Some(class) = left.class {
            self.calls[usize::from(class.min(8))] += 1;
            self.compare_call(class, was, now)
        } else {
            self.interrupted += 1;
            compare(&[0, 1, 2, 3, 12, 14, 15], was, now)
        }
    }

    /// Floating-point registers stay; those of a process that has had none are empty.
    fn compare_floats(&mut self, left: &Left, now: &Registers, floats: bool) -> Result<(), String> {
        if left.floats && !floats {
            return Err("has lost its floating-point registers".into());
        }
        if !floats {
            return Ok(());
        }
        self.floated += 1;
        let (was, now) = (&left.registers.float, &now.float);
        for (number, (&old, &new)) in was.s.iter().zip(&now.s).enumerate() {
            let old = if left.floats { old } else { 0 };
            if new != old {
                return Err(format!("finds {new:#010x} in s{number}, which was {old:#010x}"));
            }
        }
        let (old, new) = (if left.floats { was.fpscr } else { 0 }, now.fpscr);
        if new == old {
            return Ok(());
        }
        Err(format!("finds {new:#010x} in FPSCR, which was {old:#010x}"))
    }

    /// Whether it begins anew.
    fn begins(&self, now: &Registers) -> bool {
        let r = &now.r;
        let is_ours = |range: &Range<u32>, word| range.start <= word && word <= range.end;
        r[15] == self.entry
            && r[4..13].iter().all(|&word| word == 0)
            && r[14] == 1
            && is_ours(&self.flash, r[0])
            && r[1] == self.memory.start
            && r[2] == self.memory.end - self.memory.start
            && is_ours(&self.memory, r[3])
    }

    /// Returns `true` if others may have written to the process's frame, because the process itself
    /// asked for it: the frame is in a driver's buffer, or is the flag of a yield that does not
    /// wait.
    fn is_frame_lent(&self, left: &Left) -> bool {
        let size = FRAME + 4 + if left.floats { FLOATS } else { 0 };
        let frame = u64::from(left.frame)..u64::from(left.frame) + u64::from(size);
        let meets = |begin: u32, size: u32| {
            let begin = u64::from(begin);
            begin < frame.end && frame.start < begin + u64::from(size)
        };
        let r = &left.registers.r;
        self.lent.iter().any(|&(begin, size)| meets(begin, size))
            || left.class == Some(YIELD) && r[0] == 0 && meets(r[1], 1)
    }

    /// Compares the registers with the effect of a call.
    fn compare_call(&mut self, class: u8, was: &Registers, now: &Registers) -> Result<(), String> {
        // The kernel has done a part of the work: the process makes its call again.
        if now.r[15] == was.r[15].wrapping_sub(2) && may_come_again(class, was) {
            self.again += 1;
            if self.again > AGAIN_MAX {
                return Err(format!("makes one call for ever, at {:#010x}", now.r[15]));
            }
            return compare(&[0, 1, 2, 3, 12, 14], was, now);
        }
        self.again = 0;
        if now.r[15] != was.r[15] {
            if class != YIELD || now.r[14] != was.r[15] | 1 {
                return Err(changed(15, was, now));
            }
            // An upcall: three arguments, and the word of the subscription.
            compare(&[12], was, now)?;
            return self.check_words(&now.r[3..4], was);
        }
        compare(&[12, 14], was, now)?;
        if class == YIELD {
            return compare(&[3], was, now);
        }
        let same = was.r[..4] == now.r[..4];
        let answer = ANSWERS.iter().find(|(variant, _)| *variant == now.r[0]);
        // An interrupt may have come just behind a call, and then all registers stay.
        let Some(&(_, changes)) = answer else {
            return if same { Ok(()) } else { Err(format!("{:#x} is no answer", now.r[0])) };
        };
        if !same {
            let kept: Vec<_> = (changes..4).collect();
            compare(&kept, was, now)?;
            self.compare_swap(class, was, now)?;
            self.note_lent(class, was, now);
        }
        self.check_words(&now.r[..4], was)
    }

    /// Checks that a call which swaps answers with the old value, and with nothing from an earlier
    /// life.
    fn compare_swap(&mut self, class: u8, was: &Registers, now: &Registers) -> Result<(), String> {
        let swaps =
            matches!(class, SUBSCRIBE | ALLOW_READ_WRITE | ALLOW_READ_ONLY | ALLOW_READABLE);
        let Some(swapped) = self.swapped.as_mut().filter(|_| swaps && now.r[0] == SWAPPED) else {
            return Ok(());
        };
        let [driver, number, first, second] = [0, 1, 2, 3].map(|number| was.r[number]);
        let before = swapped.insert((class, driver, number), (first, second)).unwrap_or_default();
        let answered = (now.r[1], now.r[2]);
        if answered == before {
            return Ok(());
        }
        Err(format!(
            "was told {answered:x?} by class {class} of driver {driver:#x}, number {number}, where \
             {before:x?} was: at {:#010x}",
            was.r[15]
        ))
    }

    /// Notes the buffers that the process lends from now on.
    fn note_lent(&mut self, class: u8, was: &Registers, now: &Registers) {
        if matches!(class, ALLOW_READ_WRITE | ALLOW_READABLE) && now.r[0] == SWAPPED && was.r[3] > 0
        {
            self.lent.push((was.r[2], was.r[3]));
        }
    }

    /// Checks that no word is an address of the kernel that the process did not know. An alarm
    /// answers with the sum of a command's arguments.
    fn check_words(&self, words: &[u32], was: &Registers) -> Result<(), String> {
        let sum = was.r[2].wrapping_add(was.r[3]);
        let is_known = |word: &u32| !KERNEL.contains(word) || self.known.contains(word);
        let Some(leak) = words.iter().find(|word| !is_known(word) && **word != sum) else {
            return Ok(());
        };
        let (call, pc) = (&was.r[..4], was.r[15]);
        Err(format!(
            "was told {leak:#010x}, an address of the kernel's, by {call:x?} at {pc:#010x}"
        ))
    }
}

/// Returns `true` if the kernel may do this call in parts.
fn may_come_again(class: u8, was: &Registers) -> bool {
    match class {
        YIELD => was.r[0] <= YIELDS_MAX,
        SUBSCRIBE => true,
        COMMAND => was.r[..2] == FIND,
        MEMORY => was.r[0] <= MOVES_MAX,
        _ => false,
    }
}

/// Checks that these registers stay.
fn compare(numbers: &[usize], was: &Registers, now: &Registers) -> Result<(), String> {
    let wrong = numbers.iter().find(|&&number| was.r[number] != now.r[number]);
    wrong.map_or(Ok(()), |&number| Err(changed(number, was, now)))
}

/// Says that one has not.
fn changed(number: usize, was: &Registers, now: &Registers) -> String {
    let [old, new] = [was, now].map(|registers| registers.r[number]);
    format!("finds {new:#010x} in r{number}, which was {old:#010x}, at {:#010x}", now.r[15])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: u32 = 0x3_2080;

    fn watched() -> Watched {
        Watched::new(ENTRY, 0x2000_d000..0x2000_e000, 0x3_2000..0x3_4000)
    }

    /// The registers when the process is left.
    fn registers() -> Registers {
        let r = core::array::from_fn(|number| 0x100 + number as u32);
        let mut registers = Registers { r, ..Registers::default() };
        registers.r[13] = 0x2000_d400;
        registers.r[15] = 0x3_2100;
        registers
    }

    /// Returns the message for a process that is left by an instruction and goes on with one
    /// changed register.
    fn changing(before: u16, change: impl Fn(&mut [u32; 16])) -> Result<(), String> {
        let (mut watched, mut registers) = (watched(), registers());
        watched.leave(&registers, Some(before), registers.r[13] - 32, false);
        change(&mut registers.r);
        watched.go_on(&registers, false)
    }

    #[test]
    fn floating_point_registers_stay_or_are_new_and_empty() {
        let goes_on = |had: bool, has: bool, change: fn(&mut Registers)| {
            let (mut watched, mut registers) = (watched(), registers());
            registers.float.s = if had { [7; 32] } else { [0; 32] };
            watched.leave(&registers, Some(0xbf00), registers.r[13] - 104, had);
            change(&mut registers);
            watched.go_on(&registers, has)
        };
        for had in [false, true] {
            assert_eq!(goes_on(had, true, |_| ()), Ok(()));
            let said = goes_on(had, true, |now| now.float.s[31] ^= 1);
            assert!(said.is_err_and(|said| said.contains("in s31, which was")));
            let said = goes_on(had, true, |now| now.float.fpscr ^= 1);
            assert!(said.is_err_and(|said| said.contains("in FPSCR, which was")));
        }
        let said = goes_on(true, false, |_| ());
        assert_eq!(said, Err("has lost its floating-point registers".into()));
        assert_eq!(goes_on(false, false, |now| now.float.s[0] = 1), Ok(()), "they are another's");
    }

    #[test]
    fn an_interrupt_changes_nothing() {
        assert_eq!(changing(0xbf00, |_| ()), Ok(()));
        for number in 0..16 {
            let said = changing(0xbf00, |r| r[number] ^= 4);
            assert!(said.is_err(), "r{number}");
        }
    }

    #[test]
    fn a_call_answers_by_its_variant_alone() {
        assert_eq!(changing(0xdf02, |r| r[0] = 128), Ok(()));
        assert_eq!(changing(0xdf02, |r| (r[0], r[1]) = (129, 7)), Ok(()));
        assert_eq!(changing(0xdf02, |r| (r[0], r[1], r[2]) = (130, 7, 8)), Ok(()));
        assert!(changing(0xdf02, |r| (r[0], r[1]) = (128, 7)).is_err());
        assert!(changing(0xdf02, |r| r[0] = 77).is_err());
        assert!(changing(0xdf02, |r| (r[0], r[1]) = (129, 0x2000_0100)).is_err());
        for number in 4..16 {
            let said = changing(0xdf02, |r| (r[0], r[number]) = (128, r[number] ^ 4));
            assert!(said.is_err(), "r{number}");
        }
    }

    #[test]
    fn a_call_that_comes_again_changes_nothing() {
        let again = |r: &mut [u32; 16]| r[15] -= 2;
        assert_eq!(changing(0xdf01, again), Ok(()));
        for number in (0..4).chain([12, 14]) {
            let said = changing(0xdf01, |r| (r[15], r[number]) = (r[15] - 2, r[number] ^ 4));
            assert!(said.is_err(), "r{number}");
        }
        assert!(changing(0xbf00, again).is_err(), "it has made no call");
    }

    #[test]
    fn only_calls_in_parts_come_again_and_not_for_ever() {
        let mut watched = watched();
        let mut comes_again = |class: u16, first, second| {
            let mut registers = registers();
            (registers.r[0], registers.r[1]) = (first, second);
            watched.leave(&registers, Some(0xdf00 | class), registers.r[13] - 32, false);
            registers.r[15] -= 2;
            watched.go_on(&registers, false)
        };
        for (class, first, second) in [(0, 2, 0), (1, 9, 0), (2, 0x1_0000, 1), (5, 1, 64)] {
            assert_eq!(comes_again(class, first, second), Ok(()), "{class}");
        }
        for (class, first, second) in
            [(0, 3, 0), (2, 0x1_0000, 2), (2, 0, 1), (3, 9, 0), (4, 9, 0), (5, 2, 0), (6, 0, 0)]
        {
            assert!(comes_again(class, first, second).is_err(), "{class}");
        }
        let mut times = 0;
        let said = loop {
            match comes_again(5, 0, 0x2000_e000) {
                Ok(()) => times += 1,
                Err(said) => break said,
            }
        };
        assert_eq!((times, said.as_str()), (128, "makes one call for ever, at 0x000320fe"));
    }

    #[test]
    fn a_swap_answers_what_this_life_has_set() {
        let mut watched = watched();
        watched.swapped = Some(Swapped::new());
        let mut subscribes = |data, (function, word)| {
            let mut registers = registers();
            (registers.r[0], registers.r[1], registers.r[2], registers.r[3]) =
                (4, 0, 0x3_2200, data);
            watched.leave(&registers, Some(0xdf01), registers.r[13] - 32, false);
            (registers.r[0], registers.r[1], registers.r[2]) = (130, function, word);
            watched.go_on(&registers, false)
        };
        assert_eq!(subscribes(7, (0, 0)), Ok(()));
        assert_eq!(subscribes(8, (0x3_2200, 7)), Ok(()));
        let said = subscribes(9, (0x3_2200, 7)).expect_err("it was 8");
        assert!(
            said.starts_with("was told (32200, 7) by class 1 of driver 0x4, number 0"),
            "{said}"
        );
    }

    #[test]
    fn an_upcall_returns_to_behind_the_yield() {
        let upcall = |r: &mut [u32; 16]| (r[14], r[15]) = (r[15] | 1, 0x3_2200);
        assert_eq!(changing(0xdf00, upcall), Ok(()));
        assert!(changing(0xdf02, upcall).is_err());
        assert!(changing(0xdf00, |r| (r[14], r[15]) = (r[15] | 1, 0x101)).is_err());
    }

    #[test]
    fn who_begins_anew_finds_nothing_of_before() {
        let begin = |r: &mut [u32; 16]| {
            *r = [0; 16];
            (r[0], r[1], r[2], r[3]) = (ENTRY, 0x2000_d000, 0x1000, 0x2000_d020);
            (r[13], r[14], r[15]) = (0x2000_d020, 1, ENTRY);
        };
        assert_eq!(changing(0xbf00, begin), Ok(()));
        let leaves_one = |r: &mut [u32; 16]| {
            begin(r);
            r[7] = 1;
        };
        assert!(changing(0xbf00, leaves_one).is_err());
    }
}
