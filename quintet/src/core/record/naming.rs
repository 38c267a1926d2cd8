//! Wake targets that name the control block of a thread. Such a thread waits for one object, and
//! nothing else wakes the thread.

#![expect(unsafe_code, reason = "control blocks are reached through pointers")]

use ::core::mem::MaybeUninit;
#[cfg(feature = "time")]
use ::core::ptr;

use super::thread::ThreadBlock;
use super::waiter::Waiter;
use super::wake_target::WakeTarget;

impl WakeTarget {
    /// Makes a wake target that names a thread.
    #[must_use]
    pub const fn of_thread(control: *const ThreadBlock) -> Self {
        Self::of_control(control.cast())
    }

    /// Puts the thread's name into a wake target of a thread that doesn't name its thread yet.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub const fn name_thread(&mut self, control: &'static ThreadBlock) {
        self.set_word(ptr::from_ref(control).cast());
    }

    /// Returns the thread, if the target is a thread.
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> Option<&'static ThreadBlock> {
        if !self.is_thread() {
            return None;
        }
        // SAFETY: the word is from `of_thread` or from `name_thread`; control blocks live for ever.
        unsafe {
            ::core::hint::assert_unchecked(!self.word().is_null());
            Some(&*self.word().cast())
        }
    }

    /// Returns the named thread if the thread waits already. For a target that is a thread.
    #[cfg(feature = "time")]
    #[inline(always)]
    #[must_use]
    pub fn thread_that_waits(&self) -> Option<&'static ThreadBlock> {
        // SAFETY: the word is from `of_thread`, or is null; control blocks live for ever.
        unsafe { self.word().cast::<ThreadBlock>().as_ref() }
    }
}

impl<D> Waiter<D> {
    /// Makes a waiter for a thread that nothing else wakes while the waiter is linked. The waiter
    /// always names this thread.
    #[must_use]
    pub const fn of_thread(control: *const ThreadBlock, priority: u8, demand: D) -> Self {
        let target = MaybeUninit::new(WakeTarget::of_thread(control));
        Self::with(target, priority, MaybeUninit::uninit(), demand)
    }
}
