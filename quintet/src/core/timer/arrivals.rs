//! Arrivals: timers that were armed and wait for the next tick, in no order.
//!
//! If time is counted by ticks, the tick's handler runs in any case. So an armed node needs no
//! place among the others: four stores link the node into the ring of arrivals. In the next tick
//! the node fires if it is due, or else goes to its place in the queue. Most timeouts are cancelled
//! before that.
//!
//! ```text
//!   arm ──> arrivals ──> due in the next tick ──────────────> fires
//!               │  └───> admitted to the queue ──> its tick ─────┘
//!               └──────> cancelled
//! ```

use ::core::cell::UnsafeCell;
use ::core::hint::cold_path;

use super::node::Entry;
use super::ring::{self, Link};
use super::{Node, Queue};
use crate::core::lock::KernelLock;
use crate::core::record::WakeTarget;

/// Armed nodes that no tick has seen. No node is below them.
#[repr(transparent)]
pub struct Arrivals {
    ring: UnsafeCell<Link>,
}

// SAFETY: every access is under the kernel's lock, but for the handler's look at one word.
unsafe impl Sync for Arrivals {}

/// The result of a look at the oldest arrival.
#[derive(Debug)]
pub enum Arrival {
    /// There is no arrival.
    None,
    /// The node was due, and has left. The caller wakes its wake target outside of the lock. The
    /// flag says whether there are more arrivals. A node that arrives after this is in time for the
    /// next tick, or has pended the interrupt.
    Due(WakeTarget, bool),
    /// The node isn't due: the caller [admits](Arrivals::admit) the node to the queue.
    Early,
}

impl Arrivals {
    /// Makes an empty ring, in the static that begins with `this`.
    ///
    /// # Safety
    /// The returned value is put at `this`, and doesn't move from there.
    #[must_use]
    pub const unsafe fn new(this: *const Self) -> Self {
        // Transparent: the link and the ring have the same address.
        Self { ring: UnsafeCell::new(Link::alone(this.cast_mut().cast())) }
    }

    /// Arms `node`, which waits here for the next tick. Constant time.
    ///
    /// # Safety
    /// The node is [prepared](Node::prepare) and not armed. It stays at its address until it has
    /// fired or was cancelled.
    #[inline(always)]
    pub unsafe fn arrive(&self, _kernel: &KernelLock<'_>, node: &Node) {
        // SAFETY: the lock is held, the caller keeps the node in its place, and all linked nodes
        // are valid by INVARIANT(linked).
        unsafe { ring::insert_behind(self.ring.get(), node.entry.get().cast()) };
    }

    /// As [`arrive`](Self::arrive), for a node that [may be moved](Node::may_move) while it waits
    /// here.
    ///
    /// # Safety
    /// As for [`arrive`](Self::arrive).
    #[inline(always)]
    pub unsafe fn arrive_movable(&self, kernel: &KernelLock<'_>, node: &Node) {
        // SAFETY: the lock is held; the rest is the caller's.
        unsafe {
            let entry = node.entry.get();
            (*entry).children.mark(entry.cast());
            self.arrive(kernel, node);
        }
    }

    /// Takes the oldest arrival, if it is due at the time `now`. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn look(&self, _kernel: &KernelLock<'_>, now: u64) -> Arrival {
        let ring = self.ring.get();
        // SAFETY: the lock is held; linked nodes are valid, and armed nodes have wake targets. The
        // node is not the recent node of the queue, as it has not been in the queue since it was
        // armed.
        unsafe {
            let last = (*ring).previous();
            if last == ring {
                cold_path();
                return Arrival::None;
            }
            let entry = last.cast::<Entry>();
            if (*entry).deadline.0 > now {
                return Arrival::Early;
            }
            ring::remove_last(ring, last);
            (*last).unlink();
            let more = !ring::is_alone(ring);
            Arrival::Due((*entry).target.assume_init_read(), more)
        }
    }

    /// Moves the oldest arrival into `queue`. If the node is the earliest there, returns its
    /// deadline: the alarm may be too late for the node. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn admit(&self, kernel: &KernelLock<'_>, queue: &Queue) -> Option<u64> {
        let ring = self.ring.get();
        // SAFETY: the lock is held; linked nodes are valid. The node moves from one ring to
        // another, in one section.
        unsafe {
            let last = (*ring).previous();
            if last == ring {
                cold_path();
                return None;
            }
            ring::remove_last(ring, last);
            let entry = last.cast::<Entry>();
            // From here on the node has a place in an order.
            (*entry).children.unmark();
            let (node, deadline) = (Node::of(entry), (*entry).deadline.0);
            queue.admit(kernel, node, deadline).then_some(deadline)
        }
    }
}
