//! Upcalls: messages of drivers, for example that an operation has ended.
//!
//! The kernel queues up to ten upcalls for a process. The process takes them in a yield:
//! [`block_on`](crate::block_on) yields when its future waits, and each blocking function yields
//! for its own upcall.

#![expect(unsafe_code, reason = "system calls, and functions that the kernel calls")]

use core::cell::Cell;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use crate::ErrorCode;
use crate::system::{Once, OneThread, call, class, kind, yield_now};
use crate::wakers::Wakers;

/// An upcall of a driver, by its number: a static of your application.
///
/// ```no_run
/// use quintet_process::{Upcall, command};
///
/// /// A driver of the kernel that counts pulses: it tells when so many have come.
/// const PULSES: u32 = 0x8000_0001;
/// static ENOUGH: Upcall = Upcall::new(PULSES, 0);
///
/// async fn ten_pulses() -> Result<(), quintet_process::ErrorCode> {
///     let enough = ENOUGH.next();
///     command(PULSES, 1, 10, 0).done()?;
///     enough.await?;
///     Ok(())
/// }
/// ```
pub struct Upcall {
    driver: u32,
    number: u32,
    state: OneThread<State>,
}

struct State {
    is_subscribed: Once,
    /// How many times the upcall has come.
    count: Cell<u32>,
    /// The words of the last upcall.
    words: Cell<[u32; 3]>,
    hears: fn(),
    wakers: Wakers,
}

impl Upcall {
    /// Returns the upcall of a driver.
    #[must_use]
    pub const fn new(driver: u32, number: u32) -> Self {
        Self::with(driver, number, || {})
    }

    /// As [`new`](Self::new), but calls `hears` first each time that the upcall comes.
    pub(crate) const fn with(driver: u32, number: u32, hears: fn()) -> Self {
        let state = State {
            is_subscribed: Once::new(),
            count: Cell::new(0),
            words: Cell::new([0; 3]),
            hears,
            wakers: Wakers::new(),
        };
        Self { driver, number, state: OneThread::new(state) }
    }

    /// Returns a future that is ready at the next upcall after this call, with the words of the
    /// upcall. The kernel drops upcalls that came before your first use of this `Upcall`.
    ///
    /// So call this before the command that leads to the upcall, and await the future afterwards.
    ///
    /// Cancel safe: a dropped future has taken nothing.
    pub fn next(&'static self) -> Next {
        // What the kernel refuses, the future says.
        let refused = self.listen().err();
        Next { upcall: self, seen: self.count(), refused }
    }

    /// Blocks until the upcall comes, and takes its words. Other upcalls stay queued.
    pub fn wait(&'static self) -> [u32; 3] {
        let (driver, number) = (self.driver as usize, self.number as usize);
        // SAFETY: nothing is written.
        let words = unsafe { yield_now(kind::WAIT_FOR, driver, number) };
        let words = words.map(|word| word as u32);
        self.record(words);
        words
    }

    /// Subscribes to the upcall, unless that is done already.
    pub(crate) fn listen(&'static self) -> Result<(), ErrorCode> {
        if !self.state.get().is_subscribed.is_done() {
            let data = core::ptr::from_ref(self).expose_provenance();
            // SAFETY: the function gets a reference to a static.
            let _before =
                unsafe { subscribe(self.driver, self.number, arrived as *const (), data) }?;
            self.state.get().is_subscribed.set();
        }
        Ok(())
    }

    /// Returns how many times the upcall has come.
    pub(crate) fn count(&self) -> u32 {
        self.state.get().count.get()
    }

    /// Returns the words of the last upcall.
    pub(crate) fn words(&self) -> [u32; 3] {
        self.state.get().words.get()
    }

    /// Returns the wakers that the upcall wakes.
    pub(crate) fn wakers(&self) -> &Wakers {
        &self.state.get().wakers
    }

    fn record(&self, words: [u32; 3]) {
        let state = self.state.get();
        state.words.set(words);
        state.count.set(state.count.get().wrapping_add(1));
        (state.hears)();
        state.wakers.wake();
    }
}

impl core::fmt::Debug for Upcall {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Upcall({:#x}, {})", self.driver, self.number)
    }
}

/// The kernel calls this function.
extern "C" fn arrived(first: usize, second: usize, third: usize, data: usize) {
    let upcall = core::ptr::with_exposed_provenance::<Upcall>(data);
    // SAFETY: the address of a static, which `listen` has handed over.
    let upcall: &'static Upcall = unsafe { &*upcall };
    upcall.record([first, second, third].map(|word| word as u32));
}

/// The future of [`Upcall::next`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Next {
    upcall: &'static Upcall,
    seen: u32,
    refused: Option<ErrorCode>,
}

impl Future for Next {
    type Output = Result<[u32; 3], ErrorCode>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(error) = self.refused {
            return Poll::Ready(Err(error));
        }
        if self.upcall.count() != self.seen {
            return Poll::Ready(Ok(self.upcall.words()));
        }
        self.upcall.wakers().register(context.waker());
        Poll::Pending
    }
}

/// While `body` runs and yields, calls `function` with the words of each upcall of a driver's
/// number. Afterwards the function that was subscribed before is subscribed again.
///
/// `function` runs within a yield. `function` may yield as well, and may then be called again
/// within itself.
///
/// # Errors
/// `NoDevice`: the driver doesn't exist, or the process may not use it. `NoSupport`: the driver has
/// no such upcall. If there is an error, `body` has not run.
pub fn subscribed<F: Fn([u32; 3]), R>(
    driver: u32,
    number: u32,
    function: &F,
    body: impl FnOnce() -> R,
) -> Result<R, ErrorCode> {
    extern "C" fn hears<F: Fn([u32; 3])>(first: usize, second: usize, third: usize, data: usize) {
        let function = core::ptr::with_exposed_provenance::<F>(data);
        // SAFETY: `subscribed` borrows it for as long as this is subscribed.
        let function = unsafe { &*function };
        function([first, second, third].map(|word| word as u32));
    }
    let data = core::ptr::from_ref(function).expose_provenance();
    // SAFETY: the function lives until `Subscribed` is dropped, which nobody else has.
    let before = unsafe { subscribe(driver, number, hears::<F> as *const (), data) }?;
    let _subscribed = Subscribed { driver, number, before };
    Ok(body())
}

/// A subscription, for as long as a closure runs.
struct Subscribed {
    driver: u32,
    number: u32,
    before: (usize, usize),
}

impl Drop for Subscribed {
    fn drop(&mut self) {
        let (function, data) = self.before;
        let function = core::ptr::with_exposed_provenance(function);
        // SAFETY: what was subscribed before belongs to a scope around this one, or to a static.
        let _this = unsafe { subscribe(self.driver, self.number, function, data) };
    }
}

/// Subscribes a function with its argument. Returns the subscription before.
///
/// # Safety
/// The function may be called, with `data`, in each yield until another function takes its place.
unsafe fn subscribe(
    driver: u32,
    number: u32,
    function: *const (),
    data: usize,
) -> Result<(usize, usize), ErrorCode> {
    let arguments = [driver as usize, number as usize, function.expose_provenance(), data];
    // SAFETY: by the word of the caller.
    let [variant, first, second, _] = unsafe { call::<{ class::SUBSCRIBE }>(arguments) };
    if variant < 128 { Err(ErrorCode::of(first as u32)) } else { Ok((first, second)) }
}

/// Blocks until an upcall has run. If no subscribed upcall ever comes, blocks for ever.
pub fn yield_wait() {
    // SAFETY: nothing is written.
    let _undefined = unsafe { yield_now(kind::WAIT, 0, 0) };
}

/// Runs one upcall if one is due. Returns `true` if there was one.
pub fn yield_no_wait() -> bool {
    let ran = Cell::new(0u8);
    // SAFETY: the byte is there, and a cell.
    let _undefined = unsafe { yield_now(kind::NO_WAIT, ran.as_ptr().expose_provenance(), 0) };
    ran.get() != 0
}
