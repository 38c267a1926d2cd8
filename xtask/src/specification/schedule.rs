//! Schedules: what each context does, and when interrupts come.

use std::fmt;

use crate::cross::random::Random;

/// Threads; their numbers are their contexts.
pub const THREADS: usize = 5;
/// Their priorities.
pub const PRIORITIES: [u8; THREADS] = [1, 2, 2, 3, 4];
/// The context that runs when no thread can.
pub const IDLE: usize = THREADS;
/// The first context of an interrupt.
pub const INTERRUPTS: usize = IDLE + 1;
/// The hardware's priorities of the interrupts: less is more urgent. The last one is above the
/// kernel, and may only wake.
pub const LINES: [u8; 4] = [0xc0, 0x80, 0x40, 0x00];
/// Their exceptions.
pub const EXCEPTIONS: [u16; 4] = [16, 17, 18, 16 + 14];
/// The interrupt that comes last, and its exception.
pub const LAST: usize = INTERRUPTS + LINES.len();
/// The exception of that.
pub const LAST_EXCEPTION: u16 = 19;
/// The line at the kernel's ceiling, which may move the clock on: the timer's interrupt comes
/// behind it.
pub const CLOCK: usize = 2;
/// Semaphores.
pub const SEMAPHORES: usize = 3;
/// Mutexes with inheritance.
pub const MUTEXES: usize = 2;
/// The messages that the channel has room for.
pub const ROOM: usize = 2;
/// The highest priority that a thread is given.
pub const PRIORITY_MAX: u8 = 6;
/// The most operations of a script.
const LENGTH_MAX: u32 = 7;

/// What a context does in one step. The numbers are the puppet's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants say what they are")]
pub enum Operation {
    End,
    Give(u8),
    Take(u8),
    TryTake(u8),
    Yield,
    Suspend(u8),
    Resume(u8),
    Start(u8),
    Join(u8),
    Park,
    Wake(u8),
    Available(u8),
    State(u8),
    SetFlags(u8),
    WaitFlags { mask: u8, all: bool, take: bool },
    ClearFlags(u8),
    GetFlags,
    Lock(u8),
    Unlock(u8),
    SetPriority { thread: u8, priority: u8 },
    Send(u8),
    Receive,
    TrySend(u8),
    TryReceive,
    Delay(u8),
    TakeUntil { semaphore: u8, ticks: u8 },
    Tick(u8),
}

use Operation as Op;

impl Operation {
    /// The puppet's word for it.
    pub fn word(self) -> u32 {
        let (number, object, more): (u32, u8, u32) = match self {
            Self::End => (0, 0, 0),
            Self::Give(s) => (1, s, 0),
            Self::Take(s) => (2, s, 0),
            Self::TryTake(s) => (3, s, 0),
            Self::Yield => (4, 0, 0),
            Self::Suspend(t) => (5, t, 0),
            Self::Resume(t) => (6, t, 0),
            Self::Start(t) => (7, t, 0),
            Self::Join(t) => (8, t, 0),
            Self::Park => (9, 0, 0),
            Self::Wake(t) => (10, t, 0),
            Self::Available(s) => (11, s, 0),
            Self::State(t) => (12, t, 0),
            Self::SetFlags(mask) => (13, mask, 0),
            Self::WaitFlags { mask, all, take } => {
                (14, mask, u32::from(all) | u32::from(take) << 1)
            }
            Self::ClearFlags(mask) => (15, mask, 0),
            Self::GetFlags => (16, 0, 0),
            Self::Lock(m) => (17, m, 0),
            Self::Unlock(m) => (18, m, 0),
            Self::SetPriority { thread, priority } => (19, thread, priority.into()),
            Self::Send(message) => (20, message, 0),
            Self::Receive => (21, 0, 0),
            Self::TrySend(message) => (22, message, 0),
            Self::TryReceive => (23, 0, 0),
            Self::Delay(ticks) => (24, ticks, 0),
            Self::TakeUntil { semaphore, ticks } => (25, semaphore, ticks.into()),
            Self::Tick(ticks) => (26, ticks, 0),
        };
        number | u32::from(object) << 8 | more << 16
    }
}

/// An interrupt that comes before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// So many instructions behind the beginning.
    pub at: u64,
    /// The index of its line.
    pub line: usize,
}

/// What happens in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// By context: threads, idle, interrupts.
    pub scripts: [Vec<Operation>; LAST],
    /// In the order of time.
    pub injections: Vec<Injection>,
}

impl Schedule {
    /// A random one, whose interrupts come within the first `span` instructions.
    pub fn random(random: &mut Random, span: u32) -> Self {
        let mut schedule = Self::default();
        let flavour = Flavour::random(random);
        let mut order: Vec<u8> = (0..THREADS as u8).collect();
        while !order.is_empty() {
            let thread = order.swap_remove(random.below(order.len() as u32) as usize);
            if !random.one_in(4) {
                schedule.scripts[IDLE].push(Op::Start(thread));
            }
        }
        for thread in 0..THREADS {
            let length = random.below(LENGTH_MAX + 1);
            let script = &mut schedule.scripts[thread];
            script.extend((0..length).map(|_| flavour.of_thread(random)));
            if random.one_in(2) {
                script.push(Op::End);
                script.extend((0..random.below(4)).map(|_| flavour.of_thread(random)));
            }
        }
        let idles = random.below(6);
        schedule.scripts[IDLE].extend((0..idles).map(|_| flavour.of_all(random)));
        for (line, hardware) in LINES.iter().enumerate() {
            for _ in 0..random.below(4) {
                let operation = if *hardware == 0 {
                    Op::Wake(random.below(THREADS as u32) as u8)
                } else if line == CLOCK && flavour.has_time() && !random.one_in(3) {
                    Op::Tick(1 + random.below(6) as u8)
                } else {
                    flavour.of_all(random)
                };
                schedule.scripts[INTERRUPTS + line].push(operation);
                let at = u64::from(random.below(span));
                schedule.injections.push(Injection { at, line });
            }
        }
        schedule.injections.sort_by_key(|injection| injection.at);
        schedule
    }

    /// How many operations and interrupts there are.
    pub fn size(&self) -> usize {
        self.scripts.iter().map(Vec::len).sum::<usize>() + self.injections.len()
    }

    /// All schedules that lack one thing of this one.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for index in 0..self.injections.len() {
            let mut less = self.clone();
            less.injections.remove(index);
            all.push(less);
        }
        for context in 0..self.scripts.len() {
            for index in 0..self.scripts[context].len() {
                let mut less = self.clone();
                less.scripts[context].remove(index);
                all.push(less);
            }
        }
        all
    }
}

/// Kinds of operations: of mutexes, priorities, the channel and time. Those before are of the rest.
const MUTEX: u32 = 6;
const PRIORITY: u32 = 7;
const CHANNEL: u32 = 8;
const TIME: u32 = 9;

/// What a schedule mostly does: a few kinds of operations meet more often than many.
struct Flavour {
    kinds: Vec<u32>,
}

impl Flavour {
    fn random(random: &mut Random) -> Self {
        let mut kinds: Vec<u32> = (0..=TIME).filter(|_| random.one_in(3)).collect();
        if kinds.is_empty() {
            kinds = vec![0, 1];
        }
        Self { kinds }
    }

    fn has_time(&self) -> bool {
        self.kinds.contains(&TIME)
    }

    /// What every context may do.
    fn of_all(&self, random: &mut Random) -> Operation {
        let thread = random.below(THREADS as u32) as u8;
        let semaphore = random.below(SEMAPHORES as u32) as u8;
        let mask = 1 + random.below(7) as u8;
        match random.pick(&self.kinds) {
            0 => random.pick(&[Op::Give(semaphore), Op::Give(0), Op::TryTake(semaphore)]),
            1 => Op::Wake(thread),
            2 => random.pick(&[Op::Suspend(thread), Op::Resume(thread), Op::Resume(thread)]),
            3 => Op::Start(thread),
            4 => random.pick(&[Op::SetFlags(mask), Op::SetFlags(mask), Op::ClearFlags(mask)]),
            PRIORITY => {
                let priority = 1 + random.below(u32::from(PRIORITY_MAX)) as u8;
                Op::SetPriority { thread, priority }
            }
            CHANNEL => {
                let message = 1 + random.below(200) as u8;
                random.pick(&[Op::TrySend(message), Op::TryReceive])
            }
            _ => Op::Give(0),
        }
    }

    /// What threads do.
    fn of_thread(&self, random: &mut Random) -> Operation {
        if random.one_in(2) {
            return self.of_all(random);
        }
        let thread = random.below(THREADS as u32) as u8;
        let semaphore = random.below(SEMAPHORES as u32) as u8;
        let mask = 1 + random.below(7) as u8;
        match random.pick(&self.kinds) {
            0 => random.pick(&[Op::Take(semaphore), Op::Take(0)]),
            1 => Op::Park,
            2 | 5 => Op::Yield,
            3 => Op::Join(thread),
            MUTEX => {
                let mutex = random.below(MUTEXES as u32) as u8;
                random.pick(&[Op::Lock(mutex), Op::Lock(mutex), Op::Unlock(mutex)])
            }
            PRIORITY => Op::Yield,
            CHANNEL => {
                let message = 1 + random.below(200) as u8;
                random.pick(&[Op::Send(message), Op::Receive])
            }
            TIME => {
                let ticks = 1 + random.below(6) as u8;
                random.pick(&[Op::Delay(ticks), Op::TakeUntil { semaphore, ticks }])
            }
            _ => Op::WaitFlags { mask, all: random.one_in(2), take: random.one_in(2) },
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (context, script) in self.scripts.iter().enumerate() {
            if !script.is_empty() {
                writeln!(formatter, "  {:12} {script:?}", name(context))?;
            }
        }
        for Injection { at, line } in &self.injections {
            writeln!(formatter, "  {} comes before instruction {at}", name(INTERRUPTS + line))?;
        }
        Ok(())
    }
}

/// A context, for people.
pub fn name(context: usize) -> String {
    match context {
        0..THREADS => {
            let letter = char::from(b'A' + context as u8);
            format!("{context} = {letter}, {}", PRIORITIES[context])
        }
        IDLE => "idle".into(),
        LAST => "last".into(),
        _ => format!("irq {:#04x}", LINES[context - INTERRUPTS]),
    }
}
