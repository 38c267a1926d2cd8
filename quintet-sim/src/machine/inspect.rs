//! Watches, and events that stop the machine: checks after each step while a tool asks for them.

use super::{EventFilter, Machine, Stop, Watch, WatchHit};
use crate::processor::events::{Event, EventKind};
use crate::processor::system::System;

/// The watches and events to look for.
#[derive(Clone, Debug, Default)]
pub struct Watcher {
    watches: Vec<Watched>,
    filters: Vec<EventFilter>,
}

/// A watch, with the last value if the watch compares values.
#[derive(Clone, Debug)]
struct Watched {
    watch: Watch,
    last: u32,
}

impl Watcher {
    /// Returns `true` if events are needed to decide whether to stop.
    pub fn wants_events(&self) -> bool {
        !self.filters.is_empty()
    }
}

impl EventFilter {
    /// Returns `true` if an event is of this kind.
    pub fn matches(&self, event: &Event) -> bool {
        let same =
            |wanted: Option<u16>, exception: u16| wanted.is_none_or(|wanted| wanted == exception);
        match (self, event.kind) {
            (Self::Enter(wanted), EventKind::Enter { exception, .. })
            | (Self::Exit(wanted), EventKind::Exit { exception, .. }) => same(*wanted, exception),
            (Self::MaskChange(wanted), EventKind::MaskChange { mask, .. }) => {
                wanted.is_none_or(|wanted| wanted == mask)
            }
            (Self::Sleep, EventKind::Sleep { .. })
            | (Self::Wake, EventKind::Wake)
            | (Self::Reset, EventKind::Reset) => true,
            _ => false,
        }
    }
}

impl Machine {
    /// Stops the machine, from now on, after each step in which the watch notices an access or a
    /// change.
    pub fn watch(&mut self, watch: Watch) {
        self.watcher.watches.push(Watched { watch, last: 0 });
        self.apply_watches();
    }

    /// Ends a watch.
    pub fn unwatch(&mut self, watch: &Watch) {
        self.watcher.watches.retain(|watched| watched.watch != *watch);
        self.apply_watches();
    }

    /// Ends all watches.
    pub fn clear_watches(&mut self) {
        self.watcher.watches.clear();
        self.apply_watches();
    }

    /// Compares with the present values from now on, after a jump through time.
    pub(crate) fn forget_watched(&mut self) {
        if !self.watcher.watches.is_empty() {
            self.apply_watches();
        }
    }

    fn apply_watches(&mut self) {
        let ranges = self.watcher.watches.iter().filter_map(|watched| match watched.watch {
            Watch::Memory(range) => Some(range),
            Watch::Register(_) => None,
        });
        self.processor.bus.watch(ranges.collect());
        for index in 0..self.watcher.watches.len() {
            self.watcher.watches[index].last = self.compared(self.watcher.watches[index].watch);
        }
        self.update_inspecting();
    }

    pub(super) fn set_filters(&mut self, filters: &[EventFilter]) {
        if self.watcher.filters.is_empty() && filters.is_empty() {
            return;
        }
        // Earlier events must not stop the machine.
        self.collect_events();
        self.watcher.filters = filters.to_vec();
        if !self.observing {
            self.processor.observe(!filters.is_empty());
        }
        self.update_inspecting();
    }

    /// Recording alone needs no check after each step: the processor keeps its events until a tool
    /// takes them.
    pub(crate) fn update_inspecting(&mut self) {
        self.inspecting = !self.watcher.watches.is_empty()
            || !self.watcher.filters.is_empty()
            || self.passed.is_waiting();
        // Watched memory and events come in steps that are none of the quick path.
        let changes = |watched: &Watched| match watched.watch {
            Watch::Register(_) => true,
            // A counter of the processor's own changes by itself.
            Watch::Memory(range) => System::owns(range.start),
        };
        self.inspects_each = self.watcher.watches.iter().any(changes) || self.passed.is_waiting();
    }

    /// Takes over the processor's events.
    pub(super) fn collect_events(&mut self) {
        let mut events = self.processor.take_events();
        self.events.append(&mut events);
    }

    /// Checks a step that began at `pc` with `recorded` known events. Returns a stop if one is due.
    pub(super) fn inspect(&mut self, pc: u32, recorded: usize) -> Option<Stop> {
        self.collect_events();
        let filters = &self.watcher.filters;
        let event = self
            .events
            .iter()
            .skip(recorded)
            .find(|event| filters.iter().any(|filter| filter.matches(event)))
            .copied();
        if !self.observing {
            self.events.clear();
        }
        self.hit(pc).map(Stop::Watch).or(event.map(Stop::Event))
    }

    fn hit(&mut self, pc: u32) -> Option<WatchHit> {
        let mut first = None;
        if let Some(access) = self.processor.bus.take_access() {
            let watched = self.watcher.watches.iter().find_map(|watched| match watched.watch {
                Watch::Memory(range) if range.matches(&access) => Some(watched.watch),
                _ => None,
            });
            first = watched.map(|watch| WatchHit {
                watch,
                address: access.address,
                old: access.old,
                new: access.value,
                cycle: access.cycle,
                pc,
            });
        }
        for index in 0..self.watcher.watches.len() {
            let Watched { watch, last } = self.watcher.watches[index];
            let now = self.compared(watch);
            if now != last {
                self.watcher.watches[index].last = now;
                let address = match watch {
                    Watch::Memory(range) => range.start,
                    Watch::Register(_) => 0,
                };
                let hit = WatchHit { watch, address, old: last, new: now, cycle: self.cycle(), pc };
                first = first.or(Some(hit));
            }
        }
        first
    }

    /// Returns the value whose change the bus doesn't see; 0 if the bus sees the change.
    fn compared(&self, watch: Watch) -> u32 {
        match watch {
            Watch::Register(number) => {
                self.processor.registers.r.get(usize::from(number)).copied().unwrap_or(0)
            }
            Watch::Memory(range) if System::owns(range.start) => {
                self.read_word(range.start & !3).unwrap_or(0)
            }
            Watch::Memory(_) => 0,
        }
    }
}
