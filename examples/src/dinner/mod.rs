//! The dining philosophers, for three kernels: what they do stands here once, and each program
//! `dinner_*` says who runs it.
//!
//! Five philosophers sit at a table, with a fork between any two of them. A philosopher thinks,
//! gets hungry, and needs the forks on both sides to eat. The table has the forks, and says who may
//! eat. Now and then somebody pauses the dinner; who asks meanwhile is served afterwards.
//!
//! All are actors: they share nothing but what they count, and post events to each other.

pub mod philosopher;
pub mod table;

use core::sync::atomic::{AtomicU32, Ordering};
use quintet::actor::{EventPool, Unique};

/// How many philosophers there are.
pub const SEATS: usize = 5;

/// How often somebody pauses the dinner, every ten seconds: it takes ten, or an hour with the
/// feature `hour`.
pub const PAUSED: u32 = if cfg!(feature = "hour") { 360 } else { 1 };

/// Where somebody sits.
pub type Seat = u8;

/// The memory of events that say where somebody sits.
static EVENTS: EventPool<Seat, BLOCKS> = EventPool::new();

/// As many as can be on their way: each philosopher has asked, been told, and is done.
const BLOCKS: usize = 3 * SEATS;

/// An event about `seat`.
pub fn about(seat: Seat) -> Unique<Seat> {
    EVENTS.try_new(seat).expect("there is memory for as many events as can be on their way")
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

/// The application, with its scheduler's arguments, and what else is in it.
macro_rules! dinner {
    ([$($arguments:tt)*] $($more:tt)*) => {
        quintet::systick_timer!(Clock, 12_000_000);

        #[quintet::app(device = lm3s6965, $($arguments)*)]
        mod app {
            use quintet::chart::Machine;
            use quintet::time::{Duration, Timer};
            use semihosting::println;

            use crate::dinner::philosopher::{self, Philosopher};
            use crate::dinner::table::{self, Table};
            use crate::dinner::{self, SEATS};
            use crate::Clock;

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
                assert!(host::spawn().is_ok());
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
                let seat = cx.instance as u8;
                cx.local.chart.dispatch(&event, &mut philosopher::Context { seat, random });
            }

            /// The table, more urgent than who sits there.
            #[actor(
                priority = 2,
                queue = 12,
                first = table::Event::Lay,
                subscribe = [philosopher::Done, table::Pause],
                local = [chart: Machine<Table> = Table::new().machine()]
            )]
            fn waiter(cx: waiter::Context, event: table::Event) {
                cx.local.chart.dispatch(&event);
            }

            /// Pauses the dinner now and then, and ends it.
            #[task(priority = 1)]
            async fn host(_: host::Context) {
                for _ in 0..dinner::PAUSED {
                    Timer::after(Duration::from_secs(9)).await;
                    publish(table::Pause);
                    Timer::after(Duration::from_secs(1)).await;
                    publish(table::Pause);
                }
                waiter::post(table::Event::Close);
                Timer::after(Duration::from_secs(4)).await;
                let (asked, eaten) = (dinner::ASKED.get(), dinner::EATEN.get());
                let pauses = dinner::PAUSES.get();
                println!("meals: {eaten}, pauses: {pauses}");
                // In the end all of them are hungry.
                assert!(asked == eaten + SEATS as u32, "an event is lost");
                assert!(eaten == dinner::DONE.get(), "an event is lost");
                assert!(dinner::is_quiet(), "memory of an event is lost");
                semihosting::process::exit(0)
            }

            $($more)*
        }
    };
}
pub(crate) use dinner;
