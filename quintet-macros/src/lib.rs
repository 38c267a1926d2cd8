//! `#[quintet::app]`: from a module with tasks and resources to firmware.
//!
//! | step | its work |
//! |---|---|
//! | `parse` | reads the module into the model; refuses anything that is not in the grammar |
//! | `model` | the application as data, in the user's words |
//! | `analysis` | the properties of the whole: where each function runs, which users share what |
//! | `check` | refuses applications that the grammar allows but that can't work |
//! | `lower` | decides: levels, slots, ceilings, storage |
//! | `emit` | writes the application as Rust that calls documented functions of `quintet` |
//! | `refused` | for a refused module, writes the errors and the remaining parts of the module |
//!
//! `roles` has a folder for each kind of task, with the parts of these steps that only this kind
//! needs. `grammar` and `write` hold the code that `parse` and `emit` share with the roles.
//!
//! Each step takes only the result of the step before, so that each is tested without the others. A
//! refusal points at the user's own word. All errors that can be found in one run are reported in
//! one run. `ui/` holds an application for every refusal, with the message beside it.

mod analysis;
mod chart;
mod check;
mod emit;
mod errors;
mod exceptions;
mod grammar;
mod line;
mod lower;
mod model;
mod parse;
mod refused;
mod roles;
#[cfg(test)]
mod tests;
mod write;

/// Turns a module into an application: `#[quintet::app(device = lm3s6965)] mod app { .. }`.
///
/// Your module has a function `#[init]`. Add the parts that you need: the structs `#[shared]` and
/// `#[local]`, and functions marked `#[idle]`, `#[task]`, `#[thread]` or `#[actor]`. `docs/book`
/// teaches them with examples; this page lists their arguments. If the macro refuses your module,
/// the error points at the wrong word.
///
/// # The application
///
/// | argument | without it | |
/// |---|---|---|
/// | `device = lm3s6965` | refused | the crate of the chip: its interrupts and peripherals |
/// | `dispatchers = [SSI0, ..]` | none | free interrupts: one for each priority of software tasks |
/// | `scheduler = "cooperative"` | `"preemptive"` | software tasks don't preempt software tasks |
/// | `host_stack = 2048` | 1024 | bytes of stack of each thread that hosts software tasks |
/// | `stack_guard = false` | `true` | leaves the memory protection unit to your program |
/// | `processes = [priority = 1, ..]` | none | `PROCESSES`, as `quintet::processes!` defines it |
/// | `on_level_begin = path` | none | a `fn(u8)` that each level calls first, with its priority |
/// | `on_level_end = path` | none | the same at its end |
/// | `core = false` | `true` | `init` gets no peripherals of the core |
/// | `peripherals = false` | `true` | `init` gets no peripherals of the device |
///
/// # Functions
///
/// - `#[init]`: `local`.
/// - `#[idle]`: `local`, `shared`.
/// - `#[task]` of an interrupt: `binds = GPIOA`, `priority` (1 by default), `shared`, `local`.
/// - `#[task]` of software, `async` or not: `priority` (0 by default), `shared`, `local`,
///   `capacity = 3`, `local_task`; for an `async` task, also `joinable`, `instances = 5`.
/// - `#[thread]`: `priority` and `stack = 1024`, both required, `shared`, `local`,
///   `slice_us = 1000`, `manual`, `name = "text"`, `instances = 5`.
/// - `#[actor]`, `async` or not: `queue = 4`, which is required, `priority` (0 by default),
///   `shared`, `local`, `instances = 5`, `threshold = 3`, `first = EXPR`, `manual`,
///   `subscribe = [Topic, Other: off]`.
/// - Each of these but `init` and `idle`: `period = "10 ms"`, the least time between two arrivals,
///   and with it `deadline = "5 ms"`, from the arrival to the end; an actor with `instances` has
///   neither. `quintet deadlines` judges them; the image is the same without.
///
/// A larger priority is more urgent. Threads have priorities 1 to 31, and every interrupt is above
/// them. Priority 0 needs no dispatcher. Neither does the priority of a hosted task, which is at or
/// below the priority of a thread.
///
/// `shared = [a, &b]` lists fields of `#[shared]`; the `&` of the second field asks for a reference
/// without a lock. `local = [a, b: u32 = 0]` lists fields of `#[local]`, and declares variables.
///
/// # What a task, thread or actor `worker` defines
///
/// | | |
/// |---|---|
/// | `worker::Context` | the type of the first argument: `shared`, `local`, in a thread `thread` |
/// | `worker::spawn(..)`, `worker::waker()` | of software tasks; a `local_task` has no `spawn` |
/// | `worker::LocalSpawner` | of software tasks beside a `local_task`: type of `cx.local_spawner` |
/// | `worker::start(..)` | of threads that are `manual` or take arguments |
/// | `worker::handle()` | of threads and actors |
/// | `worker::post(event)`, `post_front(event)` | of actors |
/// | `worker::try_post(event)`, `try_post_front(event)`, `try_post_margin(event, 1)` | of actors |
/// | `worker::start()`, `stop()`, `restart()`, `queue()` | of actors |
/// | `worker::subscribe::<Topic>()`, `unsubscribe` | of actors that list topics |
///
/// With `instances`, there are several of one function at the same time: actors, `async` tasks or
/// threads. Each has its own number, from 0, in `cx.instance`, and its own variables of `local`.
/// All functions above take the number first, but for `spawn`, which takes the first instance that
/// is free. (`capacity` is how many spawns of a task wait, and run one after the other.)
///
/// An application with actors has `publish(topic)`. A published topic that no actor lists is
/// dropped, and the compiler warns you where the application's own functions publish such a topic.
///
/// Macros run before `#[cfg]` is decided. So a thread under a condition counts in every build:
/// tasks at or below the thread's priority are hosted even in a build without the thread.
#[proc_macro_attribute]
pub fn app(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand(arguments.into(), item.into()).into()
}

/// Turns an `impl` block into a hierarchical state machine:
/// `#[state_machine(initial = State::idle())]`.
///
/// States, superstates and actions are functions of the block. The module `quintet::chart` shows an
/// example.
///
/// # The machine
///
/// | argument | without it | |
/// |---|---|---|
/// | `initial = State::idle()` | refused | the first state |
/// | `initial_action = f` | none | runs before the entry into the first state |
/// | `state(name = "S", derive(Debug))` | `State` | the `enum` of the leaves |
/// | `visibility = "pub(crate)"` | `pub` | the visibility of that `enum`, and of `machine` |
/// | `compact = true` | see below | code of few bytes; `false`: of few cycles |
/// | `deferred = 4` | none | how many events the machine can keep |
/// | `unhandled = Self::f` | ignored | gets `&mut self` and each event that no state handled |
/// | `before_dispatch`, `after_dispatch` | none | get `&mut self`, `&State`, `&Event` |
/// | `before_transition`, `after_transition` | none | get `&mut self`, two values of `Within` |
///
/// The last four may take the machine's context as another parameter, and be `async`, if they are
/// functions of the block.
///
/// # Few cycles, or few bytes
///
/// In the fast form, each leaf has a copy of the handlers around it, and each transition is
/// straight code. In the compact form, each handler and action stands in the code once. A machine
/// with few transitions has straight code for them all the same; in others, loops look up the
/// exits and entries in a table of parents, with a byte or two for each state, and a transition
/// takes several times as many cycles. Both forms do the same in the same order. Without `compact`,
/// a machine is compact if cargo builds the crate `quintet` with `opt-level = "s"` or `"z"`.
///
/// # Functions
///
/// - `#[state]`: `superstate`, `entry_action`, `exit_action`, `on_completion`,
///   `defer = [Event::A]`.
/// - `#[superstate]`: the arguments of `#[state]` without `on_completion`, and `initial`,
///   `initial_action`.
/// - `#[action]`: a function that other attributes name.
///
/// Parameters are recognised by their names: `event`, `context`, and the variables of the state.
/// You give the variables their values with `State::name(values)`. A handler or an action may be
/// `async`: then `dispatch` is `async` as well. The block may have parameters, as `impl<P: Pin>
/// Led<'_, P>` has; the `enum` of the leaves has those that variables of states mention.
///
/// # Outcomes
///
/// | | |
/// |---|---|
/// | `Handled` | the event is handled |
/// | `Super` | the superstate handles the event; without a superstate, the event is ignored |
/// | `Transition(State::a())` | goes to the state; leaves and enters an enclosing end, too |
/// | `Local(State::a())` | goes to the state, but stays inside that composite |
/// | `History(State::c())` | goes to the state directly inside of `c` that was active last |
/// | `DeepHistory(State::c())` | goes to the leaf inside of `c` that was active last |
/// | `Deferred` | the machine keeps the event until the state changes |
///
/// Write an outcome where the handler ends, or behind `return`. An outcome can't stand in a macro
/// call, as `state_machine` doesn't see into macro calls. If events come by value, `Super` and
/// `Deferred` hand the event on, so you must not have moved the event. Code before an outcome runs
/// before the exits. The action in `Transition(State::a(), |this, context| ..)` runs between exits
/// and entries.
///
/// # Tests
/// On the host, `quintet::chart::Test` shows your tests which states a machine leaves and enters,
/// and which actions run. Firmware contains none of this.
#[proc_macro_attribute]
pub fn state_machine(
    arguments: proc_macro::TokenStream,
    block: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    chart::expand(arguments.into(), block.into()).into()
}

/// Returns the expansion, or all errors of the application.
fn expand(
    arguments: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let mut errors = errors::Errors::default();
    let mut app = parse::app(arguments, item.clone(), &mut errors);
    app.iter_mut().for_each(roles::rewrite);
    let analysis = match judged(app.as_ref(), errors) {
        Ok(analysis) => analysis,
        Err(error) => return refused::emit(error, item),
    };
    let mut expansion = emit::emit(&analysis, &lower::lower(&analysis));
    // Which core it is for, the crate knows and the macro doesn't.
    if let Some(error) = refused::without_processes(analysis.app) {
        expansion = emit::with_threads(&expansion, &refused::emit(error, item.clone()));
    }
    match refused::without_threads(analysis.app) {
        Some(error) => emit::with_threads(&expansion, &refused::emit(error, item)),
        None => expansion,
    }
}

/// Returns what later steps need of an application, if the application has no errors.
fn judged(
    app: Option<&model::App>,
    mut errors: errors::Errors,
) -> syn::Result<analysis::Analysis<'_>> {
    let analysis = app.map(analysis::Analysis::of);
    if let Some(analysis) = &analysis {
        check::check(analysis, &mut errors);
    }
    errors.finish(analysis)?.ok_or_else(|| {
        // Whatever leaves no application has said why.
        syn::Error::new(proc_macro2::Span::call_site(), "the application could not be read")
    })
}
