//! Actors: the accepted forms, and the decisions about their slots.

use quote::quote;

use super::analyse;
use crate::analysis::Analysis;
use crate::line::Place;
use crate::lower::{Size, lower};
use crate::model::{Actor, App, Form, RunBy, Task, TaskKind};

/// An application with two dispatchers, and `content`.
fn app(content: &proc_macro2::TokenStream) -> App {
    with(&quote!(), content)
}

/// The same, with further arguments.
fn with(arguments: &proc_macro2::TokenStream, content: &proc_macro2::TokenStream) -> App {
    let arguments = quote!(device = lm3s6965, dispatchers = [SSI0, QEI0], #arguments);
    let module = quote! {
        mod app {
            #[shared] struct Shared { x: u32 }
            #[local] struct Local { own: u32 }
            #[init] fn init(_: init::Context) -> (Shared, Local) { todo() }
            #content
        }
    };
    match analyse(arguments, module) {
        Ok(app) => app,
        Err(error) => panic!("refused: {error}"),
    }
}

/// The actor `name`.
fn actor<'a>(app: &'a App, name: &str) -> (&'a Task, &'a Actor) {
    app.actors().find(|(task, _)| task.name() == name).expect("it is in the model")
}

#[test]
fn arguments_have_defaults() {
    let app = app(&quote! {
        #[actor(queue = 4)] fn plain(_: plain::Context, event: Event) {}
        #[actor(queue = 255, priority = 2, instances = 32, first = Event::Start, manual,
            subscribe = [Eat, a::Pause: off], shared = [&x], local = [n: u8 = 0])]
        async fn all(_: all::Context<'_>, Event { value, .. }: &Event<'_>) {}
        #[actor(queue = 1, local = [own])] fn fields(_: fields::Context, (): ()) {}
    });
    let (task, plain) = actor(&app, "plain");
    assert_eq!((plain.queue, plain.manual, plain.first.is_some()), (4, false, false));
    assert_eq!((task.priority.value, task.run_by, task.instances), (0, RunBy::Slots(1), None));
    let (task, all) = actor(&app, "all");
    assert_eq!((all.queue, all.manual, all.first.is_some()), (255, true, true));
    assert_eq!((task.run_by, task.instances), (RunBy::Slots(32), Some(32)));
    assert_eq!(task.function.form, Form::Async);
    let on: Vec<_> = all.subscriptions.iter().map(|one| one.on).collect();
    assert_eq!(on, [true, false]);
    // The borrows of an event live forever.
    let ty = &task.function.arguments[0].ty;
    assert_eq!(quote!(#ty).to_string(), quote!(&'static Event<'static>).to_string());
    assert!(matches!(actor(&app, "fields").0.kind, TaskKind::Actor(_)));
}

#[test]
fn each_instance_has_a_slot_beside_those_of_others() {
    let app = app(&quote! {
        #[actor(priority = 1, queue = 4, instances = 3)] fn m(_: m::Context, event: u8) {}
        #[task(priority = 1)] async fn z(_: z::Context) {}
        #[actor(priority = 1, queue = 4)] async fn a(_: a::Context, event: u8) {}
        #[actor(priority = 2, queue = 4, instances = 7)] fn many(_: many::Context, event: u8) {}
    });
    let plan = lower(&Analysis::of(&app));
    let slots = |level: usize| {
        let slots = plan.levels[level].slots.iter();
        slots.map(|slot| (slot.task.name().to_string(), slot.instance, slot.word))
    };
    let expected = [("a", 0, 0), ("m", 0, 1), ("m", 1, 2), ("m", 2, 3), ("z", 0, 4)];
    assert!(slots(0).eq(expected.map(|(name, instance, word)| (name.to_owned(), instance, word))));
    assert_eq!((plan.levels[0].size, plan.levels[1].size), (Size::Few, Size::Many));
    let words = (0..7).map(|instance| ("many".to_owned(), instance, 0x8000_0000 >> instance));
    assert!(slots(1).eq(words));
}

#[test]
fn an_actor_runs_where_a_software_task_of_its_priority_does() {
    let content = quote! {
        #[actor(queue = 4)] fn idle_time(_: idle_time::Context, event: u8) {}
        #[actor(priority = 1, queue = 4)] fn low(_: low::Context, event: u8) {}
        #[actor(priority = 3, queue = 4, shared = [x])] fn high(_: high::Context, event: u8) {}
        #[thread(priority = 2, stack = 512, shared = [x])] fn thread(_: thread::Context) {}
    };
    let places = |app: &App| {
        let analysis = Analysis::of(app);
        app.actors().map(|(task, _)| analysis.place(task)).collect::<Vec<_>>()
    };
    let preemptive = app(&content);
    assert_eq!(places(&preemptive), [Place::Idle, Place::Thread(1), Place::Level(3)]);
    assert_eq!(lower(&Analysis::of(&preemptive)).shared[0].ceiling, Place::Level(3));
    let cooperative = with(&quote!(scheduler = "cooperative"), &content);
    assert_eq!(places(&cooperative), [Place::Idle, Place::Thread(1), Place::Thread(3)]);
}

#[test]
fn alternatives_under_conditions_have_one_name() {
    let app = app(&quote! {
        #[cfg(feature = "a")]
        #[actor(queue = 4, instances = 2)] fn either(_: either::Context, event: u8) {}
        #[cfg(not(feature = "a"))]
        #[actor(queue = 4)] fn either(_: either::Context, event: u16) {}
    });
    let plan = lower(&Analysis::of(&app));
    // The slots of one actor are beside one another, whichever actor exists.
    let slots = plan.levels[0].slots.iter();
    let slots = slots.map(|slot| (slot.task.instances.is_some(), slot.instance));
    assert_eq!(slots.collect::<Vec<_>>(), [(true, 0), (true, 1), (false, 0)]);
}
