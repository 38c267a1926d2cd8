//! Services of the kernel as functions, for the rows of linked bytes.
//!
//! Each is once in the image and takes the address of its object, as functions of a kernel in C do,
//! whose sizes are beside ours. Who calls them is the application, and counts in neither.

use quintet::sync::rwlock::{ReadGuard, WriteGuard};
use quintet::sync::thread_flags::OwnFlags;
use quintet::sync::{
    Block, CeilingMutex, Channel, Flags, InheritanceMutex, Operation, Pool, RwLock, Semaphore,
    Signal, ThreadFlags, ThreadMutexGuard,
};
use quintet::thread::{CurrentThread, Thread};
use quintet::time::{Duration, SoftwareTimer};

/// A queue.
pub type Queue = Channel<u32, 8>;
/// A mailbox: a queue for one message.
pub type Mailbox = Channel<u32, 1>;
/// Fixed blocks.
pub type Blocks = Pool<u32, 8>;
/// The guard of a mutex that inherits priorities.
pub type Guard<'a> = ThreadMutexGuard<'a, u32, quintet::sync::thread_mutex::Inheritance>;
/// The guard of a mutex with a ceiling.
pub type CeilingGuard<'a> = ThreadMutexGuard<'a, u32, quintet::sync::thread_mutex::Ceiling>;

/// Makes `main` idle.
///
/// # Safety
/// As for `quintet::thread::initialise`.
#[inline(never)]
pub unsafe fn initialise() {
    // SAFETY: the caller's.
    unsafe { quintet::thread::initialise() };
}

/// Starts a thread. Whether it had ended.
#[inline(never)]
pub fn start(thread: &'static Thread) -> bool {
    thread.start().is_ok()
}

/// Lets an equal run.
#[inline(never)]
pub fn yield_now(this: &CurrentThread<'_>) {
    this.yield_now();
}

/// Changes a thread's priority.
#[inline(never)]
pub fn set_priority(thread: &'static Thread, priority: u8) -> bool {
    thread.set_priority(priority).is_ok()
}

/// Holds a thread.
#[inline(never)]
pub fn suspend(thread: &'static Thread) -> bool {
    thread.suspend().is_ok()
}

/// Lets it go on.
#[inline(never)]
pub fn resume(thread: &'static Thread) {
    thread.resume();
}

/// Waits for a notification.
#[inline(never)]
pub fn park(this: &CurrentThread<'_>) {
    this.park();
}

/// Notifies a thread.
#[inline(never)]
pub fn unpark(thread: &'static Thread) {
    thread.unpark();
}

/// Waits for a time.
#[inline(never)]
pub fn delay(this: &CurrentThread<'_>, duration: Duration) {
    this.delay(duration);
}

/// Gives to a semaphore.
#[inline(never)]
pub fn give(semaphore: &Semaphore) {
    semaphore.give();
}

/// Takes from a semaphore.
#[inline(never)]
pub fn take(semaphore: &Semaphore, this: &CurrentThread<'_>) {
    semaphore.take().block(this);
}

/// Locks a mutex.
#[inline(never)]
pub fn lock<'a>(mutex: &'a InheritanceMutex<u32>, this: &CurrentThread<'_>) -> Guard<'a> {
    mutex.lock().block(this)
}

/// Unlocks it.
#[inline(never)]
pub fn unlock(guard: Guard<'_>) {
    drop(guard);
}

/// Locks a mutex with a ceiling.
#[inline(never)]
pub fn lock_ceiling(
    mutex: &'static CeilingMutex<u32>,
    this: &CurrentThread<'_>,
) -> CeilingGuard<'static> {
    mutex.lock().block(this)
}

/// Unlocks it.
#[inline(never)]
pub fn unlock_ceiling(guard: CeilingGuard<'_>) {
    drop(guard);
}

/// Sends to a queue, and waits for room.
#[inline(never)]
pub fn send(queue: &Queue, message: u32, this: &CurrentThread<'_>) {
    queue.send(message).block(this);
}

/// Sends to a queue where there is room.
#[inline(never)]
pub fn try_send(queue: &Queue, message: u32) -> bool {
    queue.try_send(message).is_ok()
}

/// Receives from a queue.
#[inline(never)]
pub fn receive(queue: &Queue, this: &CurrentThread<'_>) -> u32 {
    queue.receive().block(this)
}

/// Posts to a mailbox, and waits until it is empty.
#[inline(never)]
pub fn post(mailbox: &Mailbox, message: u32, this: &CurrentThread<'_>) {
    mailbox.send(message).block(this);
}

/// Takes from it, and waits for what there is.
#[inline(never)]
pub fn take_message(mailbox: &Mailbox, this: &CurrentThread<'_>) -> u32 {
    mailbox.receive().block(this)
}

/// Signals a word.
#[inline(never)]
pub fn signal(signal: &Signal<u32>, value: u32) {
    signal.signal(value);
}

/// Waits for a signal.
#[inline(never)]
pub fn wait_for_signal(signal: &Signal<u32>, this: &CurrentThread<'_>) -> u32 {
    signal.wait().block(this)
}

/// Sets event flags.
#[inline(never)]
pub fn set_flags(flags: &Flags, bits: u32) {
    flags.set(bits);
}

/// Waits for event flags.
#[inline(never)]
pub fn wait_for_flags(flags: &Flags, mask: u32, this: &CurrentThread<'_>) -> u32 {
    flags.take_any(mask).block(this)
}

/// Sets a thread's own flags.
#[inline(never)]
pub fn set_own_flags(flags: &ThreadFlags, bits: u32) {
    flags.set(bits);
}

/// Makes a thread the owner of flags.
#[inline(never)]
pub fn own<'a>(flags: &'static ThreadFlags, this: &'a CurrentThread<'_>) -> Option<OwnFlags<'a>> {
    flags.own(this).ok()
}

/// Waits for flags of the thread's own.
#[inline(never)]
pub fn wait_for_own_flags(flags: &OwnFlags<'_>, mask: u32, this: &CurrentThread<'_>) -> u32 {
    flags.take_any(mask).block(this)
}

/// Locks for reading.
#[inline(never)]
pub fn read<'a>(lock: &'a RwLock<u32>, this: &CurrentThread<'_>) -> ReadGuard<'a, u32> {
    lock.read().block(this)
}

/// Unlocks it.
#[inline(never)]
pub fn end_read(guard: ReadGuard<'_, u32>) {
    drop(guard);
}

/// Locks for writing.
#[inline(never)]
pub fn write<'a>(lock: &'a RwLock<u32>, this: &CurrentThread<'_>) -> WriteGuard<'a, u32> {
    lock.write().block(this)
}

/// Unlocks it.
#[inline(never)]
pub fn end_write(guard: WriteGuard<'_, u32>) {
    drop(guard);
}

/// Allocates a block.
#[inline(never)]
pub fn allocate(pool: &'static Blocks, value: u32) -> Option<Block<u32, 8>> {
    pool.try_alloc(value).ok()
}

/// Frees it.
#[inline(never)]
pub fn free(block: Block<u32, 8>) {
    drop(block);
}

/// Starts a software timer.
#[inline(never)]
pub fn start_timer(timer: &'static SoftwareTimer, delay: Duration) {
    timer.start(delay);
}

/// Stops it.
#[inline(never)]
pub fn stop_timer(timer: &SoftwareTimer) -> bool {
    timer.stop()
}
