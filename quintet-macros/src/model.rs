//! The application as data: the user's text, in the words of the grammar.
//!
//! [`parse`](crate::parse) fills the model, [`check`](crate::check) judges the model, and `lower`
//! decides from it what is generated. The model holds no decisions of ours: ceilings, levels and
//! slots are computed later. The model doesn't require that all items stood in one `mod`: if an
//! application came from several places, only the lists would grow.
//!
//! Everything keeps the user's tokens, so that every message can point at a word of the user.
//! `parse` refuses anything that these types can't express. `check` refuses models that make no
//! sense, such as a resource that doesn't exist, or a vector bound twice.

use proc_macro2::Span;
use syn::{
    Attribute, Block, Expr, Ident, Item, Lifetime, LitInt, LitStr, Pat, PatType, Path, ReturnType,
    Type, Visibility,
};

pub use processes::Processes;
pub use timing::Timing;

mod processes;
mod timing;

/// A whole application.
pub struct App {
    /// The content of `#[quintet::app(..)]`.
    pub arguments: Arguments,
    /// Attributes of the module, also those written inside the module, in the form of outer
    /// attributes.
    pub attributes: Vec<Attribute>,
    /// The module's name. The expansion is public whatever visibility the user wrote.
    pub name: Ident,
    /// The user's own items, verbatim and in order, because an import of a `macro_rules!` must
    /// stand behind its definition. They come before all generated items.
    pub items: Vec<Item>,
    /// The struct `#[shared]`. Without one, `()` stands in its place.
    pub shared: Option<SharedStruct>,
    /// The struct `#[local]`. Without one, `()` stands in its place.
    pub local: Option<LocalStruct>,
    /// The function `#[init]`. If it is missing or unreadable, nothing is generated.
    pub init: Option<Init>,
    /// The function `#[idle]`.
    pub idle: Option<Idle>,
    /// The functions `#[task]` and `#[thread]`, in the order of the text. Two of them have the same
    /// name only if both carry a `cfg`.
    pub tasks: Vec<Task>,
    /// The parts that were there but unreadable. Each was refused. A check for a missing part must
    /// look here too.
    pub unread: Vec<Part>,
}

/// A part of an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// An argument of the application.
    Arguments,
    /// The struct `#[shared]`, or one of its fields.
    Shared,
    /// The struct `#[local]`, or one of its fields.
    Local,
    /// A task or thread.
    Tasks,
}

/// The arguments of the application's attribute.
pub struct Arguments {
    /// The peripheral access crate: resolved inside the module, after the imports. If it is missing
    /// or unreadable, nothing is generated.
    pub device: Option<Path>,
    /// `true` if `init` is given the core peripherals.
    pub core: bool,
    /// `true` if `init` is given the device's peripherals.
    pub peripherals: bool,
    /// Interrupts for software tasks, in the order of the list: the last one serves the highest
    /// priority.
    pub dispatchers: Vec<Dispatcher>,
    /// Says if software tasks preempt software tasks.
    pub scheduler: Scheduler,
    /// `host_stack = EXPR`: the bytes of stack of each thread that runs software tasks.
    pub host_stack: Option<Expr>,
    /// `true` if the memory protection unit guards the stacks of threads.
    pub stack_guard: bool,
    /// `processes = [..]`.
    pub processes: Option<Processes>,
    /// `on_level_begin = PATH`: a function that each interrupt of a level calls first.
    pub on_level_begin: Option<Path>,
    /// `on_level_end = PATH`: a function that each interrupt of a level calls last.
    pub on_level_end: Option<Path>,
}

/// Which software preempts which. Interrupts preempt everything below them with either scheduler.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Scheduler {
    /// More urgent software preempts less urgent software.
    #[default]
    Preemptive,
    /// Software tasks and threads run until they end or wait.
    Cooperative,
}

/// An interrupt that is free for software tasks.
pub struct Dispatcher {
    /// The interrupt.
    pub name: Ident,
    /// The attributes of the interrupt's handler.
    pub attributes: Vec<Attribute>,
}

/// Attributes, sorted by their use.
#[derive(Clone, Default)]
pub struct Attributes {
    /// `#[cfg(..)]`: these go to all items that are generated for the user's item.
    pub cfgs: Vec<Attribute>,
    /// `#[doc = ..]`.
    pub docs: Vec<Attribute>,
    /// All others.
    pub others: Vec<Attribute>,
}

/// The struct `#[shared]`.
pub struct SharedStruct {
    /// The struct's name, visibility and attributes.
    pub head: StructHead,
    /// The struct's fields.
    pub resources: Vec<SharedResource>,
}

/// The struct `#[local]`.
pub struct LocalStruct {
    /// The struct's name, visibility and attributes.
    pub head: StructHead,
    /// The struct's fields.
    pub resources: Vec<Resource>,
}

/// The parts of a struct of resources that are emitted again, besides its fields.
pub struct StructHead {
    /// The name of the struct.
    pub name: Ident,
    /// The user's visibility.
    pub visibility: Visibility,
    /// `cfgs` and `docs` are emitted again; `others`, a `derive` for instance, have no effect.
    pub attributes: Attributes,
}

/// A field of a struct of resources.
pub struct Resource {
    /// The name of the field.
    pub name: Ident,
    /// The type of the field.
    pub ty: Type,
    /// The visibility of the field.
    pub visibility: Visibility,
    /// `others` go to the static variable that holds the resource.
    pub attributes: Attributes,
}

/// A field of the struct `#[shared]`.
pub struct SharedResource {
    /// The field.
    pub resource: Resource,
    /// Where `#[lock_free]` stands, if it does.
    pub lock_free: Option<Span>,
}

/// A function of the application: `init`, `idle`, a task or a thread.
pub struct Function {
    /// The function's name.
    pub name: Ident,
    /// `others` go to the function; for a hardware task to the handler too.
    pub attributes: Attributes,
    /// The first parameter.
    pub context: Context,
    /// The parameters after the context. Patterns may be any; attributes stand in the pattern.
    pub arguments: Vec<PatType>,
    /// `async fn` or `fn`.
    pub form: Form,
    /// `true` if the function returns `!`.
    pub diverging: bool,
    /// The return type as written.
    pub output: ReturnType,
    /// Where the function's code is.
    pub body: Body,
}

/// The first parameter of a function of the application.
pub struct Context {
    /// The pattern of the parameter, such as `mut cx`.
    pub pattern: Pat,
    /// The type as written: `NAME::Context`, perhaps through another path.
    pub ty: Type,
    /// The lifetime in `NAME::Context<'a>`.
    pub lifetime: Option<Lifetime>,
}

/// Where the code of a function is.
pub enum Body {
    /// In the module.
    Block(Box<Block>),
    /// In another module: the function was declared in an `extern "Rust"` block, and an import
    /// brings a function of this name into the module.
    Extern,
}

/// The function `#[init]`.
pub struct Init {
    /// The function.
    pub function: Function,
    /// `local = [..]`: only declared locals.
    pub local: Vec<DeclaredLocal>,
}

/// The function `#[idle]`: priority 0.
pub struct Idle {
    /// The function.
    pub function: Function,
    /// `shared = [..]`.
    pub shared: Vec<SharedAccess>,
    /// `local = [..]`.
    pub local: Vec<LocalAccess>,
}

/// A function `#[task(..)]` or `#[thread(..)]`.
pub struct Task {
    /// The function.
    pub function: Function,
    /// The part that only the task's role has.
    pub kind: TaskKind,
    /// The words for the task in messages.
    pub what: &'static str,
    /// Says what runs the task.
    pub run_by: RunBy,
    /// `instances = n`: the number of instances, each with locals of its own. `None` for a task
    /// without instances.
    pub instances: Option<usize>,
    /// `true` if the task's borrows live forever: the task never returns, and nothing aborts it.
    pub never_ends: bool,
    /// `priority = n`, or the default.
    pub priority: Priority,
    /// `period = ".."`, with `deadline = ".."`: for the lab.
    pub timing: Option<Timing>,
    /// `shared = [..]`.
    pub shared: Vec<SharedAccess>,
    /// `local = [..]`.
    pub local: Vec<LocalAccess>,
}

/// Says what runs a function, whatever its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunBy {
    /// An interrupt of its own.
    Interrupt,
    /// A level, in which the task has this number of slots.
    Slots(usize),
    /// A thread of its own.
    Thread,
}

/// The part of a task that only its role has. `roles` has a folder for each role.
pub enum TaskKind {
    /// An interrupt starts the task.
    Hardware(Hardware),
    /// A `spawn` starts the task.
    Software(Software),
    /// A `start` starts the task, which has a stack of its own.
    Thread(Box<Thread>),
    /// An event starts the task.
    Actor(Box<Actor>),
}

/// The parts of a task with `binds` that other tasks lack.
pub struct Hardware {
    /// The vector: an interrupt of the device, or an exception.
    pub binds: Ident,
    /// `true` if `binds` is an exception of the core, not an interrupt of the device.
    pub exception: bool,
}

/// The parts of a task without `binds` that other tasks lack.
pub struct Software {
    /// Where `local_task` stands, if the task has the word.
    pub local_task: Option<Span>,
    /// `capacity = n`: how many spawns may wait or run at the same time; 1 by default.
    pub capacity: u8,
    /// Where `joinable` stands, if the task has the word (only async tasks do): `spawn` gives a
    /// handle.
    pub joinable: Option<Span>,
}

/// The parts of a thread that other tasks lack.
pub struct Thread {
    /// `stack = EXPR`, in bytes.
    pub stack: Expr,
    /// `name = ".."`. Without it, the thread has the function's name.
    pub label: Option<LitStr>,
    /// `slice_us = n`: after this many microseconds, another thread of the same priority has its
    /// turn.
    pub slice: Option<Slice>,
    /// `true` if the thread waits for `start`: it is `manual`, or takes arguments.
    pub manual: bool,
}

/// The parts of an actor that other tasks lack. The actor's event is the argument of its function.
pub struct Actor {
    /// `queue = n`: how many events can wait.
    pub queue: u8,
    /// `threshold = n`, with its place. While the handler runs, no code up to this priority
    /// preempts it.
    pub threshold: Option<(u8, Span)>,
    /// `first = EXPR`: the event with which each start begins.
    pub first: Option<Expr>,
    /// `true` if the actor waits for `start`.
    pub manual: bool,
    /// `subscribe = [..]`.
    pub subscriptions: Vec<Subscription>,
}

/// An entry of a list `subscribe = [..]`.
pub struct Subscription {
    /// The topic.
    pub topic: Type,
    /// `true` if the actor is subscribed from its start on. `Topic: off` makes this `false`.
    pub on: bool,
}

/// A time slice.
#[derive(Clone, Copy)]
pub struct Slice {
    /// The slice's length.
    pub microseconds: u32,
    /// The literal.
    pub span: Span,
}

/// How a function runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `async fn`: polled until its future ends.
    Async,
    /// `fn`: called, to the end.
    Plain,
}

/// A priority: 0 is idle, larger is more urgent.
#[derive(Clone, Copy)]
pub struct Priority {
    /// The number.
    pub value: u8,
    /// The literal; the task's name if the priority is the default.
    pub span: Span,
    /// `true` if the user wrote the priority.
    pub given: bool,
    /// `true` if this is the task's priority. It is `false` for a default in the place of an
    /// unreadable priority.
    pub known: bool,
}

/// An entry of a list `shared = [..]`.
pub struct SharedAccess {
    /// The resource.
    pub name: Ident,
    /// `x` or `&x`.
    pub form: Access,
    /// Where the entry is: at the `&`, if the entry has one.
    pub span: Span,
}

/// How a task accesses a shared resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// `x`: by a lock, or by `&mut` if the resource is lock-free.
    Exclusive,
    /// `&x`: by a shared reference, never by a lock.
    Shared,
}

/// An entry of a list `local = [..]`.
pub enum LocalAccess {
    /// `a`: a field of the struct `#[local]`.
    Field(Ident),
    /// `a: T = EXPR`: a static variable of the task's own.
    Declared(Box<DeclaredLocal>),
}

/// `a: T = EXPR` in a list `local = [..]`.
pub struct DeclaredLocal {
    /// The name.
    pub name: Ident,
    /// The local's type.
    pub ty: Type,
    /// The initial value, which must be constant.
    pub value: Expr,
    /// `others` go to the static variable; `cfgs` go to all items of the local.
    pub attributes: Attributes,
}

impl App {
    /// The tasks that have slots in levels.
    pub fn jobs(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| task.is_job())
    }

    /// The tasks that hardware starts.
    pub fn hardware_tasks(&self) -> impl Iterator<Item = (&Task, &Hardware)> {
        self.tasks.iter().filter_map(|task| match &task.kind {
            TaskKind::Hardware(hardware) => Some((task, hardware)),
            _ => None,
        })
    }

    /// The tasks that software starts.
    pub fn software_tasks(&self) -> impl Iterator<Item = (&Task, &Software)> {
        self.tasks.iter().filter_map(|task| match &task.kind {
            TaskKind::Software(software) => Some((task, software)),
            _ => None,
        })
    }

    /// The threads.
    pub fn threads(&self) -> impl Iterator<Item = (&Task, &Thread)> {
        self.tasks.iter().filter_map(|task| match &task.kind {
            TaskKind::Thread(thread) => Some((task, &**thread)),
            _ => None,
        })
    }

    /// The actors.
    pub fn actors(&self) -> impl Iterator<Item = (&Task, &Actor)> {
        self.tasks.iter().filter_map(|task| match &task.kind {
            TaskKind::Actor(actor) => Some((task, &**actor)),
            _ => None,
        })
    }

    /// Returns `true` if all of a part could be read.
    pub fn is_read(&self, part: Part) -> bool {
        !self.unread.contains(&part)
    }

    /// The fields of the struct `#[shared]`.
    pub fn shared_resources(&self) -> &[SharedResource] {
        self.shared.as_ref().map_or(&[], |shared| &shared.resources)
    }

    /// The fields of the struct `#[local]`.
    pub fn local_resources(&self) -> &[Resource] {
        self.local.as_ref().map_or(&[], |local| &local.resources)
    }
}

impl Priority {
    /// The number that the user wrote.
    pub fn written(value: u8, literal: &LitInt) -> Self {
        Self { value, span: literal.span(), given: true, known: true }
    }

    /// Returns the default of a task of this name. The default is not `known` if it takes the place
    /// of an unreadable priority.
    pub fn left_out(value: u8, task: &Ident, known: bool) -> Self {
        Self { value, span: task.span(), given: false, known }
    }
}

impl Task {
    /// The task's name.
    pub const fn name(&self) -> &Ident {
        &self.function.name
    }

    /// The conditions under which the task exists.
    pub fn cfgs(&self) -> &[Attribute] {
        &self.function.attributes.cfgs
    }

    /// Returns `true` if the function is an `async fn`.
    pub fn is_async(&self) -> bool {
        self.function.form == Form::Async
    }

    /// Returns `true` if the task has slots in a level.
    pub const fn is_job(&self) -> bool {
        matches!(self.run_by, RunBy::Slots(_))
    }

    /// Returns `true` if the task is a thread.
    pub const fn is_thread(&self) -> bool {
        matches!(self.run_by, RunBy::Thread)
    }
}

impl LocalAccess {
    /// The name of the local.
    pub const fn name(&self) -> &Ident {
        match self {
            Self::Field(name) => name,
            Self::Declared(declared) => &declared.name,
        }
    }
}
