//! The dining philosophers of QP's application note, for three kernels.
//!
//! What they do is written down in `scenarios/qp-3.toml`.

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
#[inline(always)]
pub fn about(seat: Seat) -> Unique<Seat> {
    mark!("new_from");
    let event = EVENTS.try_new(seat);
    mark!("new_to");
    event.unwrap_or_else(|_| exit(106))
}

/// Whether no event is on its way: all of their memory is free.
pub fn is_quiet() -> bool {
    let all: [_; BLOCKS] = core::array::from_fn(|_| EVENTS.try_new(0));
    all.iter().all(Result::is_ok)
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
