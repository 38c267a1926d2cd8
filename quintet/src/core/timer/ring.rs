//! Rings of links: doubly linked lists that close over their owner's link, so that no end is
//! special. An owner with an empty ring may be unlinked, so that nothing has to be written for an
//! owner whose ring may stay empty.
//!
//! Every function takes a few loads and stores, and no branch depends on the other links of a ring.

use ::core::ptr;

/// A place in a ring, or the owner of one.
#[repr(C)]
pub struct Link {
    next: *mut Self,
    previous: *mut Self,
}

impl Link {
    /// Makes a link that is in no ring.
    pub const fn unlinked() -> Self {
        Self { next: ptr::null_mut(), previous: ptr::null_mut() }
    }

    /// Makes the link at `this`, alone in its ring.
    pub const fn alone(this: *mut Self) -> Self {
        Self { next: this, previous: this }
    }

    /// Returns `true` if the link is in a ring.
    #[inline(always)]
    pub const fn is_linked(&self) -> bool {
        !self.next.is_null()
    }

    /// Returns `true` if the link is in a ring, while an interrupt may take the link out.
    ///
    /// # Safety
    /// `this` is valid.
    #[inline(always)]
    pub unsafe fn may_be_linked(this: *const Self) -> bool {
        // SAFETY: the caller's.
        unsafe { !Self::next_now(this).is_null() }
    }

    /// Marks the link as being in no ring.
    #[inline(always)]
    pub const fn unlink(&mut self) {
        self.next = ptr::null_mut();
    }

    /// Marks an owner that is in no ring with the address of its node, `node`.
    #[inline(always)]
    pub const fn mark(&mut self, node: *mut Self) {
        self.previous = node;
    }

    /// Takes the [mark](Self::mark) away from an owner that is in no ring.
    #[inline(always)]
    pub const fn unmark(&mut self) {
        self.previous = ptr::null_mut();
    }

    /// Returns `true` if the owner is [marked](Self::mark).
    #[inline(always)]
    pub fn is_marked(&self, node: *mut Self) -> bool {
        self.previous == node
    }

    /// Claims a link that is in no ring, until the link is put into a ring. Returns `false` if the
    /// link is claimed already.
    #[inline(always)]
    pub fn claim(&mut self) -> bool {
        // Only a ring's owner has itself as its previous link, and an owner is in no other ring.
        let this = ptr::from_mut(self);
        let free = self.previous != this;
        self.previous = this;
        free
    }

    /// Returns `true` if the link has been in a ring since it was made, and was [taken
    /// out](Self::unlink). For use while an interrupt may take the link out; `true` stays right.
    ///
    /// # Safety
    /// `this` is valid.
    #[inline(always)]
    pub unsafe fn has_left(this: *const Self) -> bool {
        // SAFETY: the caller's. Words that an interrupt writes only as a whole. While the first is
        // set, so is the second, and afterwards no context changes either.
        unsafe {
            !Self::may_be_linked(this) && !(&raw const (*this).previous).read_volatile().is_null()
        }
    }

    /// Returns the next link in the ring.
    #[inline(always)]
    pub const fn next(&self) -> *mut Self {
        self.next
    }

    /// Returns the next link in the ring, while an interrupt may change this pointer.
    ///
    /// # Safety
    /// `this` is valid.
    #[inline(always)]
    pub unsafe fn next_now(this: *const Self) -> *mut Self {
        // SAFETY: the caller's. A word that an interrupt writes only as a whole.
        unsafe { (&raw const (*this).next).read_volatile() }
    }

    /// Returns the previous link in the ring.
    #[inline(always)]
    pub const fn previous(&self) -> *mut Self {
        self.previous
    }
}

/// Returns `true` if a ring contains only its owner.
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

/// Takes `link` out of its ring, and leaves the pointers of `link` unchanged.
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

/// Takes the link `first` out, which is next to `owner`.
///
/// # Safety
/// `first` is next to `owner`, in a ring of valid links.
#[inline(always)]
pub unsafe fn remove_first(owner: *mut Link, first: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let next = (*first).next;
        (*next).previous = owner;
        (*owner).next = next;
    }
}

/// Takes the link `last` out, which is before `owner`.
///
/// # Safety
/// `last` is before `owner`, in a ring of valid links.
#[inline(always)]
pub unsafe fn remove_last(owner: *mut Link, last: *mut Link) {
    // SAFETY: the caller's.
    unsafe {
        let previous = (*last).previous;
        (*previous).next = owner;
        (*owner).previous = previous;
    }
}

/// Puts all links of the ring of `owner` behind `place`, and leaves `owner` unlinked.
///
/// # Safety
/// Both are in rings of valid links, and not in the same ring.
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
