//! Follows a run for the timeline and the profile at once.

use quintet_lab::firmware::Firmware;
use quintet_lab::profile::{self, Inlined, Profile};
use quintet_lab::simulation::Follow;
use quintet_lab::trace::Recording;
use quintet_lab::trace::record::Recorder;
use quintet_lab::trace::store::Limits;
use quintet_lab::trace::units::Application;
use quintet_sim::machine::Machine;

/// So many events are recorded; a browser still draws them on a small computer.
const EVENTS_MAX: usize = 300_000;

/// What notes the steps of a run.
pub struct Follower {
    timeline: Timeline,
    profile: Option<profile::Recorder>,
    /// The address of the next step.
    next: u32,
}

/// The timeline, while it grows and behind its end.
enum Timeline {
    Unwanted,
    Grows(Box<Recorder<'static>>),
    Ended(Box<Recording>),
}

impl Follower {
    /// Before the first step. The application is needed for a timeline.
    pub fn new(
        firmware: &'static Firmware,
        application: Option<&'static Application>,
        with_profile: bool,
        machine: &mut Machine,
    ) -> Self {
        let limits = Limits { from: 0, last: None, events: EVENTS_MAX };
        let timeline = application.map_or(Timeline::Unwanted, |application| {
            Timeline::Grows(Box::new(Recorder::new(firmware, application, limits, machine)))
        });
        let profile = with_profile.then(|| profile::Recorder::new(firmware));
        Self { timeline, profile, next: machine.pc() }
    }

    /// Whether it follows anything: a run that nobody follows is faster.
    pub fn is_needed(&self) -> bool {
        matches!(self.timeline, Timeline::Grows(_)) || self.profile.is_some()
    }

    /// The timeline, up to now or up to where it was full.
    pub fn recording(&mut self, machine: &mut Machine) -> Option<&Recording> {
        self.end_timeline(machine);
        match &self.timeline {
            Timeline::Ended(recording) => Some(recording),
            _ => None,
        }
    }

    /// The profile, up to now.
    pub fn profile(&self, firmware: &Firmware) -> Option<Profile> {
        self.profile.as_ref().map(|recorder| recorder.profile::<Machine>(firmware, Inlined::Own))
    }

    fn end_timeline(&mut self, machine: &mut Machine) {
        if let Timeline::Grows(recorder) = &mut self.timeline {
            let recording = recorder.finish(machine);
            self.timeline = Timeline::Ended(Box::new(recording));
            machine.observe(false);
            machine.clear_watches();
        }
    }
}

impl Follow for Follower {
    fn step(&mut self, machine: &mut Machine, is_hit: bool) -> bool {
        let from = std::mem::replace(&mut self.next, machine.pc());
        if let Some(profile) = &mut self.profile {
            profile.look(machine, from, true);
        }
        if let Timeline::Grows(recorder) = &mut self.timeline
            && !recorder.step(machine, is_hit)
        {
            self.end_timeline(machine);
        }
        true
    }

    fn printed(&mut self, cycle: u64, channel: &str, bytes: &[u8]) {
        if let Timeline::Grows(recorder) = &mut self.timeline {
            Follow::<Machine>::printed(&mut **recorder, cycle, channel, bytes);
        }
    }
}
