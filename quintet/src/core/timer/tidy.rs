//! Tidying: trees that an expiry or a cancel has set loose return to the heap.
//!
//! Loose trees are paired and placed in turn, which makes an expiry logarithmic. One section
//! chooses a step, and the next one [carries it out](Queue::carry_out). A step compares two
//! deadlines of 64 bits and changes two rings, which would take 40 cycles in one section.

use ::core::hint::cold_path;
use ::core::ptr;

use super::{Entry, Link, Queue, ring};
use crate::core::lock::KernelLock;

/// The new place of the chosen tree.
#[derive(Clone, Copy)]
pub struct Move {
    /// The link before the place.
    place: *mut Link,
    /// The link that was behind the place at the time of the choice. Before the first root, an
    /// earlier node may be armed meanwhile.
    next: *mut Link,
}

/// The next step with the loose trees.
pub enum Pairing {
    /// There is no loose tree.
    Settled,
    /// There is one loose tree.
    Single,
    /// The later of two trees goes below the other.
    Pair(Move),
}

impl Queue {
    /// Looks at the loose trees, and chooses one of a pair. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn plan_pair(&self, _kernel: &KernelLock<'_>) -> Pairing {
        let state = self.state.get();
        // SAFETY: the lock is held; linked nodes are valid.
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

    /// Chooses a loose tree, if there is one, for the place before the first root or below the
    /// first root. Constant time.
    #[inline(always)]
    #[must_use]
    pub fn plan_place(&self, _kernel: &KernelLock<'_>) -> Option<Move> {
        let state = self.state.get();
        // SAFETY: the lock is held; linked nodes are valid.
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
                // Two paths, as a choice for each word takes longer.
                cold_path();
                return Some(Move { place: roots, next: first });
            }
            let place = &raw mut (*root).children;
            Some(Move { place, next: (*place).next() })
        }
    }

    /// Moves the chosen tree, unless a node was cancelled since, or the place has changed. In both
    /// cases, the caller then looks at the loose trees again. Constant time.
    ///
    /// # Safety
    /// `planned` is the last plan of the expiry, and is carried out once.
    #[inline(always)]
    pub unsafe fn carry_out(&self, _kernel: &KernelLock<'_>, planned: Move) {
        let (state, Move { place, next }) = (self.state.get(), planned);
        // SAFETY: the lock is held. Every cancel clears `chosen`, so the chosen tree is still
        // loose, and the place is in the queue or in an armed node.
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
