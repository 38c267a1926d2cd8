//! All short schedules of a few shapes, and an interrupt before every instruction of some.

use anyhow::Result;

use super::Amount;
use super::puppet::Puppet;
use super::schedule::{CLOCK, IDLE, INTERRUPTS, Injection, LINES, Operation as Op, Schedule};

/// What two threads do in two operations each, the less urgent and one of its two betters.
const OPERATIONS: [Op; 17] = [
    Op::Give(0),
    Op::Take(0),
    Op::Yield,
    Op::Park,
    Op::Wake(1),
    Op::Suspend(1),
    Op::Resume(1),
    Op::Start(2),
    Op::Join(1),
    Op::End,
    Op::SetFlags(1),
    Op::WaitFlags { mask: 1, all: false, take: true },
    Op::Lock(0),
    Op::SetPriority { thread: 0, priority: 3 },
    Op::Send(1),
    Op::Receive,
    Op::TakeUntil { semaphore: 0, ticks: 2 },
];

/// What an interrupt does to them.
const OF_INTERRUPTS: [Op; 11] = [
    Op::Give(0),
    Op::TryTake(0),
    Op::Wake(1),
    Op::Suspend(1),
    Op::Resume(1),
    Op::Start(2),
    Op::SetFlags(1),
    Op::SetPriority { thread: 1, priority: 1 },
    Op::SetPriority { thread: 0, priority: 4 },
    Op::TrySend(2),
    Op::Tick(2),
];

/// So many instructions of the schedules that are interrupted.
const INSTRUCTIONS: u64 = 1200;

/// Runs all.
pub fn run(puppet: &mut Puppet, amount: &mut Amount) -> Result<()> {
    for first in OPERATIONS {
        for second in OPERATIONS {
            for third in OPERATIONS {
                for fourth in OPERATIONS {
                    amount.add(puppet, &pair([first, second], [third, fourth]))?;
                }
            }
        }
    }
    interrupted(puppet, amount, 1)
}

/// The same with an interrupt before every `stride`-th instruction: each operation of one thread,
/// against each of an interrupt, at each of its priorities.
pub fn interrupted(puppet: &mut Puppet, amount: &mut Amount, stride: usize) -> Result<()> {
    for (line, hardware) in LINES.iter().enumerate() {
        for act in OF_INTERRUPTS {
            let is_for = match act {
                Op::Wake(_) => true,
                Op::Tick(_) => line == CLOCK,
                _ => *hardware != 0,
            };
            if !is_for {
                continue;
            }
            for first in OPERATIONS {
                let mut schedule = pair([first, Op::Yield], [Op::Take(0), Op::Park]);
                schedule.scripts[INTERRUPTS + line] = vec![act];
                let end = puppet.run(&schedule)?.instructions.min(INSTRUCTIONS);
                for at in (0..end).step_by(stride) {
                    schedule.injections = vec![Injection { at, line }];
                    amount.add(puppet, &schedule)?;
                }
            }
        }
    }
    Ok(())
}

/// Three threads, of which two begin.
fn pair(low: [Op; 2], high: [Op; 2]) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.scripts[IDLE] = vec![Op::Start(0), Op::Start(1), Op::Resume(1), Op::Give(0)];
    schedule.scripts[0] = low.to_vec();
    schedule.scripts[1] = high.to_vec();
    schedule.scripts[2] = vec![Op::Give(0), Op::Lock(0), Op::Yield];
    schedule
}
