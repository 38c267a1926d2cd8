//! The execution priority, and when a pending exception is due.

use crate::processor::bus::Bus;
use crate::processor::events::{EventKind, Mask};
use crate::processor::exceptions::number::{NMI, SYS_TICK};
use crate::processor::exceptions::table::PRIORITY_IDLE;
use crate::processor::system::scb::scr;
use crate::processor::{Activity, Processor};

/// If an instruction waits longer than this for its fetch, exceptions interrupt only the last
/// cycles.
pub(in crate::processor) const LONGEST_FETCH: u64 = 16;

impl<B: Bus> Processor<B> {
    /// `ExecutionPriority` (B1.5.4): the value that a pending exception's group priority must be
    /// below.
    #[inline]
    pub fn execution_priority(&self) -> i16 {
        let boosted = if self.registers.primask { 0 } else { PRIORITY_IDLE };
        self.priority_without_primask().min(boosted)
    }

    /// The execution priority for WFI: PRIMASK keeps a handler from running, but not the processor
    /// from waking (B1.5.19).
    pub(in crate::processor) fn priority_without_primask(&self) -> i16 {
        let table = &self.system.exceptions;
        let boosted = match self.registers.basepri {
            _ if self.registers.faultmask => -1,
            0 => PRIORITY_IDLE,
            level => table.group(i16::from(level)),
        };
        table.active_priority().min(boosted)
    }

    /// Decides again whether an exception is due, after a relevant change in `cycle`.
    ///
    /// An exception that becomes due in a cycle is seen at the instruction boundaries after that
    /// cycle. This is why exactly one instruction completes behind a store that pends an interrupt:
    /// the store's data phase is one cycle after its execute stage, in the cycle in which the next
    /// instruction is already being executed.
    pub(in crate::processor) fn reconsider(&mut self, cycle: u64) {
        let due = self.system.exceptions.candidate().priority < self.execution_priority();
        if due && !self.due {
            self.visible_from = cycle.saturating_add(1);
        }
        self.due = due;
        if self.system.exceptions.take_newly_pended()
            && self.system.scb.system_control & scr::EVENT_ON_PENDING != 0
        {
            self.event_register = true;
        }
        self.attention = due
            || self.activity != Activity::Running
            || self.halted
            || self.system.scb.reset_request.is_some()
            || self.system.is_debugging();
    }

    /// As [`Self::reconsider`], for changes that take effect at the very next instruction boundary.
    pub(in crate::processor) fn reconsider_now(&mut self) {
        self.reconsider(0);
        self.visible_from = 0;
    }

    /// Brings SysTick and the devices up to `cycle`.
    pub(in crate::processor) fn catch_up(&mut self, cycle: u64) {
        if cycle < self.next_event {
            return;
        }
        let happened = self.next_event;
        if self.bus.next_event() <= cycle {
            self.advance_devices(cycle);
        }
        if self.system.systick.advance(cycle) {
            self.system.exceptions.set_pending(SYS_TICK, true);
        }
        self.plan_next_event();
        self.reconsider(happened);
    }

    /// Lets the devices see `cycle`, and takes over their interrupt lines.
    pub(in crate::processor) fn advance_devices(&mut self, cycle: u64) {
        let mut lines = self.system.exceptions.lines();
        self.bus.advance(cycle, &mut lines);
        self.system.exceptions.set_lines(lines);
    }

    /// Notes when SysTick or a device next does something.
    pub(in crate::processor) fn plan_next_event(&mut self) {
        self.next_event = self.bus.next_event().min(self.system.systick.next_event());
        let ahead = LONGEST_FETCH.max(self.pipeline.longest());
        self.look_from = self.next_event.saturating_sub(ahead);
    }

    /// Returns `true` if an exception becomes visible while the next instruction still waits for
    /// its fetch. The exception is then taken without that instruction.
    pub(in crate::processor) fn comes_before_fetch(&mut self, now: u64) -> bool {
        if !self.due && self.next_event.saturating_sub(now) > LONGEST_FETCH {
            return false;
        }
        let arrival = self.arrival();
        self.await_event(arrival);
        self.due && self.visible_from <= arrival
    }

    /// Runs the events before `end`, until an exception is due.
    fn await_event(&mut self, end: u64) {
        let mut event = 0;
        while !self.due && self.next_event < end && self.next_event > event {
            event = self.next_event;
            self.catch_up(event);
        }
    }

    /// Must be called after each write of PRIMASK, FAULTMASK or BASEPRI.
    pub(crate) fn priority_changed(&mut self) {
        if self.observing {
            self.observe_masks();
        }
        self.reconsider(0);
    }

    /// Records the masks that have changed since the last call.
    pub(in crate::processor) fn observe_masks(&mut self) {
        let masks = [
            (Mask::Primask, u8::from(self.registers.primask)),
            (Mask::Faultmask, u8::from(self.registers.faultmask)),
            (Mask::Basepri, self.registers.basepri),
        ];
        let pc = self.registers.r[15];
        for (index, (mask, value)) in masks.into_iter().enumerate() {
            if self.observed_masks[index] != value {
                self.observed_masks[index] = value;
                self.record(EventKind::MaskChange { mask, value, pc });
            }
        }
    }

    /// Returns `true` if an exception must be taken at this moment. A load or store multiple asks
    /// this between its transfers. It then saves its progress in ICI and stops.
    #[inline]
    pub(crate) fn interrupt_due(&mut self) -> bool {
        let now = self.pipeline.now();
        if now >= self.next_event {
            self.catch_up(now);
        }
        self.due && now >= self.visible_from
    }

    /// Returns `true` if an exception becomes visible during a division or a long multiplication.
    /// The instruction is then abandoned, and starts over behind the handler (Cortex-M3 TRM,
    /// 3.3.1).
    #[inline]
    pub(crate) fn is_abandoned(&mut self) -> bool {
        self.pipeline.now() > self.next_event.min(self.visible_from) && self.abandons()
    }

    fn abandons(&mut self) -> bool {
        let end = self.pipeline.now();
        self.await_event(end);
        let visible = self.visible_from.max(self.pipeline.started() + 1);
        let abandoned = self.due && visible < end;
        if abandoned {
            self.pipeline.abandon(visible);
        }
        abandoned
    }

    /// Pends an exception (2 NMI, 3 HardFault, .. 14 PendSV, 15 SysTick, 16 and up the interrupts),
    /// as if it had happened just before the next instruction. A number without an exception is
    /// ignored.
    pub fn pend(&mut self, exception: u16) {
        if exception >= NMI {
            self.system.exceptions.set_pending(exception, true);
            self.reconsider_now();
        }
    }
}
