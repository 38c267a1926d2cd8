//! Tidying: what an expiry or a cancelling has set loose goes back into the heap.
//!
//! Loose trees are paired and placed in turn, which makes an expiry logarithmic. Each step is
//! chosen in one section and [carried out](Queue::carry_out) in the next: two deadlines of 64 bits
//! are compared and two rings changed, which one section would take 40 cycles for.

use ::core::hint::cold_path;
use ::core::ptr;

use super::{Entry, Link, Queue, ring};
use crate::core::lock::KernelLock;

/// Where the chosen tree goes.
#[derive(Clone, Copy)]
pub struct Move {
    /// Behind this link.
    place: *mut Link,
    /// What is there: before the first root, one that is earlier may be armed meanwhile.
    next: *mut Link,
}

/// What is to be done with the loose trees.
pub enum Pairing {
    /// There is none.
    Settled,
    /// There is one.
    Single,
    /// The later of two goes below the other.
    Pair(Move),
}

impl Queue {
    /// Looks at the loose trees, and chooses one of a pair. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn plan_pair(&self, _kernel: &KernelLock<'_>) -> Pairing {
        let state = self.state.get();
        // SAFETY: the lock is held; what is linked is valid.
        unsafe {
            let loose = &raw mut (*state).loose;
            let tree = (*loose).next();
            if tree == loose {
                return Pairing::Settled;
            }
            let other = (*tree).next();
            if other == loose {
                return Pairing::Single;
            }
            let (tree, other) = (tree.cast::<Entry>(), other.cast::<Entry>());
            let (earlier, later) = if (*other).deadline.0 < (*tree).deadline.0 {
                (other, tree)
            } else {
                (tree, other)
            };
            (*state).chosen = later;
            let place = &raw mut (*earlier).children;
            Pairing::Pair(Move { place, next: (*place).next() })
        }
    }

    /// Chooses a loose tree, if there is one, for the place before the first root or below it.
    /// Constant time.
    #[inline(always)]
    #[must_use]
    pub fn plan_place(&self, _kernel: &KernelLock<'_>) -> Option<Move> {
        let state = self.state.get();
        // SAFETY: the lock is held; what is linked is valid.
        unsafe {
            let (roots, loose) = (&raw mut (*state).roots, &raw mut (*state).loose);
            let tree = (*loose).next();
            if tree == loose {
                return None;
            }
            let first = (*roots).next();
            let (tree, root) = (tree.cast::<Entry>(), first.cast::<Entry>());
            (*state).chosen = tree;
            if first == roots || (*tree).deadline.0 < (*root).deadline.0 {
                // Two paths: to choose each word takes longer.
                cold_path();
                return Some(Move { place: roots, next: first });
            }
            let place = &raw mut (*root).children;
            Some(Move { place, next: (*place).next() })
        }
    }

    /// Moves the chosen tree, unless something was cancelled since, or its place is another's. A
    /// look at what is loose now comes next, either way. Constant time.
    ///
    /// # Safety
    /// `planned` is what the expiry has planned last; it is carried out once.
    #[inline(always)]
    pub unsafe fn carry_out(&self, _kernel: &KernelLock<'_>, planned: Move) {
        let (state, Move { place, next }) = (self.state.get(), planned);
        // SAFETY: the lock is held. Every cancelling forgets what is chosen: it is loose still, and
        // the place is in the queue or in an armed node.
        unsafe {
            let entry = (*state).chosen;
            if !entry.is_null() && (*place).next() == next {
                if (*state).recent == entry {
                    (*state).recent = ptr::null_mut();
                }
                ring::remove(entry.cast());
                ring::insert_below(place, entry.cast());
            }
        }
    }
}
