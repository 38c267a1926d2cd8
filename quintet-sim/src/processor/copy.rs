//! Copying a processor, and copying one over another: snapshot and restore.

use super::Processor;
use super::bus::Bus;

impl<B: Bus + Clone> Clone for Processor<B> {
    fn clone(&self) -> Self {
        Self {
            registers: self.registers.clone(),
            bus: self.bus.clone(),
            pipeline: self.pipeline.clone(),
            system: self.system.clone(),
            exclusive: self.exclusive.clone(),
            cache: self.cache.clone(),
            events: self.events.clone(),
            ..*self
        }
    }

    /// Restores a snapshot without allocating. What has been decoded is kept as far as memory
    /// confirms it.
    fn clone_from(&mut self, source: &Self) {
        // Every field is named, so that a new one cannot be forgotten.
        let Self {
            registers,
            bus,
            pipeline,
            configuration,
            system,
            horizon,
            semihosting,
            exclusive,
            cache: _,
            activity,
            event_register,
            halted,
            passed_breakpoint,
            attention,
            due,
            visible_from,
            next_event,
            plain_limit,
            observing,
            observed_masks,
            events,
            instructions,
        } = source;
        self.cache.distrust();
        self.registers.clone_from(registers);
        self.bus.clone_from(bus);
        self.pipeline.clone_from(pipeline);
        self.configuration = *configuration;
        self.system.clone_from(system);
        self.horizon = *horizon;
        self.semihosting = *semihosting;
        self.exclusive.clone_from(exclusive);
        self.activity = *activity;
        self.event_register = *event_register;
        self.halted = *halted;
        self.passed_breakpoint = *passed_breakpoint;
        self.attention = *attention;
        self.due = *due;
        self.visible_from = *visible_from;
        self.next_event = *next_event;
        self.plain_limit = *plain_limit;
        self.observing = *observing;
        self.observed_masks = *observed_masks;
        self.events.clone_from(events);
        self.instructions = *instructions;
    }
}
