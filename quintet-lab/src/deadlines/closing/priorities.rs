//! Priorities that are not those at the end of the run, in this run or in another one.
//!
//! Which task delays which follows from the priorities of handlers, and these are read when the run
//! has ended. So each store of the code to such a register must be of the value that is there then.

use super::{Closer, Gap};
use crate::bounds::system::Write;
use crate::debug::Place;

/// Bytes of an address of a priority, and of AIRCR's grouping.
const GROUPING: u32 = 0x700;

/// The stores of the code that may give a handler another priority.
pub fn gaps(closer: &Closer<'_>) -> Vec<Gap> {
    let writes = closer.analysis.system_writes().into_iter();
    let others = writes.filter(|write| write.sets_priority() && !is_as_it_ended(closer, write));
    let gap = |write: Write| {
        let places = closer.firmware.locate(write.address);
        let place = Place::own_of(&places).map(Place::function_and_line).unwrap_or_default();
        let what = if write.groups() { "how priorities are grouped" } else { "a priority" };
        let how = if write.value.is_some() {
            "to another value than at the end of this run"
        } else {
            "to a value, or at a place, that is computed"
        };
        Gap {
            what: format!("{what} is set {how} {place}, at {:#x}", write.address),
            close: "set it once, by a constant, before the tasks begin".into(),
        }
    };
    others.map(gap).collect()
}

/// Returns `true` if the registers are as a store has written them.
fn is_as_it_ended(closer: &Closer<'_>, write: &Write) -> bool {
    let Some((value, size)) = write.value else { return false };
    let (first, last) = write.bytes;
    let word = closer.machine.read_word(first & !3).unwrap_or(0);
    if write.groups() {
        return size == 4 && first == last - 3 && word & GROUPING == value & GROUPING;
    }
    let bits = closer.machine.board().priority_bits;
    let kept = 0xff_u32 << (8 - u32::from(bits).min(8)) & 0xff;
    (0..size).all(|byte| {
        let is = word >> (8 * ((first & 3) + byte)) & 0xff;
        is == value >> (8 * byte) & kept
    })
}
