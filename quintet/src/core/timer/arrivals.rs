//! Where timers that were armed wait for the next tick, in no order.
//!
//! Over a tick, a handler comes whatever is armed. So arming needs no place among the others: a
//! node is linked into the ring of what has arrived, which takes four stores. In the next tick it
//! fires, if it is due by then, or else finds its place in the queue; unless it was cancelled
//! before, as most timeouts are.
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

/// Armed nodes that no tick has seen. They have nothing below them.
#[repr(transparent)]
pub struct Arrivals {
    ring: UnsafeCell<Link>,
}

// SAFETY: every access is under the kernel's lock, but for the handler's look at one word.
unsafe impl Sync for Arrivals {}

/// What has arrived longest ago.
#[derive(Debug)]
pub enum Arrival {
    /// There is none.
    None,
    /// It was due, and has left. Its wake target is the caller's: to be woken outside of the lock.
    /// And whether more is there: what comes behind that is in time for the next tick, or has
    /// pended the interrupt.
    Due(WakeTarget, bool),
    /// It isn't due: it is to be [admitted](Arrivals::admit) to the queue.
    Early,
}

impl Arrivals {
    /// None, in the static that begins with `this`.
    ///
    /// # Safety
    /// `this` is where the returned value is put, and it doesn't move.
    #[must_use]
    pub const unsafe fn new(this: *const Self) -> Self {
        // Transparent: the link lies where this does.
        Self { ring: UnsafeCell::new(Link::alone(this.cast_mut().cast())) }
    }

    /// Arms `node`, which waits here for the next tick. Constant time.
    ///
    /// # Safety
    /// The node is [prepared](Node::prepare) and not armed, and stays where it is until it has
    /// fired or was cancelled.
    #[inline(always)]
    pub unsafe fn arrive(&self, _kernel: &KernelLock<'_>, node: &Node) {
        // SAFETY: the lock is held, the caller keeps the node in its place, and all that is linked
        // is valid by INVARIANT(linked).
        unsafe { ring::insert_behind(self.ring.get(), node.entry.get().cast()) };
    }

    /// Takes what has arrived longest ago, if it is due at the time `now`. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn look(&self, _kernel: &KernelLock<'_>, now: u64) -> Arrival {
        let ring = self.ring.get();
        // SAFETY: the lock is held; what is linked is valid, and armed nodes have wake targets. It
        // is not the recent node of the queue, in which it never was since it was armed.
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

    /// Moves what has arrived longest ago into `queue`. If it is the earliest there, returns its
    /// deadline: the alarm may be too late for it. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn admit(&self, kernel: &KernelLock<'_>, queue: &Queue) -> Option<u64> {
        let ring = self.ring.get();
        // SAFETY: the lock is held; what is linked is valid. It leaves one ring for another, in
        // one section.
        unsafe {
            let last = (*ring).previous();
            if last == ring {
                cold_path();
                return None;
            }
            ring::remove_last(ring, last);
            let entry = last.cast::<Entry>();
            let (node, deadline) = (Node::of(entry), (*entry).deadline.0);
            queue.admit(kernel, node, deadline).then_some(deadline)
        }
    }
}
