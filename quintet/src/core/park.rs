//! Waits of threads for no object: until somebody notifies the thread, or uses a waker of it.
//!
//! ```text
//!   thread:  await_wake ──> waits            from above:  wake ──> into a list, pend the switch
//!              ^                                                           │
//!              ├──── ready <── the switch, under the kernel's lock <───────┘
//!              └──── ready <── wake, under the kernel's lock, by everybody else
//!
//!   thread:  park ──> waits ──> ready <── unpark, under the kernel's lock
//! ```
//!
//! A thread that waits for one object needs neither. Wakes are for whatever uses a [`Waker`]:
//! futures, timers, several things at a time. Waking is sound from every context. Where the kernel
//! knows of that, it makes the thread ready at once; an interrupt above the kernel's ceiling writes
//! a list by atomic steps, and lets the switch look at it. Notifications are the user's, and come
//! from where the kernel is known.
//!
//! Both are noted, apart from each other, if they come before the thread waits. A wake says no more
//! than that something may have come: who awaits one looks first, and again behind each.

#![expect(unsafe_code, reason = "function tables of wakers are unsafe to build")]

use ::core::fmt;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use crate::arch::mask;
use crate::arch::switch;
use crate::core::lock::{self, KernelLock, Saved, Section, kernel};
use crate::core::record::ThreadBlock;
use crate::core::scheduler::{Blocking, SCHEDULER, Scheduler};

#[cfg(feature = "time")]
pub use polling::Polling;

#[cfg(feature = "time")]
mod polling;
#[cfg(test)]
mod tests;

/// The functions of threads' wakers. Their word is the address of the control block.
static WAKERS: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, forget);

unsafe fn clone(control: *const ()) -> RawWaker {
    RawWaker::new(control, &WAKERS)
}

unsafe fn wake(control: *const ()) {
    // SAFETY: control blocks live for ever.
    wake_from_anywhere(unsafe { &*control.cast() });
}

/// Wakers own nothing.
const fn forget(_control: *const ()) {}

/// The waker of a thread: it ends the thread's present or next [`await_wake`].
#[must_use]
pub fn waker(control: &'static ThreadBlock) -> Waker {
    // SAFETY: `wake` is sound from every context, and nothing is owned.
    unsafe { Waker::new(::core::ptr::from_ref(control).cast(), &WAKERS) }
}

/// A waker of a thread that does the same, for whoever wakes it from where the kernel is known.
/// Apart from [`waker`], so that what wakes from anywhere is linked only where somebody does. It
/// names the thread: its word is the address of the control block.
#[must_use]
pub fn named(control: &'static ThreadBlock) -> Waker {
    // SAFETY: whoever has it wakes by it from there, and nothing is owned.
    unsafe { Waker::new(::core::ptr::from_ref(control).cast(), &NAMES) }
}

/// The functions of [names](named).
static NAMES: RawWakerVTable = RawWakerVTable::new(name, wake_named, wake_named, forget);

unsafe fn name(control: *const ()) -> RawWaker {
    RawWaker::new(control, &NAMES)
}

unsafe fn wake_named(control: *const ()) {
    // SAFETY: control blocks live for ever.
    wake_here(unsafe { &*control.cast() });
}

/// The thread that a waker wakes, if it is a thread's.
#[must_use]
pub fn thread_of(waker: &Waker) -> Option<&'static ThreadBlock> {
    if !::core::ptr::eq(waker.vtable(), &raw const WAKERS) {
        return None;
    }
    // SAFETY: from `waker`; control blocks live for ever.
    Some(unsafe { &*waker.data().cast() })
}

/// Waits until the running thread is [unparked](unpark); not at all if it was since the last time.
///
/// # Panics
/// As [`check_may_block`], if it waits. Where interrupts are held off, also if it doesn't: the
/// assembly looks at that first.
#[inline(always)]
pub fn park() {
    // SAFETY: the lock is held, and handed over.
    unsafe { switch::park(Section::begin().into_saved()) };
}

/// Waits until the running thread is woken; not at all if a wake was noted. A function of its own.
///
/// # Panics
/// As [`check_may_block`], if it waits.
#[inline(never)]
pub fn await_wake() {
    await_wake_or(|| ());
}

/// Waits until the running thread is woken. If a wake was noted, it calls `otherwise` instead.
///
/// # Panics
/// As [`check_may_block`], if it waits.
#[inline(always)]
pub fn await_wake_or(otherwise: impl FnOnce()) {
    let section = Section::begin();
    if SCHEDULER.take_wake(&section) {
        section.end();
        return otherwise();
    }
    let running = check_may_block(section.saved());
    running.set_awaits_wake(&section);
    // SAFETY: it may wait; who wakes the thread makes it ready.
    unsafe { section.block() };
}

/// Lets the running thread wait until `ended` returns something, which it is asked first, and again
/// behind each wake.
///
/// # Panics
/// As [`check_may_block`], if it waits.
#[inline(always)]
pub fn until<T>(ended: impl FnMut() -> Option<T>) -> T {
    until_by(await_wake, ended)
}

/// As [`until`], where `wait` waits for a wake.
///
/// Whoever waits like this further out, around the caller, has the same waker: a wake that came
/// here may have been meant for that. So it is noted again, and that looks once more.
///
/// # Panics
/// As `wait`.
#[inline(always)]
pub fn until_by<T>(wait: fn(), mut ended: impl FnMut() -> Option<T>) -> T {
    let mut was_woken = kernel(|lock| SCHEDULER.take_wake(lock));
    let result = loop {
        if let Some(result) = ended() {
            break result;
        }
        wait();
        was_woken = true;
    };
    if was_woken {
        kernel(|lock| Scheduler::note_wake(SCHEDULER.running(), lock));
    }
    result
}

/// Ends the present or the next [`park`] of a thread. From every context that the kernel knows of.
#[inline(always)]
pub fn unpark(control: &ThreadBlock) {
    make_ready_if(control, |lock| Scheduler::end_parking_or_note(control, lock));
}

/// Ends the present or the next [`await_wake`] of a thread. From every context that the kernel
/// knows of.
pub fn wake_here(control: &ThreadBlock) {
    make_ready_if(control, |lock| Scheduler::end_awaiting_or_note(control, lock));
}

/// Ends the present or the next [`await_wake`] of a thread. From every context.
#[inline(always)]
pub fn wake_from_anywhere(control: &ThreadBlock) {
    if lock::is_known() {
        wake_here(control);
    } else {
        wake_from_above(control);
    }
}

/// The same where it isn't known that the lock holds the context off.
#[cold]
#[inline(never)]
fn wake_from_above(control: &ThreadBlock) {
    SCHEDULER.wake_from_anywhere(control);
    switch::pend();
}

/// Makes a thread ready, if that is the end of its wait.
#[inline(always)]
fn make_ready_if(control: &ThreadBlock, ends: impl FnOnce(&KernelLock<'_>) -> bool) {
    let section = Section::begin();
    if ends(&section) {
        // SAFETY: its wait is over, so it is in no ring.
        unsafe { section.ready(control) };
    } else {
        section.end();
    }
}

/// The running thread, if it may wait in a section that began where `saved` was found.
///
/// # Panics
/// If it holds a resource, or interrupts off: nobody waits in a section.
#[inline(always)]
pub fn check_may_block(saved: Saved) -> &'static ThreadBlock {
    match SCHEDULER.blocking(saved) {
        Blocking::Allowed => SCHEDULER.running(),
        refused => refuse(saved, refused),
    }
}

/// The same as a function, for what happens rarely.
///
/// # Panics
/// As [`check_may_block`].
#[inline(never)]
pub fn check_may_block_cold(saved: Saved) -> &'static ThreadBlock {
    check_may_block(saved)
}

/// The running thread, if it may wait, outside of every section.
///
/// # Panics
/// As [`check_may_block`].
#[inline(always)]
pub fn check_may_wait() -> &'static ThreadBlock {
    check_may_block(mask::held())
}

/// What is called in a thread that may not wait, in a section that began where `saved` was found.
///
/// # Panics
/// Always.
#[unsafe(export_name = "__quintet_refuse_to_wait")]
pub extern "C" fn refuse_to_wait(saved: Saved) -> ! {
    refuse(saved, SCHEDULER.blocking(saved))
}

#[cold]
#[inline(never)]
fn refuse(saved: Saved, refused: Blocking) -> ! {
    let control = SCHEDULER.running();
    // SAFETY: from the matching call; nobody waits.
    unsafe { lock::release(saved) };
    panic!("{}", Refusal { control, refused })
}

/// A thread that was about to wait while it holds a resource.
struct Refusal {
    control: &'static ThreadBlock,
    refused: Blocking,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.control.about;
        write!(formatter, "the thread `{}` would wait while it holds ", about.name)?;
        let ceiling = match self.refused {
            Blocking::UnderThreadCeiling => self.control.ceiling(),
            Blocking::UnderLevelCeiling => LEVELS,
            Blocking::InterruptsOff | Blocking::Allowed => {
                return formatter.write_str(
                    "interrupts off: end the critical section before the call that waits",
                );
            }
        };
        let mut among = "";
        for held in about.resources.iter().filter(|held| held.ceiling == ceiling) {
            write!(formatter, "{among}`{}`", held.name)?;
            among = " or ";
        }
        if among.is_empty() {
            formatter.write_str("a resource, or has raised a ceiling")?;
        }
        formatter.write_str(": end the lock before the call that waits")
    }
}

/// Stands for a ceiling of levels in what is known of a thread's resources.
const LEVELS: u8 = 0;
