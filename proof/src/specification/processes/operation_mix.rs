//! The calls and acts of a random schedule: a few kinds, so that they meet.

use super::call::{Act, Call, Spot, Upcall};
use super::layout::{Kind, PROCESSES};
use crate::random::Random;

/// The kinds of calls of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Yields,
    Subscriptions,
    Commands,
    Acts,
    Buffers,
    Memory,
    Rings,
    Ends,
    Faults,
}

const TOPICS: [Topic; 8] = [
    Topic::Yields,
    Topic::Subscriptions,
    Topic::Commands,
    Topic::Acts,
    Topic::Buffers,
    Topic::Memory,
    Topic::Ends,
    Topic::Faults,
];

/// The main subjects of a random schedule.
#[derive(Clone, Debug)]
pub struct OperationMix {
    topics: Vec<Topic>,
    /// `true` if acts change lives.
    changes_lives: bool,
    /// The upcalls that come most often.
    upcalls: u32,
}

impl OperationMix {
    /// Any. Processes yield in all.
    pub fn random(random: &mut Random) -> Self {
        let mut topics = vec![Topic::Yields, Topic::Subscriptions];
        if random.one_in(3) {
            topics.push(Topic::Rings);
        }
        let count = 1 + random.below(4);
        topics.extend((0..count).map(|_| random.pick(&TOPICS)));
        Self { topics, changes_lives: random.one_in(2), upcalls: 1 + random.below(4) }
    }

    /// Returns a call of a process, by its number.
    pub fn call(&self, random: &mut Random, process: u8) -> Call {
        let topic = self.topics[random.below(self.topics.len() as u32) as usize];
        match topic {
            Topic::Yields => self.yields(random),
            Topic::Subscriptions => self.subscribes(random),
            Topic::Commands => commands(random),
            Topic::Acts => Call::Do(self.act(random)),
            Topic::Buffers => lends(random, process),
            Topic::Memory => of_memory(random),
            Topic::Rings => Call::Do(self.ring(random, process)),
            Topic::Ends => ends(random),
            Topic::Faults => faults(random),
        }
    }

    /// Returns an act of a thread.
    pub fn of_thread(&self, random: &mut Random) -> Act {
        match random.below(6) {
            0 | 1 => Act::Park,
            2 => Act::Yield,
            _ => self.act(random),
        }
    }

    /// Returns an act of any context.
    pub fn act(&self, random: &mut Random) -> Act {
        let process = random.below(PROCESSES as u32) as u8;
        match random.below(16) {
            0 => Act::Look(process),
            1 => Act::Length(process, random.below(5) as u8),
            2 => Act::Unpark(random.below(2) as u8),
            3 => fill(random, process),
            4 => Act::Read(process, random.pick(&[0, 1, 4])),
            5..9 if self.changes_lives => match random.below(7) {
                0 | 1 => Act::Stop(process),
                2..4 => Act::Start(process),
                4 => Act::Terminate(process),
                _ => Act::Restart(process),
            },
            _ => self.ring(random, process),
        }
    }

    fn ring(&self, random: &mut Random, process: u8) -> Act {
        let upcall = if random.one_in(24) { 4 } else { random.below(self.upcalls) as u8 };
        Act::Ring { process, upcall, byte: random.below(256) as u8 }
    }

    fn upcall(&self, random: &mut Random) -> Upcall {
        match random.below(16) {
            0 => Upcall::Nobody,
            1 => Upcall::Desk(3),
            2 => Upcall::Bell(1),
            _ => match random.below(self.upcalls) {
                3 => Upcall::Bell(0),
                number => Upcall::Desk(number as u8),
            },
        }
    }

    fn yields(&self, random: &mut Random) -> Call {
        match random.below(16) {
            0 => Call::YieldOdd,
            1 => Call::YieldNoWait(any_spot(random)),
            2..6 => Call::YieldNoWait(Spot::Flag),
            6..11 => Call::YieldWait,
            _ => Call::YieldWaitFor(self.upcall(random)),
        }
    }

    fn subscribes(&self, random: &mut Random) -> Call {
        let function = match random.below(12) {
            0 | 1 => Spot::Null,
            2 => random.pick(&[Spot::Kernel, Spot::Header, Spot::Other, Spot::End(0)]),
            3..6 => Spot::Function(1),
            _ => Spot::Function(0),
        };
        Call::Subscribe(self.upcall(random), function, random.below(256) as u8)
    }
}

/// Writes to one of a process's buffers.
fn fill(random: &mut Random, process: u8) -> Act {
    let (buffer, byte) = (2 + random.below(3) as u8, 1 + random.below(200) as u8);
    Act::Fill { process, buffer, byte }
}

/// Returns an address that belongs to the process, or doesn't.
fn any_spot(random: &mut Random) -> Spot {
    match random.below(12) {
        0 => Spot::Null,
        1 => Spot::Header,
        2 => Spot::Other,
        3 => Spot::Kernel,
        4 => Spot::End(random.pick(&[0, 1, 4, 32, -4])),
        5 => Spot::Code(random.pick(&[0, 4, 64])),
        _ => heap(random),
    }
}

/// Few places, so that they meet.
fn heap(random: &mut Random) -> Spot {
    Spot::Heap(random.pick(&[0, 4, 16, 60, 64, 124, 128, 4 * 45]))
}

fn commands(random: &mut Random) -> Call {
    match random.below(8) {
        0 => Call::CommandTo(Upcall::Desk(0)),
        1 => Call::CommandTo(Upcall::Nobody),
        _ => {
            let [number, first, second] = [14, 256, 256].map(|limit| random.below(limit) as u8);
            // The command that does an act has a word of its own.
            Call::Command(if number == 12 { 13 } else { number }, first, second)
        }
    }
}

/// Lends buffers, many of them shorter than what drivers write, and has drivers write to them.
fn lends(random: &mut Random, process: u8) -> Call {
    let kind = random.pick(&[Kind::ReadWrite, Kind::ReadOnly, Kind::Readable]);
    let buffer = match random.below(12) {
        0 => Upcall::Nobody,
        1 => Upcall::Desk(2),
        2 => Upcall::Bell(random.below(2) as u8),
        _ => Upcall::Desk(random.below(2) as u8),
    };
    let spot = match random.below(4) {
        0 => any_spot(random),
        1 => Spot::Code(4 * random.below(32) as u16),
        _ => heap(random),
    };
    let size = match random.below(8) {
        0 => 0,
        1 => 4096,
        2..5 => random.below(24) as u16,
        _ => random.below(64) as u16,
    };
    match random.below(8) {
        0 | 1 => of_memory(random),
        2 => Call::Grow(128),
        3 | 4 => Call::Do(fill(random, process)),
        _ => Call::Allow(kind, buffer, spot, size),
    }
}

fn of_memory(random: &mut Random) -> Call {
    match random.below(12) {
        0 => Call::Memory(random.below(14) as u8, random.below(2) as u8),
        1 => Call::Break(random.pick(&[Spot::End(0), Spot::End(-1), Spot::End(4), Spot::Other])),
        2 => Call::Break(random.pick(&[Spot::Null, Spot::Kernel])),
        3 | 4 => Call::Break(heap(random)),
        5 | 6 => Call::Grow(random.pick(&[0, 8, 64, 128])),
        7 => Call::Grow(2000),
        8 | 9 => Call::Store(heap(random), 1 + random.below(200) as u8),
        _ => Call::Load(heap(random)),
    }
}

fn ends(random: &mut Random) -> Call {
    match random.below(6) {
        0 => Call::Exit(random.below(64) as u8),
        1 => Call::ExitOdd,
        2 | 3 => Call::ExitRestart,
        _ => Call::YieldNoWait(Spot::Flag),
    }
}

fn faults(random: &mut Random) -> Call {
    match random.below(8) {
        0 => Call::Odd,
        1 => Call::Load(random.pick(&[Spot::Null, Spot::Kernel, Spot::Other])),
        2 => Call::Store(random.pick(&[Spot::Code(0), Spot::Kernel, Spot::Other]), 7),
        _ => Call::Grow(32),
    }
}
