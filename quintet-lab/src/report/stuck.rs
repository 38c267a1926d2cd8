//! Firmware that goes on and gets nowhere, for ends that a limit of time has made.

use quintet_sim::machine::Machine;

use super::polling::Wait;
use super::{livelock, waiting};
use crate::firmware::Firmware;

/// What to do where the firmware waits for a device that nothing models, as by the loop that
/// `polls`, or where its tasks only wake each other; none where it goes on.
pub fn advice(firmware: &Firmware, machine: &Machine, polls: Option<&Wait>) -> Option<String> {
    let waiting = || machine.processor.is_asleep().then(|| waiting::advice(machine)).flatten();
    polls
        .map(|wait| wait.advice.clone())
        .or_else(|| waiting::core_advice(machine))
        .or_else(waiting)
        .or_else(|| livelock::advice(firmware, machine))
}
