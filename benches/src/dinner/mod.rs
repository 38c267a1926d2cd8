//! The dining philosophers of QP's application note, for three kernels.
//!
//! What they do is written down in `scenarios/qp-3.toml`.

pub mod philosopher;
pub mod table;

use core::cell::UnsafeCell;
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
#[inline(always)]
pub fn about(seat: Seat) -> Unique<Seat> {
    mark!("new_from");
    let event = EVENTS.try_new(seat);
    mark!("new_to");
    event.unwrap_or_else(|_| exit(106))
}

/// Where [`is_quiet`] keeps what it takes. Not on a stack: it is no part of the dinner, and the
/// dinner's stacks are measured.
struct Kept(UnsafeCell<[Option<Unique<Seat>>; BLOCKS]>);

// SAFETY: one context at a time calls `is_quiet`.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept(UnsafeCell::new([const { None }; BLOCKS]));

/// Whether no event is on its way: all of their memory is free. For `init`, and for the host when
/// the dinner is over.
#[inline(never)]
pub fn is_quiet() -> bool {
    // SAFETY: they call it one after the other.
    let kept = unsafe { &mut *KEPT.0.get() };
    for one in &mut *kept {
        *one = EVENTS.try_new(0).ok();
    }
    let is_quiet = kept.iter().all(Option::is_some);
    for one in kept {
        *one = None;
    }
    is_quiet
}

/// How often each has eaten.
static EATEN: [AtomicU32; SEATS] = [const { AtomicU32::new(0) }; SEATS];

/// Somebody eats: counted by himself alone.
pub fn count(seat: Seat) {
    let eaten = &EATEN[usize::from(seat)];
    eaten.store(eaten.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Whether each has eaten three times.
pub fn all_have_eaten() -> bool {
    EATEN.iter().all(|eaten| eaten.load(Ordering::Relaxed) >= 3)
}

/// The application, with its scheduler's arguments, and what else is in it.
macro_rules! dinner {
    ([$($arguments:tt)*] $($more:tt)*) => {
        #[quintet::app(
            device = quintet_bench_common::device,
            peripherals = false,
            $($arguments)*
        )]
        mod app {
            use core::hint::black_box;

            use quintet::chart::Machine;
            use quintet::actor::TimeEvent;
            use quintet::time::Duration;
            use quintet_bench_common::device::Interrupt;
            use quintet_bench_common::{exit, mark, pend};

            use crate::Clock;
            use crate::dinner::philosopher::{self, Philosopher};
            use crate::dinner::table::{self, Table};
            use crate::dinner;

            /// The dinner takes a minute.
            const PAUSES: u32 = 6;
            const SERVES: Duration = Duration::from_millis(9_000);
            const PAUSE: Duration = Duration::from_millis(1_000);

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            #[init]
            fn init(cx: init::Context) -> (Shared, Local) {
                Clock::start(cx.core.SYST);
                // The first use of a block takes longer: each is linked into the pool's list once.
                if !dinner::is_quiet() {
                    exit(104)
                }
                (Shared {}, Local {})
            }

            /// Presses the button, ends the dinner after a minute, and looks at what is left.
            #[actor(priority = 1, queue = 1, first = (), local = [times: u32 = 0])]
            fn host(cx: host::Context, (): ()) {
                let times = black_box(*cx.local.times);
                *cx.local.times += 1;
                if times == 0 {
                    mark!("start");
                } else if times == 2 * PAUSES + 1 {
                    mark!("end");
                    waiter::post(table::Event::Close);
                } else if times > 2 * PAUSES {
                    exit(if dinner::all_have_eaten() && dinner::is_quiet() { 0 } else { 105 })
                } else if times % 2 == 1 {
                    pend!("nothing_from", "recovery_a_to", Interrupt::TIM4);
                }
                let pause = if times % 2 == 0 { SERVES } else { PAUSE };
                NEXT.arm(pause);
                if (1..=2 * PAUSES).contains(&times) {
                    pend!("response_from", "button_to", Interrupt::TIM3);
                }
            }

            /// When the host looks again.
            static NEXT: TimeEvent<()> = TimeEvent::new(host::handle(), ());

            /// The button: pauses the dinner, and lets it go on.
            #[task(binds = TIM3, priority = 3, local = [is_paused: bool = false])]
            fn button(cx: button::Context) {
                let is_paused = *cx.local.is_paused;
                *cx.local.is_paused = !is_paused;
                if is_paused {
                    waiter::post(table::Event::Serve);
                } else {
                    waiter::post(table::Event::Test);
                    waiter::post(table::Event::Pause);
                }
                mark!("recovery_b_from");
            }

            /// An interrupt that tells nobody.
            #[task(binds = TIM4, priority = 3)]
            fn nothing(_: nothing::Context) {
                mark!("recovery_a_from");
            }

            /// A philosopher: each has a place at the table, and a state of his own.
            #[actor(
                priority = 1,
                queue = 6,
                instances = 5,
                first = philosopher::Event::Sit,
                subscribe = [table::Eat, table::Over],
                local = [chart: Machine<Philosopher> = Philosopher::new().machine()]
            )]
            fn philo(cx: philo::Context, event: philosopher::Event) {
                let mut seat = cx.instance as u8;
                let is_hungry = cx.local.chart.is_in(philosopher::Within::Hungry);
                if is_hungry && matches!(&event, philosopher::Event::Eat(who) if **who == seat) {
                    mark!("eat_from");
                    cortex_m::asm::nop();
                }
                // The machine looks for itself.
                let chart = black_box(cx.local.chart);
                chart.dispatch(black_box(&event), black_box(&mut seat));
                mark!("eat_to");
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
                mark!("post_get_to");
                mark!("recovery_b_to");
                #[cfg(not(feature = "cooperative"))]
                mark!("publish_1_to");
                if matches!(event, table::Event::Test) {
                    mark!("ignored_from");
                    cortex_m::asm::nop();
                }
                let chart = black_box(cx.local.chart);
                chart.dispatch(black_box(&event));
                mark!("ignored_to");
                mark!("recycle_from");
                drop(event);
                mark!("recycle_to");
            }

            $($more)*
        }
    };
}
pub(crate) use dinner;
