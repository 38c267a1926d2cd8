//! What threads have locked, between two operations.

use core::cell::UnsafeCell;
use quintet::sync::rwlock::{ReadGuard, WriteGuard};
use quintet::sync::thread_mutex::{Ceiling, Inheritance};
use quintet::sync::{
    CeilingMutex, Condvar, InheritanceMutex, LockError, RwLock, ThreadMutexGuard, TimedOut,
};
use quintet::thread::This;
use quintet::time::Instant;

use super::TIMED_OUT;

/// Two with inheritance, and behind them two with ceilings.
static PLAIN: [InheritanceMutex<()>; 2] = [const { InheritanceMutex::new(()) }; 2];
static CEILINGS: [CeilingMutex<()>; 2] = [CeilingMutex::new(6, ()), CeilingMutex::new(3, ())];
static CHANGED: Condvar = Condvar::new();
static SHARED: RwLock<()> = RwLock::new(());

/// All mutexes.
pub const MUTEXES: usize = PLAIN.len() + CEILINGS.len();
const THREADS: usize = 5;

/// What a thread has of a mutex.
enum Locked {
    Plain(ThreadMutexGuard<'static, (), Inheritance>),
    Ceiling(ThreadMutexGuard<'static, (), Ceiling>),
}

/// What it has of the lock for readers and writers, until it is dropped.
enum Entered {
    Read { _guard: ReadGuard<'static, ()> },
    Write { _guard: WriteGuard<'static, ()> },
}

/// What a thread has.
struct Own {
    locked: [Option<Locked>; MUTEXES],
    entered: Option<Entered>,
}

/// By thread.
struct All(UnsafeCell<[Own; THREADS]>);

// SAFETY: each thread uses its own.
unsafe impl Sync for All {}

static OWN: All = All(UnsafeCell::new(
    [const { Own { locked: [const { None }; MUTEXES], entered: None } }; THREADS],
));

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
    }
}

fn keep(context: usize, mutex: usize, locked: Result<Locked, LockError>) -> u32 {
    match locked {
        Ok(locked) => {
            own(context).locked[mutex] = Some(locked);
            0
        }
        Err(error) => code(error),
    }
}

/// Locks a mutex, if nobody has it.
pub fn try_lock(this: &This<'_>, context: usize, mutex: usize) -> u32 {
    let locked = match PLAIN.get(mutex) {
        Some(plain) => plain.try_lock(this).map(Locked::Plain),
        None => CEILINGS[mutex - PLAIN.len()].try_lock(this).map(Locked::Ceiling),
    };
    keep(context, mutex, locked)
}

/// Locks a mutex, unless the thread has it.
pub fn lock(this: &This<'_>, context: usize, mutex: usize) -> u32 {
    let tried = try_lock(this, context, mutex);
    if tried != code(LockError::Locked) {
        return tried;
    }
    let locked = match PLAIN.get(mutex) {
        Some(plain) => Locked::Plain(plain.lock_blocking(this)),
        None => Locked::Ceiling(CEILINGS[mutex - PLAIN.len()].lock_blocking(this)),
    };
    keep(context, mutex, Ok(locked))
}

/// Locks a mutex, until a time.
pub fn lock_until(this: &This<'_>, context: usize, mutex: usize, deadline: Instant) -> u32 {
    let locked = match PLAIN.get(mutex) {
        Some(plain) => plain.lock_blocking_until(this, deadline).map(Locked::Plain),
        None => {
            let ceiling = &CEILINGS[mutex - PLAIN.len()];
            ceiling.lock_blocking_until(this, deadline).map(Locked::Ceiling)
        }
    };
    keep(context, mutex, locked)
}

/// Leaves a mutex. Whether the thread had it not.
pub fn unlock(context: usize, mutex: usize) -> bool {
    own(context).locked[mutex].take().is_none()
}

/// Waits for a change, until a time if there is one.
pub fn wait(this: &This<'_>, context: usize, mutex: usize, until: Option<Instant>) -> u32 {
    let (locked, waited) = match (own(context).locked[mutex].take(), until) {
        (None, _) => return 2,
        (Some(Locked::Plain(guard)), None) => {
            (Locked::Plain(CHANGED.wait_blocking(guard, this)), Ok(()))
        }
        (Some(Locked::Ceiling(guard)), None) => {
            (Locked::Ceiling(CHANGED.wait_blocking(guard, this)), Ok(()))
        }
        (Some(Locked::Plain(guard)), Some(deadline)) => {
            let (guard, waited) = CHANGED.wait_blocking_until(guard, this, deadline);
            (Locked::Plain(guard), waited)
        }
        (Some(Locked::Ceiling(guard)), Some(deadline)) => {
            let (guard, waited) = CHANGED.wait_blocking_until(guard, this, deadline);
            (Locked::Ceiling(guard), waited)
        }
    };
    own(context).locked[mutex] = Some(locked);
    waited.map_or_else(|TimedOut| TIMED_OUT, |()| 0)
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
pub fn read(this: &This<'_>, context: usize, until: Option<Instant>) -> u32 {
    enter(context, || match until {
        None => Ok(Entered::Read { _guard: SHARED.read_blocking(this) }),
        Some(deadline) => match SHARED.read_blocking_until(this, deadline) {
            Ok(guard) => Ok(Entered::Read { _guard: guard }),
            Err(TimedOut) => Err(TIMED_OUT),
        },
    })
}

/// Writes, also if that takes time, until a time if there is one.
pub fn write(this: &This<'_>, context: usize, until: Option<Instant>) -> u32 {
    enter(context, || match until {
        None => Ok(Entered::Write { _guard: SHARED.write_blocking(this) }),
        Some(deadline) => match SHARED.write_blocking_until(this, deadline) {
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
