//! The request of `embassy-time` to its driver: wake this waker at that time.
//!
//! `embassy-time` can't cancel a request. Nor does the driver remember a second request of a waker
//! for a later deadline: a woken task looks at everything that it waits for, and asks again. So a
//! waker needs only one node.
//!
//! - A waker of one of the application's tasks has its node in a static that the application's
//!   expansion defines ([`timer_nodes`](crate::__timer_nodes)).
//! - A thread that runs a future has a node on its stack
//!   ([`block_on`](crate::thread::CurrentThread::block_on)). The driver finds this node by the
//!   thread's waker.
//! - A waker of another executor takes one of [`FOREIGN`] nodes. If all these nodes are taken, the
//!   waker is woken at once: its task then polls until a node is free. Nothing is lost, but this
//!   costs time.

#![expect(unsafe_code, reason = "nodes are linked by pointers; these are statics")]

use ::core::task::Waker;

use super::driver;
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::timer::{Cancel, Node, QUEUE};
use crate::core::wake::slot_of;
#[cfg(threads)]
use crate::core::{application::has_threads, park::Polling};

/// How many wakers of other executors can wait at the same time.
pub const FOREIGN: usize = 4;

/// The nodes of wakers of other executors.
static FOREIGN_NODES: [Node; FOREIGN] = [const { Node::new(0) }; FOREIGN];

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// A node for each slot of the application; the application's expansion defines this.
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

/// The state of a waker's node.
enum Found {
    /// The node is free, and now belongs to the finder.
    Free,
    /// The node wakes early enough already.
    Early,
    /// The node is armed for a later time.
    Late,
    /// The node belongs to another waker, or another context is arming the node.
    Taken,
}

/// Wakes `waker` at the time `at`, or at once if `at` has passed. The wake may also come earlier.
///
/// From every context that the kernel knows of. Costs at most four short sections (a few more if
/// the node was armed for a later time, or if a more urgent context calls this for the same waker).
#[inline(always)]
pub fn schedule(at: u64, waker: &Waker) {
    let node = slot_of(waker).and_then(|slot| slot_nodes().get(usize::from(slot.number)));
    match node {
        Some(node) => {
            // SAFETY: a static.
            if !unsafe { wish::<false>(node, at, waker) } {
                // An interrupted context is about to arm it: let the task look and ask again.
                waker.wake_by_ref();
            }
        }
        None => schedule_foreign(at, waker),
    }
}

/// As [`schedule`], for a waker of another executor.
#[inline(never)]
#[cold]
fn schedule_foreign(at: u64, waker: &Waker) {
    #[cfg(threads)]
    if has_threads()
        && let Some(timer) = Polling::timer_of(waker)
    {
        // SAFETY: it stays where it is until it was taken out or has fired, and this thread alone
        // arms it.
        let _armed = unsafe { wish::<false>(timer, at, waker) };
        return;
    }
    // Its own node first, if it has one; then a free one.
    let mine = FOREIGN_NODES.iter().find(|node| kernel(|token| node.will_wake(token, waker)));
    // SAFETY: statics.
    let arms = |node| unsafe { wish::<true>(node, at, waker) };
    let done = mine.is_some_and(arms) || FOREIGN_NODES.iter().any(arms);
    if !done {
        waker.wake_by_ref();
    }
}

/// Stores a request in `node`. Returns `false` if the node is taken. `SEVERAL` is `true` if other
/// wakers use the node, too, which may own something.
///
/// # Safety
/// The node stays at its address until it has fired or was cancelled.
#[inline(always)]
unsafe fn wish<const SEVERAL: bool>(node: &Node, at: u64, waker: &Waker) -> bool {
    loop {
        let found = kernel(|token| {
            if !node.is_armed(token) {
                return if node.claim(token) { Found::Free } else { Found::Taken };
            }
            if SEVERAL && !node.will_wake(token, waker) {
                return Found::Taken;
            }
            // SAFETY: the kernel's lock is held.
            if unsafe { node.deadline() } <= at { Found::Early } else { Found::Late }
        });
        match found {
            Found::Free => break,
            Found::Early => return true,
            Found::Taken => return false,
            Found::Late => withdraw::<SEVERAL>(node, waker),
        }
    }
    // SAFETY: the node is this context's until it is armed; it stays where it is, the caller's.
    unsafe {
        node.set_deadline(at);
        driver::arm_first(node, at, WakeTarget::job(copy(waker)));
    }
    true
}

/// Takes a node out whose time is later than the requested time, if the node still belongs to
/// `waker`.
#[cold]
fn withdraw<const SEVERAL: bool>(node: &Node, waker: &Waker) {
    kernel(|token| QUEUE.free_below(token, node));
    let old = kernel(|token| {
        if SEVERAL && !node.will_wake(token, waker) {
            return None;
        }
        let done = QUEUE.cancel(token, node) == Cancel::Done;
        // The application's own wakers own nothing: there is nothing to drop.
        // SAFETY: cancelled just now, under the lock.
        (SEVERAL && done).then(|| unsafe { node.take_target() })
    });
    drop(old.and_then(WakeTarget::into_waker));
}

/// Returns an equal waker. Wakers of the application's own tasks own nothing, and need no call.
#[inline(always)]
pub fn copy(waker: &Waker) -> Waker {
    match slot_of(waker) {
        // SAFETY: a clone of a waker of the application's levels has the same parts.
        Some(_) => unsafe { Waker::new(waker.data(), waker.vtable()) },
        None => waker.clone(),
    }
}
