//! The map: a section that is not loaded, from which the lab prints the priority line of an image.
//!
//! The section has lines of words, separated by tabs, in any order. The first word is the kind of
//! the line:
//!
//! ```text
//! line      T  scheduler  priority bits
//! hardware  task  priority  vector  number  priority byte
//! level     priority  vector  number  priority byte
//! ready     priority  bytes of a level's ready bits
//! software  task  priority  form  capacity  instances or `-`  runner  its priority
//! actor     task  priority  form  queue  instances or `-`  runner  its priority
//! timing    task  period  deadline or `-`
//! thread    function  priority  name  place in the order of starts, or `manual`  instance or `-`
//! resource  name  place  (`idle`, `thread` or `level`)  priority  held off  bytes  users
//! ```
//!
//! A runner is `main`, `host` or `level`. Only the crate knows how a lock of a level's resource
//! holds interrupts off: the crate gives the value for BASEPRI and the bits for the NVIC, both 0
//! for PRIMASK.
//!
//! The lab reads other memory of the application from the symbols of its statics, whose names are
//! those of [`names`]. The compiler merges small statics, so their sizes stand in the map. The map
//! takes no memory of the image: the assembler writes the section.

use proc_macro2::TokenStream;
use quote::quote;

use crate::line::Place;
use crate::lower::{Level, Shared};
use crate::model::{Scheduler, Task};
use crate::roles;
use crate::write::Output;
use crate::write::levels::ready_slots;
use crate::write::map::MapLine;

impl Output<'_> {
    /// The map.
    pub fn map(&self) -> TokenStream {
        let mut lines = vec![self.first_line()];
        let interrupts = self.app.hardware_tasks();
        lines.extend(interrupts.flat_map(|(task, _)| roles::of(task).map_lines(self, task)));
        for level in &self.plan.levels {
            lines.extend(self.level_line(level));
            lines.push(self.ready_line(level));
            let slots = level.slots.iter().filter(|slot| slot.instance == 0);
            lines.extend(slots.flat_map(|slot| roles::of(slot.task).map_lines(self, slot.task)));
        }
        let threads = self.app.threads();
        lines.extend(threads.flat_map(|(task, _)| roles::of(task).map_lines(self, task)));
        lines.extend(self.app.tasks.iter().filter_map(timing_line));
        lines.extend(self.plan.shared.iter().filter(|one| one.used).map(|one| self.resource(one)));
        let lines = lines.iter().map(|line| self.written(line));
        quote!(#(#lines)*)
    }

    /// The line `line` itself.
    fn first_line(&self) -> MapLine<'_> {
        let device = &self.app.arguments.device;
        let scheduler = match self.app.arguments.scheduler {
            Scheduler::Preemptive => "preemptive",
            Scheduler::Cooperative => "cooperative",
        };
        let top = self.analysis.line.top().to_string();
        MapLine {
            cfgs: &[],
            words: vec!["line".into(), top, scheduler.into(), "{bits}".into()],
            operands: vec![("bits", quote!(#device::NVIC_PRIO_BITS))],
        }
    }

    /// A level that has an interrupt.
    fn level_line(&self, level: &Level<'_>) -> Option<MapLine<'_>> {
        let name = &level.dispatcher()?.name;
        let words = ["level".into(), level.priority.to_string(), name.to_string()];
        let words = words.into_iter().chain(["{number}".into(), "{byte}".into()]).collect();
        let operands = self.vector(name, false, level.priority);
        Some(MapLine { cfgs: &[], words, operands })
    }

    /// The ready bits of a level.
    fn ready_line(&self, level: &Level<'_>) -> MapLine<'_> {
        let quintet = &self.quintet;
        let ty = ready_slots(level);
        MapLine {
            cfgs: &[],
            words: vec!["ready".into(), level.priority.to_string(), "{bytes}".into()],
            operands: vec![("bytes", quote!(::core::mem::size_of::<#quintet::export::#ty>()))],
        }
    }

    /// A shared resource: its ceiling, the interrupts that its locks hold off, and its users.
    fn resource<'b>(&self, shared: &Shared<'b>) -> MapLine<'b> {
        let resource = &shared.field.resource;
        let place = match shared.ceiling {
            Place::Idle => "idle",
            Place::Thread(_) => "thread",
            Place::Level(_) => "level",
        };
        let users = self.analysis.users_of_shared(&resource.name);
        let locks = shared.field.lock_free.is_none()
            && users.iter().any(|(user, access)| {
                access.form == crate::model::Access::Exclusive && shared.is_contended(user.place)
            });
        let (held, mut operands) = match shared.ceiling {
            Place::Level(_) if locks => {
                let ceiling = self.ceiling_of(shared);
                let mapped = quote!(#ceiling.mapped());
                let held = "BASEPRI {basepri} NVIC {sources}".to_owned();
                (held, vec![("basepri", quote!(#mapped.0)), ("sources", quote!(#mapped.1))])
            }
            Place::Thread(_) if locks => {
                (format!("threads to {}", shared.thread_ceiling()), Vec::new())
            }
            _ => ("nothing".to_owned(), Vec::new()),
        };
        let users = users.iter().map(|(user, _)| user.name().to_string()).collect::<Vec<_>>();
        let (priority, ty) = (shared.ceiling.priority().to_string(), &resource.ty);
        operands.push(("bytes", quote!(::core::mem::size_of::<#ty>())));
        let words = ["resource".into(), resource.name.to_string(), place.into(), priority, held];
        MapLine {
            cfgs: &resource.attributes.cfgs,
            words: words.into_iter().chain(["{bytes}".into(), users.join(" ")]).collect(),
            operands,
        }
    }
}

/// The timing that a task declares.
fn timing_line(task: &Task) -> Option<MapLine<'_>> {
    let timing = task.timing.as_ref()?;
    let deadline = timing.deadline.as_deref().unwrap_or("-").to_owned();
    let words = ["timing".into(), task.name().to_string(), timing.period.clone(), deadline];
    Some(MapLine { cfgs: task.cfgs(), words: words.into(), operands: Vec::new() })
}
