//! Firmware that waits for a device which nothing models: a loop that reads a register again and
//! again, and always finds 0.

use std::collections::BTreeMap;

use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::machine::{Machine, Stop, Until, Watch};
use quintet_sim::peripherals::DeviceKind;

use crate::debug::Place;
use crate::debug::backtrace::places;
use crate::firmware::Firmware;

/// How long a copy of the machine goes on, to be looked at; and how many loads tell enough.
const CYCLES: u64 = 20_000;
const LOADS_MAX: usize = 64;
/// So many loads from one register are no accident.
const LOADS_MIN: usize = 8;

/// What is polled of what is inert, as firmware stands; none where nothing is.
pub fn advice(firmware: &Firmware, machine: &Machine) -> Option<String> {
    let (address, pc) = polled(machine)?;
    let is_here = |start: u32, size: u32| address.wrapping_sub(start) < size;
    let devices = &machine.board().devices;
    let device = devices.iter().find(|device| is_here(device.base, device.span()))?;
    Some(format!(
        "it polls {address:#010x} of `{}`, which is inert: all its registers read as 0, so what it \
         waits for never comes. It does so at {}; leave out what waits there when it \
         is simulated, or give the board a device that is modelled (`quintet boards {}`)",
        device.name,
        Place::at(pc, &places(firmware, pc)),
        machine.board().name,
    ))
}

/// The register of an inert device that is read most, and where that is.
fn polled(machine: &Machine) -> Option<(u32, u32)> {
    let mut copy = machine.clone();
    copy.clear_watches();
    let devices = machine.board().devices.iter();
    for device in devices.filter(|device| device.kind == DeviceKind::Inert) {
        let (start, length, kind) = (device.base, device.span(), AccessKind::Read);
        copy.watch(Watch::Memory(WatchedRange { start, length, kind }));
    }
    let until =
        Until { max_cycles: Some(machine.cycle().saturating_add(CYCLES)), ..Until::default() };
    let mut loads: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for _ in 0..LOADS_MAX {
        let Stop::Watch(hit) = copy.run(&until) else { break };
        *loads.entry((hit.address, hit.pc)).or_default() += 1;
    }
    let most = loads.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count >= LOADS_MIN).map(|(place, _)| place)
}
