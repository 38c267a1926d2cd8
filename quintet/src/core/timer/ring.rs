//! Rings of links: doubly linked lists that close over their owner's link, so that no end is
//! special. An owner with nothing in its ring may be unlinked: nothing has to be written for one
//! that may stay so.
//!
//! Every function takes a few loads and stores, and no branch depends on what is linked where.

use ::core::ptr;

/// A place in a ring, or the owner of one.
#[repr(C)]
pub struct Link {
    next: *mut Self,
    previous: *mut Self,
}

impl Link {
    /// In no ring.
    pub const fn unlinked() -> Self {
        Self { next: ptr::null_mut(), previous: ptr::null_mut() }
    }

    /// The link at `this`, alone in its ring.
    pub const fn alone(this: *mut Self) -> Self {
        Self { next: this, previous: this }
    }

    /// Whether it is in a ring.
    #[inline(always)]
    pub const fn is_linked(&self) -> bool {
        !self.next.is_null()
    }

    /// Whether it is in a ring, while an interrupt may take it out.
    ///
    /// # Safety
    /// `this` is valid.
    #[inline(always)]
    pub unsafe fn may_be_linked(this: *const Self) -> bool {
        // SAFETY: the caller's.
        unsafe { !Self::next_now(this).is_null() }
    }

    /// Says that it is in no ring any more.
    #[inline(always)]
    pub const fn unlink(&mut self) {
        self.next = ptr::null_mut();
    }

    /// Claims a link that is in no ring, until it is put into one. False if somebody has.
    #[inline(always)]
    pub fn claim(&mut self) -> bool {
        // Nothing has itself as its previous link but a ring's owner, which is in no other ring.
        let this = ptr::from_mut(self);
        let free = self.previous != this;
        self.previous = this;
        free
    }

    /// Whether it has been in a ring since it was made, and was [taken out](Self::unlink). While an
    /// interrupt may take it out: a "yes" lasts.
    ///
    /// # Safety
    /// `this` is valid.
    #[inline(always)]
    pub unsafe fn has_left(this: *const Self) -> bool {
        // SAFETY: the caller's. Words, which an interrupt changes as a whole; while the first is
        // set, so is the second, and afterwards nobody changes either.
        unsafe {
            !Self::may_be_linked(this) && !(&raw const (*this).previous).read_volatile().is_null()
        }
    }

    /// The next link in the ring.
    #[inline(always)]
    pub const fn next(&self) -> *mut Self {
        self.next
    }

    /// The next link in the ring, while an interrupt may change it.
    ///
    /// # Safety
    /// `this` is valid.
    #[inline(always)]
    pub unsafe fn next_now(this: *const Self) -> *mut Self {
        // SAFETY: the caller's. A word, which an interrupt changes as a whole.
        unsafe { (&raw const (*this).next).read_volatile() }
    }

    /// The previous link in the ring.
    #[inline(always)]
    pub const fn previous(&self) -> *mut Self {
        self.previous
    }
}

/// Whether a ring has nothing but its owner.
///
/// # Safety
/// `owner` is in a ring.
#[inline(always)]
pub unsafe fn is_alone(owner: *mut Link) -> bool {
    // SAFETY: the caller's.
    unsafe { (*owner).next == owner }
}

/// Puts `link` behind `place`.
///
/// # Safety
/// `place` is in a ring of valid links, `link` in none.
#[inline(always)]
pub unsafe fn insert_behind(place: *mut Link, link: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let next = (*place).next;
        *link = Link { next, previous: place };
        (*next).previous = link;
        (*place).next = link;
    }
}

/// Puts `link` behind `place`, which may be an unlinked owner.
///
/// # Safety
/// `place` is in a ring of valid links or unlinked, `link` in none.
#[inline(always)]
pub unsafe fn insert_below(place: *mut Link, link: *mut Link) {
    // SAFETY: the caller's; an unlinked owner becomes a ring.
    unsafe {
        let next = if (*place).next.is_null() { place } else { (*place).next };
        *link = Link { next, previous: place };
        (*next).previous = link;
        (*place).next = link;
    }
}

/// Takes `link` out of its ring, and leaves its own pointers as they are.
///
/// # Safety
/// `link` is in a ring of valid links.
#[inline(always)]
pub unsafe fn remove(link: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let Link { next, previous } = *link;
        (*next).previous = previous;
        (*previous).next = next;
    }
}

/// Takes the link `first` out that is next to `owner`.
///
/// # Safety
/// It is, in a ring of valid links.
#[inline(always)]
pub unsafe fn remove_first(owner: *mut Link, first: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let next = (*first).next;
        (*next).previous = owner;
        (*owner).next = next;
    }
}

/// Takes the link `last` out that is before `owner`.
///
/// # Safety
/// It is, in a ring of valid links.
#[inline(always)]
pub unsafe fn remove_last(owner: *mut Link, last: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let previous = (*last).previous;
        (*previous).next = owner;
        (*owner).previous = previous;
    }
}

/// Puts all of the ring of `owner` behind `place`, and leaves `owner` unlinked.
///
/// # Safety
/// Both are in rings of valid links, and not in the same one.
#[inline(always)]
pub unsafe fn move_all_behind(place: *mut Link, owner: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let (last, next) = ((*owner).previous, (*place).next);
        (*last).next = next;
        (*next).previous = last;
        // Read now: if the owner was alone, it was the last, and the first is `next`.
        let first = (*owner).next;
        (*first).previous = place;
        (*place).next = first;
        *owner = Link::unlinked();
    }
}
