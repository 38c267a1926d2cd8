//! A cycle of the pipeline: what each stage wants, who stays, who drops what is behind, and what
//! has its effect. All stages look at the state at the beginning of the cycle.

use super::data::Verdict;
use super::fetch::{Asked, Decoding};
use super::port::Command;
use super::slot::{Class, Slot};
use super::{DIVISION, Event, InWriteBack, VexRiscv, World};

/// What the stages want in a cycle.
struct Wants {
    /// The instruction in the stage that writes back begins again.
    again: bool,
    /// That instruction traps.
    fails: bool,
    /// That instruction returns from a handler.
    leaves_handler: bool,
    /// The interrupt whose handler is entered.
    interrupt: Option<u32>,
    /// A handler is entered.
    trap: bool,
    /// Where a branch goes that was predicted wrongly.
    branch: Option<u32>,
    /// That place is no place of an instruction.
    branch_fails: bool,
    /// The instruction that executes traps.
    execute_fails: bool,
    /// The instruction in the decoder traps.
    decode_fails: bool,
    /// Where the decoder's branch is predicted to go.
    prediction: Option<u32>,
}

/// Who drops what is behind, and whose own instruction is dropped: of the decoder, and of the
/// stages that execute, reach memory and write back.
struct Drops {
    flushed: [bool; 4],
    removed: [bool; 4],
}

impl VexRiscv {
    /// Does the work of a cycle.
    pub fn cycle(&mut self, world: &mut impl World) -> Event {
        let now = self.now;
        self.traps.sample(world, now);
        let done = self.data.done();
        if done.writes {
            world.write_device(now);
        }
        if self.traps.is_lost {
            self.write_back = None;
            self.memory = None;
            self.execute = None;
        }
        let verdict = self.begin_write_back(world);
        self.look_at_memory(world);
        if done.reads
            && let Some(InWriteBack { slot, .. }) = &mut self.write_back
        {
            slot.is_done = true;
            self.traps.is_lost_later = !world.execute(now);
        }
        let decoding = self.front.decoding();
        let decoder = decoding.slot;

        let wants = self.wants(world, &verdict, &decoding);
        let stuck = self.who_stays(world, &verdict, decoder.as_ref(), wants.leaves_handler);
        let drops = self.who_drops(&wants);
        let [d_flushed, x_flushed, m_flushed, _] = drops.flushed;
        let raised = [
            wants.decode_fails && !d_flushed,
            wants.execute_fails && !x_flushed,
            wants.branch_fails && !m_flushed,
            wants.fails,
        ];
        let [d_removed, removed @ ..] = drops.removed;
        let pending =
            self.traps.advance(raised, drops.flushed, stuck, decoder.is_some(), d_removed);
        let (event, is_posted) = self.take_effect(world, &wants, stuck[3] || removed[2]);
        let asked = Asked {
            is_stuck: stuck[0],
            is_removed: d_removed,
            drops_next: wants.prediction.is_some() || wants.decode_fails,
            jump: self.jump(world, &wants),
            is_flushed: d_flushed || wants.prediction.is_some() || wants.decode_fails,
            is_halted: pending || wants.trap || wants.leaves_handler,
            flushes_cache: decoder.is_some_and(|slot| slot.class == Class::Flush),
        };
        self.front.clock(asked, &mut self.instructions, world);

        let access = self.write_back.as_ref().and_then(|it| it.access);
        let mut after = verdict;
        if is_posted && let Some(Command::Write { posted }) = &mut after.asks {
            *posted = true;
        }
        self.data.clock(access.as_ref(), &after);
        let next_execute = decoder.filter(|_| !stuck[0] && !d_removed);
        self.move_on(stuck, removed, next_execute, &verdict, world);
        self.traps.settle(wants.interrupt.is_some());
        self.note_quiet();
        self.now += 1;
        event
    }

    fn wants(&self, world: &impl World, verdict: &Verdict, decoding: &Decoding) -> Wants {
        let in_write_back = self.write_back.as_ref().map(|it| &it.slot);
        let interrupt = self.traps.interrupt();
        let known = self.memory.as_ref().and_then(|it| it.known);
        let branch = known.and_then(|it| it.jump);
        let decoder = decoding.slot;
        let is_illegal = decoder.is_some_and(|slot| slot.class == Class::Illegal);
        Wants {
            again: verdict.again,
            fails: verdict.fails,
            leaves_handler: in_write_back.is_some_and(returns),
            interrupt,
            trap: self.traps.had_exception || interrupt.is_some(),
            branch,
            branch_fails: branch.is_some_and(|target| !self.compressed && target & 2 != 0),
            execute_fails: self.execute.as_ref().is_some_and(|slot| match slot.class {
                Class::Call => true,
                Class::Csr | Class::Return => world.is_illegal(slot),
                _ => false,
            }),
            decode_fails: is_illegal || decoding.is_refused,
            prediction: decoder.and_then(|slot| slot.predicted),
        }
    }

    /// Returns who stays: the decoder, and the stages that execute, reach memory and write back.
    fn who_stays(
        &mut self,
        world: &impl World,
        verdict: &Verdict,
        decoder: Option<&Slot>,
        leaves_handler: bool,
    ) -> [bool; 4] {
        let w_stuck = verdict.halts;
        let divides = self.memory.as_ref().is_some_and(|it| it.slot.class == Class::Divide);
        let m_halts = divides && self.memory.as_ref().is_some_and(|it| it.divided + 1 < DIVISION);
        let m_stuck = m_halts || w_stuck;
        let refills = self.data.is_loading() && self.execute.is_some();
        let x_stuck = self.execute_halts(world) || refills || m_stuck;
        let in_memory = self.memory.as_ref().map(|it| &it.slot);
        let returning = leaves_handler
            || in_memory.is_some_and(returns)
            || self.execute.as_ref().is_some_and(returns);
        let d_halts = decoder.is_some_and(|slot| self.is_hazard(slot))
            || self.traps.liberates(decoder.is_some())
            || returning;
        [d_halts || x_stuck, x_stuck, m_stuck, w_stuck]
    }

    fn who_drops(&self, wants: &Wants) -> Drops {
        let w_drops =
            wants.again || wants.fails || wants.trap || wants.leaves_handler || self.traps.is_lost;
        let m_flushed = w_drops;
        let x_flushed = w_drops || wants.branch.is_some();
        let d_flushed = x_flushed || wants.execute_fails;
        Drops {
            flushed: [d_flushed, x_flushed, m_flushed, wants.again],
            removed: [
                d_flushed || wants.decode_fails,
                x_flushed || wants.execute_fails,
                m_flushed || wants.branch_fails,
                wants.again || wants.fails,
            ],
        }
    }

    /// Enters the handler, and lets the instruction that `stays` not in the last stage retire.
    /// Returns `true` as well if its store waits for a device.
    fn take_effect(&mut self, world: &mut impl World, wants: &Wants, stays: bool) -> (Event, bool) {
        let mut event = Event::None;
        if self.traps.had_exception {
            world.execute(self.now);
            event = Event::Trap;
        } else if let Some(number) = wants.interrupt {
            world.interrupt(number);
            event = Event::Trap;
        }
        let write_back = self.write_back.as_ref().filter(|_| !stays);
        let Some(InWriteBack { slot, access }) = write_back else { return (event, false) };
        let mut is_posted = false;
        if access.is_some() && !slot.is_done {
            self.traps.is_lost_later = !world.execute(self.now);
            is_posted = world.has_posted();
        }
        self.retired = self.now;
        (Event::Retired, is_posted)
    }

    /// Returns where the fetches are sent.
    fn jump(&self, world: &impl World, wants: &Wants) -> Option<u32> {
        let leaves = wants.trap || wants.leaves_handler || self.traps.is_lost;
        let handler = leaves.then(|| world.pc());
        let anew = self.write_back.as_ref().filter(|_| wants.again).map(|it| it.slot.pc);
        anew.or(handler).or(wants.branch).or(wants.prediction)
    }

    /// Counts the cycles in which only an interrupt goes on.
    fn note_quiet(&mut self) {
        let sleeps = self.execute.as_ref().is_some_and(|slot| slot.class == Class::Wait);
        let is_quiet = sleeps
            && self.memory.is_none()
            && self.write_back.is_none()
            && self.instructions.is_quiet()
            && self.data.is_quiet();
        self.quiet = if is_quiet { self.quiet.saturating_add(1) } else { 0 };
    }
}

/// Returns `true` for a return from a handler.
fn returns(slot: &Slot) -> bool {
    slot.class == Class::Return
}
