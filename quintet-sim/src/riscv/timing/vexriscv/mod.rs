//! SpinalHDL's VexRiscv with five stages and two caches, as LiteX generates it: the variants IMAC
//! and Secure.
//!
//! ```text
//!  front end ──> decode ──> execute ──> memory ──> write back
//!     ^            │           │ CSR       │          │ loads, stores, returns, traps
//!     ╰─prediction─┴───────────┴──branches─┴──────────╯
//! ```
//! Each cycle has two halves. First every stage says whether it stays, goes elsewhere or drops what
//! is behind; then everything moves. Wrong paths are fetched and decoded too, since they fill the
//! cache of instructions.
//!
//! An instruction has its effect when it is written back. Registers for control and status are
//! accessed in the stage that executes, with nothing in the stages behind; devices are accessed
//! when the bus does it.

mod compressed;
mod cycle;
mod data;
mod fetch;
mod instructions;
mod port;
pub mod slot;
mod traps;
mod two_cycles;

use super::Model;
use compressed::Compressed;
use data::{Access, DataCache, Verdict};
use fetch::FrontEnd;
use instructions::InstructionCache;
use slot::{Class, Ready, Slot};
use traps::Traps;
use two_cycles::TwoCycles;

/// The lines of a cache.
const LINES: usize = 128;
/// The cycles of a quotient.
const DIVISION: u8 = 34;
/// Cycles in which nothing happens, after which sleep is thought to last.
const ASLEEP: u8 = 8;

/// What the pipeline asks of the hart and its bus.
pub trait World {
    /// Returns the halfword of an instruction; all ones where nothing is.
    fn half(&mut self, address: u32) -> u16;
    /// Decodes an instruction.
    fn slot(&mut self, pc: u32, length: u32, bits: u32) -> Slot;
    /// Returns `true` if protection lets the program fetch a word.
    fn may_execute(&self, address: u32) -> bool;
    /// Returns whether a branch is taken, by the registers of now.
    fn is_taken(&self, slot: &Slot) -> bool;
    /// Returns the target of a JALR, or the address of an access.
    fn address(&self, slot: &Slot) -> u32;
    /// Returns `true` if protection refuses an access.
    fn is_refused(&self, slot: &Slot, address: u32) -> bool;
    /// Returns `true` if an instruction is illegal for the register it names or for the privilege.
    fn is_illegal(&self, slot: &Slot) -> bool;
    /// Returns `true` for a write of the registers of protection, which takes longer.
    fn protects(&self, slot: &Slot) -> Option<Protects>;
    /// Returns the lines of the timer, software and external interrupt in a cycle. `external` is
    /// kept by the core and gets the lines of devices.
    fn lines(&mut self, cycle: u64, external: &mut u32) -> u32;
    /// Shows the program what is pending.
    fn set_pending(&mut self, pending: u32);
    /// Returns the interrupts that are enabled, and whether any are taken now.
    fn enabled(&self) -> (u32, bool);
    /// Executes the instruction whose turn it is, in a cycle. Returns `false` if it trapped.
    fn execute(&mut self, cycle: u64) -> bool;
    /// Returns `true` if the last store goes to a device, and waits for [`World::write_device`].
    fn has_posted(&self) -> bool;
    /// Does the oldest store that waits.
    fn write_device(&mut self, cycle: u64);
    /// Enters the handler of an interrupt.
    fn interrupt(&mut self, number: u32);
    /// Returns where the program goes on.
    fn pc(&self) -> u32;
}

/// The writes to registers of protection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protects {
    /// Four regions' options.
    Options,
    /// A region's address.
    Address,
}

/// What a cycle has brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Nothing for the program.
    None,
    /// An instruction has retired.
    Retired,
    /// A handler is entered.
    Trap,
}

/// The stage of memory.
#[derive(Clone, Copy, Debug)]
struct InMemory {
    slot: Slot,
    /// What is known of it since its first cycle.
    known: Option<Known>,
    divided: u8,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    access: Option<Access>,
    /// Where a branch goes that was predicted wrongly.
    jump: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct InWriteBack {
    slot: Slot,
    access: Option<Access>,
}

/// The pipeline.
#[derive(Clone, Debug)]
pub struct VexRiscv {
    now: u64,
    retired: u64,
    compressed: bool,
    front: FrontEnd,
    instructions: InstructionCache,
    data: DataCache,
    execute: Option<Slot>,
    /// The cycles of a write to registers of protection.
    protecting: u8,
    memory: Option<InMemory>,
    write_back: Option<InWriteBack>,
    traps: Traps,
    quiet: u8,
}

impl VexRiscv {
    /// A pipeline after reset in the cycle `now`, at a memory with these wait states.
    pub fn new(model: Model, wait_states: u8, start: u32, now: u64) -> Self {
        let compressed = model == Model::VexRiscvImac;
        let front = if compressed {
            FrontEnd::Compressed(Compressed::new(start))
        } else {
            FrontEnd::TwoCycles(TwoCycles::new(start))
        };
        Self {
            now,
            retired: 0,
            compressed,
            front,
            instructions: InstructionCache::new(wait_states),
            data: DataCache::new(wait_states),
            execute: None,
            protecting: 0,
            memory: None,
            write_back: None,
            traps: Traps::default(),
            quiet: 0,
        }
    }

    /// Returns the current cycle since reset.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Returns the cycle in which the last instruction retires.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// Lets time pass in which nothing happens.
    pub fn skip_to(&mut self, cycle: u64) {
        self.now = self.now.max(cycle);
    }

    /// Returns `true` if only an interrupt ends a sleep.
    pub fn is_asleep(&self) -> bool {
        self.quiet >= ASLEEP
    }

    /// Writes back what needs no memory, and judges what does.
    fn begin_write_back(&mut self, world: &mut impl World) -> Verdict {
        let Some(InWriteBack { slot, access }) = &mut self.write_back else {
            return Verdict::default();
        };
        let Some(access) = access else {
            if !slot.is_done {
                slot.is_done = true;
                self.traps.is_lost_later = !world.execute(self.now);
            }
            return Verdict::default();
        };
        self.data.judge(access)
    }

    /// Learns of the instruction that has come into the stage of memory.
    fn look_at_memory(&mut self, world: &impl World) {
        let Some(InMemory { slot, known: known @ None, .. }) = &mut self.memory else { return };
        let access = slot.memory().map(|memory| {
            let address = world.address(slot);
            self.data.look_up(memory, address, world.is_refused(slot, address))
        });
        let behind = slot.pc.wrapping_add(slot.length);
        let jump = match slot.class {
            Class::JumpRegister => Some(world.address(slot)),
            Class::Jump { target } => slot.predicted.is_none().then_some(target),
            Class::Branch { target } => match (world.is_taken(slot), slot.predicted) {
                (true, None) => Some(target),
                (false, Some(_)) => Some(behind),
                _ => None,
            },
            _ => None,
        };
        *known = Some(Known { access, jump });
    }

    fn is_hazard(&self, slot: &Slot) -> bool {
        let waits = |other: Option<&Slot>, until: Ready| {
            other.is_some_and(|it| {
                it.writes != 0 && it.ready >= until && slot.reads.contains(&it.writes)
            })
        };
        let memory = self.memory.as_ref().map(|it| &it.slot);
        waits(self.execute.as_ref(), Ready::Memory) || waits(memory, Ready::WriteBack)
    }

    /// Returns `true` if the stage that executes stays by itself.
    fn execute_halts(&mut self, world: &impl World) -> bool {
        if self.data.is_flushing() {
            return true;
        }
        let Some(slot) = &self.execute else { return false };
        let is_alone = self.memory.is_none() && self.write_back.is_none();
        match slot.class {
            Class::Wait => !self.traps.wakes,
            Class::Csr => match world.protects(slot) {
                None => !is_alone,
                Some(protects) => {
                    let cycles = match protects {
                        Protects::Options => 7,
                        Protects::Address => 4,
                    };
                    self.protecting += u8::from(is_alone || self.protecting != 0);
                    self.protecting < cycles
                }
            },
            _ => false,
        }
    }

    /// Moves instructions to the next stages.
    fn move_on(
        &mut self,
        [_, x_stuck, m_stuck, w_stuck]: [bool; 4],
        [x_removed, m_removed, w_removed]: [bool; 3],
        next: Option<Slot>,
        verdict: &Verdict,
        world: &mut impl World,
    ) {
        if !w_stuck || w_removed {
            self.write_back = None;
        }
        if !m_stuck
            && !m_removed
            && let Some(InMemory { slot, known, .. }) = self.memory
        {
            let access = known.and_then(|it| it.access).map(|access| access.pass(verdict));
            self.write_back = Some(InWriteBack { slot, access });
        }
        if !m_stuck || m_removed {
            self.memory = None;
        } else if let Some(memory) = &mut self.memory {
            memory.divided = memory.divided.saturating_add(1);
        }
        if !x_stuck
            && !x_removed
            && let Some(mut slot) = self.execute
        {
            if slot.class == Class::Csr {
                slot.is_done = true;
                self.traps.is_lost_later = !world.execute(self.now);
            }
            self.memory = Some(InMemory { slot, known: None, divided: 0 });
        }
        if !x_stuck || x_removed {
            self.execute = None;
            self.protecting = 0;
        }
        if next.is_some() {
            self.execute = next;
        }
    }
}
