//! Threads that wait for one object, which nobody else wakes: a wake target names their control
//! block.

#![expect(unsafe_code, reason = "control blocks are reached through pointers")]

use ::core::mem::MaybeUninit;
#[cfg(feature = "time")]
use ::core::ptr;

use super::thread::ThreadBlock;
use super::waiter::Waiter;
use super::wake_target::WakeTarget;

impl WakeTarget {
    /// Names a thread.
    #[must_use]
    pub const fn of_thread(control: *const ThreadBlock) -> Self {
        Self::of_control(control.cast())
    }

    /// Names the thread, of one that doesn't name it yet.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub const fn name_thread(&mut self, control: &'static ThreadBlock) {
        self.set_word(ptr::from_ref(control).cast());
    }

    /// The thread, if it is one.
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> Option<&'static ThreadBlock> {
        if !self.is_thread() {
            return None;
        }
        // SAFETY: from `of_thread`, or named since; control blocks live for ever.
        unsafe {
            ::core::hint::assert_unchecked(!self.word().is_null());
            Some(&*self.word().cast())
        }
    }

    /// The thread that it names, if it waits already: for one that is a thread.
    #[cfg(feature = "time")]
    #[inline(always)]
    #[must_use]
    pub fn thread_that_waits(&self) -> Option<&'static ThreadBlock> {
        // SAFETY: from `of_thread`, or none yet; control blocks live for ever.
        unsafe { self.word().cast::<ThreadBlock>().as_ref() }
    }
}

impl<D> Waiter<D> {
    /// A waiter for a thread that nobody else wakes while it is linked. It always holds its thread.
    #[must_use]
    pub const fn of_thread(control: *const ThreadBlock, priority: u8, demand: D) -> Self {
        let target = MaybeUninit::new(WakeTarget::of_thread(control));
        Self::with(target, priority, MaybeUninit::uninit(), demand)
    }
}
