//! A ring of events, of which the queues of actors are made. A ring has no lock of its own.
//!
//! ```text
//!   slots      - - e e e -        head = 2, len = 3, the place of the next is (head + len) mod N
//!   head       0 only before the first event; then 1 to N, where N stands for 0
//! ```
//!
//! Therefore one byte says where the first event is, and whether there ever was an event.
//!
//! # Invariants
//! - INVARIANT(ring-filled): the `len` slots from `head` on hold an event each, and no others do.

#![expect(unsafe_code, reason = "events are moved in and out of slots")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::mem::{ManuallyDrop, MaybeUninit};
use ::core::sync::atomic::{Ordering, compiler_fence};

use super::queue::Fill;
use crate::core::kernel_cell::KernelCell;

/// The largest size of an event, in bytes. There is a limit because an event is moved while the
/// kernel's lock is held.
pub const EVENT_MAX: usize = 16;

/// A bit beside the number of events: no event is admitted. Larger than any number of places.
const CLOSED: u16 = 0x100;

/// A ring of up to `N` events, 1 to 255.
///
/// All zeros at first. The owner reaches the ring from one context at a time.
#[repr(C)]
pub struct Ring<E, const N: usize> {
    head: Head,
    slots: UnsafeCell<[MaybeUninit<E>; N]>,
}

/// The part of a ring besides the slots.
#[repr(C)]
pub struct Head {
    /// The number of events, and beside the number [`CLOSED`], if no event is admitted: one
    /// comparison checks both.
    taken: Cell<u16>,
    /// Where the first event is.
    head: Cell<u8>,
    /// The largest number of events at a time when one was taken and others stayed.
    most: Cell<u8>,
}

/// A ring whose length is known only when the program runs. All lengths share this code, so that it
/// exists once for each type of events.
pub struct Places<E> {
    /// Typed as a ring of one place: each ring has at least one.
    ring: *const Ring<E, 1>,
    /// The number of places.
    capacity: u8,
}

impl<E> Clone for Places<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Places<E> {}

impl<E> Places<E> {
    /// The part of the ring besides the slots.
    ///
    /// # Safety
    /// The ring lives as long as the reference is used.
    #[inline(always)]
    const unsafe fn head<'a>(self) -> &'a Head {
        // SAFETY: the caller's.
        unsafe { &(*self.ring).head }
    }

    /// The place of a slot.
    ///
    /// # Safety
    /// The ring is there; `index` is less than its length.
    #[inline(always)]
    const unsafe fn slot(self, index: usize) -> *mut E {
        // SAFETY: the caller's.
        unsafe { UnsafeCell::raw_get(&raw const (*self.ring).slots).cast::<E>().add(index) }
    }

    /// Moves `event` before the others, or behind them, if `free` places stay free. Returns `true`
    /// if the event was moved.
    ///
    /// # Safety
    /// The ring is there, and belongs to the caller for now; `event` is valid. If this function
    /// returns `true`, the event has moved away.
    #[inline(always)]
    #[must_use]
    pub unsafe fn push<const FRONT: bool>(self, event: *const E, free: u8) -> bool {
        // SAFETY: the caller's.
        unsafe { if FRONT { self.push_front(event, free) } else { self.push_back(event, free) } }
    }

    /// Moves `event` behind the others.
    ///
    /// # Safety
    /// As for [`push`](Self::push).
    #[inline(always)]
    unsafe fn push_back(self, event: *const E, free: u8) -> bool {
        // SAFETY: the caller's.
        let (head, capacity) = (unsafe { self.head() }, usize::from(self.capacity));
        if head.refuses(free, self.capacity) {
            return false;
        }
        // Not closed: it is what there is.
        let taken = head.taken.get();
        let mut index = usize::from(head.head.get()) + usize::from(taken);
        if index >= capacity {
            index -= capacity;
        }
        // SAFETY: less than the length, as the head is at most that and `len` is less; the slot is
        // free by INVARIANT(ring-filled), the event is the caller's.
        unsafe { self.slot(index).copy_from_nonoverlapping(event, 1) };
        // Last: a load behind a store takes longer, and the compiler would have one there.
        compiler_fence(Ordering::Release);
        head.taken.set(taken + 1);
        true
    }

    /// Moves `event` before the others.
    ///
    /// # Safety
    /// As for [`push`](Self::push).
    #[inline(always)]
    unsafe fn push_front(self, event: *const E, free: u8) -> bool {
        // SAFETY: the caller's.
        let ring = unsafe { self.head() };
        if ring.refuses(free, self.capacity) {
            return false;
        }
        let mut head = usize::from(ring.head.get());
        if head == 0 {
            head = usize::from(self.capacity);
        }
        head -= 1;
        // SAFETY: as in `push_back`.
        unsafe { self.slot(head).copy_from_nonoverlapping(event, 1) };
        ring.head.set(head as u8);
        ring.taken.set(ring.taken.get() + 1);
        true
    }

    /// How full the ring is, and was.
    ///
    /// # Safety
    /// The ring is there, and the caller's for now.
    #[must_use]
    pub unsafe fn fill(self) -> Fill {
        // SAFETY: the caller's.
        unsafe { self.head() }.fill(self.capacity)
    }

    /// The part of a queue's ring besides the slots.
    ///
    /// # Safety
    /// The ring belongs to a queue, and lives as long as the reference is used.
    #[inline(always)]
    pub const unsafe fn guarded<'a>(self) -> &'a KernelCell<Head> {
        // SAFETY: the caller's; transparent, and the ring begins with its head.
        unsafe { &*self.ring.cast() }
    }

    /// How many places there are.
    pub const fn capacity(self) -> u8 {
        self.capacity
    }
}

impl Head {
    /// Returns `true` if there are fewer than `free + 1` free places, or no event is admitted.
    #[inline(always)]
    fn refuses(&self, free: u8, capacity: u8) -> bool {
        self.taken.get() + u16::from(free) >= u16::from(capacity)
    }

    /// Whether no event is admitted.
    #[inline(always)]
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.taken.get() & CLOSED != 0
    }

    /// How full the ring is, and was.
    fn fill(&self, capacity: u8) -> Fill {
        let len = self.taken.get() as u8;
        // The first event that was taken has moved the head, and left it above 0.
        let ever = u8::from(self.head.get() != 0);
        Fill { len, capacity, high_water: self.most.get().max(len).max(ever) }
    }
}

impl<E, const N: usize> Ring<E, N> {
    /// An empty ring.
    #[must_use]
    pub const fn new(closed: bool) -> Self {
        const { assert!(1 <= N && N <= 255, "a queue of events has 1 to 255 places") };
        let taken = Cell::new(if closed { CLOSED } else { 0 });
        Self {
            head: Head { taken, head: Cell::new(0), most: Cell::new(0) },
            slots: UnsafeCell::new([const { MaybeUninit::uninit() }; N]),
        }
    }

    /// The ring at an address, as one of any length.
    #[inline(always)]
    pub const fn places(ring: *const Self) -> Places<E> {
        Places { ring: ring.cast(), capacity: N as u8 }
    }

    /// Moves `event` before the others, or behind them, if `free` places stay free. Returns `true`
    /// if the event was moved.
    ///
    /// # Safety
    /// `event` is valid. If this function returns `true`, the event has moved away.
    #[inline(always)]
    #[must_use]
    pub unsafe fn push<const FRONT: bool>(&self, event: *const E, free: u8) -> bool {
        // SAFETY: the caller's; this is there.
        unsafe { Self::places(self).push::<FRONT>(event, free) }
    }

    /// Takes the first event, if there is one. The `bool` is `true` if more events are there.
    #[inline(always)]
    #[must_use]
    pub fn pop(&self) -> Option<(E, bool)> {
        let ring = &self.head;
        let taken = ring.taken.get();
        let len = taken as u8;
        if len == 0 {
            return None;
        }
        let mut head = usize::from(ring.head.get());
        if head == N {
            head = 0;
        }
        // SAFETY: less than N; INVARIANT(ring-filled).
        let event = unsafe { Self::places(self).slot(head).read() };
        ring.head.set(head as u8 + 1);
        ring.taken.set(taken - 1);
        let more = len != 1;
        if more && len > ring.most.get() {
            ring.most.set(len);
        }
        Some((event, more))
    }

    /// Moves `event` behind the others.
    ///
    /// # Errors
    /// If there is no room, `event` comes back.
    #[inline(always)]
    pub fn put_back(&self, event: E) -> Result<(), E> {
        // SAFETY: `hand_over` hands a valid event, and takes its word.
        hand_over(event, |event| unsafe { self.push::<false>(event, 0) })
    }

    /// Moves `event` before the others.
    ///
    /// # Errors
    /// If there is no room, `event` comes back.
    #[inline(always)]
    pub fn put_front(&self, event: E) -> Result<(), E> {
        // SAFETY: the same.
        hand_over(event, |event| unsafe { self.push::<true>(event, 0) })
    }

    /// Admits events, or admits none from now on.
    #[inline(always)]
    pub fn close(&self, closed: bool) {
        let len = self.head.taken.get() & !CLOSED;
        self.head.taken.set(if closed { len | CLOSED } else { len });
    }

    /// Whether no event is admitted.
    #[inline(always)]
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.head.is_closed()
    }

    /// How full the ring is, and was.
    #[must_use]
    pub fn fill(&self) -> Fill {
        self.head.fill(N as u8)
    }
}

/// Refuses events that are too large for a queue.
pub const fn assert_event_size<E>() {
    assert!(
        size_of::<E>() <= EVENT_MAX,
        "an event has at most 16 bytes, as it is moved while interrupts are held off: let larger \
         data go by a handle (`quintet::actor::EventPool`) or by `&'static`"
    );
}

/// Hands `event` to `push`, which returns `true` if the event was moved away. Otherwise returns the
/// event.
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
