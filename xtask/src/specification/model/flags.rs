//! The specification of event flags.

use super::State;

impl State {
    /// Takes the flags that somebody waits for, if they are set.
    pub(super) fn take_flags(&mut self, mask: u8, all: bool, take: bool) -> Option<u16> {
        let hits = self.flags & mask;
        let set = if all { hits == mask } else { hits != 0 };
        if set && take {
            self.flags &= !hits;
        }
        set.then_some(hits.into())
    }

    pub(super) fn clear_flags(&mut self, flags: u8) -> u16 {
        let before = self.flags;
        self.flags &= !flags;
        before.into()
    }
}
