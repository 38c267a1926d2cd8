//! The decisions about an actor, besides its place, which follows from its priority.

use crate::analysis::Analysis;
use crate::line::Place;
use crate::model::{Actor, Scheduler, Task};

/// Returns the highest place that a handler holds off, if this is above the handler's own place:
/// code at that place or below can't preempt the handler anyway. If software doesn't preempt
/// software, there is nothing to hold off.
pub fn threshold(analysis: &Analysis<'_>, task: &Task, actor: &Actor) -> Option<Place> {
    let (threshold, _) = actor.threshold?;
    let place = analysis.line.software(threshold);
    let preempts = analysis.app.arguments.scheduler == Scheduler::Preemptive;
    (preempts && analysis.place(task).is_below(place)).then_some(place)
}
