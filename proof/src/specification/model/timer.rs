//! The specification of the software timer, which gives to the first semaphore.

use super::{Stage, State};

/// The timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SoftwareTimer {
    /// The time of the expiry, if the timer is armed.
    pub(super) armed: Option<u32>,
    /// `true` if a context is about to arm the timer.
    claimed: bool,
    running: bool,
    period: u32,
}

impl State {
    /// Starts the timer, or starts it again. If another context is about to arm it, that comes
    /// behind this.
    pub(super) fn start_timer(&mut self, stage: Stage, ticks: u8, period: u8) -> Stage {
        match stage {
            Stage::Due(_) if self.timer.claimed => return Stage::Result(0),
            Stage::Due(at) => {
                let period = u32::from(period);
                self.timer = SoftwareTimer { armed: None, claimed: true, running: true, period };
                return Stage::Claimed(at);
            }
            Stage::Claimed(at) => {
                self.timer.armed = Some(at);
                self.timer.claimed = false;
                return Stage::Result(0);
            }
            _ => {}
        }
        Stage::Due(self.now + u32::from(ticks))
    }

    pub(super) fn stop_timer(&mut self) -> u16 {
        self.timer.armed = None;
        std::mem::take(&mut self.timer.running).into()
    }

    pub(super) fn expire_timer(&mut self) {
        let Some(at) = self.timer.armed.take() else { return };
        if !self.timer.running {
            return;
        }
        if self.timer.period == 0 {
            self.timer.running = false;
        } else {
            self.timer.armed = Some(at + self.timer.period);
        }
        // No task waits for the semaphore.
        let _none = self.give(0);
    }
}
