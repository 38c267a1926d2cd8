//! Threads: functions with a stack of their own, which may wait.
//!
//! A [`Thread`] has a priority from 1 to 31, larger is more urgent, and runs whenever no interrupt
//! task, level or more urgent thread does. Several threads may have one priority: they take turns
//! when they wait or [yield](This::yield_now).
//!
//! Threads are statics: `#[thread]` in [`app`](crate::app) makes them, and so does the macro
//! [`thread!`](crate::thread!) without an application. There is no idle thread: when nobody is
//! ready, `main` goes on, on the main stack.
//!
//! # Who may wait
//! A function that waits takes [`This`], which threads alone have: jobs can't call it. A thread
//! that holds a resource, or interrupts off, may not wait either; that is a panic with the names of
//! both.
//!
//! # Cost
//! A control block and the stack. Waiting and waking are calls; `docs/book/threads.md` has the
//! numbers.
//!
//! Threads need BASEPRI: ARMv7-M or the main extension of ARMv8-M.

#![expect(unsafe_code, reason = "stacks are handed to the scheduler")]

pub(crate) mod arguments;
mod block_on;
#[cfg(feature = "time")]
mod delay;
mod errors;
#[cfg(stack_guard)]
mod guard;
pub(crate) mod host;
mod library;
#[cfg(stack_limit)]
mod limit;
#[cfg(any(stack_guard, stack_limit))]
mod overflow;
mod per_thread;
#[cfg(feature = "time")]
mod slice;
mod stack;
#[cfg(feature = "statistics")]
mod statistics;
#[cfg(not(feature = "statistics"))]
mod statistics_missing;
#[cfg(feature = "time")]
mod until;

use ::core::fmt;
use ::core::marker::PhantomData;
use ::core::task::Waker;

use crate::arch::switch::{self, Entry};
use crate::arch::take_pending;
use crate::core::lock::{self, Kernel, Saved, kernel};
use crate::core::park;
use crate::core::scheduler::{About, Control, PRIORITY_MAX, SCHEDULER, State, set_base};

#[cfg(feature = "time")]
pub use crate::time::expiry::TimedOut;
#[doc(hidden)]
pub use errors::Manual;
pub use errors::{HoldsResource, JoinError, NoPriority, StartError};
#[cfg(stack_guard)]
#[doc(hidden)]
pub use guard::{memory_fault, protect};
pub use library::initialise;
#[cfg(stack_limit)]
#[doc(hidden)]
pub use limit::{protect, usage_fault};
pub use per_thread::PerThread;
#[cfg(feature = "time")]
pub use slice::{Slice, take_turns};
#[doc(hidden)]
pub use stack::LEAST as STACK_LEAST;
pub use stack::Stack;
#[cfg(feature = "statistics")]
pub use statistics::{Processor, Statistics, count_by, processor};

/// A thread: its control block, a static.
#[repr(transparent)]
pub struct Thread {
    control: Control,
}

/// The thread that runs this code: proof that it may wait.
///
/// It can't leave its thread.
pub struct This<'a> {
    in_thread: PhantomData<(&'a (), *mut ())>,
}

impl Thread {
    /// The thread, to be put into the static `this`, that has not started.
    ///
    /// # Safety
    /// `this` is where the returned value is put; the stack of `about` is nobody else's.
    ///
    /// # Panics
    /// If the priority is not from 1 to 31; at compile time, as it is for a static.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const unsafe fn new(this: *const Self, priority: u8, about: &'static About) -> Self {
        assert!(1 <= priority && priority <= PRIORITY_MAX, "a thread's priority is from 1 to 31");
        assert!(about.stack_size.is_multiple_of(8), "a stack's size is a multiple of 8");
        // SAFETY: the caller's; the control block is all there is.
        Self { control: unsafe { Control::new(this.cast(), priority, about) } }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.control.about.name
    }

    /// Its priority, with what it inherits now. From every context that the kernel knows of.
    #[must_use]
    pub fn priority(&self) -> u8 {
        kernel(|lock| self.control.priority(lock))
    }

    /// Whether it has started and not ended. From every context that the kernel knows of.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        kernel(|lock| self.control.state(lock) != State::Ended)
    }

    /// Whether it is suspended. From every context that the kernel knows of.
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        kernel(|lock| self.control.is_suspended(lock))
    }

    /// The size of its stack, in bytes.
    #[must_use]
    pub const fn stack_size(&self) -> usize {
        self.control.about.stack_size
    }

    /// How much of its stack it has used at most, in bytes. Looks at what has never been written,
    /// so that it takes time in proportion to that. From every context that the kernel knows of.
    ///
    /// The lowest 32 bytes, where the guard is, are never counted, whether there is one or not. (On
    /// ARMv8-M with the main extension a register limits the stack, and all bytes are counted.)
    ///
    /// With the feature `statistics` each start fills the stack with a pattern, so it is the most
    /// since then. Without it, what is zero counts as never written: a frame of which the lower
    /// part is zeros, such as an array, is left out.
    #[must_use]
    pub fn stack_high_water(&self) -> usize {
        #[cfg(feature = "statistics")]
        if kernel(|lock| self.control.state(lock) == State::Starting) {
            return 0;
        }
        stack::high_water(self.control.about)
    }

    /// Starts it. From every context that the kernel knows of. One that was suspended meanwhile
    /// starts when it is resumed.
    ///
    /// A `#[thread]` with parameters besides its context is started by the function `start` of its
    /// module, which takes the arguments: this is an error there, and starts nothing.
    ///
    /// # Errors
    /// [`StartError`] if it has not ended, or takes arguments.
    ///
    /// # Cost
    /// A section of the kernel's lock, and where stacks are guarded one for each guard that is set
    /// before its own is found, or set. With the feature `statistics` one more, behind
    /// which the stack is filled, word by word, in the context that starts it.
    ///
    /// # Panics
    /// Without an application, if [`initialise`] was not called.
    pub fn start(&'static self) -> Result<(), StartError> {
        let entry = self.control.about.entry.ok_or(StartError::TakesArguments)?;
        // SAFETY: the entry is for this thread, and takes a null pointer.
        unsafe { self.start_with(entry, ::core::ptr::null_mut()) }
    }

    /// Starts it with `entry`, to which `argument` is handed.
    ///
    /// # Errors
    /// [`StartError::Running`] if it has not ended.
    ///
    /// # Safety
    /// `entry` may be called with `argument`, in this thread.
    pub(crate) unsafe fn start_with(
        &'static self,
        entry: Entry,
        argument: *mut (),
    ) -> Result<(), StartError> {
        let has_begun = !SCHEDULER.runs(::core::ptr::null());
        assert!(has_begun, "call `quintet::thread::initialise` before the start");
        let about = self.control.about;
        library::protect(&self.control);
        #[cfg(feature = "statistics")]
        self.fill_stack()?;
        kernel(|lock| {
            if self.control.state(lock) != State::READY_TO_START {
                return Err(StartError::Running);
            }
            // SAFETY: the thread has ended, so its stack is free; its size is a multiple of 8.
            let stack_pointer = unsafe {
                let end = about.stack.byte_add(about.stack_size);
                switch::prepare(end, entry, argument, end_of_thread)
            };
            SCHEDULER.begin(&self.control, stack_pointer, lock);
            Ok(())
        })
    }

    /// Fills its stack, if nobody else starts it.
    #[cfg(feature = "statistics")]
    fn fill_stack(&'static self) -> Result<(), StartError> {
        if !kernel(|lock| self.control.begin_to_start(lock)) {
            return Err(StartError::Running);
        }
        // SAFETY: it has ended, and nobody else starts it.
        unsafe { stack::fill(self.control.about) };
        Ok(())
    }

    /// Waits until it has ended. At once if it has not started.
    ///
    /// # Errors
    /// [`JoinError`] if it is the thread that asks, or another one waits for its end.
    ///
    /// # Panics
    /// If the thread that asks holds a resource, or interrupts off; also where this one has ended
    /// already.
    pub fn join(&self, _this: &This<'_>) -> Result<(), JoinError> {
        let saved = lock::acquire();
        let running = park::may_block(saved);
        // SAFETY: acquired above, and released by every path below.
        let held = unsafe { Kernel::held() };
        if let Some(result) = try_join(&self.control, running, &held) {
            // SAFETY: from the matching call.
            unsafe { lock::release(saved) };
            return result;
        }
        self.control.set_joiner(running, &held);
        running.note_no_place();
        // SAFETY: the lock is held, and handed over; the thread's end makes this one ready.
        unsafe { switch::block(saved) };
        Ok(())
    }

    /// Holds it until it is [resumed](Self::resume). What it waits for it may be granted meanwhile.
    /// From every context that the kernel knows of.
    ///
    /// # Errors
    /// [`HoldsResource`] if it was preempted while it holds a resource that threads share, or
    /// suspends itself while it holds a resource or interrupts off; nothing has changed.
    pub fn suspend(&self) -> Result<(), HoldsResource> {
        let saved = lock::acquire();
        // SAFETY: acquired above, and released below.
        let held = unsafe { Kernel::held() };
        let refused =
            self.control.is_under_ceiling() || SCHEDULER.may_not_wait(&self.control, saved);
        let switches = !refused && SCHEDULER.suspend(&self.control, &held);
        // SAFETY: from the matching call.
        unsafe { lock::release(saved) };
        if refused {
            return Err(HoldsResource);
        }
        if switches {
            // Before it may wait for anything.
            take_pending();
        }
        Ok(())
    }

    /// Changes its own priority, from 1 to 31, until it is changed again: also if the thread ends
    /// and is started anew. What it inherits through mutexes stays. Among
    /// threads that are ready it goes behind the others of the new priority, unless it is running;
    /// among waiters, to its new place. From every context that the kernel knows of.
    ///
    /// A thread that waits in [`This::block_on`] keeps its place until it is polled again. One that
    /// has to pass other waiters does so one by one, and has their priorities meanwhile: whoever
    /// preempts this call finds them in order, and the thread where it has come to.
    ///
    /// # Cost
    /// A section of the kernel's lock, and one for each place by which it or an owner of a mutex
    /// along its chain is moved among waiters.
    ///
    /// # Errors
    /// [`NoPriority`] if there is none such; nothing has changed.
    pub fn set_priority(&'static self, priority: u8) -> Result<(), NoPriority> {
        if priority == 0 || priority > PRIORITY_MAX {
            return Err(NoPriority(priority));
        }
        set_base(&self.control, priority);
        Ok(())
    }

    /// Its own priority, without what it inherits. From every context that the kernel knows of.
    #[must_use]
    pub fn base_priority(&self) -> u8 {
        kernel(|lock| self.control.base(lock))
    }

    /// Lets it go on after it was [suspended](Self::suspend). From every context that the kernel
    /// knows of.
    pub fn resume(&self) {
        kernel(|lock| SCHEDULER.resume(&self.control, lock));
    }

    /// A waker that ends its present or next wait in [`This::block_on`]. From every context, in
    /// which the waker may also be used, interrupts above the kernel's ceiling among them.
    #[must_use]
    pub fn waker(&'static self) -> Waker {
        park::waker(&self.control)
    }

    /// Notifies it: ends its present or next [`This::park`], also if it waits for something else
    /// meanwhile. Notifications that come before it parks are one. From every context that the
    /// kernel knows of.
    ///
    /// To count them, give to a [`Semaphore`](crate::sync::Semaphore); to tell them apart, set
    /// [`ThreadFlags`](crate::sync::ThreadFlags). This costs no memory.
    pub fn unpark(&'static self) {
        park::unpark(&self.control);
    }

    /// Its priority, with what it inherits, without the kernel's lock: for tests, which are not to
    /// add sections to what they look at.
    #[doc(hidden)]
    #[must_use]
    pub const fn priority_in_passing(&self) -> u8 {
        self.control.waiting_priority()
    }

    /// What the kernel knows of it.
    #[must_use]
    pub(crate) const fn control(&self) -> &Control {
        &self.control
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Thread").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The name of the thread that runs, or that was interrupted; `idle` if none is.
///
/// For messages of panic handlers and the like. From any context.
#[must_use]
pub fn current_name() -> &'static str {
    SCHEDULER.name()
}

impl This<'_> {
    /// For the thread that runs.
    ///
    /// # Safety
    /// Called in a thread, and not handed to another context.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self { in_thread: PhantomData }
    }

    /// The name of this thread.
    #[must_use]
    pub fn name(&self) -> &'static str {
        SCHEDULER.running().about.name
    }

    /// The thread itself.
    #[must_use]
    pub fn thread(&self) -> &'static Thread {
        // SAFETY: a thread runs, so the control block is a `Thread`, which is nothing else.
        unsafe { &*::core::ptr::from_ref(SCHEDULER.running()).cast() }
    }

    /// Waits until this thread is [notified](Thread::unpark); not at all if it was since the last
    /// time. Several notifications may be one: look again at what it was for. With the feature
    /// `time`, `park_until` and `park_timeout` end at a time.
    ///
    /// # Panics
    /// If it holds interrupts off, by a resource that interrupts or levels use as well, or in a
    /// critical section; also where it was notified already. If it has to wait while it holds a
    /// resource of threads alone.
    #[inline]
    pub fn park(&self) {
        park::park();
    }

    /// Lets the other threads of this priority run that are ready, and where the scheduler is
    /// cooperative also more urgent ones. Returns at once without any.
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off.
    pub fn yield_now(&self) {
        let saved = lock::acquire();
        if lock::is_cooperative() {
            return Self::yield_cooperatively(saved);
        }
        if saved == 0 && !switch::interrupts_are_off() {
            // SAFETY: the lock is held, and handed over.
            return unsafe { switch::pass() };
        }
        park::refuse_to_wait(saved)
    }

    /// Lets the most urgent thread run, if that is another one.
    fn yield_cooperatively(saved: Saved) {
        let from = park::may_block(saved);
        // SAFETY: acquired by the caller, and released by either path.
        let held = unsafe { Kernel::held() };
        if SCHEDULER.rotate(&held) {
            let to = SCHEDULER.select(&held);
            // SAFETY: the lock is held; `to` is another thread, as `from` is still ready.
            unsafe { switch::switch(to, from) };
        } else {
            // SAFETY: from the matching call.
            unsafe { lock::release(saved) };
        }
    }
}

impl fmt::Debug for This<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("This").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// What there is to say to `joiner`, which asks for the end of `joined`, without a wait.
fn try_join(
    joined: &Control,
    joiner: &Control,
    lock: &Kernel<'_>,
) -> Option<Result<(), JoinError>> {
    if joined.state(lock) == State::Ended {
        Some(Ok(()))
    } else if ::core::ptr::eq(joiner, joined) {
        Some(Err(JoinError::Itself))
    } else {
        joined.joiner(lock).map(|_| Err(JoinError::Joined))
    }
}

/// Where threads return to.
unsafe extern "C" fn end_of_thread() -> ! {
    let saved = lock::acquire();
    let running = park::may_block_apart(saved);
    // SAFETY: acquired above, and handed over.
    let held = unsafe { Kernel::held() };
    SCHEDULER.note_ended(&held);
    if let Some(joiner) = running.take_joiner(&held) {
        SCHEDULER.enter(joiner, &held);
    }
    SCHEDULER.make_unready(&held);
    // SAFETY: the lock is held. It doesn't come back: who starts it again gives it a new frame.
    unsafe { switch::leave(SCHEDULER.select(&held)) }
}
