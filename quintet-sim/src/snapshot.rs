//! A machine's state at a moment, to go back to.
//!
//! Taking one and going back copy what has changed since the last one and share the rest, so that a
//! campaign can do both at every instruction. A snapshot can be restored any number of times, into
//! the machine it came from or a clone of it. What a tool has set (watches, whether events are
//! recorded) is not part of it.

use crate::bus::BusImage;
use crate::machine::Machine;
use crate::observe::Tracker;
use crate::processor::Processor;
use crate::processor::events::Event;
use crate::rtt::Rtt;
use crate::semihosting::Host;

/// A machine's state.
#[derive(Clone)]
pub struct Snapshot {
    processor: Processor<BusImage>,
    host: Host,
    rtt: Rtt,
    tracker: Tracker,
    events: Vec<Event>,
}

impl Snapshot {
    /// The cycle in which it was taken.
    pub fn cycle(&self) -> u64 {
        self.processor.pipeline.now()
    }
}

impl Machine {
    /// The state now. It notes in the machine which memory has been copied, which is why it needs
    /// it to be mutable; nothing that a program could see changes.
    pub fn snapshot(&mut self) -> Snapshot {
        let bus = self.processor.bus.snapshot();
        Snapshot {
            processor: self.processor.capture(bus),
            host: self.host.clone(),
            rtt: self.rtt.clone(),
            tracker: self.tracker.clone(),
            events: self.events.clone(),
        }
    }

    /// Goes back to a snapshot of this machine, or of one on the same board. Whether events are
    /// recorded stays as it is.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.processor.bus.restore(&snapshot.processor.bus);
        self.processor.restore(&snapshot.processor);
        self.host.clone_from(&snapshot.host);
        self.rtt.clone_from(&snapshot.rtt);
        self.tracker.clone_from(&snapshot.tracker);
        self.events.clone_from(&snapshot.events);
        self.processor.observe(self.observing);
        self.update_doorbell();
        self.forget_watched();
    }
}
