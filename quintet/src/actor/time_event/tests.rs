//! Time events against a clock that the test moves, over a timer. What differs over a tick is
//! tested with the timers.

use super::{Lossy, TimeEvent};
use crate::actor::Address;
use crate::arch::explore::{KERNEL, explore};
use crate::arch::systick;
use crate::sync::Inbox;
use crate::time::driver::tests::{interrupt, turn};
use crate::time::{Duration, Instant};

fn ticks(number: u64) -> Duration {
    Duration::from_ticks(number)
}

/// Lets time pass tick by tick, with the interrupts that come.
fn pass(ticks: u32) {
    for _ in 0..ticks {
        systick::pass(4);
        interrupt();
    }
}

/// An inbox, and a function that takes all that was posted to it.
macro_rules! actor {
    ($address:ident, $length:literal, $inbox:ident, $posted:ident) => {
        static $inbox: Inbox<u8, $length> = Inbox::new("table");
        static $address: Address<u8> = $inbox.address();
        fn $posted() -> Vec<u8> {
            ::core::iter::from_fn(|| $inbox.try_next()).collect()
        }
    };
}

#[test]
fn several_events_of_one_actor_come_at_their_times() {
    actor!(TABLE, 8, INBOX, posted);
    static ONCE: TimeEvent<u8> = TimeEvent::new(TABLE.handle(), 1);
    static PERIODIC: TimeEvent<u8> = TimeEvent::new(TABLE.handle(), 2);
    let _turn = turn();
    assert!(!ONCE.is_armed() && !ONCE.disarm() && ONCE.deadline().is_none());
    ONCE.arm(ticks(5));
    PERIODIC.arm_periodic(ticks(3));
    assert_eq!(ONCE.deadline(), Some(Instant::now() + ticks(5)));
    pass(4);
    assert_eq!(posted(), [2]);
    pass(5);
    assert_eq!(posted(), [1, 2, 2]);
    assert!(!ONCE.is_armed() && PERIODIC.is_armed());
    assert!(PERIODIC.disarm() && !PERIODIC.disarm() && !ONCE.disarm());
    pass(9);
    assert_eq!(posted(), [0; 0]);
}

#[test]
fn rearmed_it_comes_at_the_new_time_only() {
    actor!(TABLE, 8, INBOX, posted);
    static EVENT: TimeEvent<u8> = TimeEvent::new(TABLE.handle(), 1);
    let _turn = turn();
    assert!(!EVENT.rearm(ticks(3)));
    pass(2);
    assert!(EVENT.rearm(ticks(3)));
    pass(2);
    assert_eq!(posted(), [0; 0]);
    pass(1);
    assert_eq!(posted(), [1]);
    EVENT.arm_at(Instant::now() + ticks(1), ticks(4));
    pass(10);
    assert_eq!(posted(), [1, 1, 1], "at 1, 5 and 9");
    assert!(EVENT.rearm(ticks(2)));
    pass(10);
    assert_eq!(posted(), [1], "not periodically any more");
}

#[test]
fn a_stopped_actor_gets_nothing() {
    actor!(TABLE, 1, INBOX, posted);
    static EVENT: TimeEvent<u8> = TimeEvent::new(TABLE.handle(), 1);
    let _turn = turn();
    INBOX.stop();
    EVENT.arm(ticks(1));
    pass(1);
    INBOX.start();
    assert_eq!(posted(), [0; 0]);
}

#[test]
fn a_full_queue_is_refused_by_the_name_of_the_actor() {
    actor!(TABLE, 1, INBOX, posted);
    static EVENT: TimeEvent<u8> = TimeEvent::new(TABLE.handle(), 1);
    let line = line!() - 1;
    INBOX.post(0);
    let refused = std::panic::catch_unwind(|| EVENT.post());
    let message = refused.expect_err("it is full");
    let message = message.downcast::<String>().expect("a text");
    let which = if cfg!(debug_assertions) {
        format!("the time event of `u8` at {}:{line}:35", file!())
    } else {
        "a time event of `u8`".to_owned()
    };
    let expected = format!(
        "{which} found the queue of the actor `table` full (1 events): make it longer by `queue = \
         ..`, arm less often, or drop and count by `TimeEvent::lossy`"
    );
    assert_eq!(*message, expected);
    assert_eq!(posted(), [0]);
}

#[test]
fn a_lossy_one_drops_and_counts_what_finds_no_room() {
    actor!(TABLE, 1, INBOX, posted);
    static EVENT: TimeEvent<u8, Lossy> = TimeEvent::lossy(TABLE.handle(), 1);
    let _turn = turn();
    EVENT.arm_periodic(ticks(1));
    pass(3);
    assert_eq!((EVENT.lost(), posted()), (2, vec![1]));
    pass(1);
    assert!(EVENT.disarm());
    assert_eq!((EVENT.lost(), posted()), (2, vec![1]));
}

/// Whatever comes when: who is told that it was armed gets no event, and who isn't, one.
#[test]
fn a_disarm_that_says_so_comes_before_the_event() {
    actor!(TABLE, 4, INBOX, posted);
    static EVENT: TimeEvent<u8> = TimeEvent::new(TABLE.handle(), 1);
    let _turn = turn();
    let runs = explore(|run| {
        EVENT.arm(ticks(1));
        let mut was_armed = false;
        run.interrupt(KERNEL, || pass(1));
        run.run(|| was_armed = EVENT.disarm());
        pass(2);
        assert_eq!(posted().len(), usize::from(!was_armed));
    });
    assert!(runs > 1);
}
