//! The mutexes that count for their owner's priority: their marks, and the owner's list of them.

#![expect(unsafe_code, reason = "mutexes are linked through pointers")]

use ::core::ptr;
use ::core::sync::atomic::Ordering;

use crate::core::lock::KernelLock;
use crate::core::record::Ownership;
use crate::core::record::mutex::{CEILING, PLAIN, WAITED};
use crate::core::scheduler::ThreadBlock;

/// In the link of a mutex: a thread that is about to wait has lent the owner a priority:
/// INVARIANT(lent).
const LENT: usize = 2;

impl Ownership {
    /// Marks that a thread waits for the mutex.
    #[inline(always)]
    pub(super) fn note_waited(&self, owner: &ThreadBlock, _lock: &KernelLock<'_>) {
        let word = self.owner.load(Ordering::Relaxed);
        self.owner.store(word.map_addr(|word| word | WAITED), Ordering::Relaxed);
        if word.addr() & (WAITED | CEILING) == 0 {
            self.link_to(owner);
        } else {
            // INVARIANT(plain).
            owner.held().set(plainly(owner.held().get()));
        }
    }

    /// Marks that a thread that is about to wait for the mutex lends the owner a priority.
    pub(super) fn note_lent(&self, owner: &ThreadBlock, lock: &KernelLock<'_>) {
        self.note_waited(owner, lock);
        self.next.set(self.next.get().map_addr(|address| address | LENT));
    }

    /// Clears the mark: no thread waits for the mutex. Keeps the mark if a thread is about to wait.
    pub(super) fn note_unwaited(&self, owner: &ThreadBlock) {
        if self.next.get().addr() & LENT != 0 {
            return;
        }
        let kind = self.kind();
        self.set_owner(owner, kind);
        if kind == 0 {
            self.unlink_from(owner);
        }
    }

    #[inline(always)]
    pub(super) fn link_to(&self, owner: &ThreadBlock) {
        self.next.set(owner.held().get());
        owner.held().set(self);
    }

    /// Takes the mutex out of its owner's list. One step if the mutex was the last to come.
    #[inline(always)]
    pub(super) fn unlink_from(&self, owner: &ThreadBlock) {
        let others = plainly(self.next.get());
        if ptr::eq(plainly(owner.held().get()), self) {
            return owner.held().set(others);
        }
        self.unlink_from_others(owner, others);
    }

    /// Takes the mutex out of its owner's list, if others came later.
    #[cold]
    #[inline(never)]
    fn unlink_from_others(&self, owner: &ThreadBlock, others: *const Self) {
        let mut link = owner.held();
        while !ptr::eq(plainly(link.get()), self) {
            // SAFETY: INVARIANT(held): the mutex is in the list, and mutexes in a list live.
            link = unsafe { &(*plainly(link.get())).next };
        }
        link.set(others.map_addr(|address| address | link.get().addr() & LENT));
    }
}

/// Returns a link without `PLAIN` and `LENT`.
#[inline(always)]
pub(super) fn plainly(link: *const Ownership) -> *const Ownership {
    link.map_addr(|address| address & !(PLAIN | LENT))
}
