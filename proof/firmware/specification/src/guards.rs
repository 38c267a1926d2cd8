//! What threads have locked, between two operations.

use core::cell::UnsafeCell;
use quintet::sync::rwlock::{ReadGuard, WriteGuard};
use quintet::sync::thread_mutex::{Ceiling, Inheritance, Recursive};
use quintet::sync::{
    CeilingMutex, Condvar, InheritanceMutex, LockError, NotNotified, Operation, RwLock,
    ThreadMutexGuard, TimedOut,
};
use quintet::thread::CurrentThread;
use quintet::time::Instant;

use super::TIMED_OUT;

/// Two with inheritance, behind them two with ceilings, and then a recursive one of each.
static PLAIN: [InheritanceMutex<()>; 2] = [const { InheritanceMutex::new(()) }; 2];
static CEILINGS: [CeilingMutex<()>; 2] = [CeilingMutex::new(6, ()), CeilingMutex::new(3, ())];
static AGAIN: InheritanceMutex<(), Recursive> = InheritanceMutex::recursive(());
static CEILING_AGAIN: CeilingMutex<(), Recursive> = CeilingMutex::recursive(6, ());
static CHANGED: Condvar = Condvar::new();
static SHARED: RwLock<()> = RwLock::new(());

/// All mutexes.
pub const MUTEXES: usize = 6;
/// How often a thread may have one.
const DEPTH: usize = 3;
const THREADS: usize = 5;

/// What a thread has of a mutex.
enum Locked {
    Plain(ThreadMutexGuard<'static, (), Inheritance>),
    Ceiling(ThreadMutexGuard<'static, (), Ceiling>),
    Again { _guard: ThreadMutexGuard<'static, (), Inheritance, Recursive> },
    CeilingAgain { _guard: ThreadMutexGuard<'static, (), Ceiling, Recursive> },
}

/// Evaluates an expression of the mutex with a number, and of how its guard is kept.
macro_rules! with_mutex {
    ($number:expr, |$mutex:ident, $kept:ident| $body:expr) => {
        match $number {
            number @ 0..2 => {
                let ($mutex, $kept) = (&PLAIN[number], Locked::Plain);
                $body
            }
            number @ 2..4 => {
                let ($mutex, $kept) = (&CEILINGS[number - 2], Locked::Ceiling);
                $body
            }
            4 => {
                let ($mutex, $kept) = (&AGAIN, |guard| Locked::Again { _guard: guard });
                $body
            }
            _ => {
                let ($mutex, $kept) =
                    (&CEILING_AGAIN, |guard| Locked::CeilingAgain { _guard: guard });
                $body
            }
        }
    };
}

/// What it has of the lock for readers and writers, until it is dropped.
enum Entered {
    Read { _guard: ReadGuard<'static, ()> },
    Write { _guard: WriteGuard<'static, ()> },
}

/// What a thread has.
struct Own {
    locked: [[Option<Locked>; DEPTH]; MUTEXES],
    entered: Option<Entered>,
}

/// By thread.
struct All(UnsafeCell<[Own; THREADS]>);

// SAFETY: each thread uses its own.
unsafe impl Sync for All {}

/// Nothing.
const NOTHING: Own = Own { locked: [const { [const { None }; DEPTH] }; MUTEXES], entered: None };
static OWN: All = All(UnsafeCell::new([NOTHING; THREADS]));

fn own(context: usize) -> &'static mut Own {
    // SAFETY: the thread's own, and used for one operation at a time.
    unsafe { &mut (*OWN.0.get())[context] }
}

/// Why a mutex isn't locked.
fn code(error: LockError) -> u32 {
    match error {
        LockError::Deadlock => 1,
        LockError::Locked => 2,
        LockError::AboveCeiling => 3,
        LockError::TimedOut => TIMED_OUT,
        _ => unreachable!("there are four"),
    }
}

/// Locks a mutex by `lock`, unless the thread has it as often as may be.
fn enter_mutex(
    context: usize,
    mutex: usize,
    lock: impl FnOnce() -> Result<Locked, LockError>,
) -> u32 {
    let Some(place) = own(context).locked[mutex].iter().position(Option::is_none) else { return 4 };
    match lock() {
        Ok(locked) => {
            own(context).locked[mutex][place] = Some(locked);
            0
        }
        Err(error) => code(error),
    }
}

/// Locks a mutex, if nobody has it.
pub fn try_lock(this: &CurrentThread<'_>, context: usize, mutex: usize) -> u32 {
    enter_mutex(context, mutex, || with_mutex!(mutex, |mutex, kept| mutex.try_lock(this).map(kept)))
}

/// Locks a mutex, unless the thread has it.
pub fn lock(this: &CurrentThread<'_>, context: usize, mutex: usize) -> u32 {
    let tried = try_lock(this, context, mutex);
    if tried != code(LockError::Locked) {
        return tried;
    }
    enter_mutex(context, mutex, || {
        Ok(with_mutex!(mutex, |mutex, kept| kept(mutex.lock().block(this))))
    })
}

/// Locks a mutex, until a time.
pub fn lock_until(
    this: &CurrentThread<'_>,
    context: usize,
    mutex: usize,
    deadline: Instant,
) -> u32 {
    enter_mutex(context, mutex, || {
        with_mutex!(mutex, |mutex, kept| mutex.lock().block_until(this, deadline).map(kept))
    })
}

/// Leaves a mutex, once. Whether the thread had it not.
pub fn unlock(context: usize, mutex: usize) -> bool {
    let locked = own(context).locked[mutex].iter_mut().rev().find_map(Option::take);
    locked.is_none()
}

/// Waits for a change, until a time if there is one.
pub fn wait(this: &CurrentThread<'_>, context: usize, mutex: usize, until: Option<Instant>) -> u32 {
    let (locked, waited) = match (own(context).locked[mutex][0].take(), until) {
        (None, _) => return 2,
        (Some(Locked::Again { .. } | Locked::CeilingAgain { .. }), _) => {
            panic!("a recursive mutex isn't left for a wait")
        }
        (Some(Locked::Plain(guard)), None) => (Locked::Plain(CHANGED.wait(guard).block(this)), 0),
        (Some(Locked::Ceiling(guard)), None) => {
            (Locked::Ceiling(CHANGED.wait(guard).block(this)), 0)
        }
        (Some(Locked::Plain(guard)), Some(deadline)) => {
            match CHANGED.wait(guard).block_until(this, deadline) {
                Ok(guard) => (Locked::Plain(guard), 0),
                Err(NotNotified(guard)) => (Locked::Plain(guard), TIMED_OUT),
            }
        }
        (Some(Locked::Ceiling(guard)), Some(deadline)) => {
            match CHANGED.wait(guard).block_until(this, deadline) {
                Ok(guard) => (Locked::Ceiling(guard), 0),
                Err(NotNotified(guard)) => (Locked::Ceiling(guard), TIMED_OUT),
            }
        }
    };
    own(context).locked[mutex][0] = Some(locked);
    waited
}

/// Tells the first who waits for a change, or all.
pub fn notify(all: bool) {
    if all {
        CHANGED.notify_all();
    } else {
        CHANGED.notify_one();
    }
}

/// What a thread does to the lock for readers and writers that it isn't in.
fn enter(context: usize, entered: impl FnOnce() -> Result<Entered, u32>) -> u32 {
    if own(context).entered.is_some() {
        return 2;
    }
    match entered() {
        Ok(entered) => {
            own(context).entered = Some(entered);
            0
        }
        Err(code) => code,
    }
}

/// Reads, also if that takes time, until a time if there is one.
pub fn read(this: &CurrentThread<'_>, context: usize, until: Option<Instant>) -> u32 {
    enter(context, || match until {
        None => Ok(Entered::Read { _guard: SHARED.read().block(this) }),
        Some(deadline) => match SHARED.read().block_until(this, deadline) {
            Ok(guard) => Ok(Entered::Read { _guard: guard }),
            Err(TimedOut) => Err(TIMED_OUT),
        },
    })
}

/// Writes, also if that takes time, until a time if there is one.
pub fn write(this: &CurrentThread<'_>, context: usize, until: Option<Instant>) -> u32 {
    enter(context, || match until {
        None => Ok(Entered::Write { _guard: SHARED.write().block(this) }),
        Some(deadline) => match SHARED.write().block_until(this, deadline) {
            Ok(guard) => Ok(Entered::Write { _guard: guard }),
            Err(TimedOut) => Err(TIMED_OUT),
        },
    })
}

/// Reads, if that is possible at once.
pub fn try_read(context: usize) -> u32 {
    enter(context, || SHARED.try_read().map(|guard| Entered::Read { _guard: guard }).or(Err(1)))
}

/// Writes, if that is possible at once.
pub fn try_write(context: usize) -> u32 {
    enter(context, || SHARED.try_write().map(|guard| Entered::Write { _guard: guard }).or(Err(1)))
}

/// Leaves the lock for readers and writers. Whether the thread wasn't in.
pub fn leave(context: usize) -> bool {
    own(context).entered.take().is_none()
}

/// Reads or writes, if that is possible at once, and leaves again. Whether it wasn't.
pub fn glance(write: bool) -> bool {
    if write { SHARED.try_write().is_err() } else { SHARED.try_read().is_err() }
}
