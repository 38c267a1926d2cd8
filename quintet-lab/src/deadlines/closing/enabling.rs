//! Interrupts that are not enabled while jobs count: what arrives waits until they are, for a time
//! that no section tells.
//!
//! An interrupt of a task is enabled all the time if it is where jobs begin to count, and if no
//! code that runs from then on disables it. The code is that behind the beginning, and all
//! handlers. The beginning is that of the run: start-up code enables the same in each run.

use super::{Closer, Gap};
use crate::bounds::system::Write;
use crate::deadlines::plan::Plan;
use crate::deadlines::urgency;
use crate::debug::Place;
use crate::report::fault::exception_name;

/// The first exception that is an interrupt.
const FIRST_INTERRUPT: u16 = 16;
/// Interrupts that a word of the register disables.
const WORD: u32 = 32;

/// What may hold tasks off, with the urgencies of these.
pub fn gaps(closer: &Closer<'_>, plan: &Plan) -> Vec<((u32, u32), Gap)> {
    let handlers = closer.analysis.handlers().iter().map(|handler| handler.exception);
    let planned = handlers.filter(|one| *one >= FIRST_INTERRUPT && closer.is_planned(plan, *one));
    let planned: Vec<u16> = planned.collect();
    let urgency = |exception: u16| urgency::of_exception(closer.machine, exception);
    let late = planned.iter().filter(|one| !closer.opening.is_enabled(**one)).map(|&exception| {
        let gap = Gap {
            what: format!(
                "{} is not enabled where jobs begin to count, and what arrives waits for that",
                exception_name(exception)
            ),
            close: "enable it before the tasks begin, or name a later place by --from".into(),
        };
        ((0, urgency(exception)), gap)
    });
    let disabling = disabling(closer).into_iter().filter_map(|write| {
        let affected = planned.iter().filter(|one| disables(&write, **one));
        let most = affected.map(|one| urgency(*one)).max()?;
        Some(((0, most), of_write(closer, &write)))
    });
    late.chain(disabling).collect()
}

/// The stores that may disable an interrupt while jobs count.
fn disabling(closer: &Closer<'_>) -> Vec<Write> {
    let mut all = vec![closer.analysis.reached_behind(closer.opening.pc)];
    let handlers = closer.analysis.handlers().iter();
    all.extend(handlers.map(|handler| closer.analysis.reached(handler.entry)));
    let runs = |write: &Write| all.iter().any(|one| one.has(write.function, write.block));
    let writes = closer.analysis.system_writes().into_iter();
    writes.filter(|write| write.disables() && runs(write)).collect()
}

/// Returns `true` if a store may disable an interrupt.
fn disables(write: &Write, exception: u16) -> bool {
    let number = u32::from(exception - FIRST_INTERRUPT);
    let word = Write::DISABLING + 4 * (number / WORD);
    match write.value {
        Some((value, 4)) if write.bytes.0 & 3 == 0 => {
            write.bytes.0 == word && value >> (number % WORD) & 1 != 0
        }
        _ => write.bytes.0 <= word + 3 && write.bytes.1 >= word,
    }
}

fn of_write(closer: &Closer<'_>, write: &Write) -> Gap {
    let places = closer.firmware.locate(write.address);
    let place = Place::own_of(&places).map(Place::function_and_line).unwrap_or_default();
    Gap {
        what: format!("an interrupt may be disabled {place}, at {:#x}", write.address),
        close: "disable interrupts of tasks only before the tasks begin; a lock of a resource \
                holds them off for a time that is known"
            .into(),
    }
}
