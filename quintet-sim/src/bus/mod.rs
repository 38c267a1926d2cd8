//! Everything outside the processor: memories, devices, the wires between them, and the script that
//! plays the world.
//!
//! ```text
//!  processor ── read, write, fetch ──> windows ──> memory            (some compares, then a slice)
//!                                   └> devices ──> outputs ──> interrupt lines
//!  script ── pins, bytes, interrupts ──┘  └── pins ──> EXTI
//! ```
//! Devices are shared with snapshots until they change, so a snapshot of them is a handful of
//! counter increments.

mod accesses;
mod debug;
mod devices;
mod fronts;
mod image;
mod memory;
mod outside;
mod program;
mod routes;
mod transfers;
mod watch;
mod wiring;

use std::sync::Arc;

use crate::board::{Board, MemoryKind, Parts};
use crate::peripherals::Peripheral;
use crate::processor::bus::{FrontTiming, Lines, RegionTiming};
use crate::script::{Action, Script};

pub use image::BusImage;
pub use memory::{Memory, MemoryImage, PAGE_SIZE};
use watch::Watcher;
pub use watch::{Access, AccessKind, WatchedRange};
use wiring::{Wiring, port_number};
pub use wiring::{is_serial, programs_flash};

/// A memory or an alias of one, in the address space.
#[derive(Clone, Copy, Debug)]
struct Window {
    start: u32,
    size: u32,
    memory: usize,
}

/// A level of a pin has changed. A device or the script drives the pin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PinChange {
    /// When.
    pub cycle: u64,
    /// The number of the GPIO among the board's devices.
    pub device: usize,
    /// The pin.
    pub pin: u8,
    /// The pin's new level.
    pub level: bool,
}

/// The bus's requests to the machine around it, for which the processor has no wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// External interrupts that the script pends.
    pub pend: Vec<u16>,
    /// What the script changes in memory, in order.
    pub changes: Vec<Action>,
    /// A watchdog has expired.
    pub reset: bool,
    /// Accesses to the [doorbell](SystemBus::set_doorbell), in order.
    pub rung: Vec<Access>,
}

/// The memories and devices of a board.
#[derive(Clone, Debug)]
pub struct SystemBus {
    windows: Arc<[Window]>,
    memories: Vec<Memory>,
    regions: Arc<[RegionTiming]>,
    fronts_at_reset: Arc<[FrontTiming]>,
    wiring: Arc<Wiring>,
    world: World,
    /// `true` if changes of pins are recorded.
    observing: bool,
    /// `true` if any range is watched: the only thing that an access tests.
    watching: bool,
    watcher: Watcher,
}

/// The part that changes and is not memory, which a snapshot copies.
#[derive(Clone, Debug)]
struct World {
    devices: Vec<Arc<Peripheral>>,
    /// The next event of each device, as of the device's last change.
    next_events: Vec<u64>,
    outputs: Vec<u32>,
    levels: Vec<u32>,
    detections: Vec<bool>,
    /// The earliest of `next_events`, the script, and a transfer that waits.
    next: u64,
    lines: Lines,
    script: Script,
    /// The number of the script's actions that have happened.
    played: usize,
    requests: Requests,
    /// `true` if `requests` has any entry: the only test of each step.
    requested: bool,
    pin_changes: Vec<PinChange>,
    /// Within a transfer of a device that moves data by itself.
    transferring: bool,
    allowance: transfers::Allowance,
    /// Of each device, the events that are tasks of others.
    routed: Vec<u32>,
    /// Of each device, the pins that another device drives, and their levels.
    driven: Vec<(u32, u32)>,
    /// The length of the chain of tasks that led to an event.
    depth: u32,
    /// The front ends of memories, and `true` if the processor doesn't know their last change yet.
    fronts: Vec<FrontTiming>,
    fronts_changed: bool,
    /// Whether flash has changed that the processor may have decoded.
    code_changed: bool,
}

impl SystemBus {
    /// The memories and devices of `board` after power-on.
    pub fn new(board: &Board) -> Self {
        Self::of(&board.parts())
    }

    /// The same, of a board with any core.
    pub fn of(board: &Parts<'_>) -> Self {
        let mut windows = Vec::new();
        let mut memories = Vec::new();
        for (memory, description) in board.memories.iter().enumerate() {
            let starts = std::iter::once(description.start).chain(description.aliases.clone());
            windows.extend(starts.map(|start| Window { start, size: description.size, memory }));
            let mut made = match description.kind {
                MemoryKind::Flash => Memory::flash(description.size),
                MemoryKind::Ram => Memory::ram(description.size),
            };
            for (offset, word) in &description.words {
                made.poke(*offset, &word.to_le_bytes());
            }
            memories.push(made);
        }
        let devices: Vec<_> = board
            .devices
            .iter()
            .map(|device| {
                let mut made = Peripheral::new(device.kind, board.clock_hz);
                made.device().describe(&device.setup(board.clock_hz));
                Arc::new(made)
            })
            .collect();
        let count = devices.len();
        let mut bus = Self {
            windows: windows.into(),
            memories,
            regions: board.regions().into(),
            fronts_at_reset: board.fronts().into(),
            wiring: Arc::new(Wiring::new(board)),
            world: World {
                devices,
                next_events: vec![u64::MAX; count],
                outputs: vec![0; count],
                levels: vec![0; count],
                detections: vec![false; count],
                next: u64::MAX,
                lines: Lines::default(),
                script: Script::default(),
                played: 0,
                requests: Requests::default(),
                requested: false,
                pin_changes: Vec::new(),
                transferring: false,
                allowance: transfers::Allowance::default(),
                routed: vec![0; count],
                driven: vec![(0, 0); count],
                depth: 0,
                fronts: board.fronts(),
                fronts_changed: false,
                code_changed: false,
            },
            observing: false,
            watching: false,
            watcher: Watcher::default(),
        };
        for device in 0..count {
            bus.changed(device, 0);
        }
        bus
    }

    /// Resets every device. Memories keep their contents, and the script goes on.
    pub fn reset_devices(&mut self, cycle: u64) {
        for device in 0..self.world.devices.len() {
            self.world.routed[device] = 0;
            Arc::make_mut(&mut self.world.devices[device]).device().reset(cycle);
            self.changed(device, cycle);
        }
        self.take_requests();
    }

    /// Plays `script` from the script's beginning.
    pub fn set_script(&mut self, script: Script) {
        self.world.script = script;
        self.world.played = 0;
        self.schedule();
    }

    /// Whether [`SystemBus::take_requests`] has something.
    #[inline]
    pub fn has_requests(&self) -> bool {
        self.world.requested
    }

    /// Takes the requests to the machine.
    pub fn take_requests(&mut self) -> Requests {
        self.world.requested = false;
        std::mem::take(&mut self.world.requests)
    }

    /// Replaces the ranges whose accesses are noted.
    pub fn watch(&mut self, ranges: Vec<WatchedRange>) {
        self.watcher.set_ranges(ranges);
        self.watching = self.watcher.is_watching();
    }

    /// Replaces the doorbell: the range of memory through which a program talks to its debugger.
    /// Accesses to the range become [requests](Requests::rung) to the machine.
    pub fn set_doorbell(&mut self, range: Option<WatchedRange>) {
        self.watcher.set_doorbell(range);
        self.watching = self.watcher.is_watching();
    }

    /// Takes the first access to a watched range since the last call.
    pub fn take_access(&mut self) -> Option<Access> {
        self.watcher.take()
    }

    #[inline]
    fn memory_at(&self, address: u32) -> Option<(usize, u32)> {
        for window in self.windows.iter() {
            let offset = address.wrapping_sub(window.start);
            if offset < window.size {
                return Some((window.memory, offset));
            }
        }
        None
    }

    /// Lets everything happen that is due by `cycle`, in order.
    fn catch_up(&mut self, cycle: u64) {
        while self.world.next <= cycle {
            let at = self.world.next;
            while let Some((_, action)) = self.due_action(at) {
                self.world.played += 1;
                self.act(&action, at);
            }
            for device in 0..self.world.devices.len() {
                if self.world.next_events[device] <= at {
                    Arc::make_mut(&mut self.world.devices[device]).device().advance(at);
                    self.changed(device, at);
                    // A device that still wants the same cycle would hold time up for ever.
                    let next = &mut self.world.next_events[device];
                    *next = (*next).max(at.saturating_add(1));
                }
            }
            if self.world.allowance.resumes <= at {
                self.transfer(at);
            }
            self.schedule();
            if at == u64::MAX {
                return;
            }
        }
    }

    fn due_action(&self, cycle: u64) -> Option<(u64, Action)> {
        let next = self.world.script.actions().get(self.world.played)?;
        (next.0 <= cycle).then(|| next.clone())
    }

    fn act(&mut self, action: &Action, cycle: u64) {
        match action {
            Action::Drive { device, pin, level } => self.drive_pin(*device, *pin, *level, cycle),
            Action::Send { device, bytes } => {
                for byte in bytes.iter() {
                    self.receive(*device, *byte, cycle);
                }
            }
            Action::Pend { interrupt } => {
                self.world.requests.pend.push(*interrupt);
                self.world.requested = true;
            }
            Action::Poke { .. } | Action::Flip { .. } => {
                self.world.requests.changes.push(action.clone());
                self.world.requested = true;
            }
        }
    }

    /// After any access to a device: updates its outputs, pins and next event.
    fn changed(&mut self, device: usize, cycle: u64) {
        let view = self.world.devices[device].view();
        let (next, outputs) = (view.next_event(), view.outputs());
        let levels = view.pin_levels();
        if view.requests_reset() {
            self.world.requests.reset = true;
            self.world.requested = true;
        }
        self.world.next_events[device] = next;
        self.set_fronts(device, cycle);
        if self.world.outputs[device] != outputs {
            self.world.outputs[device] = outputs;
            self.world.lines = self.wiring.lines(&self.world.outputs);
        }
        if self.world.levels[device] != levels {
            self.pins_changed(device, levels, cycle);
        }
        let detects = self.world.devices[device].view().detects();
        if self.world.detections[device] != detects {
            self.detection_changed(device, detects, cycle);
        }
        if self.wiring.drivers.contains(&device) {
            self.drive_ports(device, cycle);
        }
        self.schedule();
        self.transfer(cycle);
        self.route(device, cycle);
    }

    /// Tells the ports which of their pins a device drives.
    fn drive_ports(&mut self, driver: usize, cycle: u64) {
        for device in 0..self.world.devices.len() {
            let Some(port) = self.wiring.devices[device].port else { continue };
            let driven = self.world.devices[driver].view().drives(port_number(port));
            if std::mem::replace(&mut self.world.driven[device], driven) != driven {
                let entry = Arc::make_mut(&mut self.world.devices[device]).device();
                entry.take_over(driven.0, driven.1);
                self.changed(device, cycle);
            }
        }
    }

    fn pins_changed(&mut self, device: usize, levels: u32, cycle: u64) {
        let changed = std::mem::replace(&mut self.world.levels[device], levels) ^ levels;
        if self.observing {
            for pin in (0..32_u8).filter(|pin| changed >> pin & 1 != 0) {
                let level = levels >> pin & 1 != 0;
                self.world.pin_changes.push(PinChange { cycle, device, pin, level });
            }
        }
        let wiring = Arc::clone(&self.wiring);
        let Some(port) = wiring.devices[device].port else { return };
        for watcher in &wiring.watchers {
            let entry = Arc::make_mut(&mut self.world.devices[*watcher]).device();
            entry.watch_port(port_number(port), levels);
            self.changed(*watcher, cycle);
        }
    }

    fn detection_changed(&mut self, device: usize, detects: bool, cycle: u64) {
        self.world.detections[device] = detects;
        let wiring = Arc::clone(&self.wiring);
        let Some(port) = wiring.devices[device].port else { return };
        for watcher in &wiring.watchers {
            let entry = Arc::make_mut(&mut self.world.devices[*watcher]).device();
            entry.watch_detection(port_number(port), detects);
            self.changed(*watcher, cycle);
        }
    }

    fn schedule(&mut self) {
        let devices = self.world.next_events.iter().copied().min().unwrap_or(u64::MAX);
        let script = self.world.script.actions().get(self.world.played);
        let script = script.map_or(u64::MAX, |(cycle, _)| *cycle);
        self.world.next = devices.min(script).min(self.world.allowance.resumes);
    }
}

#[cfg(test)]
mod tests;
