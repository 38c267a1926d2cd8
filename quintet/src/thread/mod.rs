//! Threads: functions with a stack of their own, which you may block at any line.
//!
//! A [`Thread`] has a priority from 1 to 31; a larger priority is more urgent. A thread runs
//! whenever no interrupt task, level or more urgent thread runs. Several threads may have one
//! priority: these threads take turns when they wait or [yield](CurrentThread::yield_now).
//!
//! Threads are statics. You define them with `#[thread]` in [`app`](crate::app), or with the macro
//! [`thread!`](crate::thread!) without an application. There is no idle thread: when no thread is
//! ready, `main` goes on, on the main stack.
//!
//! # Who may wait
//! A function that waits takes [`CurrentThread`], which only threads have, so that you can't call
//! the function in a job. A thread that holds a resource, or interrupts off, may not wait either:
//! the wait panics, and the message names the thread and the resource.
//!
//! # Cost
//! Each thread takes a control block and its stack. Waiting and waking are calls;
//! `docs/book/threads.md` has the numbers.
//!
//! On Cortex-M, threads need BASEPRI: ARMv7-M or the main extension of ARMv8-M.

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
use crate::core::application::is_cooperative;
use crate::core::lock::{KernelLock, Section, kernel};
use crate::core::ownership::set_base;
use crate::core::park;
use crate::core::scheduler::{PRIORITY_MAX, SCHEDULER, State, ThreadBlock, ThreadInfo};

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

/// A thread: the thread's control block, in a static.
///
/// ```
/// use quintet::thread::{CurrentThread, Thread};
///
/// fn supervise(this: &CurrentThread<'_>, worker: &'static Thread) {
///     if !worker.is_alive() {
///         worker.start().expect("it takes no arguments");
///     }
///     worker.set_priority(3).expect("the application has this priority");
///     worker.suspend().expect("it holds no resource");
///     assert!(worker.is_suspended());
///     worker.resume();
///     worker.unpark();
///     worker.join(this).expect("this is another thread");
///     assert!(worker.stack_high_water() <= worker.stack_size());
/// }
/// # let _ = supervise;
/// ```
#[repr(transparent)]
pub struct Thread {
    control: ThreadBlock,
}

/// The token of the thread that runs this code: the token proves that the code may wait.
///
/// The token can't leave its thread.
///
/// ```
/// use quintet::thread::CurrentThread;
///
/// fn body(this: &CurrentThread<'_>) {
///     this.park(); // Waits until somebody calls `unpark` of this thread.
///     this.yield_now(); // Lets threads of the same priority run first.
///     assert_eq!(this.thread().name(), this.name());
/// }
/// # let _ = body;
/// ```
pub struct CurrentThread<'a> {
    in_thread: PhantomData<(&'a (), *mut ())>,
}

/// The name of [`CurrentThread`] up to version 0.1.
#[doc(hidden)]
pub type This<'a> = CurrentThread<'a>;

impl Thread {
    /// Makes a thread that has not started. You put the returned thread into the static `this`.
    ///
    /// # Safety
    /// The returned value is put into `this`, and no other thread uses the stack of `about`.
    ///
    /// # Panics
    /// If the priority is not from 1 to 31. In a static, this is an error at compile time.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const unsafe fn new(this: *const Self, priority: u8, about: &'static ThreadInfo) -> Self {
        assert!(1 <= priority && priority <= PRIORITY_MAX, "a thread's priority is from 1 to 31");
        assert!(about.stack_size.is_multiple_of(8), "a stack's size is a multiple of 8");
        // SAFETY: the caller's; the control block is all there is.
        Self { control: unsafe { ThreadBlock::new(this.cast(), priority, about) } }
    }

    /// Returns the thread's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.control.about.name
    }

    /// Returns the thread's priority, including any priority that the thread inherits now. From
    /// every context that the kernel knows of.
    #[must_use]
    pub fn priority(&self) -> u8 {
        kernel(|lock| self.control.priority(lock))
    }

    /// Returns `true` if the thread has started and not ended. From every context that the kernel
    /// knows of.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        kernel(|lock| self.control.state(lock) != State::Ended)
    }

    /// Returns `true` if the thread is suspended. From every context that the kernel knows of.
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        kernel(|lock| self.control.is_suspended(lock))
    }

    /// Returns the size of the thread's stack, in bytes.
    #[must_use]
    pub const fn stack_size(&self) -> usize {
        self.control.about.stack_size
    }

    /// Returns the largest part of the stack that the thread has ever used, in bytes. The call
    /// looks at the bytes that were never written, so that its time grows with their number. From
    /// every context that the kernel knows of.
    ///
    /// The lowest 32 bytes, the place of the guard, never count, even without a guard. (On ARMv8-M
    /// with the main extension a register limits the stack, and all bytes count.)
    ///
    /// With the feature `statistics` each start fills the stack with a pattern, so that the figure
    /// is that since the last start. Without the feature, zero counts as never written: if the
    /// lower part of a frame is all zeros, such as an array, this part is missing from the figure.
    #[must_use]
    pub fn stack_high_water(&self) -> usize {
        #[cfg(feature = "statistics")]
        if kernel(|lock| self.control.state(lock) == State::Starting) {
            return 0;
        }
        stack::high_water(self.control.about)
    }

    /// Starts the thread. From every context that the kernel knows of. If the thread is suspended,
    /// it begins to run when you resume it.
    ///
    /// If a `#[thread]` has parameters besides its context, start it with the function `start` of
    /// its module, which takes the arguments. This method then returns an error and starts nothing.
    ///
    /// # Errors
    /// [`StartError`] if the thread has not ended, or takes arguments.
    ///
    /// # Cost
    /// Two sections of the kernel's lock, one for each guard of a stack until the thread's own is
    /// found or set, and one with the feature `statistics`, which fills the stack, word by word.
    ///
    /// # Panics
    /// In a program without an application, if you have not called [`initialise`].
    pub fn start(&'static self) -> Result<(), StartError> {
        let entry = self.control.about.entry.ok_or(StartError::TakesArguments)?;
        // SAFETY: the entry is for this thread, and takes a null pointer.
        unsafe { self.start_with(entry, ::core::ptr::null_mut()) }
    }

    /// Starts the thread with `entry`, and hands `argument` to `entry`.
    ///
    /// # Errors
    /// [`StartError::Running`] if the thread has not ended.
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
        .map(|()| SCHEDULER.look_after())
    }

    /// Fills the thread's stack, if no other context starts the thread.
    #[cfg(feature = "statistics")]
    fn fill_stack(&'static self) -> Result<(), StartError> {
        if !kernel(|lock| self.control.begin_to_start(lock)) {
            return Err(StartError::Running);
        }
        // SAFETY: it has ended, and no other context starts it.
        unsafe { stack::fill(self.control.about) };
        Ok(())
    }

    /// Waits until this thread has ended. Returns at once if the thread has not started.
    ///
    /// # Errors
    /// [`JoinError`] if the caller is this thread, or another thread waits for the end of this
    /// thread already.
    ///
    /// # Panics
    /// If the caller holds a resource, or interrupts off; even if this thread has ended already.
    pub fn join(&self, _this: &CurrentThread<'_>) -> Result<(), JoinError> {
        let section = Section::begin();
        let running = park::check_may_block(section.saved());
        if let Some(result) = try_join(&self.control, running, &section) {
            section.end();
            return result;
        }
        self.control.set_joiner(running, &section);
        running.note_no_place();
        // SAFETY: it may wait; the thread's end makes this one ready.
        unsafe { section.block() };
        Ok(())
    }

    /// Suspends the thread until you [resume](Self::resume) the thread. A suspended thread can
    /// still be granted what it waits for. From every context that the kernel knows of.
    ///
    /// # Errors
    /// [`HoldsResource`] if the thread was preempted while holding a resource that threads share,
    /// or if the thread suspends itself while holding a resource or interrupts off. Nothing has
    /// changed then.
    pub fn suspend(&self) -> Result<(), HoldsResource> {
        let section = Section::begin();
        let saved = section.saved();
        let refused =
            self.control.is_under_ceiling() || SCHEDULER.may_not_wait(&self.control, saved);
        let switches = !refused && SCHEDULER.suspend(&self.control, &section);
        section.end();
        if refused {
            return Err(HoldsResource);
        }
        if switches {
            // Before it may wait for anything.
            take_pending();
        }
        Ok(())
    }

    /// Changes the thread's own priority, from 1 to 31. The new priority stays until you change it
    /// again, even if the thread ends and is started anew. The thread keeps any priority that it
    /// inherits through mutexes. A ready thread that doesn't run goes behind the others of the new
    /// priority; a waiting thread goes to its new place among the waiters. From every context that
    /// the kernel knows of.
    ///
    /// A thread that waits in [`CurrentThread::block_on`] keeps its place until its next poll.
    /// Another one passes waiters one by one, and has their priorities meanwhile: code that
    /// preempts the call finds the waiters in order, with the thread part of the way.
    ///
    /// # Cost
    /// For each thread of the chain up to (p + 1)(m + 2) + 5 sections of the kernel's lock, if it
    /// passes p waiters and has m mutexes that others wait for.
    ///
    /// # Errors
    /// [`NoPriority`] if no thread can have this priority. Nothing has changed then.
    #[inline(never)]
    pub fn set_priority(&'static self, priority: u8) -> Result<(), NoPriority> {
        if priority == 0 || priority > PRIORITY_MAX {
            return Err(NoPriority(priority));
        }
        set_base(&self.control, priority);
        Ok(())
    }

    /// Returns the thread's own priority, without any inherited priority. From every context that
    /// the kernel knows of.
    #[must_use]
    pub fn base_priority(&self) -> u8 {
        kernel(|lock| self.control.base(lock))
    }

    /// Lets the thread go on after you [suspended](Self::suspend) the thread. From every context
    /// that the kernel knows of.
    pub fn resume(&self) {
        SCHEDULER.resume_and_look(&self.control);
    }

    /// Returns a waker that ends the thread's present or next wait in [`CurrentThread::block_on`].
    /// You may call this, and use the waker, in every context, including interrupts above the
    /// kernel's ceiling.
    #[must_use]
    pub fn waker(&'static self) -> Waker {
        park::waker(&self.control)
    }

    /// Notifies the thread: ends its present or next [`CurrentThread::park`], even if the thread
    /// waits for something else in the meantime. Several notifications before a park count as one.
    /// From every context that the kernel knows of.
    ///
    /// A notification costs no memory. To count notifications, use a
    /// [`Semaphore`](crate::sync::Semaphore). To tell them apart, use
    /// [`ThreadFlags`](crate::sync::ThreadFlags).
    pub fn unpark(&'static self) {
        park::unpark(&self.control);
    }

    /// Returns the thread's priority, including an inherited one, without the kernel's lock. Only
    /// for tests, which must not add sections to the code under test.
    #[doc(hidden)]
    #[must_use]
    pub const fn priority_in_passing(&self) -> u8 {
        self.control.waiting_priority()
    }

    /// The kernel's record of the thread.
    #[must_use]
    pub(crate) const fn control(&self) -> &ThreadBlock {
        &self.control
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Thread").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Returns the name of the thread that runs, or that was interrupted. Returns `idle` if no thread
/// runs.
///
/// For messages of panic handlers, for example. From any context.
#[must_use]
pub fn current_name() -> &'static str {
    SCHEDULER.name()
}

impl CurrentThread<'_> {
    /// Makes the token of the running thread.
    ///
    /// # Safety
    /// The caller is a thread, and doesn't hand the token to another context.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self { in_thread: PhantomData }
    }

    /// Returns the name of this thread.
    #[must_use]
    pub fn name(&self) -> &'static str {
        SCHEDULER.running().about.name
    }

    /// Returns the thread itself.
    #[must_use]
    pub fn thread(&self) -> &'static Thread {
        // SAFETY: a thread runs, so the control block is a `Thread`, which is nothing else.
        unsafe { &*::core::ptr::from_ref(SCHEDULER.running()).cast() }
    }

    /// Waits until this thread is [notified](Thread::unpark). Returns at once if the thread was
    /// notified since the last time. Several notifications may count as one, so check your
    /// condition again after each return. With the feature `time`, `park_until` and `park_timeout`
    /// end at a time.
    ///
    /// # Panics
    /// If the thread holds interrupts off, by a resource that interrupts or levels use as well, or
    /// in a critical section; even if the thread was notified already. If the thread must wait
    /// while it holds a resource that only threads share.
    #[inline]
    pub fn park(&self) {
        park::park();
    }

    /// Lets other ready threads of this priority run and, with a cooperative scheduler, also more
    /// urgent threads. Returns at once if there are none.
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off.
    pub fn yield_now(&self) {
        let section = Section::begin();
        if is_cooperative() {
            return Self::yield_cooperatively(section);
        }
        let saved = section.into_saved();
        if saved == 0 && !switch::interrupts_are_off(saved) {
            // SAFETY: the lock is held, and handed over.
            return unsafe { switch::pass() };
        }
        park::refuse_to_wait(saved)
    }

    /// Lets the most urgent thread run, if that is another one.
    fn yield_cooperatively(section: Section) {
        let from = park::check_may_block(section.saved());
        if SCHEDULER.rotate(&section) {
            let to = SCHEDULER.select(&section);
            // SAFETY: `to` is another thread, as `from` is still ready.
            unsafe { section.switch(to, from) };
        } else {
            section.end();
        }
    }
}

impl fmt::Debug for CurrentThread<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CurrentThread").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Returns the answer that `joiner` gets without a wait, if there is one. `joiner` asks for the end
/// of `joined`.
fn try_join(
    joined: &ThreadBlock,
    joiner: &ThreadBlock,
    lock: &KernelLock<'_>,
) -> Option<Result<(), JoinError>> {
    if joined.state(lock) == State::Ended {
        Some(Ok(()))
    } else if ::core::ptr::eq(joiner, joined) {
        Some(Err(JoinError::Itself))
    } else {
        joined.joiner(lock).map(|_| Err(JoinError::Joined))
    }
}

/// Threads return to this function.
unsafe extern "C" fn end_of_thread() -> ! {
    let section = Section::begin();
    let running = park::check_may_block_cold(section.saved());
    SCHEDULER.note_ended(&section);
    if let Some(joiner) = running.take_joiner(&section) {
        SCHEDULER.enter(joiner, &section);
    }
    SCHEDULER.make_unready(&section);
    // SAFETY: the lock is held. It doesn't come back: who starts it again gives it a new frame.
    unsafe { switch::leave(SCHEDULER.select(&section)) }
}

#[cfg(test)]
mod tests;
