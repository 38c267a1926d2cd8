//! A ring of events: what the queues of actors are made of. It has no lock of its own.
//!
//! ```text
//!   slots      - - e e e -        head = 2, len = 3, the place of the next is (head + len) mod N
//!   head       0 only before the first event; then 1 to N, where N stands for 0
//! ```
//!
//! So one byte says where the first event is, and whether there ever was one.
//!
//! # Invariants
//! - INVARIANT(ring-filled): the `len` slots from `head` on hold an event each, and no others do.

#![expect(unsafe_code, reason = "events are moved in and out of slots")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::mem::{ManuallyDrop, MaybeUninit};

use super::queue::Fill;

/// The largest event, in bytes: it is moved while the kernel's lock is held.
pub const EVENT_MAX: usize = 16;

/// Beside the number of events: none is admitted. More than there are places.
const CLOSED: u16 = 0x100;

/// A ring of up to `N` events, 1 to 255.
///
/// All zeros at first. Whoever has it reaches it from one context at a time.
#[repr(C)]
pub struct Ring<E, const N: usize> {
    /// How many events are there, and beside it [`CLOSED`], if none is admitted: one comparison
    /// is for both.
    taken: Cell<u16>,
    /// Where the first event is.
    head: Cell<u8>,
    /// How many there were at once, when one was taken and others stayed.
    most: Cell<u8>,
    slots: UnsafeCell<[MaybeUninit<E>; N]>,
}

impl<E, const N: usize> Ring<E, N> {
    /// An empty ring.
    #[must_use]
    pub const fn new(closed: bool) -> Self {
        const {
            assert!(1 <= N && N <= 255, "a queue of events has 1 to 255 places");
            assert!(
                size_of::<E>() <= EVENT_MAX,
                "an event has at most 16 bytes, as it is moved while interrupts are held off: let \
                 larger data go by a handle (`quintet::actor::EventPool`) or by `&'static`"
            );
        }
        Self {
            taken: Cell::new(if closed { CLOSED } else { 0 }),
            head: Cell::new(0),
            most: Cell::new(0),
            slots: UnsafeCell::new([const { MaybeUninit::uninit() }; N]),
        }
    }

    /// Whether there are fewer than `free + 1` free places, or none is admitted.
    #[inline(always)]
    fn refuses(&self, free: u8) -> bool {
        self.taken.get() + u16::from(free) >= N as u16
    }

    /// The place of a slot.
    ///
    /// # Safety
    /// `index` is less than `N`.
    #[inline(always)]
    unsafe fn slot(&self, index: usize) -> *mut E {
        // SAFETY: the caller's.
        unsafe { self.slots.get().cast::<E>().add(index) }
    }

    /// Moves `event` behind the others, if `free` places stay free. Whether it did.
    ///
    /// # Safety
    /// `event` is valid. If this says true, it has moved away.
    #[inline(always)]
    #[must_use]
    pub unsafe fn push_back(&self, event: *const E, free: u8) -> bool {
        if self.refuses(free) {
            return false;
        }
        // Not closed: it is what there is.
        let taken = self.taken.get();
        let mut index = usize::from(self.head.get()) + usize::from(taken);
        if index >= N {
            index -= N;
        }
        // SAFETY: less than N, as the head is at most N and `len` is less; the slot is free by
        // INVARIANT(ring-filled), the event is the caller's.
        unsafe { self.slot(index).copy_from_nonoverlapping(event, 1) };
        self.taken.set(taken + 1);
        true
    }

    /// Moves `event` before the others. Whether there was room.
    ///
    /// # Safety
    /// As for [`push_back`](Self::push_back).
    #[inline(always)]
    #[must_use]
    pub unsafe fn push_front(&self, event: *const E) -> bool {
        if self.refuses(0) {
            return false;
        }
        let mut head = usize::from(self.head.get());
        if head == 0 {
            head = N;
        }
        head -= 1;
        // SAFETY: as in `push_back`.
        unsafe { self.slot(head).copy_from_nonoverlapping(event, 1) };
        self.head.set(head as u8);
        self.taken.set(self.taken.get() + 1);
        true
    }

    /// Takes the first event, if there is one, and says whether more are there.
    #[inline(always)]
    #[must_use]
    pub fn pop(&self) -> Option<(E, bool)> {
        let taken = self.taken.get();
        let len = taken as u8;
        if len == 0 {
            return None;
        }
        let mut head = usize::from(self.head.get());
        if head == N {
            head = 0;
        }
        // SAFETY: less than N; INVARIANT(ring-filled).
        let event = unsafe { self.slot(head).read() };
        self.head.set(head as u8 + 1);
        self.taken.set(taken - 1);
        let more = len != 1;
        if more && len > self.most.get() {
            self.most.set(len);
        }
        Some((event, more))
    }

    /// As [`push_back`](Self::push_back), of a value.
    ///
    /// # Errors
    /// If there is no room, `event` comes back.
    #[inline(always)]
    pub fn put_back(&self, event: E) -> Result<(), E> {
        // SAFETY: `hand_over` hands a valid event, and takes its word.
        hand_over(event, |event| unsafe { self.push_back(event, 0) })
    }

    /// As [`push_front`](Self::push_front), of a value.
    ///
    /// # Errors
    /// If there is no room, `event` comes back.
    #[inline(always)]
    pub fn put_front(&self, event: E) -> Result<(), E> {
        // SAFETY: the same.
        hand_over(event, |event| unsafe { self.push_front(event) })
    }

    /// Admits events, or none from now on.
    #[inline(always)]
    pub fn close(&self, closed: bool) {
        let len = self.taken.get() & !CLOSED;
        self.taken.set(if closed { len | CLOSED } else { len });
    }

    /// Whether no event is admitted.
    #[inline(always)]
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.taken.get() & CLOSED != 0
    }

    /// How full it is, and was.
    #[must_use]
    pub fn fill(&self) -> Fill {
        let len = self.taken.get() as u8;
        // The first event that was taken has moved the head, and left it above 0.
        let ever = u8::from(self.head.get() != 0);
        Fill { len, capacity: N as u8, high_water: self.most.get().max(len).max(ever) }
    }
}

/// Hands `event` to `push`, which says whether it has moved it away. If not, returns it.
#[inline(always)]
fn hand_over<E>(event: E, push: impl FnOnce(*const E) -> bool) -> Result<(), E> {
    let event = ManuallyDrop::new(event);
    if push(&raw const *event) { Ok(()) } else { Err(ManuallyDrop::into_inner(event)) }
}

impl<E, const N: usize> Drop for Ring<E, N> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}
