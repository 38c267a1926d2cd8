//! What a comparison says when it fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use quintet::chart::{Step, Test};

use super::machines::plain::{Event as Told, Switch, Within as At};
use super::machines::{Event, State, Walker, Within};

/// Where the text that the book shows has been sent from.
const PLACE: &str = "tests/walker.rs:30:5";

/// The message of a panic, with the line of the test in place of where it is.
fn message(fails: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(fails)).expect_err("it must fail");
    let text = panic.downcast_ref::<String>().expect("a message").clone();
    let mut short = String::new();
    let mut rest = text.as_str();
    while let Some((before, behind)) = rest.split_once(file!()) {
        short.push_str(before);
        short.push_str("HERE");
        rest = behind;
        for _ in ["line", "column"] {
            rest =
                rest.trim_start_matches(':').trim_start_matches(|one: char| one.is_ascii_digit());
        }
    }
    short + rest
}

/// A walker in the hall, and the first lines of what a comparison of its next event says.
fn walker() -> Test<Walker> {
    let mut walker = Test::new(Walker::NEW.machine());
    walker.start();
    walker.send(&Event::Up);
    walker
}

#[test]
fn a_message_has_both_sides_and_what_was_before() {
    let mut walker = walker();
    let text = message(|| {
        walker.send(&Event::Down).exits([Within::Hall, Within::Ground]);
    });
    let expected = include_str!("message.txt").replace(PLACE, "HERE");
    assert_eq!(text, expected);
}

#[test]
fn without_debug_events_have_numbers_and_states_names() {
    let mut switch = Test::new(Switch.machine());
    let text = message(|| {
        switch.send(&Told::Turn).is_ignored();
    });
    let expected = "\
the event was taken otherwise
event 1, sent at HERE, not started

    expected           seen
  > nobody handles it  Off goes to On

all steps:
    enter Off
    Off goes to On
    exit Off
    enter On
now in `On`
";
    assert_eq!(text, expected);
}

#[test]
fn a_stop_is_named() {
    let mut switch = Test::new(Switch.machine());
    switch.start();
    let text = message(|| {
        switch.stop().is_in(At::Off);
    });
    let expected = "\
the machine is elsewhere
stop, at HERE, in `Off`

    expected  seen
  > in Off    not started

all steps:
    exit Off
now not started

before:
    start, at HERE: in `Off`
";
    assert_eq!(text, expected);
}

#[test]
fn only_the_last_five_are_before() {
    let mut switch = Test::new(Switch.machine());
    for _ in 0..9 {
        switch.send(&Told::Nothing);
    }
    let text = message(|| {
        switch.send(&Told::Nothing).is_handled();
    });
    let before: Vec<_> = text.lines().skip_while(|line| *line != "before:").skip(1).collect();
    let numbers: Vec<_> =
        (5..10).map(|one| format!("    event {one}, sent at HERE: in `Off`")).collect();
    assert_eq!(before, numbers);
}

/// What each comparison says first, and the two sides.
#[test]
fn each_comparison_names_what_differs() {
    type Fails = fn(&mut Test<Walker>);
    let cases: [(Fails, &str, &str); 11] = [
        (
            |one| {
                one.send(&Event::Never).does([Step::Action]);
            },
            "the steps differ",
            "nobody",
        ),
        (
            |one| {
                one.send(&Event::Never).enters([Within::Room]);
            },
            "other states were entered",
            "-",
        ),
        (
            |one| {
                one.send(&Event::Down).runs(["open"]);
            },
            "other actions ran",
            "run close",
        ),
        (
            |one| {
                one.send(&Event::Across).takes(Within::House, Within::Room);
            },
            "another transition was taken",
            "Hall goes to Room",
        ),
        (
            |one| {
                one.send(&Event::Across).stays();
            },
            "the machine moved",
            "exit Hall",
        ),
        (
            |one| {
                one.send(&Event::Never).is_handled();
            },
            "the event was taken otherwise",
            "a state handles it  nobody handles it",
        ),
        (
            |one| {
                one.send(&Event::Later(0)).is_deferred();
            },
            "the event was taken otherwise",
            "a state puts it off  House handles it",
        ),
        (
            |one| {
                one.send(&Event::Never).is_refused();
            },
            "the event was taken otherwise",
            "a state puts it off, without room  nobody handles it",
        ),
        (
            |one| {
                one.send(&Event::Down).is_in(Within::House);
            },
            "the machine is elsewhere",
            "in Ground",
        ),
        (
            |one| {
                one.send(&Event::Never).is_not_in(Within::House);
            },
            "the machine is where it should not be",
            "not in House  in Hall",
        ),
        (
            |one| {
                one.send(&Event::Across).state(&State::Room { lamps: 4 });
            },
            "the state differs",
            "in Room { lamps: 4 }  in Room { lamps: 3 }",
        ),
    ];
    for (fails, what, side) in cases {
        let mut walker = walker();
        let text = message(|| fails(&mut walker));
        let signed = text.lines().find(|line| line.starts_with("  > ")).expect(what);
        assert!(text.starts_with(&format!("{what}\nevent 2 `")), "{text}");
        assert!(signed.contains(side), "{text}");
    }
}
