//! The local exclusive monitor (A3.4) of the Cortex-M3. The monitor remembers that there was a
//! load-exclusive, but no address, so that the reservation covers all memory. Every exception entry
//! and return clears the reservation.

/// Open (a load-exclusive came last) or exclusive-free.
#[derive(Clone, Debug, Default)]
pub struct ExclusiveMonitor {
    open: bool,
}

impl ExclusiveMonitor {
    /// A load-exclusive: the next store-exclusive succeeds.
    #[inline]
    pub fn reserve(&mut self) {
        self.open = true;
    }

    /// Returns `true` if a store-exclusive may store. The reservation is gone in any case.
    #[inline]
    pub fn take(&mut self) -> bool {
        std::mem::take(&mut self.open)
    }

    /// CLREX, an exception entry or an exception return.
    #[inline]
    pub fn clear(&mut self) {
        self.open = false;
    }
}
