//! What `embassy-time` asks of its driver: wake this waker at that time.
//!
//! It can't be cancelled, and a second wish of the same waker with a later deadline is not
//! remembered: a woken task looks at all it waits for, and asks again. So a waker needs one node.
//!
//! - A waker of one of the application's tasks has its node in a static that the application's
//!   expansion defines ([`timer_nodes`](crate::__timer_nodes)).
//! - A waker of another executor takes one of [`FOREIGN`] nodes. When all are taken it is woken at
//!   once: its task then polls until a node is free. Nothing is lost, but it costs time.

#![expect(unsafe_code, reason = "nodes are linked by pointers; these are statics")]

use ::core::task::Waker;

use super::driver;
use crate::core::lock::kernel;
use crate::core::timer::{Cancel, Node, QUEUE};
use crate::core::wake::slot_of;

/// The number of wakers of other executors that can wait at the same time.
pub const FOREIGN: usize = 4;

/// The nodes of wakers of other executors.
static FOREIGN_NODES: [Node; FOREIGN] = [const { Node::new(0) }; FOREIGN];

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// A node for each slot of the application; defined by its expansion.
    safe static __QUINTET_TIMER_NODES: &'static [Node];
}

/// The nodes of the application's slots.
#[cfg(target_os = "none")]
#[inline(always)]
fn slot_nodes() -> &'static [Node] {
    __QUINTET_TIMER_NODES
}

/// The nodes of the slots that tests on the host have.
#[cfg(not(target_os = "none"))]
fn slot_nodes() -> &'static [Node] {
    static NODES: [Node; 128] = [const { Node::new(0) }; 128];
    &NODES
}

/// What came of a wish.
enum Wish {
    /// The node wakes early enough as it is.
    Remembered,
    /// The node is armed, and the earliest of all: the alarm may be too late for it.
    Alarm,
    /// The node was armed for a later time. It leaves, and what was its waker is to be dropped.
    Again(Option<Waker>),
    /// The node belongs to another waker.
    Taken,
}

/// Wakes `waker` at the time `at`, at once if that has passed. It may wake earlier as well.
///
/// From every context that the kernel knows of. Costs three short sections at most (a few more if a
/// more urgent context does the same for the same waker).
#[inline(always)]
pub fn schedule(at: u64, waker: &Waker) {
    let node = slot_of(waker).and_then(|slot| slot_nodes().get(usize::from(slot.number)));
    match node {
        Some(node) => _ = wish(node, at, waker),
        None => schedule_foreign(at, waker),
    }
}

/// The same for a waker of another executor.
#[inline(never)]
#[cold]
fn schedule_foreign(at: u64, waker: &Waker) {
    // Its own node first, if it has one; then a free one.
    let mine = FOREIGN_NODES.iter().find(|node| kernel(|token| node.will_wake(token, waker)));
    let done = mine.is_some_and(|node| wish(node, at, waker))
        || FOREIGN_NODES.iter().any(|node| wish(node, at, waker));
    if !done {
        waker.wake_by_ref();
    }
}

/// Remembers a wish in `node`; false if the node belongs to another waker.
#[inline(always)]
fn wish(node: &'static Node, at: u64, waker: &Waker) -> bool {
    loop {
        let mut mine = Some(copy(waker));
        let late = kernel(|token| QUEUE.is_late(token, at));
        let wish = kernel(|token| {
            // SAFETY: the kernel's lock is held.
            let deadline = unsafe { node.deadline() };
            if !node.is_armed(token) {
                let Some(waker) = mine.take() else { return Wish::Taken };
                // SAFETY: not armed, the lock is held, and a static stays where it is.
                let late = unsafe {
                    node.set_deadline(at);
                    node.prepare(waker);
                    QUEUE.arm(token, node, at, late)
                };
                return if late { Wish::Alarm } else { Wish::Remembered };
            }
            if !node.will_wake(token, waker) {
                return Wish::Taken;
            }
            if deadline <= at {
                return Wish::Remembered;
            }
            Wish::Again(match QUEUE.cancel(token, node) {
                // SAFETY: cancelled just now, under the lock.
                Cancel::Done => Some(unsafe { node.take_waker() }),
                Cancel::Prepared | Cancel::NotArmed => None,
            })
        });
        match wish {
            Wish::Remembered => return true,
            Wish::Alarm => {
                driver::lower_alarm(at);
                return true;
            }
            Wish::Again(old) => drop(old),
            Wish::Taken => return false,
        }
    }
}

/// A waker that does the same. Those of the application's own tasks own nothing, and need no call.
#[inline(always)]
pub fn copy(waker: &Waker) -> Waker {
    match slot_of(waker) {
        // SAFETY: a clone of a waker of the application's levels has the same parts.
        Some(_) => unsafe { Waker::new(waker.data(), waker.vtable()) },
        None => waker.clone(),
    }
}
