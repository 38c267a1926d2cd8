//! WFI, WFE, SEV and sleep-on-exit (B1.5.18 to B1.5.20).

use super::bus::Bus;
use super::events::EventKind;
use super::{Activity, Halt, Processor};

impl<B: Bus> Processor<B> {
    /// WFI. It completes at once if a reason to wake is pending already.
    pub(crate) fn wait_for_interrupt(&mut self) {
        self.catch_up(self.pipeline.now());
        if !self.has_wake_up_interrupt() {
            self.fall_asleep(Activity::WaitingForInterrupt);
        }
    }

    /// WFE. It completes at once if an event is registered, and takes the event.
    pub(crate) fn wait_for_event(&mut self) {
        self.catch_up(self.pipeline.now());
        if !std::mem::take(&mut self.event_register) && !self.due {
            self.fall_asleep(Activity::WaitingForEvent);
        }
    }

    /// SEV.
    pub(crate) fn send_event(&mut self) {
        self.event_register = true;
    }

    /// The processor sleeps from here on.
    pub(super) fn fall_asleep(&mut self, activity: Activity) {
        self.activity = activity;
        self.attention = true;
        if self.observing {
            self.record(EventKind::Sleep { pc: self.registers.r[15] });
        }
    }

    /// One step of a sleeping processor: wakes it, or lets time pass until the next thing happens.
    pub(super) fn sleep_on(&mut self) -> Option<Halt> {
        if self.wake_if_due() {
            return None;
        }
        if self.next_event == u64::MAX {
            return Some(Halt::Asleep);
        }
        self.pipeline.sleep_until(self.next_event.min(self.horizon));
        self.catch_up(self.pipeline.now());
        self.wake_if_due();
        None
    }

    fn wake_if_due(&mut self) -> bool {
        let wakes = match self.activity {
            Activity::WaitingForEvent => std::mem::take(&mut self.event_register) || self.due,
            _ => self.has_wake_up_interrupt(),
        };
        if wakes {
            self.wake();
        }
        wakes
    }

    /// PRIMASK keeps handlers from running, but not the processor from waking for them.
    fn has_wake_up_interrupt(&self) -> bool {
        self.system.exceptions.candidate().priority < self.priority_without_primask()
    }

    fn wake(&mut self) {
        if self.due {
            // The exception that woke the processor is seen at the first boundary behind its cycle.
            self.pipeline.sleep_until(self.visible_from);
        }
        let was = std::mem::replace(&mut self.activity, Activity::Running);
        if self.observing {
            self.record(EventKind::Wake);
        }
        if let Activity::SleepingOnExit { exc_return } = was {
            self.finish_return(exc_return);
        }
        self.reconsider(0);
    }

    /// Returns `true` if the processor is asleep.
    pub fn is_asleep(&self) -> bool {
        !matches!(self.activity, Activity::Running | Activity::Lockup)
    }
}
