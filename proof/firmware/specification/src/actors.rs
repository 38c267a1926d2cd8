//! Actors: one that the thread C hosts, and one of a level of interrupts. Each takes one event a
//! dispatch, says which, and does one operation of its script.
//!
//! What stands here an application's expansion writes: queues, what wakes the actors, and jobs.

use quintet::export::actor::{
    Definition, Queue, fill, restart, restart_with, start, start_with, stop, take, try_post,
    try_post_front, try_post_margin,
};

use super::{ACTOR, TASK, log, once, tasks};

/// The number by which an actor says which event it has taken.
const HANDLES: u32 = 87;

/// An actor with so many places, and its job.
macro_rules! actor {
    ($actor:ident, $number:literal, $places:literal, $job:ident) => {
        struct $actor;

        impl Definition<$places> for $actor {
            type Event = u8;
            const NAME: &'static str = stringify!($actor);

            fn queue(_instance: usize) -> &'static Queue<u8, $places> {
                static QUEUE: Queue<u8, $places> = Queue::new();
                &QUEUE
            }

            fn wake(_instance: usize) {
                tasks::wake(ACTOR - TASK + $number);
            }
        }

        /// Lets the actor handle an event.
        ///
        /// # Safety
        /// None of its own: it is a level's job.
        pub unsafe extern "C" fn $job() {
            if let Some(event) = take::<$actor, $places>(0) {
                log(ACTOR + $number, HANDLES, event.into());
                let _acted = once(ACTOR + $number);
            }
        }
    };
}

actor!(Hosted, 0, 3, job_of_hosted);
actor!(Above, 1, 2, job_of_above);

/// Calls a function of the actor with a number.
macro_rules! of_actor {
    ($number:expr, $function:ident($($argument:expr),*)) => {
        match $number {
            0 => $function::<Hosted, 3>(0 $(, $argument)*),
            _ => $function::<Above, 2>(0 $(, $argument)*),
        }
    };
}

/// What every context may do to actors; none if it is something else.
pub fn act(word: u32) -> Option<u32> {
    let (actor, event, free) = ((word >> 8 & 0xff), (word >> 16) as u8, (word >> 24) as u8);
    match word & 0xff {
        80 => return Some(of_actor!(actor, try_post(event)).is_err().into()),
        81 => return Some(of_actor!(actor, try_post_front(event)).is_err().into()),
        82 => return Some(of_actor!(actor, try_post_margin(event, free)).is_err().into()),
        83 => of_actor!(actor, stop()),
        84 => of_actor!(actor, start()),
        85 => of_actor!(actor, start_with(event)),
        88 => of_actor!(actor, restart()),
        89 => of_actor!(actor, restart_with(event)),
        86 => {
            let fill = of_actor!(actor, fill());
            return Some(u32::from(fill.len) | u32::from(fill.high_water) << 4);
        }
        _ => return None,
    }
    Some(0)
}
