//! The locks that some cores can't mask. The macro doesn't know the core, so `emit` makes
//! assertions of these locks.

use proc_macro2::Span;
use syn::Ident;

use super::Analysis;
use crate::model::{Access, Scheduler, TaskKind};

/// A lock that a core which masks by source can't take.
pub struct UnmaskableLock<'a> {
    /// The resource.
    pub resource: &'a Ident,
    /// The entry in the list of the task that would have to be held off.
    pub span: Span,
    /// Says what is wrong with the lock on such a core.
    pub message: String,
}

/// Returns the locks that ARMv6-M and ARMv8-M Baseline can't take. These cores mask interrupts one
/// by one, and exceptions have no bit there. The user of such a lock runs below a task of an
/// exception that shares the resource.
pub fn unmaskable_locks<'a>(analysis: &Analysis<'a>) -> Vec<UnmaskableLock<'a>> {
    let app = analysis.app;
    let mut locks = Vec::new();
    for task in &app.tasks {
        let TaskKind::Hardware(hardware) = &task.kind else { continue };
        if !hardware.exception {
            continue;
        }
        for access in task.shared.iter().filter(|access| access.form == Access::Exclusive) {
            let resource = &access.name;
            let place = analysis.place(task);
            let mut users = analysis.users_of_shared(resource).iter();
            let below = users.find(|(user, _)| user.place.is_below(place));
            if let Some((user, _)) = below {
                // With the cooperative scheduler, other software tasks of the same priority are
                // below too.
                let is_preemptive = app.arguments.scheduler == Scheduler::Preemptive;
                let or = if is_preemptive { ", or give both one priority" } else { "" };
                let message = format!(
                    "this core can't hold off the exception `{}` alone, but `{}` shares \
                     `{resource}` with the task `{}`, which it starts: bind an interrupt{or}",
                    hardware.binds,
                    user.name(),
                    task.name()
                );
                locks.push(UnmaskableLock { resource, span: access.span, message });
            }
        }
    }
    locks
}
