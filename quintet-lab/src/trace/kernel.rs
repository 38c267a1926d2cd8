//! Who runs in thread mode, and who is ready, by the words that kernels keep in memory.
//!
//! Quintet's threads are found by the scheduler's symbol, its jobs by the ready bits of levels,
//! FreeRTOS' tasks by its variables. The machine watches these words, so that the lab sees each
//! change in its cycle.

use super::units::{Application, Level};
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::simulated::Simulated;
use crate::threads::freertos::Freertos;
use crate::threads::layout::Layout;
use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::image::{Image, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// Up to so many slots have a flag each; up to 32 share a word.
const FLAGS_MAX: usize = 6;
const WORD_SLOTS: usize = 32;

/// Who runs, or was made ready.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Who {
    /// A job, by its unit.
    Unit(u16),
    /// Returns a thread by its control block.
    Thread(u32),
    /// An interrupt, by its exception.
    Exception(u16),
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The thread's name.
    pub name: String,
    /// The thread's priority.
    pub priority: u32,
    /// The first address of the thread's stack, and the address behind its end; 0 if not known.
    pub stack: (u32, u32),
}

/// The kernel that schedules thread mode.
#[derive(Clone, Debug)]
enum Scheduler {
    None,
    Quintet(Box<Layout>),
    Freertos(Box<Freertos>),
}

/// The ready slots of a level.
#[derive(Clone, Debug)]
struct Ready {
    address: u32,
    level: Level,
    bits: u32,
}

/// Follows the words of the kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    scheduler: Scheduler,
    levels: Vec<Ready>,
    /// The control block of the running thread; 0 before there are threads.
    pub running: u32,
    ready: BTreeSet<u32>,
    known: BTreeMap<u32, Known>,
}

impl Kernel {
    /// Finds the kernel of an image.
    pub fn find(firmware: &Firmware, application: &Application) -> Self {
        let image = &firmware.image;
        let scheduler = match Layout::find(image) {
            Some(layout) => Scheduler::Quintet(Box::new(layout)),
            None => Freertos::find(firmware)
                .map_or(Scheduler::None, |tasks| Scheduler::Freertos(Box::new(tasks))),
        };
        let levels = application.levels.iter().filter_map(|level| Ready::find(image, level));
        Self {
            scheduler,
            levels: levels.collect(),
            running: 0,
            ready: BTreeSet::new(),
            known: BTreeMap::new(),
        }
    }

    /// Lets the machine watch the words.
    pub fn watch(&self, machine: &mut impl Simulated) {
        let scheduler = match &self.scheduler {
            Scheduler::None => Vec::new(),
            Scheduler::Quintet(layout) => vec![layout.watched()],
            Scheduler::Freertos(tasks) => tasks.watched().collect(),
        };
        let levels = self.levels.iter().map(|ready| (ready.address, ready.level.bytes));
        for (start, length) in scheduler.into_iter().chain(levels) {
            machine.watch_memory(WatchedRange { start, length, kind: AccessKind::Write });
        }
    }

    /// Reads the words again. Returns who was made ready meanwhile.
    pub fn look(&mut self, machine: &impl Simulated) -> Vec<Who> {
        let mut woken = Vec::new();
        for ready in &mut self.levels {
            let bits = ready.read(machine);
            let new = bits & !std::mem::replace(&mut ready.bits, bits);
            let slots = ready.level.slots.iter().take(WORD_SLOTS).enumerate();
            let set = slots.filter(|(slot, _)| new >> slot & 1 != 0);
            woken.extend(set.map(|(_, unit)| Who::Unit(*unit)));
        }
        match &self.scheduler {
            Scheduler::None => {}
            Scheduler::Quintet(layout) => {
                self.running = layout.running(machine).unwrap_or(0);
                let ready = layout.ready(machine);
                let new = ready.difference(&self.ready).copied();
                woken.extend(new.map(Who::Thread));
                self.ready = ready;
            }
            // Who is ready is for `freertos` to say: there is no end of a wait to be seen here.
            Scheduler::Freertos(tasks) => self.running = tasks.running(machine).unwrap_or(0),
        }
        woken
    }

    /// Returns the priority of each level that tells, with the number of its ready jobs.
    pub fn jobs(&self) -> impl Iterator<Item = (u8, u32)> + '_ {
        self.levels.iter().map(|ready| (ready.level.priority, ready.bits.count_ones()))
    }

    /// Returns whether a thread is ready, as the running thread is; `None` if that isn't known.
    pub fn is_ready(&self, control: u32) -> Option<bool> {
        match self.scheduler {
            Scheduler::Quintet(_) => Some(self.ready.contains(&control)),
            _ => None,
        }
    }

    /// Returns the layout of Quintet's threads, if there are any.
    pub fn layout(&self) -> Option<&Layout> {
        match &self.scheduler {
            Scheduler::Quintet(layout) => Some(layout),
            _ => None,
        }
    }

    /// Returns the place of FreeRTOS' tasks, if there are any.
    pub fn freertos(&self) -> Option<&Freertos> {
        match &self.scheduler {
            Scheduler::Freertos(tasks) => Some(tasks),
            _ => None,
        }
    }

    /// Returns `true` if something that the lab knows schedules thread mode.
    pub const fn has_threads(&self) -> bool {
        !matches!(self.scheduler, Scheduler::None)
    }

    /// Returns the number of ready threads with the running one; `None` if that isn't known.
    pub fn ready(&self) -> Option<u32> {
        match self.scheduler {
            Scheduler::Quintet(_) => u32::try_from(self.ready.len()).ok(),
            _ => None,
        }
    }

    /// Returns `true` if the control block belongs to another task than the known one: FreeRTOS
    /// gives the memory of a deleted task to a new one.
    pub fn is_another(&self, machine: &impl Simulated, control: u32) -> bool {
        let about = self.freertos().and_then(|tasks| tasks.about(machine, control));
        about.zip(self.known.get(&control)).is_some_and(|(about, known)| about.name != known.name)
    }

    /// Returns a thread by its control block.
    pub fn thread(&mut self, machine: &impl Simulated, control: u32) -> Known {
        if let Some(known) = self.known.get(&control)
            && !self.is_another(machine, control)
        {
            return known.clone();
        }
        let known = match &self.scheduler {
            Scheduler::Quintet(layout) => quintet(layout, machine, control),
            Scheduler::Freertos(tasks) => tasks.about(machine, control).map(|about| Known {
                name: about.name,
                priority: about.priority,
                stack: (0, 0),
            }),
            Scheduler::None => None,
        };
        let known = known.unwrap_or_else(|| Known {
            name: format!("thread {control:#010x}"),
            priority: 0,
            stack: (0, 0),
        });
        self.known.insert(control, known.clone());
        known
    }
}

impl Ready {
    fn find(image: &Image, level: &Level) -> Option<Self> {
        let name = format!("__quintet_ready_{}", level.priority);
        let is_it = |symbol: &&quintet_sim::image::Symbol| {
            symbol.kind == SymbolKind::Data
                && symbol.name.contains(&name)
                && demangle(&symbol.name).rsplit("::").next() == Some(&name)
        };
        let address = image.symbols.iter().find(is_it)?.address;
        let slots = level.slots.len();
        let is_word = level.bytes == 4 && slots <= WORD_SLOTS;
        let known = is_word || level.bytes as usize == slots && slots <= FLAGS_MAX;
        known.then(|| Self { address, level: level.clone(), bits: 0 })
    }

    /// Returns a bit for each slot, with the lowest bit for the first slot.
    fn read(&self, machine: &impl Simulated) -> u32 {
        let mut bytes = [0; 8];
        let slots = self.level.slots.len();
        let length = (self.level.bytes as usize).min(bytes.len());
        if machine.read_memory(self.address, &mut bytes[..length]).is_err() {
            return self.bits;
        }
        if slots <= FLAGS_MAX && length == slots {
            let set = (0..slots).filter(|slot| bytes[*slot] != 0);
            return set.fold(0, |bits, slot| bits | 1 << slot);
        }
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).reverse_bits()
    }
}

fn quintet(layout: &Layout, machine: &impl Simulated, control: u32) -> Option<Known> {
    let about = layout.about(machine, control)?;
    let (priority, _) = layout.priorities(machine, control)?;
    let stack = (about.stack, about.top());
    Some(Known { name: about.name, priority: u32::from(priority), stack })
}

#[cfg(test)]
mod tests {
    use quintet_sim::machine::Machine;

    use super::*;
    use quintet_sim::board::Board;

    fn ready(bytes: u32, slots: usize, memory: &[u8]) -> u32 {
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        let address = 0x2000_0100;
        machine.write_memory(address, memory).unwrap();
        let level = Level { priority: 1, exception: 17, bytes, slots: vec![0; slots] };
        Ready { address, level, bits: 0 }.read(&machine)
    }

    #[test]
    fn ready_slots_are_read_in_each_form() {
        assert_eq!(ready(1, 1, &[1]), 1);
        assert_eq!(ready(4, 4, &[0, 1, 0, 1]), 0b1010);
        assert_eq!(ready(4, 7, &0xa000_0000_u32.to_le_bytes()), 0b101);
    }
}
