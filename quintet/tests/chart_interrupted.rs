//! A dispatch that doesn't come to its end: what has run stays done, and the machine is in the
//! state from which the transition began, so that the next event is handled there.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Waits once.
async fn pause() {
    let mut waited = false;
    std::future::poll_fn(|_| {
        if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Polls a future so many times, then drops it. Whether it was done.
fn poll(times: usize, future: impl Future) -> bool {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..times).any(|_| future.as_mut().poll(&mut context).is_ready())
}

mod waits {
    use quintet::chart::prelude::*;

    #[derive(Default)]
    pub struct Waits {
        pub log: Vec<&'static str>,
    }

    #[quintet::state_machine(initial = State::a())]
    impl Waits {
        #[state(entry_action = enter_a, exit_action = exit_a)]
        async fn a(event: &u8) -> Outcome<State> {
            Transition(State::b())
        }

        #[state(entry_action = enter_b)]
        fn b(event: &u8) -> Outcome<State> {
            Transition(State::a())
        }

        #[action]
        async fn enter_a(&mut self) {
            super::pause().await;
            self.log.push("+a");
        }

        #[action]
        async fn exit_a(&mut self) {
            self.log.push("-a");
            super::pause().await;
        }

        #[action]
        async fn enter_b(&mut self) {
            super::pause().await;
            self.log.push("+b");
        }
    }
}

#[test]
fn a_dropped_future_leaves_the_machine_where_the_transition_began() {
    let mut machine = waits::Waits::default().machine();
    // 1. Dropped while the first state is entered: the machine hasn't been started.
    assert!(!poll(1, machine.start()));
    assert!(!machine.is_started());
    // 2. So it starts anew.
    assert!(poll(2, machine.start()));
    // 3. Dropped behind the exit action, and again within the entry action.
    for times in [1, 2] {
        assert!(!poll(times, machine.dispatch(&0)));
        assert!(machine.is_in(waits::Within::A));
    }
    // 4. The next event is handled in that state, with its exit.
    assert!(poll(3, machine.dispatch(&0)));
    assert!(machine.is_in(waits::Within::B));
    assert_eq!(machine.log, ["+a", "-a", "-a", "-a", "+b"]);
}

thread_local! {
    static FAILS: Cell<bool> = const { Cell::new(true) };
}

mod fails {
    use quintet::chart::prelude::*;

    #[derive(Default)]
    pub struct Fails {
        pub exits: u32,
    }

    #[quintet::state_machine(initial = State::a(1))]
    impl Fails {
        #[state(exit_action = exit)]
        fn a(value: &mut u8, event: &u8) -> Outcome<State> {
            *value += 1;
            Transition(State::b())
        }

        #[state(entry_action = enter)]
        fn b(event: &u8) -> Outcome<State> {
            Super
        }

        #[action]
        fn exit(&mut self) {
            self.exits += 1;
        }

        #[action]
        fn enter() {
            assert!(!super::FAILS.get(), "as the test asks for");
        }
    }
}

#[test]
fn a_panic_leaves_the_machine_where_the_transition_began() {
    let mut machine = fails::Fails::default().machine();
    assert!(catch_unwind(AssertUnwindSafe(|| machine.dispatch(&0))).is_err());
    // What the handler and the exit action did stays done.
    assert!(matches!(machine.state(), fails::State::A { value: 2 }));
    FAILS.set(false);
    machine.dispatch(&0);
    assert!(machine.is_in(fails::Within::B));
    assert_eq!(machine.exits, 2);
}
