//! The place of Quintet's scheduler in memory, and the contents of control blocks.
//!
//! A symbol gives the scheduler's address. Symbols that are numbers, and take no memory, give the
//! places of a control block's fields (`begin` in `quintet/src/arch/cortex_m/switch.rs` defines
//! them). So neither debug information nor the version of the crate matters.

use std::collections::BTreeSet;

use quintet_sim::cores::Core;
use quintet_sim::image::{Image, Symbol, SymbolKind};

use crate::simulated::Simulated;
use serde::Serialize;

use crate::firmware::symbols::demangle;

/// The end of the scheduler's path.
const SCHEDULER: &str = "core::record::scheduler::SCHEDULER";
/// The beginning of the names of the fields' symbols.
const PREFIX: &str = "__quintet_thread_";
/// In the scheduler: the running thread, the word of the priorities with a ready thread, and the
/// first thread of each priority.
const RUNNING: u32 = 4;
const READY: u32 = 8;
const QUEUES: u32 = 12;
/// The highest slot of a thread: the number of a queue is 31 minus the bit's.
const SLOT_MAX: u32 = 31;
/// In a thread's constant part: the length of its name, and its stack. The name comes first.
const NAME_LENGTH: u32 = 4;
const STACK: u32 = 8;
const STACK_SIZE: u32 = 12;
/// The lowest bytes of a stack with a guard, which no code may touch.
pub const GUARD: u32 = 32;
/// The bits of a ceiling that are its priority.
const PRIORITY_MASK: u8 = 31;
/// Longer names are no names.
const NAME_MAX: u32 = 256;
/// A mark of a thread: it has a place, although it may await a wake.
const HAS_PLACE: u8 = 2;
/// In the word of a mutex's owner, beside the control block's address.
const OWNER_MARKS: u32 = 3;
/// The longest ring. A longer one is no ring.
const RING_MAX: usize = 4096;

/// The places of the scheduler's parts.
#[derive(Clone, Debug)]
pub struct Layout {
    scheduler: u32,
    next: u32,
    bit: u32,
    state: u32,
    /// The state of a thread that has ended.
    ended: u8,
    base: u32,
    priority: u32,
    about: u32,
    /// The list in which the thread waits, and the first link of its waiter.
    place: u32,
    waiter: u32,
    /// The set of priorities up to which no thread preempts this one, and the ceiling that counts
    /// in its place. Older firmware has neither.
    limit: Option<u32>,
    ceiling: Option<u32>,
    /// The thread that waits for the end of this one.
    joiner: u32,
    /// A byte of marks.
    marks: u32,
    /// In a mutex: the owner, with marks.
    owner: u32,
    /// The value of a stack's words that were never used. If it isn't 0, a start has filled the
    /// stack with it, but not the guard.
    untouched: u32,
    /// `true` if there is one guard, which is always at the stack in use.
    guard_moves: bool,
}

/// The constant part of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The thread's name.
    pub name: String,
    /// The lowest address of the thread's stack; 0 for idle, which has the main stack.
    pub stack: u32,
    /// The size of the thread's stack, in bytes.
    pub stack_size: u32,
}

impl About {
    /// Returns the address behind the thread's stack.
    pub fn top(&self) -> u32 {
        self.stack.saturating_add(self.stack_size)
    }
}

/// The control block's information about a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The list, with marks.
    pub place: u32,
    /// The first link there, or the value in its place.
    pub link: u32,
    /// `true` if the place counts even if the thread awaits a wake.
    pub has_place: bool,
}

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The thread runs, or an interrupt has interrupted it.
    Running,
    /// The thread could run, but a more urgent one does.
    Ready,
    /// The thread waits for an object, for a time, for a wake, or to be unparked.
    Waiting,
    /// The thread is held until code resumes it.
    Suspended,
    /// The thread's function has returned.
    Ended,
    /// No code has started the thread.
    #[serde(rename = "not started")]
    NotStarted,
}

impl State {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Suspended => "suspended",
            Self::Ended => "ended",
            Self::NotStarted => "not started",
        }
    }
}

impl Layout {
    /// Finds the layout of firmware with threads; `None` for other firmware.
    pub fn find(image: &Image) -> Option<Self> {
        let is_scheduler = |symbol: &&Symbol| {
            symbol.name.contains("SCHEDULER") && demangle(&symbol.name).ends_with(SCHEDULER)
        };
        let field = |name: &str| {
            let is_field =
                |symbol: &&Symbol| symbol.name.strip_prefix(PREFIX).is_some_and(|end| end == name);
            image.symbols.iter().find(is_field).map(|symbol| symbol.address)
        };
        Some(Self {
            scheduler: image.symbols.iter().find(is_scheduler)?.address,
            next: field("next")?,
            bit: field("bit")?,
            state: field("state")?,
            ended: field("ended")? as u8,
            base: field("base")?,
            priority: field("priority")?,
            about: field("about")?,
            place: field("place")?,
            waiter: field("waiter")?,
            limit: field("limit"),
            ceiling: field("ceiling"),
            joiner: field("joiner")?,
            marks: field("marks")?,
            owner: field("owner")?,
            untouched: field("untouched")?,
            guard_moves: field("guard_moves")? != 0,
        })
    }

    /// The words that change whenever another thread runs, or the first one of a priority gets
    /// ready: the first address, and how many bytes.
    pub fn watched(&self) -> (u32, u32) {
        (self.scheduler + RUNNING, READY + 4 - RUNNING)
    }

    /// Returns the control block of the running thread, or of idle; `None` before there are
    /// threads.
    pub fn running(&self, machine: &impl Core) -> Option<u32> {
        machine.read_word(self.scheduler + RUNNING).filter(|&control| control != 0)
    }

    /// Returns the stack pointer of a thread at the last switch away from it. A control block
    /// begins with this word.
    pub fn left_at(&self, machine: &impl Core, control: u32) -> Option<u32> {
        machine.read_word(control)
    }

    /// Returns the constant part of a thread.
    pub fn about(&self, machine: &impl Core, control: u32) -> Option<About> {
        about_at(machine, machine.read_word(control.checked_add(self.about)?)?)
    }

    /// Returns the control blocks among the variables, with their constant parts: all threads but
    /// idle. A thread's stack is a variable too.
    pub fn all<'a>(
        &'a self,
        image: &'a Image,
        machine: &'a impl Core,
    ) -> impl Iterator<Item = (u32, About)> + 'a {
        let variables = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Data);
        let controls = variables.map(|symbol| symbol.address).filter(|address| address % 4 == 0);
        let known = controls.filter_map(|control| Some((control, self.about(machine, control)?)));
        known.filter(move |(_, about)| is_stack(image, about))
    }

    /// Returns the address of the word for the constant part in a thread's control block. No code
    /// writes this word.
    pub fn constant(&self, control: u32) -> u32 {
        control.wrapping_add(self.about)
    }

    /// Returns the first thread whose control block has another constant part than in the image:
    /// some code has written over it. `None` before threads run.
    pub fn overwritten(&self, image: &Image, machine: &impl Core) -> Option<(u32, About)> {
        self.running(machine)?;
        let variables = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Data);
        let controls = variables.map(|symbol| symbol.address).filter(|address| address % 4 == 0);
        let all = controls
            .filter_map(|control| Some((control, initial_word(image, self.constant(control))?)));
        let threads = all.filter_map(|(control, word)| {
            let about = about_at(machine, word).filter(|about| is_stack(image, about))?;
            Some((control, word, about))
        });
        let mut damaged = threads.filter(|(control, word, _)| {
            let now = machine.read_word(self.constant(*control));
            let is_one = |priority| (1..=SLOT_MAX).contains(&u32::from(priority));
            let sane = |(base, now)| is_one(base) && is_one(now);
            now != Some(*word) || !self.priorities(machine, *control).is_some_and(sane)
        });
        damaged.next().map(|(control, _, about)| (control, about))
    }

    /// The control block of the thread whose guard the address is in.
    pub fn guarded_at(&self, image: &Image, machine: &impl Core, address: u32) -> Option<u32> {
        let mut all = self.all(image, machine);
        let hit = all.find(|(_, about)| address.wrapping_sub(about.stack) < GUARD);
        hit.map(|(control, _)| control)
    }

    /// Returns the thread's own priority, and the priority with inheritance.
    pub fn priorities(&self, machine: &impl Core, control: u32) -> Option<(u8, u8)> {
        let read = |offset| byte(machine, control.checked_add(offset)?);
        Some((read(self.base)?, read(self.priority)?))
    }

    /// Returns the highest priority that doesn't preempt the thread: its own, an inherited one, or
    /// a ceiling.
    pub fn reach(&self, machine: &impl Core, control: u32) -> Option<u8> {
        let limit = machine.read_word(control.checked_add(self.limit?)?)?;
        if limit & 1 == 0 {
            return Some(byte(machine, control.checked_add(self.ceiling?)?)? & PRIORITY_MASK);
        }
        Some((u32::BITS - 1 - limit.leading_zeros()) as u8)
    }

    /// Returns the thread's wait. The result has a meaning only while the thread waits.
    pub fn waiting(&self, machine: &impl Core, control: u32) -> Option<Waiting> {
        let word = |field: u32| machine.read_word(control.checked_add(field)?);
        let has_place = byte(machine, control.checked_add(self.marks)?)? & HAS_PLACE != 0;
        Some(Waiting { place: word(self.place)?, link: word(self.waiter)?, has_place })
    }

    /// Returns the control block of the thread that waits for the end of this one, or 0.
    pub fn joiner(&self, machine: &impl Core, control: u32) -> Option<u32> {
        machine.read_word(control.checked_add(self.joiner)?)
    }

    /// Returns the control block of a mutex's owner; `None` if there is none.
    pub fn owner(&self, machine: &impl Core, mutex: u32) -> Option<u32> {
        let owner = machine.read_word(mutex.checked_add(self.owner)?)? & !OWNER_MARKS;
        (owner != 0).then_some(owner)
    }

    /// Returns the thread's state.
    pub fn state(&self, machine: &impl Core, control: u32) -> Option<State> {
        let read = |offset| byte(machine, control.checked_add(offset)?);
        Some(if self.running(machine) == Some(control) {
            State::Running
        } else if read(self.base)? == 0 {
            // Idle is always ready, in no ring.
            State::Ready
        } else if machine.read_word(control.checked_add(self.bit)?)? == 0 {
            State::Suspended
        } else if read(self.state)? >= self.ended {
            // Or the thread is about to start.
            State::Ended
        } else if self.ready(machine).contains(&control) {
            State::Ready
        } else {
            State::Waiting
        })
    }

    /// The control blocks of the threads that are ready, the running one included, without idle.
    pub fn ready(&self, machine: &impl Core) -> BTreeSet<u32> {
        let mut ready = BTreeSet::new();
        let bits = machine.read_word(self.scheduler + READY).unwrap_or(0);
        for bit in (0..=SLOT_MAX).filter(|bit| bits & 1 << bit != 0) {
            let first = machine.read_word(self.scheduler + QUEUES + (SLOT_MAX - bit) * 4);
            let next = |control: &u32| machine.read_word(control.checked_add(self.next)?);
            // A bit may be set just before its ring is.
            let first = first.filter(|control| *control != 0);
            let ring = std::iter::successors(first, next).take(RING_MAX);
            for control in ring {
                if !ready.insert(control) {
                    break;
                }
            }
        }
        ready
    }

    /// Returns the most bytes of a stack that were written. They begin at the lowest word that has
    /// neither a zero, as from start-up code, nor the value with which a start has filled the
    /// stack.
    pub fn written(&self, machine: &impl Core, about: &About) -> u32 {
        let words = (0..about.stack_size / 4).map(|word| machine.read_word(about.stack + word * 4));
        let from_first = words.skip_while(|word| *word == Some(0));
        from_first.skip_while(|word| *word == Some(self.untouched)).count() as u32 * 4
    }

    /// Returns the bytes of a stack's guard; 0 if it has none, or none yet. A guard is a region of
    /// the memory protection unit that ends within the stack.
    pub fn guard(&self, machine: &impl Simulated, about: &About) -> u32 {
        // No port for RISC-V has guards.
        let Some(machine) = machine.cortex_m() else { return 0 };
        let unit = &machine.processor.system.mpu;
        let ends_within =
            || unit.covers(about.stack) && !unit.covers(about.stack.saturating_add(GUARD));
        let is_guarded = unit.is_enabled() && about.stack_size > GUARD;
        if is_guarded && (self.guard_moves || ends_within()) { GUARD } else { 0 }
    }
}

/// Returns the constant part of a thread at an address.
fn about_at(machine: &impl Core, about: u32) -> Option<About> {
    let word = |offset: u32| machine.read_word(about.checked_add(offset)?);
    let length = word(NAME_LENGTH).filter(|length| *length <= NAME_MAX)?;
    let mut name = vec![0; length as usize];
    machine.read_memory(word(0)?, &mut name).ok()?;
    Some(About {
        name: String::from_utf8_lossy(&name).into_owned(),
        stack: word(STACK)?,
        stack_size: word(STACK_SIZE)?,
    })
}

/// Returns `true` if the stack is a variable.
fn is_stack(image: &Image, about: &About) -> bool {
    let is_it = |symbol: &Symbol| {
        (symbol.address, symbol.size) == (about.stack, about.stack_size)
            && symbol.kind == SymbolKind::Data
    };
    about.stack_size > GUARD && image.symbols.iter().any(is_it)
}

/// The word that start-up code puts at `address`.
fn initial_word(image: &Image, address: u32) -> Option<u32> {
    image.segments.iter().find_map(|segment| {
        let offset = address.checked_sub(segment.address)? as usize;
        let word = segment.bytes.get(offset..offset.checked_add(4)?)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    })
}

fn byte(machine: &impl Core, address: u32) -> Option<u8> {
    let mut byte = [0];
    machine.read_memory(address, &mut byte).ok()?;
    Some(byte[0])
}

/// The layout of firmware with every symbol. All symbols have the same value.
#[cfg(test)]
pub fn example() -> Layout {
    let fields = [
        "next",
        "bit",
        "state",
        "ended",
        "base",
        "priority",
        "about",
        "place",
        "waiter",
        "joiner",
        "marks",
        "owner",
        "untouched",
        "guard_moves",
        "limit",
        "ceiling",
    ];
    let names = fields.map(|field| format!("{PREFIX}{field}"));
    let symbols = names.into_iter().chain([format!("quintet::{SCHEDULER}")]);
    let symbol = |name| {
        let kind = SymbolKind::Label;
        Symbol { name, address: 0x2000_0000, size: 0, kind, absolute: true }
    };
    let image = Image { symbols: symbols.map(symbol).collect(), ..Image::default() };
    Layout::find(&image).expect("every symbol is there")
}

#[cfg(test)]
mod tests {
    use quintet_sim::machine::Machine;

    use super::*;
    use quintet_sim::board::Board;

    #[test]
    fn who_preempts_a_thread_is_told_by_its_limit_or_its_ceiling() {
        const CONTROL: u32 = 0x2000_0100;
        let layout = Layout { limit: Some(0), ceiling: Some(4), ..example() };
        let reach = |limit: u32, ceiling: u8| {
            let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
            machine.write_memory(CONTROL, &limit.to_le_bytes()).expect("it is memory");
            machine.write_memory(CONTROL + 4, &[ceiling]).expect("it is memory");
            layout.reach(&machine, CONTROL)
        };
        assert_eq!(
            (reach(0b1111, 0), reach(1, 0), reach(u32::MAX, 0)),
            (Some(3), Some(0), Some(31))
        );
        assert_eq!(reach(!1, 0xe5), Some(5), "it is under a ceiling");
    }

    #[test]
    fn a_stack_that_was_filled_is_used_from_the_first_other_word_on() {
        const STACK: u32 = 0x2000_0400;
        const PATTERN: u32 = 0xa5a5_a5a5;
        let about = About { name: "it".into(), stack: STACK, stack_size: 256 };
        let layout = Layout { untouched: PATTERN, ..example() };
        // The guard, the filled words, a frame of zeros, and more.
        let words = |filled: u32, zeros: u32| {
            let parts = [(0, 8), (PATTERN, filled), (0, zeros), (7, 64 - 8 - filled - zeros)];
            parts.into_iter().flat_map(|(word, count)| vec![word; count as usize])
        };
        for (filled, zeros, used) in [(40, 4, 64), (56, 0, 0), (0, 20, 144), (0, 0, 224)] {
            let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
            let bytes: Vec<u8> = words(filled, zeros).flat_map(u32::to_le_bytes).collect();
            machine.write_memory(STACK, &bytes).expect("it is memory");
            assert_eq!(layout.written(&machine, &about), used, "{filled} {zeros}");
        }
    }
}
