//! Copying a processor, and copying one over another: snapshot and restore.
//!
//! A snapshot keeps the bus in another form (memory as pages, nothing that runs), so everything but
//! the bus is also copied between processors in front of different buses.

use super::Processor;
use super::bus::Bus;

impl<B: Bus + Clone> Clone for Processor<B> {
    fn clone(&self) -> Self {
        self.capture(self.bus.clone())
    }

    /// Restores a snapshot without allocating.
    fn clone_from(&mut self, source: &Self) {
        self.restore(source);
        self.bus.clone_from(&source.bus);
    }
}

impl<B: Bus> Processor<B> {
    /// A copy of everything but the bus, in front of `bus`.
    pub fn capture<C: Bus>(&self, bus: C) -> Processor<C> {
        Processor {
            registers: self.registers.clone(),
            bus,
            pipeline: self.pipeline.clone(),
            system: self.system.clone(),
            exclusive: self.exclusive.clone(),
            cache: self.cache.clone(),
            events: self.events.clone(),
            configuration: self.configuration,
            horizon: self.horizon,
            semihosting: self.semihosting,
            unprivileged_semihosting: self.unprivileged_semihosting,
            activity: self.activity,
            event_register: self.event_register,
            halted: self.halted,
            passed_breakpoint: self.passed_breakpoint,
            attention: self.attention,
            due: self.due,
            visible_from: self.visible_from,
            late: self.late,
            last_fault: self.last_fault.clone(),
            notes: self.notes.clone(),
            next_event: self.next_event,
            look_from: self.look_from,
            plain_limit: self.plain_limit,
            observing: self.observing,
            observed_masks: self.observed_masks,
            instructions: self.instructions,
            skipped: self.skipped,
        }
    }

    /// Takes over everything but the bus, without allocating. Decoded instructions stay as far as
    /// memory confirms them.
    pub fn restore<C: Bus>(&mut self, source: &Processor<C>) {
        // Every field is named, so that a new one cannot be forgotten.
        let Processor {
            registers,
            bus: _,
            pipeline,
            configuration,
            system,
            horizon,
            semihosting,
            unprivileged_semihosting,
            exclusive,
            cache: _,
            activity,
            event_register,
            halted,
            passed_breakpoint,
            attention,
            due,
            visible_from,
            late,
            last_fault,
            notes,
            next_event,
            look_from,
            plain_limit,
            observing,
            observed_masks,
            events,
            instructions,
            skipped,
        } = source;
        self.cache.distrust();
        self.registers.clone_from(registers);
        self.pipeline.clone_from(pipeline);
        self.configuration = *configuration;
        self.system.clone_from(system);
        self.horizon = *horizon;
        self.semihosting = *semihosting;
        self.unprivileged_semihosting = *unprivileged_semihosting;
        self.exclusive.clone_from(exclusive);
        self.activity = *activity;
        self.event_register = *event_register;
        self.halted = *halted;
        self.passed_breakpoint = *passed_breakpoint;
        self.attention = *attention;
        self.due = *due;
        self.visible_from = *visible_from;
        self.late = *late;
        self.last_fault.clone_from(last_fault);
        self.notes.clone_from(notes);
        self.next_event = *next_event;
        self.look_from = *look_from;
        self.plain_limit = *plain_limit;
        self.observing = *observing;
        self.observed_masks = *observed_masks;
        self.events.clone_from(events);
        self.instructions = *instructions;
        self.skipped = *skipped;
    }
}
