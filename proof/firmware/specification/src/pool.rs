//! Blocks of a pool, which every context may return.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use quintet::sync::pool::Block;
use quintet::sync::{Operation, Pool};
use quintet::thread::CurrentThread;
use quintet::time::{Duration, timeout};

use super::TIMED_OUT;

/// How many there are.
const BLOCKS: usize = 3;
/// What allocating comes to where there is none.
const NONE: u32 = 0xff;

static POOL: Pool<u32, BLOCKS> = Pool::new();
/// Where its first block is.
static FIRST: AtomicUsize = AtomicUsize::new(0);

/// What is allocated, by its place in the pool.
struct Kept(UnsafeCell<[Option<Block<u32, BLOCKS>>; BLOCKS]>);

// SAFETY: reached with interrupts off.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept(UnsafeCell::new([const { None }; BLOCKS]));

fn kept<T>(act: impl FnOnce(&mut [Option<Block<u32, BLOCKS>>; BLOCKS]) -> T) -> T {
    // SAFETY: nobody comes between.
    cortex_m::interrupt::free(|_| act(unsafe { &mut *KEPT.0.get() }))
}

/// Finds out where the blocks are: the first one has been used from then on, and is free.
pub fn begin() {
    if let Ok(block) = POOL.try_alloc(0) {
        FIRST.store(core::ptr::from_ref(&*block).addr(), Ordering::Relaxed);
    }
}

/// Keeps a block. Which one it is.
fn keep(block: Block<u32, BLOCKS>) -> u32 {
    let first = FIRST.load(Ordering::Relaxed);
    let place = (core::ptr::from_ref(&*block).addr() - first) / size_of::<u32>();
    kept(|all| all[place] = Some(block));
    place as u32
}

/// Allocates a block, if there is one.
pub fn try_alloc(value: u32) -> u32 {
    POOL.try_alloc(value).map_or(NONE, keep)
}

/// Allocates a block, in a thread that waits for it.
pub fn alloc_blocking(this: &CurrentThread<'_>, value: u32) -> u32 {
    keep(POOL.alloc(value).block(this))
}

/// Allocates a block, in a task that waits for it.
pub async fn alloc(value: u32) -> u32 {
    keep(POOL.alloc(value).await)
}

/// The same for a time.
pub async fn alloc_timeout(value: u32, duration: Duration) -> u32 {
    timeout(duration, POOL.alloc(value)).await.map_or(TIMED_OUT, keep)
}

/// Returns a block, if it is allocated. What is in it.
pub fn free(place: usize) -> u32 {
    kept(|all| all[place].take()).map_or(0, Block::into_inner)
}
