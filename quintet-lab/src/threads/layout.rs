//! Where Quintet's scheduler keeps its threads, and what their control blocks say.
//!
//! The scheduler is found by its symbol. Where a control block has its fields is told by symbols
//! that are numbers, which take no memory (`begin` in `quintet/src/arch/cortex_m/switch.rs` defines
//! them); so neither debug information nor the version of the crate matters.

use std::collections::BTreeSet;

use quintet_sim::image::{Image, Symbol, SymbolKind};
use quintet_sim::machine::Machine;
use serde::Serialize;

use crate::firmware::symbols::demangle;

/// The end of the scheduler's path.
const SCHEDULER: &str = "core::record::scheduler::SCHEDULER";
/// What the symbols of the fields begin with.
const PREFIX: &str = "__quintet_thread_";
/// In the scheduler: who runs, the word of the priorities with a ready thread, and the first of
/// each.
const RUNNING: u32 = 4;
const READY: u32 = 8;
const QUEUES: u32 = 12;
/// The highest slot of a thread: the number of a queue is 31 minus the bit's.
const SLOT_MAX: u32 = 31;
/// In what doesn't change of a thread: its name's length, and its stack. The name comes first.
const NAME_LENGTH: u32 = 4;
const STACK: u32 = 8;
const STACK_SIZE: u32 = 12;
/// The lowest bytes of a stack that has a guard, which nobody may touch.
pub const GUARD: u32 = 32;
/// The bits of a ceiling that are its priority.
const PRIORITY_MASK: u8 = 31;
/// Longer names are no names.
const NAME_MAX: u32 = 256;
/// Among a thread's marks: it has a place, although it may await a wake.
const HAS_PLACE: u8 = 2;
/// In the word of a mutex's owner, beside the control block's address.
const OWNER_MARKS: u32 = 3;
/// A ring that is longer is none.
const RING_MAX: usize = 4096;

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Layout {
    scheduler: u32,
    next: u32,
    bit: u32,
    state: u32,
    /// What the state says of a thread that has ended.
    ended: u8,
    base: u32,
    priority: u32,
    about: u32,
    /// Where it waits, and the first link of its waiter.
    place: u32,
    waiter: u32,
    /// The set of priorities up to which nobody preempts it, and the ceiling that counts in its
    /// place; not in older firmware.
    limit: Option<u32>,
    ceiling: Option<u32>,
    /// Who waits for its end.
    joiner: u32,
    /// A byte of marks.
    marks: u32,
    /// In a mutex: who has it, with marks.
    owner: u32,
    /// What every word of a stack is that has never been used; where it isn't 0, a start has filled
    /// the stack with it, but not its guard.
    untouched: u32,
    /// Whether there is one guard, which is always at the stack that is in use.
    guard_moves: bool,
}

/// What is known of a thread at compile time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// Its name.
    pub name: String,
    /// The lowest address of its stack; 0 for idle, which has the main one.
    pub stack: u32,
    /// The size of its stack, in bytes.
    pub stack_size: u32,
}

impl About {
    /// The address behind its stack.
    pub fn top(&self) -> u32 {
        self.stack.saturating_add(self.stack_size)
    }
}

/// What a control block says of what its thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// In which list, with marks.
    pub place: u32,
    /// The first link there, or what stands for it.
    pub link: u32,
    /// Whether the place counts even if the thread awaits a wake.
    pub has_place: bool,
}

/// How a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It runs, or an interrupt has interrupted it.
    Running,
    /// It could run, were there nobody more urgent.
    Ready,
    /// It waits for an object, for a time, for a wake, or to be unparked.
    Waiting,
    /// It is held until it is resumed.
    Suspended,
    /// It has returned.
    Ended,
    /// Nobody has started it.
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
    /// The layout of firmware with threads; none for other firmware.
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

    /// The control block of the thread that runs, idle included; none before there are threads.
    pub fn running(&self, machine: &Machine) -> Option<u32> {
        machine.read_word(self.scheduler + RUNNING).filter(|&control| control != 0)
    }

    /// Where the stack pointer of a thread was when it was left last. A control block begins with
    /// that.
    pub fn left_at(&self, machine: &Machine, control: u32) -> Option<u32> {
        machine.read_word(control)
    }

    /// What doesn't change of a thread.
    pub fn about(&self, machine: &Machine, control: u32) -> Option<About> {
        about_at(machine, machine.read_word(control.checked_add(self.about)?)?)
    }

    /// The control blocks among the variables, with what doesn't change: those of all threads but
    /// idle. A thread's stack is a variable too.
    pub fn all<'a>(
        &'a self,
        image: &'a Image,
        machine: &'a Machine,
    ) -> impl Iterator<Item = (u32, About)> + 'a {
        let variables = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Data);
        let controls = variables.map(|symbol| symbol.address).filter(|address| address % 4 == 0);
        let known = controls.filter_map(|control| Some((control, self.about(machine, control)?)));
        known.filter(move |(_, about)| is_stack(image, about))
    }

    /// Where a thread's control block says what doesn't change: a word that nobody writes.
    pub fn constant(&self, control: u32) -> u32 {
        control.wrapping_add(self.about)
    }

    /// The first thread whose control block doesn't say any more what it says for ever: somebody
    /// has written over it. That is known from the image. None before threads run.
    pub fn overwritten(&self, image: &Image, machine: &Machine) -> Option<(u32, About)> {
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
    pub fn guarded_at(&self, image: &Image, machine: &Machine, address: u32) -> Option<u32> {
        let mut all = self.all(image, machine);
        let hit = all.find(|(_, about)| address.wrapping_sub(about.stack) < GUARD);
        hit.map(|(control, _)| control)
    }

    /// Its priority as it was made, and with what it inherits.
    pub fn priorities(&self, machine: &Machine, control: u32) -> Option<(u8, u8)> {
        let read = |offset| byte(machine, control.checked_add(offset)?);
        Some((read(self.base)?, read(self.priority)?))
    }

    /// The highest priority that doesn't preempt it: its own, one that it inherits, or a ceiling.
    pub fn reach(&self, machine: &Machine, control: u32) -> Option<u8> {
        let limit = machine.read_word(control.checked_add(self.limit?)?)?;
        if limit & 1 == 0 {
            return Some(byte(machine, control.checked_add(self.ceiling?)?)? & PRIORITY_MASK);
        }
        Some((u32::BITS - 1 - limit.leading_zeros()) as u8)
    }

    /// Where it waits; means something only while it does.
    pub fn waiting(&self, machine: &Machine, control: u32) -> Option<Waiting> {
        let word = |field: u32| machine.read_word(control.checked_add(field)?);
        let has_place = byte(machine, control.checked_add(self.marks)?)? & HAS_PLACE != 0;
        Some(Waiting { place: word(self.place)?, link: word(self.waiter)?, has_place })
    }

    /// The control block of who waits for its end, or 0.
    pub fn joiner(&self, machine: &Machine, control: u32) -> Option<u32> {
        machine.read_word(control.checked_add(self.joiner)?)
    }

    /// The control block of who has a mutex; none if nobody has.
    pub fn owner(&self, machine: &Machine, mutex: u32) -> Option<u32> {
        let owner = machine.read_word(mutex.checked_add(self.owner)?)? & !OWNER_MARKS;
        (owner != 0).then_some(owner)
    }

    /// How it stands.
    pub fn state(&self, machine: &Machine, control: u32) -> Option<State> {
        let read = |offset| byte(machine, control.checked_add(offset)?);
        Some(if self.running(machine) == Some(control) {
            State::Running
        } else if read(self.base)? == 0 {
            // Idle is always ready, in no ring.
            State::Ready
        } else if machine.read_word(control.checked_add(self.bit)?)? == 0 {
            State::Suspended
        } else if read(self.state)? >= self.ended {
            // Or it is about to start.
            State::Ended
        } else if self.ready(machine).contains(&control) {
            State::Ready
        } else {
            State::Waiting
        })
    }

    /// The control blocks of the threads that are ready, the running one included, without idle.
    pub fn ready(&self, machine: &Machine) -> BTreeSet<u32> {
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

    /// The bytes of a stack that have been written at most: those from the lowest that isn't zero,
    /// as start-up code leaves it, nor what a start has filled it with.
    pub fn written(&self, machine: &Machine, about: &About) -> u32 {
        let words = (0..about.stack_size / 4).map(|word| machine.read_word(about.stack + word * 4));
        let from_first = words.skip_while(|word| *word == Some(0));
        from_first.skip_while(|word| *word == Some(self.untouched)).count() as u32 * 4
    }

    /// The bytes of a stack's guard; 0 if it has none, or not yet. A guard is a region of the
    /// memory protection unit that ends within the stack.
    pub fn guard(&self, machine: &Machine, about: &About) -> u32 {
        let unit = &machine.processor.system.mpu;
        let ends_within =
            || unit.covers(about.stack) && !unit.covers(about.stack.saturating_add(GUARD));
        let is_guarded = unit.is_enabled() && about.stack_size > GUARD;
        if is_guarded && (self.guard_moves || ends_within()) { GUARD } else { 0 }
    }
}

/// What doesn't change of a thread, by the address of it.
fn about_at(machine: &Machine, about: u32) -> Option<About> {
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

/// Whether the stack is one, which is a variable.
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

fn byte(machine: &Machine, address: u32) -> Option<u8> {
    let mut byte = [0];
    machine.read_memory(address, &mut byte).ok()?;
    Some(byte[0])
}

/// That of firmware with every symbol, whose values are all the same.
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
        // The guard, what was filled, a frame of zeros, and more.
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
