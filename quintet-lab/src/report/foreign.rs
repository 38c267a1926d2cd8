//! Advice for an instruction that the core lacks, because the image was built for another core.

use quintet_sim::board::Core;
use quintet_sim::machine::Machine;
use quintet_sim::processor::faults::Fault;
use quintet_sim::processor::history::{FaultCause, FaultRecord};

use super::first_fault::is_code;
use super::instruction::{Kind, executed};
use crate::firmware::Firmware;

/// The advice, where a fault is that of an instruction which another core has: not of a trap, nor
/// of what is no code.
pub fn advice(firmware: &Firmware, machine: &Machine, record: &FaultRecord) -> Option<String> {
    let unknown = [Fault::Undefined, Fault::NoCoprocessor].map(FaultCause::Instruction);
    let address = record.registers.r[15];
    if !unknown.contains(&record.cause) || !is_code(firmware, address) {
        return None;
    }
    let built_for = firmware.image.built_for;
    let kind = executed(machine, built_for, address).kind;
    if !matches!(kind, Kind::FloatingPoint | Kind::Missing { .. }) {
        return None;
    }
    let target = match machine.board().core {
        Core::CortexM0 | Core::CortexM0Plus => "thumbv6m-none-eabi",
        Core::CortexM3 => "thumbv7m-none-eabi",
        Core::CortexM4 => "thumbv7em-none-eabi",
        Core::CortexM4F | Core::CortexM7 | Core::CortexM7Single => "thumbv7em-none-eabihf",
        Core::CortexM33 => "thumbv8m.main-none-eabi",
        Core::CortexM33F => "thumbv8m.main-none-eabihf",
    };
    let image = match built_for {
        Some(built_for) => format!("the firmware is built for {}", built_for.name()),
        None => "the firmware is built for another core".into(),
    };
    Some(format!(
        "{image}, and the board's core lacks some of its instructions: build it for that, in Rust \
         by --target {target}"
    ))
}
