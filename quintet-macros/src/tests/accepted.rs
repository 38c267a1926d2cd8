//! Every form of the grammar is accepted, and the model says what the user wrote.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

use crate::analysis::Analysis;
use crate::model::{
    Access, App, Body, Form, LocalAccess, Scheduler, Software, Task, TaskKind, Thread,
};

/// An application with both structs empty, an `init` and `content`.
fn app(arguments: &TokenStream, content: &TokenStream) -> App {
    accept(
        arguments,
        &quote! {
            mod app {
                #[shared] struct Shared {}
                #[local] struct Local {}
                #[init] fn init(_: init::Context) -> (Shared, Local) { (Shared {}, Local {}) }
                #content
            }
        },
    )
}

/// An application of `module`.
fn accept(arguments: &TokenStream, module: &TokenStream) -> App {
    match super::analyse(arguments.clone(), module.clone()) {
        Ok(app) => app,
        Err(error) => {
            let messages = error.into_iter().map(|one| one.to_string()).collect::<Vec<_>>();
            panic!("refused: {}\n{module}", messages.join("\n"));
        }
    }
}

/// An application on the usual device with two dispatchers.
fn usual(content: &TokenStream) -> App {
    app(&quote!(device = lm3s6965, dispatchers = [UART0, UART1]), content)
}

/// The task `name`.
fn task<'a>(app: &'a App, name: &str) -> &'a Task {
    app.tasks.iter().find(|task| task.name() == name).expect("the task is in the model")
}

/// The part of the task `name` that only software tasks have.
fn software<'a>(app: &'a App, name: &str) -> &'a Software {
    match &task(app, name).kind {
        TaskKind::Software(software) => software,
        _ => panic!("`{name}` is no software task"),
    }
}

/// The part of the thread `name` that only threads have.
fn thread<'a>(app: &'a App, name: &str) -> &'a Thread {
    match &task(app, name).kind {
        TaskKind::Thread(thread) => thread,
        _ => panic!("`{name}` is no thread"),
    }
}

/// Tokens as text.
fn text(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

#[test]
fn arguments_have_defaults() {
    let app = app(&quote!(device = lm3s6965), &quote!());
    assert_eq!(text(&app.arguments.device), "lm3s6965");
    assert!(app.arguments.core && app.arguments.peripherals);
    assert!(app.arguments.dispatchers.is_empty());
}

#[test]
fn arguments_stand_in_any_order_with_a_comma_at_the_end() {
    let arguments = quote! {
        dispatchers = [SSI0, #[link_section = ".fast"] QEI0,],
        peripherals = false, core = false, device = ::hal::pac,
    };
    let app = app(&arguments, &quote!());
    assert_eq!(text(&app.arguments.device), ":: hal :: pac");
    assert!(!app.arguments.core && !app.arguments.peripherals);
    let dispatchers = &app.arguments.dispatchers;
    assert_eq!(dispatchers.iter().map(|one| text(&one.name)).collect::<Vec<_>>(), ["SSI0", "QEI0"]);
    assert!(dispatchers[0].attributes.is_empty());
    assert_eq!(text(&dispatchers[1].attributes[0]), "# [link_section = \".fast\"]");
}

#[test]
fn the_module_keeps_its_attributes_and_visibility() {
    let module = quote! {
        #[cfg(feature = "app")]
        /// Outside.
        pub mod firmware {
            #![deny(warnings)]
            //! Inside.
            #[shared] struct Shared {}
            #[local] struct Local {}
            #[init] fn start(mut cx: start::Context) -> (Shared, Local) { (Shared {}, Local {}) }
        }
    };
    let app = accept(&quote!(device = lm3s6965), &module);
    assert_eq!(app.name, "firmware");
    assert_eq!(app.init.expect("it has one").function.name, "start");
    let attributes = app.attributes.iter().map(text).collect::<Vec<_>>();
    let expected = [
        "# [cfg (feature = \"app\")]",
        "# [doc = r\" Outside.\"]",
        "# [deny (warnings)]",
        "# [doc = r\" Inside.\"]",
    ];
    assert_eq!(attributes, expected);
}

#[test]
fn the_users_items_stay_in_order() {
    let app = usual(&quote! {
        const COUNT: u32 = 0;
        use super::*;
        static mut STATE: u32 = 0;
        type Word = u32;
        enum Color { Red }
        struct Plain { count: u32 }
        impl Plain { fn new() -> Self { Self { count: COUNT } } }
        mod inner { pub fn f() {} }
        macro_rules! twice { ($e:expr) => { $e + $e }; }
        trait Helper {}
        fn helper() {}
        extern crate alloc;
        extern "C" { fn external(count: u32); }
        #[other::task] fn somebody_elses() {}
    });
    assert_eq!(app.items.len(), 14);
    assert!(app.tasks.is_empty());
    assert!(matches!(app.items[1], Item::Use(_)));
    let last = text(app.items.last().expect("there are items"));
    assert_eq!(last, "# [other :: task] fn somebody_elses () { }");
}

#[test]
fn resources_keep_what_is_written_at_them() {
    let module = quote! {
        mod app {
            /// The shared ones.
            #[shared]
            #[derive(Debug)]
            pub struct Common {
                /// A count.
                #[cfg(feature = "count")]
                pub count: u32,
                #[lock_free]
                #[link_section = ".fast"]
                list: [&'static mut u8; 4],
            }
            #[local]
            pub(crate) struct Own { producer: Producer<'static, u32, 4> }
            #[init]
            fn init(_: init::Context) -> (Common, self::Own) { loop {} }
            #[task(binds = UART0, shared = [count, list,], local = [producer,])]
            fn receive(_: receive::Context) {}
        }
    };
    let app = accept(&quote!(device = lm3s6965), &module);
    let shared = app.shared.as_ref().expect("there are shared resources");
    assert_eq!(shared.head.name, "Common");
    assert_eq!(text(&shared.head.visibility), "pub");
    assert_eq!(shared.head.attributes.docs.len(), 1);
    assert_eq!(text(&shared.head.attributes.others[0]), "# [derive (Debug)]");
    let [count, list] = &shared.resources[..] else { panic!("two fields") };
    assert_eq!(text(&count.resource.visibility), "pub");
    assert_eq!(
        (count.resource.attributes.cfgs.len(), count.resource.attributes.docs.len()),
        (1, 1)
    );
    assert!(count.lock_free.is_none() && list.lock_free.is_some());
    assert_eq!(text(&list.resource.ty), "[& 'static mut u8 ; 4]");
    assert_eq!(text(&list.resource.attributes.others[0]), "# [link_section = \".fast\"]");
    assert_eq!(app.local_resources()[0].name, "producer");
}

#[test]
fn structs_may_be_missing() {
    for (output, content) in [
        (quote!(), quote!()),
        (quote!(-> ()), quote!()),
        (quote!(-> ((), ())), quote!()),
        (
            quote!(-> (Shared, ())),
            quote!(
                #[shared]
                struct Shared {}
            ),
        ),
        (
            quote!(-> ((), Local)),
            quote!(
                #[local]
                struct Local {}
            ),
        ),
    ] {
        let module = quote!(mod app { #content #[init] fn init(_: init::Context) #output {} });
        let app = accept(&quote!(device = lm3s6965), &module);
        assert!(app.shared.is_none() || app.local.is_none());
    }
}

#[test]
fn init_declares_variables() {
    let module = quote! {
        mod app {
            #[shared] struct Shared {}
            #[local] struct Local {}
            #[init(local = [
                a: u32 = 0,
                #[link_section = ".fast"] #[cfg(feature = "b")]
                b: HashMap<u8, [u8; 2]> = HashMap::<u8, [u8; 2]>::new(),
            ],)]
            fn init(cx: init::Context<'_>) -> (Shared, Local) { (Shared {}, Local {}) }
        }
    };
    let init = accept(&quote!(device = lm3s6965), &module).init.expect("it has one");
    let [a, b] = &init.local[..] else { panic!("two variables") };
    assert_eq!((text(&a.ty), text(&a.value)), ("u32".to_owned(), "0".to_owned()));
    assert_eq!(text(&b.ty), "HashMap < u8 , [u8 ; 2] >");
    assert_eq!((b.attributes.cfgs.len(), b.attributes.others.len()), (1, 1));
    assert_eq!(init.function.context.lifetime.as_ref().map(text).as_deref(), Some("'_"));
}

#[test]
fn idle_has_resources() {
    let module = quote! {
        mod app {
            #[shared] struct Shared { x: u32 }
            #[local] struct Local { own: u32 }
            #[init] fn init(_: init::Context) -> (Shared, Local) { loop {} }
            #[idle(local = [own, n: u8 = 1], shared = [x],)]
            fn rest(idle: rest::Context) -> ! { loop {} }
        }
    };
    let app = accept(&quote!(device = lm3s6965), &module);
    let idle = app.idle.as_ref().expect("there is an idle function");
    assert_eq!((idle.shared.len(), idle.local.len()), (1, 2));
    assert!(matches!(&idle.local[0], LocalAccess::Field(name) if name == "own"));
    assert!(matches!(&idle.local[1], LocalAccess::Declared(one) if one.name == "n"));
    assert_eq!(Analysis::of(&app).users.iter().map(|user| user.priority).collect::<Vec<_>>(), [0]);
}

#[test]
fn hardware_tasks_have_priorities_and_exceptions() {
    let app = app(
        &quote!(device = lm3s6965, core = false),
        &quote! {
            /// Documented.
            #[cfg(feature = "uart")]
            #[task(binds = UART0)]
            #[inline(never)]
            #[link_section = ".fast"]
            fn by_default(_: by_default::Context) {}
            #[task(priority = 0x10, binds = UART1, shared = [], local = [],)]
            fn hexadecimal(cx: hexadecimal::Context) -> () {}
            #[task(binds = SysTick, priority = 255)]
            fn tick(tick::Context { .. }: self::app::tick::Context<'_>) {}
            #[task(binds = PendSV)] fn a(_: a::Context) {}
            #[task(binds = SVCall)] fn b(_: b::Context) {}
            #[task(binds = MemoryManagement)] fn c(_: c::Context) {}
            #[task(binds = BusFault)] fn d(_: d::Context) {}
            #[task(binds = UsageFault)] fn e(_: e::Context) {}
            #[task(binds = DebugMonitor)] fn f(_: f::Context) {}
            #[task(binds = SecureFault)] fn g(_: g::Context) {}
        },
    );
    let first = task(&app, "by_default");
    assert_eq!((first.priority.value, first.priority.given), (1, false));
    let attributes = &first.function.attributes;
    assert_eq!((attributes.cfgs.len(), attributes.docs.len(), attributes.others.len()), (1, 1, 2));
    assert_eq!(task(&app, "hexadecimal").priority.value, 16);
    assert_eq!(task(&app, "tick").priority.value, 255);
    let exceptions = app.hardware_tasks().filter(|(_, hardware)| hardware.exception).count();
    assert_eq!((exceptions, app.hardware_tasks().count()), (8, 10));
}

#[test]
fn software_tasks_have_arguments_and_flags() {
    let app = usual(&quote! {
        #[task] async fn a(_: a::Context) {}
        #[task()] async fn b(_: b::Context) -> ! { loop {} }
        #[task(priority = 1, local_task)]
        async fn c(cx: c::Context, (x, y): (u8, u8), mut z: u32, Point { u, v }: Point) {}
        #[task(priority = 1, local_task = true)] async fn d(_: d::Context) {}
        #[task(priority = 1, local_task = false)] async fn e(_: e::Context) {}
        #[task(priority = 2, capacity = 32)] async fn f(_: f::Context, value: u32) {}
        #[task(priority = 2, capacity = 4)] fn g(_: g::Context, value: u32) {}
        #[task(priority = 2, joinable)] async fn h(_: h::Context) {}
        #[task(priority = 2, joinable = true, capacity = 1)] async fn i(_: i::Context) {}
        #[task(priority = 2, joinable = false, capacity = 2)] async fn j(_: j::Context) {}
        #[task(priority = 2)] async fn k(mut cx: k::Context<'static>) -> ! { loop {} }
    });
    assert_eq!(task(&app, "a").priority.value, 0);
    assert!(!task(&app, "a").function.diverging && task(&app, "b").function.diverging);
    let patterns: Vec<_> =
        task(&app, "c").function.arguments.iter().map(|one| text(&one.pat)).collect();
    assert_eq!(patterns, ["(x , y)", "mut z", "Point { u , v }"]);
    let local = ["c", "d", "e"].map(|name| software(&app, name).local_task.is_some());
    assert_eq!(local, [true, true, false]);
    assert_eq!(["a", "f", "g"].map(|name| software(&app, name).capacity), [1, 32, 4]);
    assert_eq!(
        (task(&app, "f").function.form, task(&app, "g").function.form),
        (Form::Async, Form::Plain)
    );
    let joinable = ["a", "h", "i", "j"].map(|name| software(&app, name).joinable.is_some());
    assert_eq!(joinable, [false, true, true, false]);
}

#[test]
fn threads_have_stacks_names_and_slices() {
    let app = usual(&quote! {
        #[thread(priority = 1, stack = 256)] fn a(_: a::Context) {}
        #[thread(stack = 2 * size_of::<[u8; 300]>(), priority = 31, shared = [],
            local = [n: u8 = 0], name = "the second", slice_us = 100_000, manual)]
        fn b(mut cx: b::Context<'_>) {}
        #[thread(priority = 1, stack = SIZE, manual = false)]
        fn c(_: c::Context, (x, y): (u8, u8), z: &'static str) {}
        #[thread(priority = 1, stack = 1024)] fn d(_: d::Context<'static>) -> ! { loop {} }
    });
    assert_eq!(task(&app, "b").priority.value, 31);
    let manual = ["a", "b", "c", "d"].map(|name| thread(&app, name).manual);
    assert_eq!(manual, [false, true, true, false]);
    let b = thread(&app, "b");
    assert_eq!(text(&b.stack), "2 * size_of :: < [u8 ; 300] > ()");
    assert_eq!(b.label.as_ref().map(syn::LitStr::value).as_deref(), Some("the second"));
    assert_eq!(b.slice.map(|slice| slice.microseconds), Some(100_000));
    assert_eq!(
        (task(&app, "c").function.arguments.len(), task(&app, "d").function.diverging),
        (2, true)
    );
}

#[test]
fn the_scheduler_is_preemptive_unless_it_is_not() {
    let with = |arguments: TokenStream| app(&quote!(device = lm3s6965, #arguments), &quote!());
    assert_eq!(with(quote!()).arguments.scheduler, Scheduler::Preemptive);
    let preemptive = with(quote!(scheduler = "preemptive")).arguments;
    assert_eq!(preemptive.scheduler, Scheduler::Preemptive);
    let more = quote!(stack_guard = false, scheduler = "cooperative");
    let cooperative = with(more).arguments;
    assert_eq!(cooperative.scheduler, Scheduler::Cooperative);
    assert!(preemptive.stack_guard && !cooperative.stack_guard);
}

#[test]
fn fifteen_arguments_are_accepted() {
    let arguments = (0..15).map(|index| quote::format_ident!("argument_{index}"));
    let app = usual(&quote!(#[task] async fn many(_: many::Context, #(#arguments: u8),*) {}));
    assert_eq!(task(&app, "many").function.arguments.len(), 15);
}

#[test]
fn resources_are_listed_in_both_forms() {
    let module = quote! {
        mod app {
            #[shared] struct Shared { x: u32, y: u32, #[lock_free] z: u32, unused: u32 }
            #[local] struct Local { a: u32, x: u32, unused: u32 }
            #[init] fn init(_: init::Context) -> (Shared, Local) { loop {} }
            #[task(
                binds = UART0,
                shared = [#[cfg(feature = "x")] x, &y, z],
                local = [#[cfg(all())] a],
            )]
            fn x(_: x::Context) {}
            #[task(binds = UART1, shared = [x, &y, z], local = [x])]
            fn y(_: y::Context) {}
            #[task(
                binds = UART2,
                priority = 2,
                shared = [&y],
                local = [b: (u8, [u8; 2]) = (0, [0; 2])],
            )]
            fn z(_: z::Context) {}
            #[task(binds = SSI0, priority = 2, local = [b: *const u8 = core::ptr::null()])]
            fn w(_: w::Context) {}
        }
    };
    let app = accept(&quote!(device = lm3s6965), &module);
    let forms = task(&app, "x").shared.iter().map(|access| access.form);
    assert_eq!(forms.collect::<Vec<_>>(), [Access::Exclusive, Access::Shared, Access::Exclusive]);
    let y = &app.shared_resources()[1].resource.name;
    let analysis = Analysis::of(&app);
    let users = analysis.users_of_shared(y).iter().map(|(user, _)| user.name().to_string());
    assert_eq!(users.collect::<Vec<_>>(), ["x", "y", "z"]);
}

#[test]
fn bodies_may_be_elsewhere() {
    let app = usual(&quote! {
        use super::{rest, receive, sample};
        extern "Rust" {
            #[idle] fn rest(_: rest::Context) -> !;
            #[task(binds = SSI0, local = [n: u32 = 0])] fn receive(cx: receive::Context);
        }
        unsafe extern "Rust" {
            /// Documented.
            #[cfg(feature = "sample")]
            #[task(priority = 1)]
            async fn sample(_: sample::Context<'_>, value: u32);
            #[task(priority = 2)]
            async fn forever(_: forever::Context<'static>) -> !;
        }
        extern { #[task(binds = SSI1)] fn no_abi(_: no_abi::Context); }
    });
    let idle = app.idle.as_ref().expect("idle was declared");
    assert!(matches!(idle.function.body, Body::Extern));
    assert_eq!(app.tasks.len(), 4);
    assert!(app.tasks.iter().all(|task| matches!(task.function.body, Body::Extern)));
    assert_eq!(task(&app, "sample").cfgs().len(), 1);
}

#[test]
fn init_may_be_elsewhere() {
    let module = quote! {
        mod app {
            use super::start;
            #[shared] pub struct Shared {}
            #[local] pub struct Local {}
            extern "Rust" { #[init] fn start(_: start::Context) -> (Shared, Local); }
        }
    };
    let app = accept(&quote!(device = lm3s6965), &module);
    assert!(app.init.is_some_and(|init| matches!(init.function.body, Body::Extern)));
}

#[test]
fn alternatives_exclude_each_other_by_conditions() {
    let module = quote! {
        mod app {
            #[shared] struct Shared { #[cfg(a)] x: u8, #[cfg(not(a))] x: u16 }
            #[local] struct Local { own: u32 }
            #[init] fn init(_: init::Context) -> (Shared, Local) { loop {} }
            #[cfg(a)]
            #[task(binds = UART0, local = [own], shared = [x])]
            fn receive(_: receive::Context) {}
            #[cfg(not(a))]
            #[task(binds = UART0, local = [own], shared = [x])]
            fn receive(_: receive::Context) {}
            #[cfg(a)] #[task(binds = UART1)] fn fast(_: fast::Context) {}
            #[cfg(not(a))] #[task(binds = UART1)] fn slow(_: slow::Context) {}
            #[cfg(not(a))] fn helper() {}
        }
    };
    assert_eq!(accept(&quote!(device = lm3s6965), &module).tasks.len(), 4);
}

#[test]
fn lists_may_come_from_macros() {
    // Arguments that `macro_rules!` passes on stand in groups without delimiters.
    let group = |tokens: TokenStream| {
        proc_macro2::Group::new(proc_macro2::Delimiter::None, tokens).to_token_stream()
    };
    let (device, priority) = (group(quote!(lm3s6965)), group(quote!(2)));
    let (context, ty) = (group(quote!(receive::Context)), group(quote!(u32)));
    let app = app(
        &quote!(device = #device),
        &quote! {
            #[task(binds = UART0, priority = #priority, local = [n: #ty = 0])]
            fn receive(_: #context) {}
        },
    );
    assert_eq!(task(&app, "receive").priority.value, 2);
}

#[test]
fn the_last_dispatchers_suffice_for_the_levels_above_zero() {
    let app = usual(&quote! {
        #[task] async fn background(_: background::Context) {}
        #[task(priority = 1)] async fn low(_: low::Context) {}
        #[task(priority = 7)] async fn high(_: high::Context) {}
        #[task(priority = 7)] fn high_too(_: high_too::Context) {}
        #[task(binds = SSI0, priority = 3)] fn between(_: between::Context) {}
    });
    assert_eq!(app.software_tasks().count(), 4);
}
