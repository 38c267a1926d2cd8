//! The times for which firmware holds interrupts off, and their places.
//!
//! A *mask* is a time in which PRIMASK, FAULTMASK or BASEPRI is set, from the end of the
//! instruction that sets the first of them to the end of the one that clears the last. The level of
//! BASEPRI does not matter. But a BASEPRI that holds off PendSV and no interrupt is no mask: the
//! kernel switches threads so.
//!
//! A mask belongs to the context in which it begins: to thread mode, or to a handler. Handlers that
//! interrupt it are more urgent. Their time is not the mask's, and a mask that they raise further
//! is their own. A mask that a handler leaves behind goes on in the interrupted code.

use crate::firmware::Firmware;
use quintet_sim::cores::Core;
use quintet_sim::machine::Machine;
use quintet_sim::riscv::machine::Machine as RiscV;
use quintet_sim::riscv::trap::handler_number;

/// The registers of interrupts: enables, active interrupts, and priorities. For the system's
/// exceptions: the priorities of PendSV and SysTick, and active exceptions. SysTick's control.
const NVIC_ISER: u32 = 0xe000_e100;
const NVIC_IABR: u32 = 0xe000_e300;
const NVIC_IPR: u32 = 0xe000_e400;
const SHPR3: u32 = 0xe000_ed20;
const SHCSR: u32 = 0xe000_ed24;
const SYST_CSR: u32 = 0xe000_e010;
const TICKINT: u32 = 1 << 1;

/// The register of a RISC-V core that holds a return address.
const RISCV_LINK: usize = 1;

/// The number of the first interrupt, as an exception.
const FIRST_INTERRUPT: u16 = 16;

/// The register that holds interrupts off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    /// All of them.
    Primask,
    /// All of them, and HardFault.
    Faultmask,
    /// Those of this priority byte, and less urgent ones.
    Basepri(u8),
    /// All of them, on a RISC-V core: MIE of `mstatus` is clear.
    MachineStatus,
}

impl std::fmt::Display for Register {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Primask => formatter.write_str("PRIMASK"),
            Self::Faultmask => formatter.write_str("FAULTMASK"),
            Self::Basepri(value) => write!(formatter, "BASEPRI {value:#04x}"),
            Self::MachineStatus => formatter.write_str("mstatus.MIE"),
        }
    }
}

/// A mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Masked {
    /// The mask's first cycle.
    pub start: u64,
    /// The mask's cycles, without those of handlers that came meanwhile.
    pub cycles: u64,
    /// The instructions of the mask, with the one that ends it.
    pub instructions: u64,
    /// The address of the instruction that began the mask.
    pub from: u32,
    /// The address to which the function seems to have returned meanwhile. If it did, the function
    /// only sets the register.
    pub returned_to: Option<u32>,
    /// The register that the instruction set.
    pub register: Register,
    /// The exception whose handler began the mask; 0 in thread mode.
    pub exception: u16,
}

impl Masked {
    /// Returns the address of the code that asked for the mask: the mask's beginning, or, if that
    /// is in a function that only sets the register, the instruction that called this function.
    pub fn place(&self, firmware: &Firmware) -> u32 {
        let function = |address| firmware.image.function_at(address).map(|symbol| symbol.address);
        match self.returned_to {
            Some(to) if function(to) != function(self.from) => to.wrapping_sub(1),
            _ => self.from,
        }
    }
}

/// The first of the longest that begin between two cycles.
pub fn longest(all: &[Masked], from: u64, to: u64) -> Option<Masked> {
    let inside = all.iter().filter(|mask| (from..to).contains(&mask.start));
    inside.copied().reduce(
        |longest, mask| {
            if mask.cycles > longest.cycles { mask } else { longest }
        },
    )
}

/// Watches masks. [`Masks::look`] follows each step.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    /// Thread mode, and the handlers that have interrupted each other. Before the first step,
    /// thread mode is missing.
    levels: Vec<Level>,
    last: Moment,
    /// BASEPRI's value, and `true` if it holds any interrupt off.
    basepri: (u8, bool),
    /// Whether a RISC-V core has let interrupts in yet, as it doesn't after reset.
    has_begun: bool,
}

/// A context: thread mode, or a handler.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The handler's exception; 0 in thread mode.
    exception: u16,
    /// The registers at the handler's beginning.
    entry: Set,
    open: Option<Open>,
}

/// A mask that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    mask: Masked,
    /// The return address of the function in which the mask began, by the link register, and the
    /// stack pointer there. When the function returns, the stack pointer isn't lower.
    returns_to: u32,
    stack: u32,
}

/// A step of the machine.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The address of the instruction.
    from: u32,
    /// The address of the next instruction.
    to: u32,
    /// The link register and the stack pointer after the instruction.
    link: u32,
    stack: u32,
    /// The exception whose handler runs after the instruction; 0 in thread mode.
    exception: u16,
    set: Set,
    now: Moment,
}

/// The registers that are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Set {
    primask: bool,
    faultmask: bool,
    machine: bool,
    /// 0 if BASEPRI holds no interrupt off.
    basepri: u8,
}

/// The counts of cycles and instructions.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    cycle: u64,
    instructions: u64,
}

impl Masks {
    /// Reads the machine after the step at `from`. Returns the mask that has ended with the step.
    pub fn look(&mut self, machine: &Machine, from: u32) -> Option<Masked> {
        let registers = &machine.processor.registers;
        let (primask, faultmask) = (registers.primask, registers.faultmask);
        let step = Step {
            from,
            to: machine.pc(),
            link: registers.r[14],
            stack: registers.r[13],
            exception: registers.ipsr,
            set: Set { primask, faultmask, machine: false, basepri: self.basepri(machine) },
            now: Moment { cycle: machine.cycle(), instructions: machine.instructions() },
        };
        let read = |address| machine.read_word(address).unwrap_or_default();
        self.note(&step, |exception| is_active(exception, read))
    }

    /// The same on a RISC-V core. What begins before interrupts were let in for the first time is
    /// no mask.
    pub fn look_riscv(&mut self, machine: &RiscV, from: u32) -> Option<Masked> {
        let is_masked = machine.hart.is_masked();
        self.has_begun |= !is_masked;
        if !self.has_begun {
            return None;
        }
        let handler = self.levels.last().map(|level| level.exception);
        let executes = machine.instructions() != self.last.instructions;
        if !executes && handler == Some(machine.handler()) {
            // It sleeps: what comes then wakes it.
            self.last.cycle = machine.cycle();
            return None;
        }
        let step = Step {
            from,
            to: machine.pc(),
            link: machine.hart.registers[RISCV_LINK],
            stack: machine.stack_pointer(),
            exception: machine.handler(),
            set: Set { machine: is_masked, ..Set::default() },
            now: Moment { cycle: machine.cycle(), instructions: machine.instructions() },
        };
        let open = machine.hart.open_traps();
        let is_open = |handler| open.iter().any(|trap| handler_number(trap.cause) == handler);
        self.note(&step, |handler| handler == 0 || is_open(handler))
    }

    /// Returns BASEPRI, if it holds any interrupt off. The check happens when BASEPRI is set: an
    /// interrupt that is enabled later has no part in the mask.
    fn basepri(&mut self, machine: &Machine) -> u8 {
        let basepri = machine.processor.registers.basepri;
        if self.basepri.0 != basepri {
            let is_mask = basepri != 0 && {
                let read = |address| machine.read_word(address).unwrap_or_default();
                holds_off(basepri, machine.board().interrupts, read)
            };
            self.basepri = (basepri, is_mask);
        }
        if self.basepri.1 { basepri } else { 0 }
    }

    fn note(&mut self, step: &Step, is_active: impl Fn(u16) -> bool) -> Option<Masked> {
        let &Step { from, exception, set, now, .. } = step;
        let last = std::mem::replace(&mut self.last, now);
        if self.levels.last().is_none_or(|level| level.exception != exception) {
            self.enter(exception, set, is_active);
        } else if let Some(open) = self.levels.last_mut().and_then(|level| level.open.as_mut()) {
            open.mask.cycles += now.cycle - last.cycle;
            open.mask.instructions += now.instructions - last.instructions;
            open.look_for_return(step);
        }
        let level = self.levels.last_mut()?;
        match set.held_beyond(level.entry) {
            None => level.open.take().map(|open| open.mask),
            Some(register) => {
                let start = now.cycle;
                let mask = Masked {
                    start,
                    cycles: 0,
                    instructions: 0,
                    from,
                    returned_to: None,
                    register,
                    exception,
                };
                let returns_to = step.link & !1;
                level.open.get_or_insert(Open { mask, returns_to, stack: step.stack });
                None
            }
        }
    }

    /// Enters another context: one that was interrupted, or a new one. The contexts that are left
    /// have ended.
    fn enter(&mut self, exception: u16, set: Set, is_active: impl Fn(u16) -> bool) {
        let is_here = |level: &Level| is_active(level.exception);
        let mut left_open = None;
        while let Some(left) = self.levels.pop_if(|level| !is_here(level)) {
            left_open = left_open.or(left.open);
        }
        if self.levels.last().is_none_or(|level| level.exception != exception) {
            self.levels.push(Level { exception, entry: set.at_entry(exception), open: None });
        }
        if let Some(level) = self.levels.last_mut() {
            level.open = level.open.or(left_open);
        }
    }
}

impl Open {
    /// Looks for the return of the function that has set the register. (Or a loop in it repeats
    /// itself: the link is that of the call then.)
    fn look_for_return(&mut self, step: &Step) {
        if step.to == self.returns_to && step.stack >= self.stack {
            self.mask.returned_to.get_or_insert(step.to);
        }
    }
}

impl Set {
    /// Returns the registers at the beginning of a context that has these registers now: none are
    /// set in thread mode.
    fn at_entry(self, exception: u16) -> Self {
        if exception == 0 { Self::default() } else { self }
    }

    /// Returns the register that holds interrupts off that were not held off when the context
    /// began.
    fn held_beyond(self, entry: Self) -> Option<Register> {
        match self {
            _ if self == entry => None,
            Self { faultmask: true, .. } => Some(Register::Faultmask),
            Self { primask: true, .. } => Some(Register::Primask),
            Self { machine: true, .. } => Some(Register::MachineStatus),
            Self { basepri: 0, .. } => None,
            Self { basepri, .. } => Some(Register::Basepri(basepri)),
        }
    }
}

/// Returns `true` if a context goes on after the present one: thread mode, or a handler that has
/// not returned.
fn is_active(exception: u16, read: impl Fn(u32) -> u32) -> bool {
    let system = |bit: u32| read(SHCSR) & 1 << bit != 0;
    match exception {
        // NMI and HardFault have no bit. Only faults interrupt them.
        0..=3 => exception == 0,
        4 => system(0),
        5 => system(1),
        6 => system(3),
        11 => system(7),
        12 => system(8),
        14 => system(10),
        15 => system(11),
        _ => {
            let number = u32::from(exception.saturating_sub(FIRST_INTERRUPT));
            read(NVIC_IABR + number / 32 * 4) & 1 << (number % 32) != 0
        }
    }
}

/// Returns `true` if BASEPRI, which is not 0, holds off more than PendSV. Every level but PendSV's
/// priority does. PendSV's priority does too if an enabled interrupt or a running SysTick has it.
fn holds_off(basepri: u8, interrupts: u16, read: impl Fn(u32) -> u32) -> bool {
    let [_, _, pend_sv, sys_tick] = read(SHPR3).to_le_bytes();
    if basepri != pend_sv {
        return true;
    }
    let is_enabled = |number: u32| read(NVIC_ISER + number / 32 * 4) & 1 << (number % 32) != 0;
    let priority = |number: u32| read(NVIC_IPR + number / 4 * 4).to_le_bytes()[number as usize % 4];
    let ticks = read(SYST_CSR) & TICKINT != 0 && sys_tick >= basepri;
    ticks || (0..u32::from(interrupts)).any(|one| is_enabled(one) && priority(one) >= basepri)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn holding_off_the_switch_alone_is_no_mask() {
        let registers = |changes: &[(u32, u32)]| {
            let mut registers = BTreeMap::from([(SHPR3, 0x00f0_0000), (NVIC_ISER, 0b10)]);
            registers.extend(changes.iter().copied());
            move |address: u32| registers.get(&address).copied().unwrap_or_default()
        };
        assert!(!holds_off(0xf0, 32, registers(&[])));
        assert!(holds_off(0xe0, 32, registers(&[])), "others may have a priority below it");
        assert!(holds_off(0xf0, 32, registers(&[(NVIC_IPR, 0xf000)])));
        assert!(!holds_off(0xf0, 32, registers(&[(NVIC_IPR, 0xf0)])), "it is not enabled");
        let tick = [(SHPR3, 0xf0f0_0000), (SYST_CSR, TICKINT)];
        assert!(holds_off(0xf0, 32, registers(&tick)));
        assert!(!holds_off(0xf0, 32, registers(&tick[..1])));
    }

    /// The number of an interrupt as an exception, and its bit in the register of active
    /// interrupts.
    const URGENT: u16 = FIRST_INTERRUPT + 2;
    const ACTIVE: u32 = 1 << 2;

    /// Runs steps, each with the cycle, the exception and BASEPRI. The active interrupts follow.
    fn masks(steps: &[(u64, u16, u8)]) -> Vec<(u64, u64, u32)> {
        let mut masks = Masks::default();
        let ended = steps.iter().filter_map(|&(cycle, exception, basepri)| {
            let set = Set { basepri, ..Set::default() };
            let now = Moment { cycle, instructions: cycle };
            let active = if exception == URGENT { ACTIVE } else { 0 };
            let read = |address| if address == NVIC_IABR { active } else { 0 };
            let from = 0x100 + cycle as u32;
            let step = Step { from, to: from + 2, link: 0x501, stack: 0, exception, set, now };
            masks.note(&step, |exception| is_active(exception, read))
        });
        ended.map(|mask| (mask.start, mask.cycles, mask.from)).collect()
    }

    #[test]
    fn a_mask_lasts_from_the_first_register_to_the_last() {
        let steps = [(1, 0, 0), (5, 0, 0x40), (7, 0, 0x20), (9, 0, 0), (20, 0, 0x20)];
        assert_eq!(masks(&steps), [(5, 4, 0x105)], "one that has not ended is not counted");
    }

    #[test]
    fn a_function_that_only_sets_the_register_is_told_by_its_return() {
        let mut masks = Masks::default();
        let mut ended = |stack, basepri: [u8; 3]| {
            let steps = [(0x300, 0x302), (0x302, 0x500), (0x500, 0x502)];
            let ended = steps.into_iter().zip(basepri).filter_map(|((from, to), basepri)| {
                let set = Set { basepri, ..Set::default() };
                let stack = if from == 0x302 { stack } else { 0x80 };
                let now = Moment::default();
                let step = Step { from, to, link: 0x501, stack, exception: 0, set, now };
                masks.note(&step, |exception| exception == 0)
            });
            ended.last().map(|mask| (mask.from, mask.returned_to))
        };
        assert_eq!(ended(0x80, [0x20, 0x20, 0]), Some((0x300, Some(0x500))));
        assert_eq!(ended(0x70, [0x20, 0x20, 0]), Some((0x300, None)), "within a call");
    }

    #[test]
    fn a_handler_that_interrupts_it_is_no_part_of_it() {
        let enter = [(1, 0, 0), (5, 0, 0x40), (7, 0, 0x40), (20, URGENT, 0x40)];
        let leave = [(25, URGENT, 0x40), (40, 0, 0x40), (43, 0, 0)];
        assert_eq!(masks(&[&enter[..], &leave].concat()), [(5, 5, 0x105)]);
        let raises = [(26, URGENT, 0x20), (29, URGENT, 0x40)];
        let all = [&enter[..], &leave[..1], &raises, &leave[1..]].concat();
        assert_eq!(masks(&all), [(26, 3, 0x11a), (5, 5, 0x105)]);
    }

    #[test]
    fn what_a_handler_leaves_behind_goes_on() {
        let steps = [(1, 0, 0), (9, URGENT, 0), (12, URGENT, 0x20), (30, 0, 0x20), (34, 0, 0)];
        assert_eq!(masks(&steps), [(12, 4, 0x10c)], "but for the return");
    }

    #[test]
    fn handlers_that_follow_at_once_are_no_levels_of_each_other() {
        const NEXT: u16 = 15;
        let first = [(1, 0, 0x40), (9, URGENT, 0x40), (12, URGENT, 0x20), (15, URGENT, 0x40)];
        let second =
            [(21, NEXT, 0x40), (24, NEXT, 0x20), (26, NEXT, 0x40), (40, 0, 0x40), (43, 0, 0)];
        let expected = [(12, 3, 0x10c), (24, 2, 0x118), (1, 3, 0x101)];
        assert_eq!(masks(&[&first[..], &second].concat()), expected);
    }

    #[test]
    fn the_first_of_the_longest_inside_the_window_counts() {
        let mask = |(start, cycles)| {
            let register = Register::Primask;
            Masked {
                start,
                cycles,
                instructions: cycles,
                from: 0,
                returned_to: None,
                register,
                exception: 0,
            }
        };
        let all = [(0, 50), (60, 4), (70, 4), (80, 2), (90, 100)].map(mask);
        assert_eq!(longest(&all, 60, 90).map(|mask| mask.start), Some(60));
        assert_eq!(longest(&all, 51, 60), None);
    }

    #[test]
    fn the_strongest_register_is_named() {
        let all = Set { primask: true, faultmask: true, machine: false, basepri: 0x20 };
        let beyond =
            |set: Set| set.held_beyond(Set::default()).map(|register| register.to_string());
        assert_eq!(beyond(all).as_deref(), Some("FAULTMASK"));
        assert_eq!(beyond(Set { faultmask: false, ..all }).as_deref(), Some("PRIMASK"));
        let basepri = Set { basepri: 0x20, ..Set::default() };
        assert_eq!(beyond(basepri).as_deref(), Some("BASEPRI 0x20"));
        assert_eq!((beyond(Set::default()), basepri.held_beyond(basepri)), (None, None));
    }
}
