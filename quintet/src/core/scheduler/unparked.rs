//! Who is unparked from anywhere: also from interrupts that no mask holds off.
//!
//! ```text
//!   unparked ──> last ──> ... ──> first      pushed by atomic steps, by whoever wakes
//!                                            taken as a whole by the switch, and turned round
//! ```
//!
//! Waking pends the switch, which makes ready whom it finds, under the kernel's lock, in the order
//! in which they were woken. Idle in the list, which is never parked, says that slices are to be
//! timed. The switch knows by a pointer what to call, so that all of this is linked only where
//! threads are unparked from anywhere.
//!
//! # Invariants
//! - INVARIANT(pushed-before-switch): between the mark that says that a thread is in the list and
//!   the push, no other thread runs. Whoever finds the mark leaves the push to the one who set it,
//!   who could otherwise be preempted or suspended for as long as it takes. The kernel's lock holds
//!   the switch off; interrupts above it may come between, and pend a switch that comes behind.

use ::core::ptr::{self, NonNull};
use ::core::sync::atomic::{AtomicPtr, Ordering};

use super::{APART_SLOT, Apart, Control, SCHEDULER, Scheduler};
use crate::core::lock::{self, Kernel};

impl Scheduler {
    /// Notes that a thread is to be unparked. From any context, also one that no mask holds off;
    /// whoever called pends a switch, which [looks](Self::take_unparked) at it.
    pub fn unpark_from_anywhere(&self, control: &Control) {
        if self.apart().is_none() {
            self.begin_to_unpark();
        }
        // INVARIANT(pushed-before-switch).
        lock::kernel(|_| self.push_unparked(control));
    }

    /// Puts a thread into the list, unless it is there.
    #[inline(always)]
    fn push_unparked(&self, control: &Control) {
        let (next, none) = (&control.unparked_next, ptr::null_mut());
        if next.compare_exchange(none, marked(none), Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            // It is in the list already, and its turn is to come.
            return;
        }
        let own = control.own().as_ptr();
        let mut last = self.unparked.load(Ordering::Relaxed);
        loop {
            next.store(marked(last), Ordering::Relaxed);
            match self.unparked.compare_exchange_weak(
                last,
                own,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(other) => last = other,
            }
        }
    }

    /// What not every application has, if something of it was used.
    #[inline(always)]
    pub(super) fn apart(&self) -> Option<&'static Apart> {
        // SAFETY: null, or one of the statics.
        unsafe { self.apart_word().load(Ordering::Relaxed).as_ref() }
    }

    /// Where that stands.
    #[inline(always)]
    pub(super) fn apart_word(&self) -> &AtomicPtr<Apart> {
        let slot = self.queue[APART_SLOT].as_ptr().cast::<*mut Apart>();
        // SAFETY: a pointer, which lives as long as this. No thread has the slot.
        unsafe { AtomicPtr::from_ptr(slot) }
    }

    /// Lets the switch know how threads are unparked, if it doesn't.
    #[cold]
    #[inline(never)]
    fn begin_to_unpark(&self) {
        let (none, own) = (ptr::null_mut(), ptr::from_ref(&APART).cast_mut());
        // Threads that take turns have another one, perhaps since this was looked at.
        let _other =
            self.apart_word().compare_exchange(none, own, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Takes all that were unparked from anywhere, the first that was before the others. To be
    /// [unparked](Self::unpark_taken) one by one.
    pub fn take_unparked(&self) -> Option<NonNull<Control>> {
        let mut last = self.unparked.swap(ptr::null_mut(), Ordering::Relaxed);
        let mut first = ptr::null_mut();
        // SAFETY: control blocks live for ever. Nobody else changes these links: who is taken
        // doesn't enter the list again before it is unparked.
        while let Some(control) = unsafe { last.as_ref() } {
            let before = control.unparked_next.load(Ordering::Relaxed);
            control.unparked_next.store(marked(first), Ordering::Relaxed);
            (first, last) = (last, unmarked(before));
        }
        NonNull::new(first)
    }

    /// Unparks the first of those that were taken, and returns the next. The caller, which is the
    /// switch, looks who is to run when it is through.
    ///
    /// # Safety
    /// `taken` is from [`take_unparked`](Self::take_unparked), or from this.
    pub unsafe fn unpark_taken(
        &self,
        taken: NonNull<Control>,
        lock: &Kernel<'_>,
    ) -> Option<NonNull<Control>> {
        // SAFETY: control blocks live for ever.
        let control = unsafe { taken.as_ref() };
        let next = control.unparked_next.load(Ordering::Relaxed);
        // From here on it may enter the list again.
        control.unparked_next.store(ptr::null_mut(), Ordering::Relaxed);
        if Self::is_unparked(control, lock) {
            self.enter(control, lock);
        }
        NonNull::new(unmarked(next))
    }
}

/// In the link of a thread that is in the list: so it isn't null, also if it is the last.
const MARK: usize = 1;

fn marked(next: *mut Control) -> *mut Control {
    next.map_addr(|address| address | MARK)
}

fn unmarked(next: *mut Control) -> *mut Control {
    next.map_addr(|address| address & !MARK)
}

/// What the switch calls when threads were unparked from anywhere. It then looks who is to run.
pub extern "C" fn unpark_all() {
    unpark_each(|_| ());
}

/// Unparks all that were unparked from anywhere, with a section for each, and a look at it before.
#[inline(always)]
pub fn unpark_each(mut look: impl FnMut(*const Control)) {
    let mut taken = SCHEDULER.take_unparked();
    while let Some(first) = taken {
        look(first.as_ptr());
        // SAFETY: `first` is from the list.
        taken = lock::kernel(|lock| unsafe { SCHEDULER.unpark_taken(first, lock) });
    }
}

/// What the scheduler calls where threads are unparked from anywhere, and take no turns.
static APART: Apart = Apart { unpark_all, note_second: |_| () };
