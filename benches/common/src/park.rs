//! A task that waits for an interrupt: the least that an async task can do.
//!
//! The task leaves its waker once; from then on its interrupt wakes it as often as it comes. That
//! is what a driver's future does, without the driver.

use core::cell::UnsafeCell;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

/// Where one task waits.
pub struct Parking(UnsafeCell<Option<Waker>>);

// SAFETY: the waker is written once, by the first poll, before anything wakes it; see `waker`.
unsafe impl Sync for Parking {}

impl Parking {
    /// A place where nobody waits yet.
    #[expect(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(None))
    }

    /// The waker of the task that waits.
    ///
    /// The caller's interrupt is first pended when the task waits already.
    #[inline(always)]
    pub fn waker(&self) -> &Waker {
        // SAFETY: the task has left its waker, and nothing writes it again.
        unsafe { (*self.0.get()).as_ref().unwrap_unchecked() }
    }

    /// Leaves the waker of the task that is polled, if it has not left one.
    #[inline(always)]
    pub fn register(&self, context: &Context<'_>) {
        // SAFETY: only the task itself writes, and only until there is a waker.
        let place = unsafe { &mut *self.0.get() };
        if place.is_none() {
            *place = Some(context.waker().clone());
        }
    }
}

/// Waits at a [`Parking`] until it is woken, with a mark before the poll that returns `Pending`
/// does so.
#[macro_export]
macro_rules! park {
    ($parking:expr, $mark:literal) => {{
        let mut is_waiting = false;
        ::core::future::poll_fn(|context| {
            if is_waiting {
                return ::core::task::Poll::Ready(());
            }
            is_waiting = true;
            $parking.register(context);
            $crate::mark!($mark);
            ::core::task::Poll::Pending
        })
        .await
    }};
}

/// Wakes itself and is polled again, with a mark before the wake.
#[macro_export]
macro_rules! wake_itself {
    ($mark:literal) => {{
        let mut is_woken = false;
        ::core::future::poll_fn(|context| {
            if is_woken {
                return ::core::task::Poll::Ready(());
            }
            is_woken = true;
            $crate::mark!($mark);
            context.waker().wake_by_ref();
            ::core::task::Poll::Pending
        })
        .await
    }};
}

/// Waits for ever: a task that is only there.
pub async fn forever() {
    poll_fn(|_| Poll::Pending).await
}

/// Polls a future once.
pub async fn once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// Polls futures once each, which starts them, and keeps them for ever.
pub async fn hold<F: Future, const N: usize>(futures: [F; N]) {
    let mut futures = core::pin::pin!(futures);
    poll_fn(|context| {
        // SAFETY: the futures are pinned with the array, and not moved out of it.
        for future in unsafe { futures.as_mut().get_unchecked_mut() } {
            // SAFETY: as above.
            let _ = unsafe { Pin::new_unchecked(future) }.poll(context);
        }
        Poll::<()>::Pending
    })
    .await;
}
