//! What firmware writes to the registers of devices, with the names of the maker's file.

use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::machine::{Watch, WatchHit};

use crate::firmware::Firmware;
use crate::simulated::Simulated;

/// A value that was written to a register.
pub struct Written {
    /// The name of the peripheral.
    pub peripheral: String,
    /// The register, its value and the fields of this.
    pub text: String,
}

/// Lets the machine watch what is written to devices, if the names of their registers are known.
pub fn watch(firmware: &Firmware, machine: &mut impl Simulated) {
    if firmware.svd.is_none() {
        return;
    }
    let devices = machine.parts().devices.iter();
    let ranges: Vec<_> = devices.map(|device| (device.base, device.span())).collect();
    for (start, length) in ranges {
        machine.watch_memory(WatchedRange { start, length, kind: AccessKind::Write });
    }
}

/// Returns what was written; `None` if it was to no register.
pub fn written(firmware: &Firmware, hit: &WatchHit) -> Option<Written> {
    let is_write = matches!(&hit.watch, Watch::Memory(range) if range.kind == AccessKind::Write);
    let svd = firmware.svd.as_ref().filter(|_| is_write)?;
    let register = svd.at(hit.address, None)?;
    // A byte of a register is written to the bits that it has there.
    let lane = 8 * (hit.address - register.address);
    let value = hit.new.checked_shl(lane)?;
    let text = format!("{} = {}", register.name, register.in_words(value));
    Some(Written { peripheral: register.peripheral.clone(), text })
}
