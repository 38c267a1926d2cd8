//! The dining philosophers of the groups `qp-3` and `qp-4`: what they do stands here once, and each
//! program `dpp_*` says who runs it. `scenarios/qp-3.toml` has it in words.

pub mod philosopher;
pub mod table;

use core::sync::atomic::{AtomicU32, Ordering};
use quintet::actor::{EventPool, Unique};
use quintet_bench_common::{exit, mark};

/// How many philosophers there are.
pub const SEATS: usize = 5;

/// Where somebody sits.
pub type Seat = u8;

/// The memory of events that say where somebody sits.
static EVENTS: EventPool<Seat, BLOCKS> = EventPool::new();

/// As many as can be on their way: each philosopher has asked, been told, and is done.
const BLOCKS: usize = 3 * SEATS;

/// An event about `seat`.
pub fn about(seat: Seat) -> Unique<Seat> {
    mark!("new_from");
    let event = EVENTS.try_new(seat);
    mark!("new_to");
    // There is memory for as many events as can be on their way.
    event.unwrap_or_else(|_| exit(103))
}

/// Whether no event is on its way: all of their memory is free.
pub fn is_quiet() -> bool {
    let all: [_; BLOCKS] = core::array::from_fn(|_| EVENTS.try_new(0));
    all.iter().all(Result::is_ok)
}

/// What happened, for who judges in the end.
pub struct Count(AtomicU32);

impl Count {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Once more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How often.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often a philosopher has asked, was told to eat, and was done.
pub static ASKED: Count = Count::new();
/// See [`ASKED`].
pub static EATEN: Count = Count::new();
/// See [`ASKED`].
pub static DONE: Count = Count::new();
/// How often the dinner was paused.
pub static PAUSES: Count = Count::new();

/// Ends the program, if each philosopher has eaten and nothing is lost.
pub fn finish() {
    let (asked, eaten) = (ASKED.get(), EATEN.get());
    // In the end all of them are hungry.
    let whole = asked == eaten + SEATS as u32 && eaten == DONE.get() && is_quiet();
    exit(if whole && eaten >= 3 * SEATS as u32 { 0 } else { 102 })
}

/// The application, with its scheduler's arguments, and what else is in it.
macro_rules! dinner {
    ([$($arguments:tt)*] $($more:tt)*) => {
        quintet_bench_common::vectors!();
        quintet::systick_tick!(Clock, 8_000_000);

        #[quintet::app(device = quintet_bench_common::device, $($arguments)*)]
        mod app {
            use quintet::chart::Machine;
            use quintet_bench_common::mark;

            use crate::Clock;
            use crate::dinner::philosopher::{self, Philosopher};
            use crate::dinner::table::{self, Table};

            #[shared]
            struct Shared {
                /// Where the philosophers get their random numbers from.
                random: u32,
            }

            #[local]
            struct Local {}

            #[init]
            fn init(cx: init::Context) -> (Shared, Local) {
                Clock::start(cx.core.SYST);
                Table::lay();
                (Shared { random: 1234 }, Local {})
            }

            /// One of them: each has a place at the table, and a state of his own.
            #[actor(
                priority = 1,
                queue = 6,
                instances = 5,
                first = philosopher::Event::Sit,
                subscribe = [table::Eat],
                shared = [random],
                local = [chart: Machine<Philosopher> = Philosopher::new().machine()]
            )]
            fn philo(mut cx: philo::Context, event: philosopher::Event) {
                let random = cx.shared.random.lock(|random| {
                    *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *random >> 16
                });
                let mut context = philosopher::Context { seat: cx.instance as u8, random };
                match &event {
                    philosopher::Event::Eat(seat) if **seat == context.seat => {
                        mark!("eat_from");
                        philosopher::dispatch(cx.local.chart, &event, &mut context);
                        mark!("eat_to");
                    }
                    _ => philosopher::dispatch(cx.local.chart, &event, &mut context),
                }
            }

            /// The table, more urgent than who sits there.
            #[actor(
                priority = 2,
                queue = 12,
                first = table::Event::Lay,
                subscribe = [philosopher::Done],
                local = [chart: Machine<Table> = Table::new().machine()]
            )]
            fn waiter(cx: waiter::Context, event: table::Event) {
                mark!("publish_1_to");
                mark!("post_get_to");
                match &event {
                    table::Event::Nothing => {
                        mark!("ignored_from");
                        table::dispatch(cx.local.chart, &event);
                        mark!("ignored_to");
                    }
                    _ => table::dispatch(cx.local.chart, &event),
                }
                if let table::Event::Hungry(seat) = event {
                    mark!("recycle_from");
                    drop(seat);
                    mark!("recycle_to");
                }
            }

            $($more)*
        }
    };
}
pub(crate) use dinner;
