//! `#[quintet::app]`: from a module with tasks and resources to firmware.
//!
//! | step | what it does |
//! |---|---|
//! | `parse` | reads the module into the model; refuses what is not the grammar |
//! | `model` | the application as data, in the user's words |
//! | `analysis` | what follows from it as a whole: where each function runs, who meets whom |
//! | `check` | refuses what is the grammar but can't be an application |
//! | `lower` | decides: levels, slots, ceilings, storage |
//! | `emit` | writes it down as Rust that calls documented functions of `quintet` |
//! | `refused` | writes down instead what is wrong, and what is left of the module |
//!
//! `roles` has a folder for each kind of task, with what it has of its own of these steps;
//! `grammar` and `write` are what `parse` and `emit` have in common with them.
//!
//! Each step takes what the one before returns and nothing else, so each is tested without the
//! others. A refusal points at the user's own word, and all that can be found in one go are
//! reported in one go. `ui/` holds an application for every refusal, with its message beside it.

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

/// Makes an application of a module: `#[quintet::app(device = lm3s6965)] mod app { .. }`.
///
/// The module has a function `#[init]`, and whatever it needs of the structs `#[shared]` and
/// `#[local]` and the functions `#[idle]`, `#[task]`, `#[thread]` and `#[actor]`. `docs/book`
/// teaches them with examples; here are their arguments. What is refused says so at the word that
/// is wrong.
///
/// # The application
///
/// | argument | without it | |
/// |---|---|---|
/// | `device = lm3s6965` | refused | the crate of the chip: its interrupts and peripherals |
/// | `dispatchers = [SSI0, ..]` | none | free interrupts: one for each priority of software tasks |
/// | `scheduler = "cooperative"` | `"preemptive"` | software doesn't preempt software |
/// | `host_stack = 2048` | 1024 | bytes of stack of each thread that hosts software tasks |
/// | `stack_guard = false` | `true` | leaves the memory protection unit to the program |
/// | `processes = [priority = 1, ..]` | none | `PROCESSES`, as `processes!` of `quintet` has it |
/// | `core = false` | `true` | `init` gets no peripherals of the core |
/// | `peripherals = false` | `true` | `init` gets no peripherals of the device |
///
/// # Functions
///
/// - `#[init]`: `local`.
/// - `#[idle]`: `local`, `shared`.
/// - `#[task]` of an interrupt: `binds = GPIOA`, `priority` (1 without it), `shared`, `local`.
/// - `#[task]` of software, `async` or not: `priority` (0 without it), `shared`, `local`,
///   `capacity = 3`, `local_task`; if it is `async`, also `joinable`.
/// - `#[thread]`: `priority` and `stack = 1024`, which it needs, `shared`, `local`,
///   `slice_us = 1000`, `manual`, `name = "text"`.
/// - `#[actor]`, `async` or not: `queue = 4`, which it needs, `priority` (0 without it), `shared`,
///   `local`, `instances = 5`, `threshold = 3`, `first = EXPR`, `manual`,
///   `subscribe = [Topic, Other: off]`.
///
/// Priorities of 0 and of hosted tasks, which are at or below a thread's, need no dispatcher.
/// `shared = [a, &b]` lists fields of `#[shared]`, the second of them for a reference without a
/// lock. `local = [a, b: u32 = 0]` lists fields of `#[local]`, and declares variables. Larger
/// priorities are more urgent. Threads have 1 to 31, and every interrupt is above them.
///
/// # What a task, thread or actor `worker` defines
///
/// | | |
/// |---|---|
/// | `worker::Context` | the type of its first argument: `shared`, `local`, in a thread `thread` |
/// | `worker::spawn(..)`, `worker::waker()` | of software tasks; no `spawn` of a `local_task` |
/// | `worker::LocalSpawner` | of software tasks beside a `local_task`: that of `cx.local_spawner` |
/// | `worker::start(..)` | of threads that are `manual` or take arguments |
/// | `worker::handle()` | of threads and actors |
/// | `worker::post(event)`, `post_front(event)` | of actors |
/// | `worker::try_post(event)`, `try_post_front(event)`, `try_post_margin(event, 1)` | of actors |
/// | `worker::start()`, `stop()`, `restart()`, `queue()` | of actors |
/// | `worker::subscribe::<Topic>()`, `unsubscribe` | of actors that list topics |
///
/// Those of an actor with `instances` take the number of the instance first, and its context has
/// `instance`. An application with actors has `publish(topic)`: what nobody lists is dropped, and the
/// compiler warns of that where the application's own functions call it.
///
/// Macros run before `#[cfg]` is decided, so a thread under a condition counts in every build: what
/// is at or below it is hosted also where it isn't there.
#[proc_macro_attribute]
pub fn app(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand(arguments.into(), item.into()).into()
}

/// Makes a hierarchical state machine of an `impl` block:
/// `#[state_machine(initial = State::idle())]`.
///
/// States, superstates and actions are functions of the block. `quintet::chart` shows a machine.
///
/// # The machine
///
/// | argument | without it | |
/// |---|---|---|
/// | `initial = State::idle()` | refused | the first state |
/// | `initial_action = f` | none | runs before its entry |
/// | `state(name = "S", derive(Debug))` | `State` | the `enum` of the leaves |
/// | `visibility = "pub(crate)"` | `pub` | of that `enum`, and of `machine` |
/// | `deferred = 4` | none | how many events can be kept |
/// | `unhandled = Self::f` | ignored | gets `&mut self` and events that nobody handled |
/// | `before_dispatch`, `after_dispatch` | none | get `&mut self`, `&State` and `&Event` |
/// | `before_transition`, `after_transition` | none | get `&mut self`, two values of `Within` |
///
/// # Functions
///
/// - `#[state]`: `superstate`, `entry_action`, `exit_action`, `on_completion`,
///   `defer = [Event::A]`.
/// - `#[superstate]`: the same without `on_completion`, and `initial`, `initial_action`.
/// - `#[action]`: what the others name.
///
/// Parameters are known by their names: `event`, `context`, and variables of the state, which
/// `State::name(values)` gives to it. A handler or an action may be `async`: then `dispatch` is.
///
/// # Outcomes
///
/// | | |
/// |---|---|
/// | `Handled` | the event is done with |
/// | `Super` | the superstate is asked; outside of all, the event is ignored |
/// | `Transition(State::a())` | exits and enters also a composite that contains the other end |
/// | `Local(State::a())` | stays inside that composite |
/// | `History(State::c())` | to the state directly inside of `c` that was active last |
/// | `DeepHistory(State::c())` | to the leaf inside of `c` that was active last |
/// | `Deferred` | the event is kept until the state changes |
///
/// An outcome stands where the handler ends, or behind `return`, and not in a macro, which nobody
/// sees into. Where events come by value, `Super` and `Deferred` hand them on, so they must not
/// have been moved. What is before an outcome runs before the exits; an action
/// `Transition(State::a(), |this, context| ..)` runs between exits and entries.
///
/// # Tests
/// On the host, `quintet::chart::Test` sees which states a machine leaves and enters, and which
/// actions run. Firmware has nothing of it.
#[proc_macro_attribute]
pub fn state_machine(
    arguments: proc_macro::TokenStream,
    block: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    chart::expand(arguments.into(), block.into()).into()
}

/// The expansion, or everything that is wrong with the application.
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
    let expansion = emit::emit(&analysis, &lower::lower(&analysis));
    // Which core it is for, the crate knows and the macro doesn't.
    match refused::without_threads(analysis.app) {
        Some(error) => emit::with_threads(&expansion, &refused::emit(error, item)),
        None => expansion,
    }
}

/// What is known of an application, if nothing is wrong with it.
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
