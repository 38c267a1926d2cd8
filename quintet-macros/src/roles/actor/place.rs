//! What is decided about an actor besides where it runs, which follows from its priority.

use crate::analysis::Analysis;
use crate::line::Place;
use crate::model::{Actor, Scheduler, Task};

/// What runs at most while a handler does, if it is more than what runs at its priority: what is
/// there or below can't preempt it. Where software doesn't preempt software, nothing has to be done
/// for that.
pub fn threshold(analysis: &Analysis<'_>, task: &Task, actor: &Actor) -> Option<Place> {
    let (threshold, _) = actor.threshold?;
    let place = analysis.line.software(threshold);
    let preempts = analysis.app.arguments.scheduler == Scheduler::Preemptive;
    (preempts && analysis.place(task).is_below(place)).then_some(place)
}
