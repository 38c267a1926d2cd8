//! The application as data: what the user wrote, in the words of the grammar.
//!
//! [`parse`](crate::parse) fills it, [`check`](crate::check) judges it, `lower` decides from it
//! what is generated. It holds no decisions of ours: ceilings, levels and slots are computed later.
//! Nothing here depends on the items having stood in one `mod`: lists only grow when an application
//! comes from several places.
//!
//! Everything keeps the user's tokens, so that every message can point at a word of theirs.
//! What a value of these types can't express has been refused by `parse`; what it can express but
//! makes no sense (a resource that doesn't exist, a vector bound twice) is refused by `check`.

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
    /// What stands in `#[quintet::app(..)]`.
    pub arguments: Arguments,
    /// Attributes of the module, those written inside it too, in the form of outer attributes.
    pub attributes: Vec<Attribute>,
    /// The module's name. The expansion is public whatever visibility the user wrote.
    pub name: Ident,
    /// The user's own items, verbatim and in order: an import of a `macro_rules!` must stand behind
    /// it. They come before everything that is generated.
    pub items: Vec<Item>,
    /// The struct `#[shared]`. Without one, `()` stands in its place.
    pub shared: Option<SharedStruct>,
    /// The struct `#[local]`. Without one, `()` stands in its place.
    pub local: Option<LocalStruct>,
    /// The function `#[init]`. Without one that can be read, nothing is generated.
    pub init: Option<Init>,
    /// The function `#[idle]`.
    pub idle: Option<Idle>,
    /// The functions `#[task]` and `#[thread]`, in the order of the text. Two of them have the same
    /// name only if both carry a `cfg`.
    pub tasks: Vec<Task>,
    /// What is there, but not here, as it could not be read. That has been refused, and who asks
    /// whether something is missing asks this too.
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
    /// The peripheral access crate: resolved inside the module, after the imports. Without one
    /// that can be read, nothing is generated.
    pub device: Option<Path>,
    /// Whether `init` is given the core peripherals.
    pub core: bool,
    /// Whether `init` is given the device's peripherals.
    pub peripherals: bool,
    /// Interrupts for software tasks, in the order of the list: the last one serves the highest
    /// priority.
    pub dispatchers: Vec<Dispatcher>,
    /// Whether software preempts software.
    pub scheduler: Scheduler,
    /// `host_stack = EXPR`: how many bytes of stack the threads have that run software tasks.
    pub host_stack: Option<Expr>,
    /// Whether the memory protection unit guards the stacks of threads.
    pub stack_guard: bool,
    /// `processes = [..]`.
    pub processes: Option<Processes>,
    /// `on_level_begin = PATH`: a function that is called before what an interrupt runs.
    pub on_level_begin: Option<Path>,
    /// `on_level_end = PATH`: the same behind it.
    pub on_level_end: Option<Path>,
}

/// Who preempts whom, besides interrupts, which preempt all that is below them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Scheduler {
    /// What is more urgent preempts what is less.
    #[default]
    Preemptive,
    /// Software tasks and threads run until they end or wait.
    Cooperative,
}

/// An interrupt that is free for software tasks.
pub struct Dispatcher {
    /// The interrupt.
    pub name: Ident,
    /// For its handler.
    pub attributes: Vec<Attribute>,
}

/// Attributes, sorted by what becomes of them.
#[derive(Clone, Default)]
pub struct Attributes {
    /// `#[cfg(..)]`: these go to everything that is generated for the item.
    pub cfgs: Vec<Attribute>,
    /// `#[doc = ..]`.
    pub docs: Vec<Attribute>,
    /// All others.
    pub others: Vec<Attribute>,
}

/// The struct `#[shared]`.
pub struct SharedStruct {
    /// Its name, visibility and attributes.
    pub head: StructHead,
    /// Its fields.
    pub resources: Vec<SharedResource>,
}

/// The struct `#[local]`.
pub struct LocalStruct {
    /// Its name, visibility and attributes.
    pub head: StructHead,
    /// Its fields.
    pub resources: Vec<Resource>,
}

/// What is emitted again of a struct of resources besides its fields.
pub struct StructHead {
    /// The user's name for it.
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
    /// Its name.
    pub name: Ident,
    /// `others` go to the function; for a hardware task to the handler too.
    pub attributes: Attributes,
    /// The first parameter.
    pub context: Context,
    /// The parameters after the context. Patterns may be any; attributes stand in the pattern.
    pub arguments: Vec<PatType>,
    /// `async fn` or `fn`.
    pub form: Form,
    /// Whether it returns `!`.
    pub diverging: bool,
    /// The return type as written.
    pub output: ReturnType,
    /// Where its code is.
    pub body: Body,
}

/// The first parameter of a function of the application.
pub struct Context {
    /// What it is bound to, such as `mut cx`.
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
    /// `local = [..]`: only declared ones.
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
    /// What only its role has.
    pub kind: TaskKind,
    /// What messages call it.
    pub what: &'static str,
    /// What runs it.
    pub run_by: RunBy,
    /// `instances = n`: of how many alike it is, each with locals of its own; nothing if it is the
    /// only one.
    pub instances: Option<usize>,
    /// Whether what it borrows is its own for ever: it never returns, and nothing aborts it.
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

/// What runs a function, whatever its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunBy {
    /// An interrupt of its own.
    Interrupt,
    /// A level, in which it has so many slots.
    Slots(usize),
    /// A thread of its own.
    Thread,
}

/// What the roles of tasks have besides what all of them have. `roles` has a folder for each.
pub enum TaskKind {
    /// The hardware.
    Hardware(Hardware),
    /// Software, by `spawn`.
    Software(Software),
    /// Software, and it has a stack of its own.
    Thread(Box<Thread>),
    /// Software, by an event.
    Actor(Box<Actor>),
}

/// What a task with `binds` has besides other tasks.
pub struct Hardware {
    /// The vector: an interrupt of the device, or an exception.
    pub binds: Ident,
    /// Whether `binds` is an exception of the core, not an interrupt of the device.
    pub exception: bool,
}

/// What a task without `binds` has besides other tasks.
pub struct Software {
    /// Where `local_task` stands, if the task is one.
    pub local_task: Option<Span>,
    /// `capacity = n`: how many spawns may wait for their start or run; 1 by default.
    pub capacity: u8,
    /// Where `joinable` stands, if the task is (only async ones): `spawn` gives a handle.
    pub joinable: Option<Span>,
}

/// What a thread has besides tasks.
pub struct Thread {
    /// `stack = EXPR`, in bytes.
    pub stack: Expr,
    /// `name = ".."`; the function's name without one.
    pub label: Option<LitStr>,
    /// `slice_us = n`: after how many microseconds another thread of its priority has its turn.
    pub slice: Option<Slice>,
    /// Whether it waits for `start`: it is `manual`, or takes arguments.
    pub manual: bool,
}

/// What an actor has besides tasks. Its event is the argument of its function.
pub struct Actor {
    /// `queue = n`: how many events can wait.
    pub queue: u8,
    /// `threshold = n`, and where it stands: up to which priority nothing preempts its handler.
    pub threshold: Option<(u8, Span)>,
    /// `first = EXPR`: the event with which each start begins.
    pub first: Option<Expr>,
    /// Whether it waits for `start`.
    pub manual: bool,
    /// `subscribe = [..]`.
    pub subscriptions: Vec<Subscription>,
}

/// An entry of a list `subscribe = [..]`.
pub struct Subscription {
    /// The topic.
    pub topic: Type,
    /// Whether it is subscribed to from the start on: not so of `Topic: off`.
    pub on: bool,
}

/// A time slice.
#[derive(Clone, Copy)]
pub struct Slice {
    /// Its length.
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
    /// Whether the user wrote it.
    pub given: bool,
    /// Whether it is the task's: not so of a default in the place of one that can't be read.
    pub known: bool,
}

/// An entry of a list `shared = [..]`.
pub struct SharedAccess {
    /// The resource.
    pub name: Ident,
    /// `x` or `&x`.
    pub form: Access,
    /// Where the entry is: at the `&` if there is one.
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
    /// `a: T = EXPR`: a static variable of its own.
    Declared(Box<DeclaredLocal>),
}

/// `a: T = EXPR` in a list `local = [..]`.
pub struct DeclaredLocal {
    /// The name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// Its initial value: must be constant.
    pub value: Expr,
    /// `others` go to the static variable; `cfgs` to all of it.
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

    /// Whether all that there is of a part could be read.
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

    /// The default of a task of this name; not `known` in the place of one that can't be read.
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

    /// Whether the function is an `async fn`.
    pub fn is_async(&self) -> bool {
        self.function.form == Form::Async
    }

    /// Whether it has slots in a level.
    pub const fn is_job(&self) -> bool {
        matches!(self.run_by, RunBy::Slots(_))
    }

    /// Whether it is a thread.
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
