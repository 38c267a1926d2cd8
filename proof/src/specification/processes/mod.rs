//! The interpreter is a kernel with three processes that make the calls of scripts. Beside them,
//! two threads, interrupts and idle bring them upcalls and change their lives. The answers of the
//! calls, the called functions and their order are compared with the [model].

pub mod call;
pub mod check;
pub mod interpreter;
pub mod layout;
pub mod model;
mod operation_mix;
pub mod schedule;
pub mod short;

use super::SPANS;
use crate::random::Random;
use schedule::Schedule;

/// The schedule with a number.
pub fn random(seed: u64, index: u64) -> Schedule {
    let mut random = Random::of_item(seed, index);
    let span = random.pick(&SPANS);
    Schedule::random(&mut random, span)
}
