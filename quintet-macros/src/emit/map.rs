//! The map: what the lab prints of an image's priority line, in a section that is not loaded.
//!
//! It holds lines of words, separated by tabs, in any order; the first word says what a line is:
//!
//! ```text
//! line      T  scheduler  priority bits
//! hardware  task  priority  vector  number  priority byte
//! level     priority  vector  number  priority byte
//! ready     priority  bytes of a level's ready bits
//! software  task  priority  form  capacity  runner  (`main`, `host` or `level`)  its priority
//! thread    function  priority  name  place in the order of starts, or `manual`
//! resource  name  place  (`idle`, `thread` or `level`)  priority  held off  bytes  users
//! ```
//!
//! By what a lock of a level's resource holds interrupts off, only the crate knows: it gives the
//! value for BASEPRI and the bits for the NVIC, both 0 for PRIMASK.
//!
//! What else takes memory the lab reads from the symbols of its statics, whose names are those of
//! [`names`]; small ones the compiler merges, so their sizes stand here. Nothing of
//! it is in the image: the assembler writes it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Attribute;

use super::levels::ready_slots;
use super::{Output, names};
use crate::line::Place;
use crate::lower::{Level, Runner, Running, Runs, Shared};
use crate::model::{Form, Hardware, Scheduler};

/// A line while it is put together.
struct Line<'a> {
    /// The conditions under which it is there.
    cfgs: &'a [Attribute],
    /// Its words; `{name}` stands for an operand.
    words: Vec<String>,
    /// The operands, which are constants.
    operands: Vec<(&'static str, TokenStream)>,
}

impl Output<'_> {
    /// The map.
    pub fn map(&self) -> TokenStream {
        let mut lines = vec![self.first_line()];
        lines.extend(self.hardware_lines());
        for level in &self.plan.levels {
            lines.extend(self.level_line(level));
            lines.push(self.ready_line(level));
            lines.extend(software_lines(level));
        }
        lines.extend(self.plan.threads.iter().enumerate().filter_map(thread_line));
        lines.extend(self.plan.shared.iter().filter(|one| one.used).map(|one| self.resource(one)));
        let lines = lines.iter().map(|line| self.written(line));
        quote!(#(#lines)*)
    }

    /// The line itself.
    fn first_line(&self) -> Line<'_> {
        let device = &self.app.arguments.device;
        let scheduler = match self.app.arguments.scheduler {
            Scheduler::Preemptive => "preemptive",
            Scheduler::Cooperative => "cooperative",
        };
        let top = self.plan.line.top().to_string();
        Line {
            cfgs: &[],
            words: vec!["line".into(), top, scheduler.into(), "{bits}".into()],
            operands: vec![("bits", quote!(#device::NVIC_PRIO_BITS))],
        }
    }

    /// The operands of a vector: its number and its priority byte.
    fn vector(
        &self,
        name: &Ident,
        exception: bool,
        priority: u8,
    ) -> Vec<(&'static str, TokenStream)> {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let hardware = self.plan.line.hardware(priority);
        let byte = quote!(#quintet::export::hardware_priority(#hardware, #device::NVIC_PRIO_BITS));
        let mut operands = vec![("byte", byte)];
        if !exception {
            operands.push(("number", quote!(#device::interrupt::#name as u16)));
        }
        operands
    }

    /// The hardware tasks.
    fn hardware_lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.app.hardware_tasks().map(|(task, Hardware { binds, exception })| {
            let priority = task.priority.value;
            let number = if *exception { "-" } else { "{number}" };
            let words = ["hardware", &task.name().to_string(), &priority.to_string()]
                .into_iter()
                .chain([binds.to_string().as_str(), number, "{byte}"])
                .map(str::to_owned)
                .collect();
            let operands = self.vector(binds, *exception, priority);
            Line { cfgs: task.cfgs(), words, operands }
        })
    }

    /// A level that has an interrupt.
    fn level_line(&self, level: &Level<'_>) -> Option<Line<'_>> {
        let name = &level.dispatcher()?.name;
        let words = ["level".into(), level.priority.to_string(), name.to_string()];
        let words = words.into_iter().chain(["{number}".into(), "{byte}".into()]).collect();
        let operands = self.vector(name, false, level.priority);
        Some(Line { cfgs: &[], words, operands })
    }

    /// The ready bits of a level.
    fn ready_line(&self, level: &Level<'_>) -> Line<'_> {
        let quintet = &self.quintet;
        let ty = ready_slots(level);
        Line {
            cfgs: &[],
            words: vec!["ready".into(), level.priority.to_string(), "{bytes}".into()],
            operands: vec![("bytes", quote!(::core::mem::size_of::<#quintet::export::#ty>()))],
        }
    }

    /// A shared resource: its ceiling, what its locks hold off, and who uses it.
    fn resource<'b>(&self, shared: &Shared<'b>) -> Line<'b> {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let (resource, interrupts) = (&shared.field.resource, names::interrupts());
        let place = match shared.ceiling {
            Place::Idle => "idle",
            Place::Thread(_) => "thread",
            Place::Level(_) => "level",
        };
        let users = self.app.users_of_shared(&resource.name).collect::<Vec<_>>();
        let line = self.plan.line;
        let locks = shared.field.lock_free.is_none()
            && users.iter().any(|(user, access)| {
                access.form == crate::model::Access::Exclusive
                    && shared.is_contended(line.of_user(*user))
            });
        let (held, mut operands) = match shared.ceiling {
            Place::Level(_) if locks => {
                let hardware = self.hardware_ceiling(shared);
                let mapped = quote! {
                    #quintet::export::Ceiling::new(
                        #hardware, #device::NVIC_PRIO_BITS, #interrupts,
                    ).mapped()
                };
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
        Line {
            cfgs: &resource.attributes.cfgs,
            words: words.into_iter().chain(["{bytes}".into(), users.join(" ")]).collect(),
            operands,
        }
    }

    /// A line as the crate's macro takes it.
    fn written(&self, line: &Line<'_>) -> TokenStream {
        let (quintet, cfgs) = (&self.quintet, line.cfgs);
        let words = line.words.iter().map(|word| word.replace(['"', '\\', '\n'], "_"));
        let operands = line.operands.iter().map(|(name, value)| {
            let name = Ident::new(name, Span::call_site());
            quote!(#name = #value)
        });
        let operands = (!line.operands.is_empty()).then(|| quote!(; #(#operands),*));
        quote!(#(#cfgs)* #quintet::__map_line!(#(#words),* #operands);)
    }
}

/// The software tasks of a level.
fn software_lines<'a>(level: &'a Level<'_>) -> impl Iterator<Item = Line<'a>> {
    level.slots.iter().map(|slot| {
        let form = match slot.software.form {
            Form::Async => "async",
            Form::Plain => "fn",
        };
        let runner = match level.runner {
            Runner::Main => "main",
            Runner::Host => "host",
            Runner::Interrupt(_) => "level",
        };
        let words = vec![
            "software".into(),
            slot.task.name().to_string(),
            slot.task.priority.value.to_string(),
            form.into(),
            slot.software.capacity.to_string(),
            runner.into(),
            level.priority.to_string(),
        ];
        Line { cfgs: slot.task.cfgs(), words, operands: Vec::new() }
    })
}

/// A thread of the user's. Hosts, which have no line, start behind all of them.
fn thread_line<'a>((index, running): (usize, &Running<'a>)) -> Option<Line<'a>> {
    let Runs::Function(task, thread) = running.runs else { return None };
    let label = thread.shown_as(task.name());
    // In braces stand operands.
    let label = label.replace(['{', '}'], "_");
    let start = if thread.manual { "manual".into() } else { index.to_string() };
    let priority = running.priority.to_string();
    let words = ["thread".into(), task.name().to_string(), priority, label, start];
    Some(Line { cfgs: task.cfgs(), words: words.into(), operands: Vec::new() })
}
