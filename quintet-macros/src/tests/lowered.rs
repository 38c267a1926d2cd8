//! Decisions about applications: levels and slots, ceilings, which locks can be alone.

use proc_macro2::TokenStream;
use quote::quote;

use crate::analysis::Analysis;
use crate::line::Place;
use crate::lower::{Plan, Runs, Size, lower};
use crate::model::{App, Task, TaskKind};
use crate::roles::Mechanism;

/// An application with the resources `a`, `b` and `c`, and `content`.
fn app(content: &TokenStream) -> App {
    with(&quote!(), content)
}

/// The same, where the scheduler is cooperative.
fn cooperative(content: &TokenStream) -> App {
    with(&quote!(scheduler = "cooperative"), content)
}

/// The same, with further arguments.
fn with(arguments: &TokenStream, content: &TokenStream) -> App {
    let arguments = quote!(device = lm3s6965, dispatchers = [SSI0, QEI0, GPIOH], #arguments);
    let module = quote! {
        mod app {
            #[shared] struct Shared { a: u32, b: u32, c: u32 }
            #[local] struct Local { own: u32 }
            #[init] fn init(_: init::Context) -> (Shared, Local) { todo() }
            #content
        }
    };
    match super::analyse(arguments, module) {
        Ok(app) => app,
        Err(error) => panic!("refused: {error}"),
    }
}

/// How a software task is spawned and run.
fn mechanism(task: &Task) -> Mechanism {
    match &task.kind {
        TaskKind::Software(software) => Mechanism::of(task, software),
        _ => panic!("`{}` is no software task", task.name()),
    }
}

/// For each resource: its ceiling, and whether its lock is alone.
fn locks(plan: &Plan<'_>) -> Vec<(u8, bool)> {
    plan.shared.iter().map(|shared| (shared.ceiling.priority(), shared.alone)).collect()
}

#[test]
fn the_most_urgent_level_takes_the_last_dispatcher() {
    let app = app(&quote! {
        #[task(priority = 1)] async fn low(_: low::Context) {}
        #[task(priority = 3)] async fn high(_: high::Context) {}
        #[task] async fn idle_time(_: idle_time::Context) {}
    });
    let plan = lower(&Analysis::of(&app));
    let levels: Vec<_> = plan
        .levels
        .iter()
        .map(|level| {
            (level.priority, level.dispatcher().map(|dispatcher| dispatcher.name.to_string()))
        })
        .collect();
    assert_eq!(levels, [(0, None), (1, Some("QEI0".into())), (3, Some("GPIOH".into()))]);
    assert_eq!(plan.kernel_ceiling, 3);
    assert_eq!(plan.library_priority, None);
}

#[test]
fn slots_are_sorted_by_the_bytes_of_the_names() {
    let app = app(&quote! {
        #[task(priority = 1)] async fn ab(_: ab::Context) {}
        #[task(priority = 1)] async fn a10(_: a10::Context) {}
        #[task(priority = 1)] async fn B(_: B::Context) {}
        #[task(priority = 1)] async fn a2(_: a2::Context) {}
        #[task(priority = 2)] async fn other(_: other::Context) {}
    });
    let plan = lower(&Analysis::of(&app));
    let names: Vec<_> =
        plan.levels[0].slots.iter().map(|slot| slot.task.name().to_string()).collect();
    assert_eq!(names, ["B", "a10", "a2", "ab"]);
    let words: Vec<_> = plan.levels[0].slots.iter().map(|slot| slot.word).collect();
    assert_eq!(words, [0, 1, 2, 3]);
    assert_eq!((plan.levels[0].size, plan.levels[1].size), (Size::Few, Size::One));
    assert_eq!((plan.levels[0].first, plan.levels[1].first), (0, 4));
}

/// The sizes of a level with this number of tasks, and of a level with an urgent task on the same
/// executor.
fn sizes(count: u32) -> (Size, Size) {
    let tasks = (0..count).map(|number| {
        let name = quote::format_ident!("t{number:02}");
        quote!(#[task(priority = 1)] async fn #name(_: #name::Context) {})
    });
    let tasks = quote!(#(#tasks)* #[task(priority = 3)] fn last(_: last::Context) {});
    let (apart, together) = (app(&tasks), cooperative(&tasks));
    (lower(&Analysis::of(&apart)).levels[0].size, lower(&Analysis::of(&together)).levels[0].size)
}

#[test]
fn a_few_tasks_of_one_priority_have_flags() {
    assert_eq!(sizes(1), (Size::One, Size::Many));
    assert_eq!(sizes(2), (Size::Few, Size::Many));
    assert_eq!(sizes(6), (Size::Few, Size::Many));
    assert_eq!(sizes(7), (Size::Many, Size::Many));
    assert_eq!(sizes(32), (Size::Many, Size::Wide));
    assert_eq!(sizes(33), (Size::Wide, Size::Wide));
}

#[test]
fn the_slots_of_many_tasks_have_bits() {
    let tasks = (0..7).map(|number| {
        let name = quote::format_ident!("t{number:02}");
        quote!(#[task(priority = 1)] async fn #name(_: #name::Context) {})
    });
    let app = app(&quote!(#(#tasks)*));
    let plan = lower(&Analysis::of(&app));
    let words: Vec<_> = plan.levels[0].slots.iter().map(|slot| slot.word).collect();
    assert_eq!(words[..3], [0x8000_0000, 0x4000_0000, 0x2000_0000]);
}

#[test]
fn more_than_32_tasks_make_a_wide_level() {
    let tasks = (0..33).map(|number| {
        let name = quote::format_ident!("t{number:02}");
        quote!(#[task(priority = 1)] async fn #name(_: #name::Context) {})
    });
    let tasks = quote!(#(#tasks)* #[task(priority = 3)] fn last(_: last::Context) {});
    let (apart, together) = (app(&tasks), cooperative(&tasks));
    let plan = lower(&Analysis::of(&apart));
    assert_eq!(plan.levels[0].size, Size::Wide);
    assert_eq!(plan.levels[0].slots[32].word, 32);
    assert!(plan.levels[0].groups().is_empty());
    let plan = lower(&Analysis::of(&together));
    assert!(!plan.levels[0].groups().is_empty());
    assert_eq!(plan.levels[0].ends(), [1, 34]);
}

#[test]
fn each_task_has_the_cheapest_mechanism() {
    let app = app(&quote! {
        #[task] async fn a(_: a::Context) {}
        #[task(capacity = 4)] async fn b(_: b::Context) {}
        #[task(joinable)] async fn c(_: c::Context) {}
        #[task] fn d(_: d::Context) {}
        #[task(capacity = 2)] fn e(_: e::Context) {}
    });
    let plan = lower(&Analysis::of(&app));
    let mechanisms: Vec<_> = plan.levels[0].slots.iter().map(|slot| mechanism(slot.task)).collect();
    let expected = [
        Mechanism::Future,
        Mechanism::Backlog(4),
        Mechanism::Joinable,
        Mechanism::Single,
        Mechanism::Queue(2),
    ];
    assert_eq!(mechanisms, expected);
}

#[test]
fn the_ceiling_is_the_highest_user_s_priority() {
    let app = app(&quote! {
        #[idle(shared = [a, &c])] fn idle(_: idle::Context) -> ! { loop {} }
        #[task(binds = UART0, priority = 2, shared = [a])] fn low(_: low::Context) {}
        #[task(binds = UART1, priority = 5, shared = [a, &c])] fn high(_: high::Context) {}
    });
    let plan = lower(&Analysis::of(&app));
    assert_eq!(locks(&plan), [(5, true), (0, true), (5, true)]);
    let needs: Vec<_> =
        plan.shared.iter().map(|shared| (shared.used, shared.send, shared.sync)).collect();
    assert_eq!(needs, [(true, true, false), (false, false, false), (true, true, true)]);
}

#[test]
fn a_lock_is_not_alone_in_who_may_have_interrupted_another_lock() {
    // `low` may hold `a` (ceiling 2) when `high` comes and locks `b`.
    let nested = app(&quote! {
        #[task(binds = UART0, priority = 1, shared = [a])] fn low(_: low::Context) {}
        #[task(binds = UART1, priority = 2, shared = [a])] fn middle(_: middle::Context) {}
        #[task(binds = GPIOA, priority = 3, shared = [b])] fn high(_: high::Context) {}
        #[task(binds = GPIOB, priority = 4, shared = [b])] fn top(_: top::Context) {}
    });
    assert_eq!(locks(&lower(&Analysis::of(&nested))), [(2, true), (4, false), (0, true)]);
    // With the ceiling 3, `a` holds `high` off.
    let held_off = app(&quote! {
        #[task(binds = UART0, priority = 1, shared = [a])] fn low(_: low::Context) {}
        #[task(binds = UART1, priority = 3, shared = [a])] fn middle(_: middle::Context) {}
        #[task(binds = GPIOA, priority = 3, shared = [b])] fn high(_: high::Context) {}
        #[task(binds = GPIOB, priority = 4, shared = [b])] fn top(_: top::Context) {}
    });
    assert_eq!(locks(&lower(&Analysis::of(&held_off))), [(3, true), (4, true), (0, true)]);
}

#[test]
fn a_lock_is_not_alone_in_a_user_that_can_hold_another_one() {
    let both = app(&quote! {
        #[task(binds = UART0, priority = 1, shared = [a, b])] fn low(_: low::Context) {}
        #[task(binds = UART1, priority = 2, shared = [a, b])] fn high(_: high::Context) {}
    });
    assert_eq!(locks(&lower(&Analysis::of(&both))), [(2, false), (2, false), (0, true)]);
    // `low` is the highest user of `b`, so `low` masks nothing for `b`.
    let one = app(&quote! {
        #[task(binds = UART0, priority = 1, shared = [a, b])] fn low(_: low::Context) {}
        #[task(binds = UART1, priority = 2, shared = [a])] fn high(_: high::Context) {}
    });
    assert_eq!(locks(&lower(&Analysis::of(&one))), [(2, true), (1, true), (0, true)]);
}

#[test]
fn a_lock_is_alone_whatever_others_of_its_priority_lock() {
    // A proxy doesn't leave its run, whatever values tasks of one priority can hand on.
    let content = |both: TokenStream, two: TokenStream| {
        quote! {
            #[task(priority = #both, shared = [a])] async fn one(_: one::Context) -> ! { loop {} }
            #[task(priority = #both, shared = [b] #two)] async fn two(_: two::Context, _: u32) {}
            #[task(binds = UART1, priority = 2, shared = [a, b])] fn high(_: high::Context) {}
        }
    };
    let locks = |content| locks(&lower(&Analysis::of(&app(&content))));
    let alone = [(2, true), (2, true), (0, true)];
    assert_eq!(locks(content(quote!(1), quote!(, local_task))), alone);
    assert_eq!(locks(content(quote!(0), quote!())), alone);
}

#[test]
fn libraries_may_run_between_software_and_hardware() {
    let app = app(&quote! {
        #[task(binds = UART0, priority = 5)] fn five(_: five::Context) {}
        #[task(binds = UART1, priority = 7)] fn seven(_: seven::Context) {}
        #[task(priority = 6)] async fn six(_: six::Context) {}
    });
    assert_eq!(lower(&Analysis::of(&app)).library_priority, Some(7));
}

#[test]
fn locals_are_sent_to_whoever_is_above_thread_mode() {
    let sent = app(&quote! {
        #[task(priority = 1, local = [own])] async fn task(_: task::Context) {}
    });
    let kept = app(&quote! {
        #[task(local = [own])] async fn task(_: task::Context) {}
    });
    assert!(lower(&Analysis::of(&sent)).local[0].send);
    assert!(!lower(&Analysis::of(&kept)).local[0].send);
    assert!(lower(&Analysis::of(&kept)).local[0].used);
}

/// A thread for each, an interrupt, and software tasks above and below.
fn mixed() -> TokenStream {
    quote! {
        #[idle(shared = [a])] fn idle(_: idle::Context) -> ! { loop {} }
        #[thread(priority = 2, stack = 512, shared = [a, b])] fn low(_: low::Context) {}
        #[thread(priority = 3, stack = 512, shared = [a, c])] fn high(_: high::Context) {}
        #[task(priority = 1)] async fn one(_: one::Context) {}
        #[task(priority = 3, shared = [b])] async fn three(_: three::Context) {}
        #[task(priority = 4, shared = [b])] async fn four(_: four::Context) {}
        #[task(binds = UART0, priority = 5, shared = [c])] fn five(_: five::Context) {}
    }
}

#[test]
fn threads_host_the_software_tasks_that_are_not_above_them() {
    let app = app(&mixed());
    let plan = lower(&Analysis::of(&app));
    assert!(Analysis::of(&app).line.has_threads());
    let levels: Vec<_> = plan
        .levels
        .iter()
        .map(|level| (level.priority, level.is_hosted(), level.dispatcher().is_some()))
        .collect();
    assert_eq!(levels, [(1, true, false), (3, true, false), (4, false, true)]);
    let threads: Vec<_> = plan
        .threads
        .iter()
        .map(|thread| match thread.runs {
            Runs::Function(task, _) => (thread.priority, task.name().to_string()),
            Runs::Level(level) => (thread.priority, level.to_string()),
        })
        .collect();
    let expected = [(2, "low"), (3, "high"), (1, "0"), (3, "1")];
    assert_eq!(threads, expected.map(|(priority, name)| (priority, name.to_owned())));
}

#[test]
fn levels_above_threads_begin_above_the_switch() {
    let app = app(&mixed());
    let plan = lower(&Analysis::of(&app));
    let line = Analysis::of(&app).line;
    assert_eq!((line.hardware(4), line.hardware(5)), (2, 3));
    assert_eq!(plan.kernel_ceiling, 3);
    assert_eq!(plan.library_priority, Some(3));
    // Nothing but PendSV, and a clock above it.
    let alone = self::app(&quote!(
        #[thread(priority = 7, stack = 512)]
        fn only(_: only::Context) {}
    ));
    let plan = lower(&Analysis::of(&alone));
    assert_eq!((plan.kernel_ceiling, plan.library_priority), (2, None));
}

#[test]
fn a_ceiling_is_among_threads_or_among_levels() {
    let app = app(&mixed());
    let plan = lower(&Analysis::of(&app));
    let ceilings: Vec<_> = plan.shared.iter().map(|shared| shared.ceiling).collect();
    assert_eq!(ceilings, [Place::Thread(3), Place::Level(4), Place::Level(5)]);
    let [a, b, c] = &plan.shared[..] else { panic!("three resources") };
    // Among threads everybody locks: the highest priority may be another's tomorrow.
    let places = [Place::Idle, Place::Thread(2), Place::Thread(3)];
    assert_eq!(places.map(|place| a.is_contended(place)), [true; 3]);
    // Between threads and levels all but the highest level.
    assert!(b.is_contended(Place::Thread(3)) && !b.is_contended(Place::Level(4)));
    // A level above b's could suspend a thread in a section of b.
    assert!(!b.alone && c.alone);
}

#[test]
fn a_lock_is_not_alone_in_a_level_that_may_have_interrupted_a_switch_of_threads() {
    let app = app(&quote! {
        #[thread(priority = 1, stack = 512, shared = [b])] fn only(_: only::Context) {}
        #[task(binds = UART0, priority = 2, shared = [a])] fn low(_: low::Context) {}
        #[task(binds = UART1, priority = 3, shared = [a, b])] fn high(_: high::Context) {}
    });
    assert_eq!(locks(&lower(&Analysis::of(&app))), [(3, false), (3, true), (0, true)]);
}

#[test]
fn the_only_thread_of_a_resource_locks_nothing() {
    let app = app(&quote! {
        #[thread(priority = 2, stack = 512, shared = [a, &b])] fn one(_: one::Context) {}
        #[thread(priority = 2, stack = 512, shared = [&b])] fn two(_: two::Context) {}
        #[task(priority = 1, shared = [c])] async fn low(_: low::Context) {}
        #[task(priority = 2, shared = [c])] async fn high(_: high::Context) {}
    });
    let plan = lower(&Analysis::of(&app));
    let [a, b, c] = &plan.shared[..] else { panic!("three resources") };
    assert!(!a.is_contended(Place::Thread(2)));
    // Threads of one priority run in the middle of each other.
    assert!(b.sync);
    assert_eq!((a.thread_ceiling(), c.thread_ceiling()), (31, 2));
    // The priorities of hosts don't change.
    assert!(c.is_contended(Place::Thread(1)) && !c.is_contended(Place::Thread(2)));
}

#[test]
fn no_software_preempts_software_where_the_scheduler_is_cooperative() {
    let content = quote! {
        #[task(priority = 1, shared = [a])] async fn low(_: low::Context) {}
        #[task(priority = 2, shared = [a, b, c])] async fn high(_: high::Context) {}
        #[task(priority = 2)] async fn also(_: also::Context) {}
        #[task(binds = UART0, priority = 1, shared = [b])] fn receive(_: receive::Context) {}
        #[task(binds = SysTick, priority = 1, shared = [c])] fn tick(_: tick::Context) {}
    };
    let tasks = cooperative(&content);
    let plan = lower(&Analysis::of(&tasks));
    let [level] = &plan.levels[..] else { panic!("one level") };
    let names: Vec<_> = level.slots.iter().map(|slot| slot.task.name().to_string()).collect();
    assert_eq!((level.priority, names), (0, ["also", "high", "low"].map(str::to_owned).into()));
    assert_eq!(level.groups(), [0xc000_0000, 0xc000_0000, 0x2000_0000]);
    // Waiters are served in the order of their priorities all the same.
    assert_eq!([1, 2].map(|priority| plan.descriptor(0, priority)), [0, 1]);
    assert_eq!(plan.kernel_ceiling, 1);
    let [a, b, _] = &plan.shared[..] else { panic!("three resources") };
    assert_eq!((a.ceiling, b.ceiling), (Place::Idle, Place::Level(1)));
    assert!(a.send && b.is_contended(Place::Idle));
    assert_eq!(
        Analysis::of(&tasks).unmaskable_locks.len(),
        1,
        "exceptions are above software tasks"
    );
}

#[test]
fn a_cooperative_scheduler_s_threads_host_all_software_tasks() {
    let tasks = cooperative(&mixed());
    let plan = lower(&Analysis::of(&tasks));
    assert!(plan.levels.iter().all(crate::lower::Level::is_hosted));
    assert_eq!((Analysis::of(&tasks).line.hardware(5), plan.kernel_ceiling), (3, 3));
}

#[test]
fn locks_against_exceptions_are_known() {
    let module = quote! {
        mod app {
            #[shared] struct Shared { x: u32, y: u32, z: u32 }
            #[local] struct Local {}
            #[init] fn init(_: init::Context) -> (Shared, Local) { loop {} }
            #[task(binds = SysTick, priority = 2, shared = [x, &y, z])]
            fn tick(_: tick::Context) {}
            #[task(binds = UART0, priority = 1, shared = [x, &y])]
            fn below(_: below::Context) {}
            #[task(binds = UART1, priority = 3, shared = [z])]
            fn above(_: above::Context) {}
        }
    };
    let app = super::analyse(quote!(device = lm3s6965), module).expect("nothing is wrong with it");
    let locks = Analysis::of(&app).unmaskable_locks;
    assert_eq!(locks.len(), 1);
    let message = &locks[0].message;
    for word in ["`SysTick`", "`below`", "`x`", "`tick`"] {
        assert!(message.contains(word), "{message} doesn't name {word}");
    }
}
