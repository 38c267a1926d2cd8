//! Exceptions, faults, sleep and debugging, each corner with real instructions on a small bus.
//!
//! The vector table of [`firmware`] sends exception n to [`handler`]`(n)`, which is `NOP; BX LR`
//! unless a test writes other code there. The program begins at [`MAIN`], the main stack at
//! [`STACK`].

mod abandoning;
mod debugging;
mod entry;
mod exit;
mod faults;
mod float;
mod history;
mod late;
mod limits;
mod priorities;
mod private;
mod protection;
mod sleeping;

use super::bus::Lines;
use super::events::EventKind;
use super::instruction::Size;
use super::testing::{DATA, TestBus};
use super::{Architecture, Configuration, Halt, Processor};

/// Where the program begins.
const MAIN: u32 = 0x100;
/// The initial main stack pointer.
const STACK: u32 = DATA + 0x1000;
/// Some instructions.
const NOP: u16 = 0xbf00;
const BX_LR: u16 = 0x4770;
const SVC: u16 = 0xdf00;
const UDF: u16 = 0xde00;
const WFI: u16 = 0xbf30;
const WFE: u16 = 0xbf20;
const SEV: u16 = 0xbf40;
const BKPT: u16 = 0xbe07;
const CPSID_I: u16 = 0xb672;
const CPSIE_I: u16 = 0xb662;
const CPSID_F: u16 = 0xb671;
/// `STR R1, [R0]`.
const STORE: u16 = 0x6001;
/// `LDR R1, [R0]`.
const LOAD: u16 = 0x6801;

/// Registers of the system control space.
const SYST_CSR: u32 = 0xe000_e010;
const SYST_RVR: u32 = 0xe000_e014;
const ISER: u32 = 0xe000_e100;
const ICER: u32 = 0xe000_e180;
const ISPR: u32 = 0xe000_e200;
const ICPR: u32 = 0xe000_e280;
const IABR: u32 = 0xe000_e300;
const IPR: u32 = 0xe000_e400;
const ICSR: u32 = 0xe000_ed04;
const AIRCR: u32 = 0xe000_ed0c;
const SCR: u32 = 0xe000_ed10;
const CCR: u32 = 0xe000_ed14;
const SHPR: u32 = 0xe000_ed18;
const SHCSR: u32 = 0xe000_ed24;
const CFSR: u32 = 0xe000_ed28;
const HFSR: u32 = 0xe000_ed2c;
const ALL_FAULTS: u32 = 7 << 16;

type Core = Processor<TestBus>;

/// The address of an exception's handler.
fn handler(exception: u16) -> u32 {
    0x400 + 0x20 * u32::from(exception)
}

/// A processor at the beginning of `program`.
fn firmware(program: &[u16]) -> Core {
    firmware_on(Configuration::default(), program)
}

fn firmware_on(configuration: Configuration, program: &[u16]) -> Core {
    let mut bus = TestBus::new();
    bus.put_words(0, &[STACK, MAIN | 1]);
    for exception in 2..32 {
        bus.put_words(4 * u32::from(exception), &[handler(exception) | 1]);
        bus.put(handler(exception), &[NOP, BX_LR]);
    }
    bus.put(MAIN, program);
    let mut core = Processor::new(configuration, bus);
    core.reset();
    core.observe(true);
    core
}

fn armv6m() -> Configuration {
    Configuration {
        architecture: Architecture::V6M,
        cpuid: 0x410c_c200,
        interrupts: 32,
        mpu_regions: 0,
        ..Configuration::default()
    }
}

impl Core {
    fn poke(&mut self, address: u32, value: u32) {
        assert_eq!(self.poke_private(address, Size::Word, value), Some(Ok(())));
    }

    fn peek(&self, address: u32) -> u32 {
        self.peek_private(address, Size::Word).unwrap()
    }

    /// Enables an interrupt and gives it a priority.
    fn enable(&mut self, exception: u16, priority: u8) {
        self.poke(ISER, 1 << (exception - 16));
        self.system.exceptions.set_priority_byte(exception, priority);
    }

    /// Steps that must not stop.
    fn steps(&mut self, count: usize) {
        for _ in 0..count {
            assert_eq!(self.step(), None);
        }
    }

    /// Steps until the program counter is at `address`.
    fn run_to(&mut self, address: u32) {
        for _ in 0..200 {
            if self.registers.r[15] == address {
                return;
            }
            assert_eq!(self.step(), None);
        }
        panic!("never came to {address:#x}, is at {:#x}", self.registers.r[15]);
    }

    /// Steps until the processor stops.
    fn run_to_halt(&mut self) -> Halt {
        (0..200).find_map(|_| self.step()).expect("never stopped")
    }

    /// The frame at the current stack pointer.
    fn frame(&mut self) -> [u32; 8] {
        let stack = self.registers.r[13];
        [0, 1, 2, 3, 4, 5, 6, 7].map(|index| self.bus.word(stack + 4 * index))
    }

    fn event_kinds(&mut self) -> Vec<EventKind> {
        self.take_events().into_iter().map(|event| event.kind).collect()
    }

    /// The numbers of the exceptions entered since the last call, and whether each was
    /// tail-chained.
    fn entries(&mut self) -> Vec<(u16, bool)> {
        let entry = |kind| match kind {
            EventKind::Enter { exception, tail_chained, .. } => Some((exception, tail_chained)),
            _ => None,
        };
        self.event_kinds().into_iter().filter_map(entry).collect()
    }
}

/// The interrupt lines with some held high.
fn lines(interrupts: &[u16]) -> Lines {
    let mut lines = Lines::default();
    for &interrupt in interrupts {
        lines.level[usize::from(interrupt / 32)] |= 1 << (interrupt % 32);
    }
    lines
}
