//! The urgency of code: one number. Larger preempts. Main is 0, then come threads, then handlers.

use crate::simulated::Simulated;
use quintet_sim::machine::Machine;

/// Handlers have more than that, by their priority byte.
pub const HANDLERS: u32 = 1000;
/// The urgency of a thread of priority 0.
const THREADS: u32 = 1;

/// That of a handler.
pub fn of_exception(machine: &impl Simulated, exception: u16) -> u32 {
    // On RISC-V, a handler has the priority that it takes: none is known before it runs.
    let Some(machine) = machine.cortex_m() else { return HANDLERS };
    of_priority(machine.processor.system.exceptions.group_priority_of(exception))
}

/// That of the most urgent handlers that BASEPRI holds off with this value.
pub fn of_basepri(machine: &Machine, value: u8) -> u32 {
    of_priority(machine.processor.system.exceptions.group(i16::from(value)))
}

fn of_priority(priority: i16) -> u32 {
    HANDLERS.saturating_add_signed(256 - i32::from(priority))
}

/// That of a thread of a priority.
pub fn of_thread(priority: u32) -> u32 {
    THREADS + priority.min(HANDLERS - THREADS - 1)
}

/// The priority of threads that have it; none if handlers have it, or main.
pub fn priority_of_thread(urgency: u32) -> Option<u32> {
    urgency.checked_sub(THREADS).filter(|priority| *priority < HANDLERS - THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_above_threads_and_those_above_main() {
        let order = [0, of_thread(0), of_thread(31), of_thread(u32::MAX), HANDLERS];
        assert!(order.is_sorted_by(|one, next| one < next), "{order:?}");
        assert!(of_priority(255) > HANDLERS && of_priority(0) < of_priority(-2));
        let priorities = [of_thread(7), 0, of_priority(255)].map(priority_of_thread);
        assert_eq!(priorities, [Some(7), None, None]);
    }
}
