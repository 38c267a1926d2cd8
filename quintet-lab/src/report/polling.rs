//! Firmware that waits for a device which nothing models: a loop that reads a register again and
//! again, and always finds 0.

use std::collections::BTreeMap;

use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::machine::{Machine, Stop, Until, Watch};
use quintet_sim::peripherals::DeviceKind;

use crate::debug::Place;
use crate::debug::backtrace::places;
use crate::firmware::Firmware;

use super::waiting::is_unmodelled;

/// How long a copy of the machine goes on, to be looked at; and how many loads tell enough.
const CYCLES: u64 = 20_000;
const LOADS_MAX: usize = 64;
/// So many loads from one register are no accident.
const LOADS_MIN: usize = 8;

/// What is polled of a device that nothing models, as firmware stands; none where nothing is.
pub fn advice(firmware: &Firmware, machine: &Machine) -> Option<String> {
    let (address, pc) = polled(machine)?;
    let is_here = |start: u32, size: u32| address.wrapping_sub(start) < size;
    let board = machine.board();
    let device = board.devices.iter().find(|device| is_here(device.base, device.span()))?;
    let (what, way_out) = if device.kind == DeviceKind::Inert {
        let what = "which is inert: all its registers read as 0, so what it waits for never comes";
        let way_out = format!(
            "leave out what waits there when it is simulated, or give the board a device that is \
             modelled (`quintet boards {}`)",
            board.name
        );
        (what.to_owned(), way_out)
    } else {
        let offset = (address - device.base) & !3;
        let described = device.registers.iter().find(|register| register.offset == offset);
        let name = described.and_then(|register| register.name.as_deref());
        let named = name.map_or(String::new(), |name| format!(" ({name})"));
        let what = format!(
            "whose register at {offset:#x}{named} does what the board file says: nothing there \
             sets what it waits for"
        );
        let way_out = format!(
            "in a board file of your own, let the bit `follow` the one that starts it, or give it \
             by `reset` (docs/boards.md); `quintet boards {}` says what is not modelled",
            board.name
        );
        (what, way_out)
    };
    Some(format!(
        "it polls {address:#010x} of `{}`, {what}. It does so at {}; {way_out}",
        device.name,
        Place::at(pc, &places(firmware, pc)),
    ))
}

/// The register of such a device that is read most, and where that is.
fn polled(machine: &Machine) -> Option<(u32, u32)> {
    let mut copy = machine.clone();
    copy.clear_watches();
    let devices = machine.board().devices.iter();
    for device in devices.filter(|device| is_unmodelled(device.kind)) {
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
