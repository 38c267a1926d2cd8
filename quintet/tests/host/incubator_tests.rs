//! The incubator under test, with its time events.

// begin: bench
use quintet::chart::{Step, Test};
use quintet::time::{Duration, VirtualClock};

use super::incubator::{Event, Hardware, INBOX, Incubator, OPEN_MAX, TURN_EVERY, Within};

/// The incubator, and the time that it lives in.
struct Bench {
    test: Test<Incubator, Hardware>,
    clock: VirtualClock,
}

impl Bench {
    fn new() -> Self {
        let clock = VirtualClock::take();
        // A static: it may have what a test before has left.
        while INBOX.try_next().is_some() {}
        let mut test = Test::with(Incubator.machine(), Hardware::default());
        test.start().enters([Within::Idle]);
        test.send(&Event::Start).takes(Within::Idle, Within::Incubating);
        Self { test, clock }
    }

    /// Lets time pass. The machine gets each time event when it is due.
    fn wait(&mut self, duration: Duration) {
        let end = self.clock.now() + duration;
        while let Some(due) = self.clock.next().filter(|due| *due <= end) {
            self.clock.advance_to(due);
            while let Some(event) = INBOX.try_next() {
                self.test.send(&event);
            }
        }
        self.clock.advance_to(end);
    }

    fn hardware(&self) -> &Hardware {
        self.test.context()
    }
}
// end: bench

// begin: heats
#[test]
fn it_heats_until_it_is_warm() {
    let mut bench = Bench::new();
    assert!(bench.hardware().heats);
    bench.test.send(&Event::Warm).exits([Within::Heating]).runs(["cool"]);
    assert!(!bench.hardware().heats);
    bench.test.send(&Event::Warm).is_ignored();
    bench.test.send(&Event::Cold).enters([Within::Heating]).runs(["heat"]);
}
// end: heats

// begin: turns
#[test]
fn eggs_are_turned_six_times_a_day() {
    let mut bench = Bench::new();
    bench.wait(Duration::from_secs(24 * 3600));
    assert_eq!(bench.hardware().turns, 6);
    bench.test.send(&Event::Finish).exits([Within::Heating, Within::Closed, Within::Incubating]);
    assert_eq!(bench.clock.next(), None, "nothing is armed any more");
}

#[test]
fn eggs_are_not_turned_while_the_door_is_open() {
    let mut bench = Bench::new();
    bench.test.send(&Event::Warm);
    bench.wait(TURN_EVERY - Duration::from_secs(30));
    bench.test.send(&Event::Opened).exits([Within::Holding, Within::Closed]).runs(["watch"]);
    bench.wait(Duration::from_secs(45));
    assert_eq!(bench.hardware().turns, 0);
    bench.test.send(&Event::Closed).does([
        Step::Transition(Within::Open, Within::Closed),
        Step::Exit(Within::Open),
        Step::Run("relax"),
        Step::Enter(Within::Closed),
        Step::Enter(Within::Holding),
        Step::Recalled(Some("Turn".to_owned())),
        Step::Handled(Within::Closed),
    ]);
    assert_eq!(bench.hardware().turns, 1);
}
// end: turns

#[test]
fn an_open_door_calls_after_a_minute() {
    let mut bench = Bench::new();
    bench.test.send(&Event::Opened);
    bench.wait(OPEN_MAX - Duration::from_ticks(1));
    assert!(!bench.hardware().calls);
    bench.wait(Duration::from_ticks(1));
    assert!(bench.hardware().calls);
    bench.test.send(&Event::Closed).takes(Within::Open, Within::Closed).is_in(Within::Heating);
    assert!(!bench.hardware().calls);
}

#[test]
fn a_door_that_is_closed_in_time_calls_nobody() {
    let mut bench = Bench::new();
    bench.test.send(&Event::Opened);
    bench.wait(Duration::from_secs(59));
    bench.test.send(&Event::Closed);
    bench.wait(Duration::from_secs(3600));
    assert!(!bench.hardware().calls);
    bench
        .test
        .stop()
        .exits([Within::Heating, Within::Closed, Within::Incubating])
        .runs(["cool", "end"]);
}
