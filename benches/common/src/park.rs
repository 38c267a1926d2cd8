//! A task that waits for an interrupt: the least that an async task can do.
//!
//! The task leaves its waker once; from then on its interrupt wakes it as often as it comes. That
//! is what a driver's future does, without the driver.

use core::cell::UnsafeCell;
use core::future::poll_fn;
use core::hint::black_box;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
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
    /// The caller's interrupt is first pended when the task waits already. Whose waker it is, the
    /// compiler doesn't know, as a driver's doesn't: there is a call through its functions.
    #[inline(always)]
    pub fn waker(&self) -> &Waker {
        // SAFETY: the task has left its waker, and nothing writes it again.
        black_box(unsafe { (*self.0.get()).as_ref().unwrap_unchecked() })
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

/// Makes futures and keeps them, `N` at most: more whenever `parking` wakes it, so many as `count`
/// says. Each is polled once, which starts it.
pub async fn hold<F: Future, const N: usize>(
    make: impl Fn(usize) -> F,
    parking: &Parking,
    count: &AtomicUsize,
) {
    let mut futures = core::pin::pin!([const { None }; N]);
    let mut started = 0;
    poll_fn(|context| {
        parking.register(context);
        // SAFETY: the futures are pinned with the array, and not moved out of it.
        let futures: &mut [Option<F>; N] = unsafe { futures.as_mut().get_unchecked_mut() };
        let wanted = count.load(Ordering::Relaxed).min(N);
        for (index, place) in futures.iter_mut().enumerate().take(wanted).skip(started) {
            let future = place.insert(make(index));
            // SAFETY: as above.
            if unsafe { Pin::new_unchecked(future) }.poll(context).is_ready() {
                crate::exit(105);
            }
        }
        started = wanted;
        Poll::<()>::Pending
    })
    .await;
}
