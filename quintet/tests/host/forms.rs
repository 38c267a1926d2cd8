//! Machines of every form under test: contexts that are lent for writing or reading, functions that
//! wait.

use quintet::chart::Test;
use quintet::chart::prelude::*;
use quintet::time::{Duration, Instant, VirtualClock, delay};

/// Only reads its context.
struct Reader;

#[quintet::state_machine(
    initial = State::low(),
    state(name = "State", derive(Debug, PartialEq, Eq))
)]
impl Reader {
    #[state]
    fn low(event: u8, context: &u8) -> Outcome<State> {
        if event > *context { Transition(State::high(event)) } else { Handled }
    }

    #[state]
    fn high(most: &mut u8, event: u8) -> Outcome<State> {
        *most = event.max(*most);
        Handled
    }
}

#[test]
fn a_context_that_is_only_read_is_lent() {
    let mut reader = Test::with(Reader.machine(), 10);
    reader.start();
    reader.send(10).is_handled().stays();
    *reader.context_mut() = 9;
    reader.send(10).takes(Within::Low, Within::High).state(&State::High { most: 10 });
    assert_eq!(*reader.context(), 9);
}

/// Waits in its actions.
mod pump {
    use super::{Duration, delay};
    use quintet::chart::prelude::*;

    pub enum Event {
        Fill,
    }

    #[derive(Default)]
    pub struct Tank {
        pub level: u32,
    }

    pub struct Pump;

    #[quintet::state_machine(initial = State::rests())]
    impl Pump {
        #[state]
        fn rests(event: &Event) -> Outcome<State> {
            match event {
                Event::Fill => Transition(State::fills()),
            }
        }

        #[state(entry_action = fill, exit_action = settle)]
        async fn fills(event: &Event) -> Outcome<State> {
            delay(Duration::from_millis(5)).await;
            match event {
                Event::Fill => Transition(State::rests()),
            }
        }

        #[action]
        async fn fill(context: &mut Tank) {
            for _ in 0..3 {
                delay(Duration::from_secs(10)).await;
                context.level += 1;
            }
        }

        #[action]
        async fn settle() {
            delay(Duration::from_secs(1)).await;
        }
    }
}

#[test]
fn time_passes_while_a_machine_waits() {
    use pump::{Event, Pump, Tank, Within};
    let clock = VirtualClock::take();
    let mut pump = Test::with(Pump.machine(), Tank::default());
    pump.start();
    pump.send(&Event::Fill).takes(Within::Rests, Within::Fills).runs(["fill"]);
    assert_eq!((pump.context().level, clock.now()), (3, Instant::from_secs(30)));
    pump.stop().exits([Within::Fills]).runs(["settle"]);
    assert_eq!(clock.now(), Instant::from_secs(31));
    assert!(!pump.machine().is_started());
}

/// Waits without a context.
mod sleeper {
    use super::{Duration, delay};
    use quintet::chart::prelude::*;

    pub struct Sleeper;

    #[quintet::state_machine(initial = State::awake())]
    impl Sleeper {
        #[state]
        async fn awake(event: &u64) -> Outcome<State> {
            if *event == 0 {
                return Super;
            }
            delay(Duration::from_secs(*event)).await;
            Handled
        }
    }
}

#[test]
fn a_machine_that_waits_can_do_without_a_context() {
    let clock = VirtualClock::take();
    let mut sleeper = Test::new(sleeper::Sleeper.machine());
    sleeper.start().enters([sleeper::Within::Awake]);
    sleeper.send(&7).is_handled();
    sleeper.send(&0).is_ignored();
    let (mut machine, ()) = sleeper.into_parts();
    assert_eq!(clock.run(machine.offer(&0)), Some(&0));
    assert_eq!(clock.run(machine.offer(&2)), None);
    assert_eq!(clock.now(), Instant::from_secs(9));
    clock.run(machine.stop());
    assert!(!machine.is_started());
}

#[test]
#[should_panic(expected = "asks for the time without having taken the clock")]
fn a_machine_that_waits_for_time_needs_the_clock() {
    Test::new(sleeper::Sleeper.machine()).send(&1);
}
