//! Polling: what a thread polls a future with, its waker and a timer.
//!
//! The waker that the future is shown is this one's, by which a wish to be woken at a time finds
//! the timer. Clones are the thread's own waker: they may be there for longer.

use ::core::task::{RawWaker, RawWakerVTable, Waker};

use super::{WAKERS, wake};
use crate::core::scheduler::Control;
#[cfg(feature = "time")]
use crate::core::timer::Node;

/// A thread that polls a future.
pub struct Polling {
    control: &'static Control,
    #[cfg(feature = "time")]
    timer: Node,
}

/// The functions of the wakers that futures are shown. Their word is the address of a [`Polling`].
static POLLING: RawWakerVTable = RawWakerVTable::new(clone_waker, wake_thread, wake_thread, forget);

unsafe fn clone_waker(polling: *const ()) -> RawWaker {
    // SAFETY: from `Polling::waker`.
    RawWaker::new(::core::ptr::from_ref(unsafe { control_of(polling) }).cast(), &WAKERS)
}

unsafe fn wake_thread(polling: *const ()) {
    // SAFETY: from `Polling::waker`.
    unsafe { wake(::core::ptr::from_ref(control_of(polling)).cast()) };
}

/// They own nothing.
const unsafe fn forget(_polling: *const ()) {}

/// # Safety
/// It is the word of a waker with these functions.
unsafe fn control_of(polling: *const ()) -> &'static Control {
    // SAFETY: the caller's; it outlives the waker.
    unsafe { &*polling.cast::<Polling>() }.control
}

impl Polling {
    /// For the thread `control`.
    #[must_use]
    pub const fn new(control: &'static Control) -> Self {
        Self {
            control,
            #[cfg(feature = "time")]
            timer: Node::new(0),
        }
    }

    /// The waker to poll with.
    ///
    /// # Safety
    /// This isn't moved, and outlives the waker.
    #[must_use]
    pub unsafe fn waker(&self) -> Waker {
        // SAFETY: the caller's; the functions do what is asked of them.
        unsafe { Waker::new(::core::ptr::from_ref(self).cast(), &POLLING) }
    }

    /// The one that a waker is of.
    fn of(waker: &Waker) -> Option<&Self> {
        let is_one = ::core::ptr::eq(waker.vtable(), &raw const POLLING);
        // SAFETY: from `waker`, which it outlives.
        is_one.then(|| unsafe { &*waker.data().cast() })
    }

    /// The thread that polls with a waker.
    pub(super) fn thread(waker: &Waker) -> Option<&'static Control> {
        Self::of(waker).map(|polling| polling.control)
    }

    /// Its timer.
    #[cfg(feature = "time")]
    pub const fn timer(&self) -> &Node {
        &self.timer
    }

    /// The timer beside a waker.
    #[cfg(feature = "time")]
    #[must_use]
    pub fn timer_of(waker: &Waker) -> Option<&Node> {
        Self::of(waker).map(Self::timer)
    }
}
