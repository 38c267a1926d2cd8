//! A machine's state at a moment, to go back to.
//!
//! A snapshot copies the parts that have changed since the last snapshot, and shares the rest; so
//! does the way back. So a campaign can do both at every instruction. You can restore a snapshot
//! any number of times, into its machine or a clone of it. A tool's settings (watches, the
//! recording of events) are not part of a snapshot.

use crate::bus::BusImage;
use crate::machine::{Machine, Passed};
use crate::observe::Tracker;
use crate::processor::Processor;
use crate::processor::events::Event;
use crate::rtt::{Hosting as _, Rtt};
use crate::semihosting::Host;

/// A machine's state.
#[derive(Clone)]
pub struct Snapshot {
    processor: Processor<BusImage>,
    host: Host,
    rtt: Rtt,
    tracker: Tracker,
    events: Vec<Event>,
    passed: Passed,
}

impl Snapshot {
    /// Returns the cycle of the snapshot.
    pub fn cycle(&self) -> u64 {
        self.processor.pipeline.now()
    }
}

impl Machine {
    /// Returns the present state. The machine must be mutable, because it notes which memory has
    /// been copied. A program sees no change.
    pub fn snapshot(&mut self) -> Snapshot {
        let bus = self.processor.bus.snapshot();
        Snapshot {
            processor: self.processor.capture(bus),
            host: self.host.clone(),
            rtt: self.rtt.clone(),
            tracker: self.tracker.clone(),
            events: self.events.clone(),
            passed: self.passed.clone(),
        }
    }

    /// Goes back to a snapshot of this machine, or of another one on the same board. The recording
    /// of events stays on or off.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.processor.bus.restore(&snapshot.processor.bus);
        self.processor.restore(&snapshot.processor);
        self.host.clone_from(&snapshot.host);
        self.rtt.clone_from(&snapshot.rtt);
        self.tracker.clone_from(&snapshot.tracker);
        self.events.clone_from(&snapshot.events);
        self.passed.clone_from(&snapshot.passed);
        self.update_inspecting();
        self.processor.observe(self.observing);
        self.update_doorbell();
        self.forget_watched();
    }
}
