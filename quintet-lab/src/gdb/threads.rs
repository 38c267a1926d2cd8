//! The threads that GDB lists: those of Quintet's scheduler, or the tasks of FreeRTOS.
//!
//! ```text
//!  thread 1     the processor, before threads run and in firmware without any
//!  thread 2..   in the order in which they were seen first
//! ```
//! The thread that runs has the processor's registers, also while a handler interrupts it. The
//! others have the registers that a switch has left on their stacks: those that a call doesn't
//! preserve are unknown where a thread has switched by a call, and are shown as 0.

use quintet_sim::cores::Core;
use quintet_sim::image::Image;
use quintet_sim::machine::Machine;

use crate::debug::backtrace::is_exception_return;
use crate::firmware::Firmware;
use crate::threads::freertos::Freertos;
use crate::threads::layout::{Layout, State};

/// The number of the processor as a thread.
pub const PROCESSOR: usize = 1;

/// The symbols at which a thread of Quintet goes on that an exception has suspended.
const RESUME: &str = "__quintet_resume";
const RESUME_FLOATING: &str = "__quintet_resume_fpu";

/// In XPSR: Thumb state, and a word that aligns the frame.
const THUMB: u32 = 1 << 24;
const ALIGNED: u32 = 1 << 9;
/// In EXC_RETURN: the frame has no floating-point registers.
const BASIC: u32 = 1 << 4;

/// In words: r4 to r11, what the hardware stacks, and what it adds for floating point.
const CALLEE_SAVED: u32 = 8;
const FRAME: u32 = 8;
const FLOATING_FRAME: u32 = 18;
/// The words of S16 to S31.
const FLOATS: u32 = 16;

/// The registers of a thread that doesn't run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saved {
    /// R0 to R15.
    pub r: [u32; 16],
    /// The status.
    pub xpsr: u32,
}

/// The threads of firmware.
pub struct Threads<'a> {
    kernel: Option<Kernel<'a>>,
    /// The control blocks, by number less 2.
    seen: Vec<u32>,
}

enum Kernel<'a> {
    Quintet(Layout, &'a Image),
    Freertos(Freertos, &'a Firmware),
}

impl<'a> Threads<'a> {
    /// The threads of an image; the processor alone, where there are none.
    pub fn of(firmware: &'a Firmware) -> Self {
        let quintet = Layout::find(&firmware.image);
        let quintet = quintet.map(|layout| Kernel::Quintet(layout, &firmware.image));
        let freertos = || Freertos::find(firmware).map(|one| Kernel::Freertos(one, firmware));
        Self { kernel: quintet.or_else(freertos), seen: Vec::new() }
    }

    /// The number of the thread that runs.
    pub fn current(&mut self, machine: &impl Core) -> usize {
        let running = self.kernel.as_ref().and_then(|kernel| kernel.running(machine));
        running.map_or(PROCESSOR, |control| self.number(control))
    }

    /// The numbers of all threads, the running one first.
    pub fn all(&mut self, machine: &impl Core) -> Vec<usize> {
        let current = self.current(machine);
        let mut all = vec![current];
        let living = self.kernel.as_ref().map(|kernel| kernel.living(machine)).unwrap_or_default();
        for control in living {
            let number = self.number(control);
            if number != current {
                all.push(number);
            }
        }
        all
    }

    /// The name, the priority and the state of a thread, in words.
    pub fn describe(&self, machine: &impl Core, number: usize) -> String {
        let known = self.kernel.as_ref().zip(self.control(number));
        let words = known.and_then(|(kernel, control)| kernel.describe(machine, control));
        words.unwrap_or_else(|| "the processor".to_owned())
    }

    /// The registers of a thread; none for the one that runs, which has the processor's.
    pub fn saved(&mut self, machine: &Machine, number: usize) -> Option<Saved> {
        if number == self.current(machine) {
            return None;
        }
        let (kernel, control) = (self.kernel.as_ref()?, self.control(number)?);
        kernel.saved(machine, control)
    }

    /// Where the registers are that a switch has left on the stack of a thread of Quintet's; none
    /// for the one that runs.
    pub fn left_at(&mut self, machine: &impl Core, number: usize) -> Option<u32> {
        if number == self.current(machine) {
            return None;
        }
        let Some(Kernel::Quintet(layout, _)) = &self.kernel else { return None };
        layout.left_at(machine, self.control(number)?)
    }

    /// The address behind a thread's stack, if it has one of its own.
    pub fn stack_top(&self, machine: &impl Core, number: usize) -> Option<u32> {
        let Some(Kernel::Quintet(layout, _)) = &self.kernel else { return None };
        let about = layout.about(machine, self.control(number)?)?;
        (about.stack_size > 0).then(|| about.top())
    }

    fn control(&self, number: usize) -> Option<u32> {
        self.seen.get(number.checked_sub(PROCESSOR + 1)?).copied()
    }

    fn number(&mut self, control: u32) -> usize {
        let place = self.seen.iter().position(|one| *one == control).unwrap_or_else(|| {
            self.seen.push(control);
            self.seen.len() - 1
        });
        place + PROCESSOR + 1
    }
}

impl Kernel<'_> {
    fn running(&self, machine: &impl Core) -> Option<u32> {
        match self {
            Self::Quintet(layout, _) => layout.running(machine),
            Self::Freertos(freertos, _) => freertos.running(machine),
        }
    }

    /// The threads that can run, or have run and wait. Those that have ended have no frame.
    fn living(&self, machine: &impl Core) -> Vec<u32> {
        if self.running(machine).is_none() {
            return Vec::new();
        }
        match self {
            Self::Quintet(layout, image) => {
                let lives = |control: &u32| {
                    !matches!(layout.state(machine, *control), None | Some(State::Ended))
                };
                let mut all: Vec<u32> =
                    layout.all(image, machine).map(|(control, _)| control).filter(lives).collect();
                all.sort_unstable();
                all.dedup();
                all
            }
            Self::Freertos(freertos, _) => freertos.living(machine).into_iter().collect(),
        }
    }

    fn describe(&self, machine: &impl Core, control: u32) -> Option<String> {
        let (name, priority, state) = match self {
            Self::Quintet(layout, _) => {
                let name = layout.about(machine, control)?.name;
                let (_, priority) = layout.priorities(machine, control)?;
                (name, u32::from(priority), layout.state(machine, control)?.word().to_owned())
            }
            Self::Freertos(freertos, firmware) => {
                let about = freertos.about(machine, control)?;
                let state = match control {
                    _ if freertos.running(machine) == Some(control) => "running".to_owned(),
                    _ if freertos.ready(machine).contains(&control) => "ready".to_owned(),
                    _ => freertos.waits(firmware, machine, control),
                };
                (about.name, about.priority, state)
            }
        };
        Some(format!("{name}, priority {priority}, {state}"))
    }

    fn saved(&self, machine: &Machine, control: u32) -> Option<Saved> {
        // Both kinds of control blocks begin with the stack pointer.
        let stack = Stack { machine, pointer: machine.read_word(control)? };
        match self {
            Self::Quintet(_, image) => of_quintet(&stack, image),
            Self::Freertos(..) => of_freertos(&stack),
        }
    }
}

/// A stack by its words from a pointer on.
struct Stack<'a> {
    machine: &'a Machine,
    pointer: u32,
}

impl Stack<'_> {
    fn word(&self, index: u32) -> Option<u32> {
        self.machine.read_word(self.pointer.checked_add(4 * index)?)
    }

    /// R4 to R11 from a word on, in their places.
    fn callee_saved(&self, first: u32) -> Option<[u32; 16]> {
        let mut r = [0; 16];
        for (index, register) in (0..CALLEE_SAVED).zip(&mut r[4..12]) {
            *register = self.word(first + index)?;
        }
        Some(r)
    }

    /// What the hardware has stacked from a word on; the stack pointer is the one behind it.
    fn interrupted(&self, mut r: [u32; 16], first: u32, floats: bool) -> Option<Saved> {
        for (index, register) in [0, 1, 2, 3, 12, 14, 15].into_iter().enumerate() {
            r[register] = self.word(first + index as u32)?;
        }
        let xpsr = self.word(first + FRAME - 1)?;
        let frame = FRAME + if floats { FLOATING_FRAME } else { 0 };
        let padding = u32::from(xpsr & ALIGNED != 0);
        r[13] = self.pointer.checked_add(4 * (first + frame + padding))?;
        Some(Saved { r, xpsr: xpsr & !ALIGNED })
    }
}

/// R4 to R11, and where the thread goes on: behind a call, or in code that lets the hardware
/// unstack its frame.
fn of_quintet(stack: &Stack<'_>, image: &Image) -> Option<Saved> {
    let mut r = stack.callee_saved(0)?;
    let to = stack.word(CALLEE_SAVED)? & !1;
    let is_at = |name: &str| {
        image.symbols.iter().any(|symbol| symbol.name == name && symbol.address & !1 == to)
    };
    if is_at(RESUME) {
        return stack.interrupted(r, CALLEE_SAVED + 1, false);
    }
    if is_at(RESUME_FLOATING) {
        return stack.interrupted(r, CALLEE_SAVED + 1 + FLOATS, true);
    }
    r[13] = stack.pointer.checked_add(4 * (CALLEE_SAVED + 1))?;
    (r[14], r[15]) = (to, to);
    Some(Saved { r, xpsr: THUMB })
}

/// The ports differ: R4 to R11 alone, or with EXC_RETURN behind them (with a floating-point unit),
/// or with the stack's limit and EXC_RETURN in front (ARMv8-M).
fn of_freertos(stack: &Stack<'_>) -> Option<Saved> {
    let exc_return = |index| stack.word(index).filter(|word| is_exception_return(*word));
    let (first, behind, floats) = if let Some(word) = exc_return(CALLEE_SAVED) {
        (0, CALLEE_SAVED + 1, word & BASIC == 0)
    } else if let Some(word) = exc_return(1) {
        (2, CALLEE_SAVED + 2, word & BASIC == 0)
    } else {
        (0, CALLEE_SAVED, false)
    };
    let r = stack.callee_saved(first)?;
    stack.interrupted(r, behind + if floats { FLOATS } else { 0 }, floats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::Board;
    use quintet_sim::image::{Symbol, SymbolKind};

    const STACK: u32 = 0x2000_0800;

    fn machine(words: &[u32]) -> Machine {
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        for (address, word) in (STACK..).step_by(4).zip(words) {
            machine.write_memory(address, &word.to_le_bytes()).unwrap();
        }
        machine
    }

    /// R4 to R11 as their numbers.
    const KEPT: [u32; 8] = [4, 5, 6, 7, 8, 9, 10, 11];
    /// The hardware's frame, without alignment.
    const STACKED: [u32; 8] = [100, 101, 102, 103, 112, 114, 0x400, THUMB];

    fn assert_interrupted(saved: Option<Saved>, words: u32) {
        let r = [100, 101, 102, 103, 4, 5, 6, 7, 8, 9, 10, 11, 112, STACK + 4 * words, 114, 0x400];
        assert_eq!(saved, Some(Saved { r, xpsr: THUMB }));
    }

    #[test]
    fn tasks_of_all_ports_of_freertos_have_their_registers() {
        let of = |parts: &[&[u32]]| {
            let machine = machine(&parts.concat());
            of_freertos(&Stack { machine: &machine, pointer: STACK })
        };
        assert_interrupted(of(&[&KEPT, &STACKED]), 16);
        assert_interrupted(of(&[&KEPT, &[0xffff_fffd], &STACKED]), 17);
        let floats = [0; FLOATS as usize];
        assert_interrupted(of(&[&KEPT, &[0xffff_ffed], &floats, &STACKED]), 17 + 16 + 18);
        assert_interrupted(of(&[&[0x2000_0700, 0xffff_ffbc], &KEPT, &STACKED]), 18);
        let mut aligned = STACKED;
        aligned[7] |= ALIGNED;
        assert_interrupted(of(&[&KEPT, &aligned]), 17);
    }

    #[test]
    fn threads_have_been_left_by_a_call_or_by_an_exception() {
        let symbol = |name: &str, address| Symbol {
            name: name.into(),
            address,
            size: 0,
            kind: SymbolKind::Function,
            absolute: false,
        };
        let symbols = vec![symbol(RESUME, 0x201), symbol(RESUME_FLOATING, 0x211)];
        let image = Image { symbols, ..Image::default() };
        let of = |parts: &[&[u32]]| {
            let machine = machine(&parts.concat());
            of_quintet(&Stack { machine: &machine, pointer: STACK }, &image)
        };
        assert_interrupted(of(&[&KEPT, &[0x201], &STACKED]), 17);
        let floats = [0; FLOATS as usize];
        assert_interrupted(of(&[&KEPT, &[0x211], &floats, &STACKED]), 17 + 16 + 18);
        let called = of(&[&KEPT, &[0x301]]).unwrap();
        assert_eq!(called.r[4..12], KEPT);
        assert_eq!(called.r[13..], [STACK + 36, 0x300, 0x300]);
    }
}
