//! Tests written with the crate `defmt-test`: one firmware that runs them all, says so, and ends.
//!
//! Newer versions end by semihosting, as any firmware does. Older ones execute a breakpoint when all
//! have passed, which a probe's host takes for success.

use crate::report::death::Cause;
use crate::simulation::{Advance, Simulation};

/// The symbol that such firmware has.
const COUNT: &str = "DEFMT_TEST_COUNT";

/// What it says at its end.
const PASSED: &str = "all tests passed!";

/// In HFSR: a breakpoint without a debugger.
const DEBUG_EVENT: u32 = 1 << 31;

/// The end as it is meant.
pub fn judge(advance: Advance, simulation: &Simulation<'_>) -> Advance {
    let is_breakpoint = match advance {
        Advance::Ended(Cause::Breakpoint { .. }) => true,
        Advance::Ended(Cause::FaultLoop { exception: 3 } | Cause::Lockup) => {
            let status = simulation.machine.read_word(0xe000_ed2c).unwrap_or(0);
            status & DEBUG_EVENT != 0
        }
        _ => false,
    };
    let is_test = simulation.firmware.image.symbol(COUNT).is_some();
    let has_passed = simulation.log.last_message() == PASSED;
    if is_breakpoint && is_test && has_passed { Advance::Exit(0) } else { advance }
}
