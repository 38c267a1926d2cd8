//! The lock: a section under a priority ceiling.
//!
//! A *resource lock* holds off the other users of one resource. Its ceiling is known at compile
//! time. The user with the highest priority needs no section at all.
//!
//! The *kernel lock* holds off everything that may touch kernel data: wait lists, the timer queue.
//! Its ceiling depends on the application, so the application's expansion defines it. Sections are
//! a few instructions long; no code of the user runs in them.

#![expect(unsafe_code, reason = "a lock hands out exclusive references")]

use ::core::marker::PhantomData;
use ::core::mem::ManuallyDrop;
#[cfg(threads)]
use ::core::task::{RawWakerVTable, Waker};

use crate::arch::mask::{self, Ceiling};
#[cfg(threads)]
use crate::arch::switch;
#[cfg(threads)]
use crate::core::scheduler::{SCHEDULER, note_of};
use crate::core::wake::Wakee;

#[cfg(any(threads, feature = "critical-section"))]
pub use crate::arch::mask::Saved;

/// A resource that tasks of different priorities share.
pub trait Resource {
    /// What the resource holds.
    type Value;
    /// The highest priority of its users.
    const CEILING: Ceiling;
    /// Whether no other section can be open where one of this resource begins: neither in a user of
    /// it, nor in what that user may have interrupted. A switch of threads is one, in which a stack
    /// is left: a level that interrupts that must put back what it found. And nobody may suspend a
    /// thread in such a section, as nothing lets that in behind it.
    const ALONE: bool;
}

/// Whether code of the user's may run in a section that no resource is the reason of: a
/// ceiling-based critical section, or one of the kernel's lock as a mutex of `embassy-sync`.
const IS_EVER_HELD: bool = cfg!(any(feature = "critical-section", feature = "embassy-sync"));

/// Runs `section` with exclusive access to a resource's value.
///
/// `contended` says whether someone more urgent than the caller uses the resource too. Where it is
/// a constant `false`, nothing is left of the lock but `section`.
///
/// # Safety
/// `value` points to the value of `R`; the caller is one of the users that the ceiling was computed
/// from, at its priority, and holds the only proxy of the resource in its context.
#[inline(always)]
pub unsafe fn resource<R: Resource, T>(
    contended: bool,
    value: *mut R::Value,
    section: impl FnOnce(&mut R::Value) -> T,
) -> T {
    if !contended {
        // SAFETY: users of lower priority don't run while the caller does; those of the same
        // priority run one after the other; there are none above.
        return section(unsafe { &mut *value });
    }
    if R::ALONE && !IS_EVER_HELD {
        let saved = mask::raise_alone(R::CEILING);
        // SAFETY: no other user runs until the section ends.
        let result = section(unsafe { &mut *value });
        // SAFETY: from the matching `raise_alone`; closures nest.
        unsafe { mask::restore_alone(R::CEILING, saved) };
        return result;
    }
    let saved = mask::raise(R::CEILING);
    // SAFETY: no other user runs until the section ends.
    let result = section(unsafe { &mut *value });
    // SAFETY: from the matching `raise`; closures nest.
    unsafe { mask::restore(R::CEILING, saved) };
    let_in();
    result
}

/// Behind a section in which a thread may have been suspended: that happens before it waits for
/// anything. Nothing where there are no threads.
#[inline(always)]
pub fn let_in() {
    #[cfg(threads)]
    if has_threads() {
        mask::let_in();
    }
}

/// A resource that threads share, and nothing that preempts threads.
#[cfg(threads)]
pub trait ThreadResource {
    /// What the resource holds.
    type Value;
    /// Above which no user of it is, 0 to 31: the highest priority of its users where these never
    /// change, as idle's and those of threads that host tasks; 31 where a `#[thread]` is one.
    const CEILING: u8;
}

/// Runs `section` with exclusive access to the value of a resource of threads. Interrupts stay
/// open, and threads above the ceiling preempt it.
///
/// The user at the ceiling raises it too: threads may wait, but not in here, and so it is known
/// that they would.
///
/// # Safety
/// `value` points to the value of `R`; the caller is one of the users that the ceiling was computed
/// from, or idle, and holds the only proxy of the resource in its context.
#[cfg(threads)]
#[inline(always)]
pub unsafe fn thread_resource<R: ThreadResource, T>(
    value: *mut R::Value,
    section: impl FnOnce(&mut R::Value) -> T,
) -> T {
    let before = SCHEDULER.raise_limit(const { note_of(R::CEILING) });
    // SAFETY: no thread that uses it runs until the section ends: those that are not above the
    // ceiling don't preempt, and nobody waits inside.
    let result = section(unsafe { &mut *value });
    SCHEDULER.restore_limit(before);
    result
}

/// Proof that the kernel lock is held: what it guards takes it by reference.
pub struct Kernel<'a> {
    /// Not `Send`: it belongs to the context that holds the lock.
    held: PhantomData<(&'a (), *const ())>,
}

#[cfg(threads)]
impl Kernel<'_> {
    /// For code that is called with the lock held.
    ///
    /// # Safety
    /// It is, and it is released only after the last use of this.
    #[inline(always)]
    pub unsafe fn held() -> Self {
        Self { held: PhantomData }
    }
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// Begins a section at the kernel's ceiling; defined by the application's expansion.
    safe fn __quintet_kernel_acquire() -> mask::Saved;
    /// Ends it.
    fn __quintet_kernel_release(saved: mask::Saved);
    /// Whether the kernel's sections hold off the running context.
    #[cfg(threads)]
    safe fn __quintet_kernel_holds_off_this() -> bool;
    /// Whether the application has threads.
    #[cfg(threads)]
    safe fn __quintet_has_threads() -> bool;
    /// Whether threads run until they wait. Where the linker misses all of these, the symbol of
    /// this one says what to do: every start of a thread asks it, and no instruction is left of it
    /// that tools would give this name.
    #[cfg(threads)]
    #[link_name = "__quintet_needs_an_application_or_the_macro_kernel"]
    safe fn __quintet_is_cooperative() -> bool;
    /// The highest ceiling that a thread may run under; 0 without any. A number, as the compiler
    /// merges functions that are alike, and then no longer sees what they return.
    #[cfg(threads)]
    safe fn __quintet_highest_ceiling() -> u32;
}

/// Whether the running context is one that the kernel knows of: its sections hold it off. It may
/// say `false` of one that is.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn is_known() -> bool {
    __quintet_kernel_holds_off_this()
}

/// Whether the kernel knows of the running context.
#[cfg(not(target_os = "none"))]
pub const fn is_known() -> bool {
    mask::holds_off_this(Ceiling)
}

/// Whether the application has threads: a constant, so that nothing is left of them otherwise.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn has_threads() -> bool {
    __quintet_has_threads()
}

/// Whether the application has threads: there are none on this processor.
#[cfg(all(not(threads), target_os = "none", feature = "time"))]
pub const fn has_threads() -> bool {
    false
}

/// Whether the application has threads: tests have.
#[cfg(not(target_os = "none"))]
pub const fn has_threads() -> bool {
    true
}

/// Whether threads run until they wait, whatever becomes ready meanwhile: a constant.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn is_cooperative() -> bool {
    __quintet_is_cooperative()
}

/// Whether threads run until they wait: in tests they don't.
#[cfg(not(target_os = "none"))]
pub const fn is_cooperative() -> bool {
    false
}

/// Whether threads may run under a ceiling of threads: a constant.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn has_ceilings() -> bool {
    __quintet_highest_ceiling() != 0
}

/// Whether threads may run under a ceiling of threads: tests do.
#[cfg(not(target_os = "none"))]
pub const fn has_ceilings() -> bool {
    true
}

/// Refuses, in builds with debug assertions, an interrupt above the kernel's ceiling, which no
/// section holds off: it would touch what a section is in the middle of. `S` is a section, whose
/// name has the object's. Within the section.
#[cfg(debug_assertions)]
#[inline(always)]
fn check_context_of<S>(_section: &S) {
    #[cfg(basepri)]
    if let Some(above) = crate::arch::above_held()
        && !crate::arch::words::get_flag(&IS_TOLD)
    {
        above_ceiling(::core::any::type_name::<S>(), above)
    }
}

/// Whether somebody was refused: what says so in a critical section isn't refused in turn.
#[cfg(all(debug_assertions, basepri))]
static IS_TOLD: ::core::sync::atomic::AtomicBool = ::core::sync::atomic::AtomicBool::new(false);

/// Says who has used what.
#[cfg(all(debug_assertions, basepri))]
#[cold]
#[inline(never)]
fn above_ceiling(section: &str, above: crate::arch::Above) -> ! {
    crate::arch::words::put_flag(&IS_TOLD, true);
    let what = section.split("::{{closure}}").next().unwrap_or(section);
    let crate::arch::Above { exception, priority, held } = above;
    panic!(
        "`{what}` was called by the interrupt {} (exception {exception}), whose hardware priority \
         {priority:#04x} is above the kernel's ceiling {held:#04x}: such an interrupt may wake, or \
         pend a task that uses the object; or give it a lower priority",
        i32::from(exception) - 16
    );
}

/// Begins a section at the one ceiling that the host has.
#[cfg(not(target_os = "none"))]
fn __quintet_kernel_acquire() -> mask::Saved {
    mask::raise(Ceiling)
}

/// Ends it.
///
/// # Safety
/// As for `mask::restore`.
#[cfg(not(target_os = "none"))]
unsafe fn __quintet_kernel_release(saved: mask::Saved) {
    // SAFETY: handed on.
    unsafe { mask::restore(Ceiling, saved) };
}

/// Runs `section` with the kernel's data to itself. From every context that the kernel knows of.
///
/// Keep `section` to a few instructions (the goal is 24 cycles), and call nothing of the user's in
/// it: no waker of another executor, no destructor, no closure.
#[inline(always)]
pub fn kernel<T>(section: impl FnOnce(&Kernel<'_>) -> T) -> T {
    let saved = __quintet_kernel_acquire();
    #[cfg(debug_assertions)]
    check_context_of(&section);
    let result = section(&Kernel { held: PhantomData });
    // SAFETY: from the matching call; closures nest.
    unsafe { __quintet_kernel_release(saved) };
    result
}

/// Runs `section` with the kernel's data to itself, and wakes whom it returns. From every context
/// that the kernel knows of.
///
/// A thread is made ready in the same section, and runs at once if it is the most urgent and the
/// caller is a thread that holds no ceiling. Others are woken with the lock released, before
/// another thread runs.
#[inline(always)]
pub fn kernel_and_wake<T>(section: impl FnOnce(&Kernel<'_>) -> (T, Option<Wakee>)) -> T {
    let saved = __quintet_kernel_acquire();
    #[cfg(debug_assertions)]
    check_context_of(&section);
    let (result, wakee) = section(&Kernel { held: PhantomData });
    let Some(wakee) = wakee else {
        // SAFETY: from the matching call; closures nest.
        unsafe { __quintet_kernel_release(saved) };
        return result;
    };
    // SAFETY: the lock is held, and handed over with what it has to restore.
    unsafe { wake_and_release(wakee, saved) };
    result
}

/// Wakes somebody, and ends the section that began where `saved` was found.
///
/// # Safety
/// The lock is held, and `saved` is from where it was acquired.
#[inline(always)]
unsafe fn wake_and_release(wakee: Wakee, saved: mask::Saved) {
    #[cfg(threads)]
    if let Some(thread) = wakee.thread() {
        // SAFETY: the caller's.
        return unsafe { switch::ready(thread, saved) };
    }
    #[cfg(threads)]
    if has_threads() {
        // SAFETY: the caller's; it isn't a thread.
        return unsafe { wake_job(wakee.word(), saved, wakee.table()) };
    }
    // SAFETY: the caller's; it isn't a thread.
    unsafe {
        __quintet_kernel_release(saved);
        wakee.into_job().wake();
    }
}

/// The same for somebody who isn't a thread, whose parts these are, where threads could run before.
/// A function: it needs registers that the way of threads doesn't. What both have comes first, so
/// that nothing is moved on that way.
///
/// # Safety
/// As for [`wake_and_release`]; it isn't a thread.
#[cfg(threads)]
#[inline(never)]
unsafe fn wake_job(word: *const (), saved: mask::Saved, table: &'static RawWakerVTable) {
    // SAFETY: the caller's: the parts of an owned waker.
    unsafe {
        let _pause = Pause::begin(saved);
        Waker::new(word, table).wake();
    }
}

/// What is behind a section of the kernel's lock.
pub enum Then<R> {
    /// Nothing.
    End,
    /// This one is woken, as [`kernel_and_wake`] does.
    Wake(Wakee),
    /// The rest of the operation, which is given this.
    Rest(R),
}

/// Runs `section` with the kernel's data to itself, and what is to be behind it. From every context
/// that the kernel knows of.
///
/// Between the section and the end of the pause that `rest` is given, where that is called, no
/// other thread runs: who is made ready meanwhile waits for that, however little urgent the caller
/// is. Interrupts come in between.
#[inline(always)]
pub fn kernel_and_then<T, R>(
    section: impl FnOnce(&Kernel<'_>) -> (T, Then<R>),
    rest: impl FnOnce(R, Pause),
) -> T {
    let saved = __quintet_kernel_acquire();
    #[cfg(debug_assertions)]
    check_context_of(&section);
    let (result, then) = section(&Kernel { held: PhantomData });
    // SAFETY: from the matching call.
    unsafe { go_on(saved, then, rest) };
    result
}

/// Ends the section that began where `saved` was found, by what is to be behind it.
///
/// # Safety
/// The lock is held, and `saved` is from where it was acquired.
#[inline(always)]
pub unsafe fn go_on<R>(saved: mask::Saved, then: Then<R>, rest: impl FnOnce(R, Pause)) {
    // SAFETY: the caller's; closures nest. Woken, it is handed over.
    unsafe {
        match then {
            Then::End => __quintet_kernel_release(saved),
            Then::Wake(wakee) => wake_and_release(wakee, saved),
            Then::Rest(what) => rest(what, Pause::begin(saved)),
        }
    }
}

/// Between two sections of one operation: the lock is released, and no other thread runs.
///
/// Interrupts that the first section held off come at its beginning. Dropped, it lets other threads
/// run: a switch that has become due, as the thread was suspended, happens there.
pub struct Pause {
    /// What was found where the first section began.
    saved: mask::Saved,
}

impl Pause {
    /// Ends the first section.
    ///
    /// # Safety
    /// The lock is held, and `saved` is from where it was acquired.
    #[inline(always)]
    unsafe fn begin(saved: mask::Saved) -> Self {
        #[cfg(threads)]
        let between = if has_threads() { mask::without_switches(saved) } else { saved };
        #[cfg(not(threads))]
        let between = saved;
        // SAFETY: the caller's.
        unsafe { __quintet_kernel_release(between) };
        // The next section may begin with the next instruction.
        mask::let_in();
        Self { saved }
    }

    /// Goes on with the last section, and wakes whom it returns, as [`kernel_and_wake`] does.
    #[inline(always)]
    pub fn kernel_and_wake(self, section: impl FnOnce(&Kernel<'_>) -> Option<Wakee>) {
        let saved = ManuallyDrop::new(self).saved;
        let _between = __quintet_kernel_acquire();
        // SAFETY: acquired just now, and what was found is older: closures nest.
        unsafe {
            match section(&Kernel { held: PhantomData }) {
                Some(wakee) => wake_and_release(wakee, saved),
                None => __quintet_kernel_release(saved),
            }
        }
        let_in();
    }
}

/// Holds other threads off until what this returns is dropped: for several sections of one
/// operation, between which interrupts come.
#[cfg(processes)]
pub fn hold_switches_off() -> Pause {
    let saved = __quintet_kernel_acquire();
    // SAFETY: acquired just now.
    unsafe { Pause::begin(saved) }
}

impl Drop for Pause {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(threads)]
        if has_threads() {
            // SAFETY: found where the first section began.
            unsafe { mask::let_switch(self.saved) };
        }
    }
}

/// Wakes whom a timer wakes. From every context that the kernel knows of, with the lock released.
///
/// A thread that doesn't wait yet is left alone: a timer may fire between its thread's arming it
/// and waiting, before which the thread looks. One that waits is woken by nobody else.
#[cfg(feature = "time")]
#[inline(always)]
pub fn wake(wakee: Wakee) {
    #[cfg(threads)]
    if wakee.is_thread() {
        if let Some(thread) = wakee.thread_that_waits() {
            let saved = __quintet_kernel_acquire();
            // SAFETY: the lock is held, and handed over with what it has to restore.
            unsafe { switch::ready(thread, saved) };
        }
        return;
    }
    // SAFETY: it isn't a thread.
    unsafe { wakee.into_job() }.wake();
}

/// Begins a section at the kernel's ceiling that can't be a closure: a critical section of a
/// library, or one that ends with a switch.
#[cfg(any(threads, feature = "critical-section"))]
#[inline(always)]
pub fn acquire() -> Saved {
    let saved = __quintet_kernel_acquire();
    #[cfg(debug_assertions)]
    check_context_of(&acquire);
    saved
}

/// Ends a section that [`acquire`] began.
///
/// # Safety
/// `saved` is from the matching call; sections end in the reverse order of their beginning.
#[cfg(any(threads, feature = "critical-section"))]
#[inline(always)]
pub unsafe fn release(saved: Saved) {
    // SAFETY: handed on.
    unsafe { __quintet_kernel_release(saved) };
}
