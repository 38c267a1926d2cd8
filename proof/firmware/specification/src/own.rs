//! Flags of threads' own. A thread has them until it ends: whoever sets some finds their owner also
//! where it doesn't wait for them.

use core::sync::atomic::{AtomicPtr, Ordering};
use quintet::sync::thread_flags::OwnFlags;
use quintet::sync::{Operation, ThreadFlags};
use quintet::thread::CurrentThread;
use quintet::time::Instant;

use super::objects::value;

/// By thread.
static FLAGS: [ThreadFlags; 5] = [const { ThreadFlags::new() }; 5];
/// By thread that has begun, what it owns.
static OWNED: [AtomicPtr<()>; 5] = [const { AtomicPtr::new(core::ptr::null_mut()) }; 5];

/// Lets a thread own its flags while it acts.
pub fn owning(this: &CurrentThread<'_>, context: usize, act: impl FnOnce()) {
    let Ok(own) = FLAGS[context].own(this) else { panic!("somebody else owns them") };
    OWNED[context].store((&raw const own).cast_mut().cast(), Ordering::Relaxed);
    act();
}

fn owned<'a>(context: usize) -> &'a OwnFlags<'a> {
    // SAFETY: the thread that calls this acts in `owning`, whose frame has it.
    unsafe { &*OWNED[context].load(Ordering::Relaxed).cast() }
}

/// Sets a thread's flags.
pub fn set(thread: usize, flags: u32) {
    FLAGS[thread].set(flags);
}

/// Clears a thread's flags. Those that were set before.
pub fn clear(thread: usize, flags: u32) -> u32 {
    FLAGS[thread].clear(flags)
}

/// Waits: for any or all, which are cleared or left.
pub fn wait(this: &CurrentThread<'_>, context: usize, mask: u32, kind: u32) -> u32 {
    let own = owned(context);
    match kind {
        0 => own.wait_any(mask).block(this),
        1 => own.wait_all(mask).block(this),
        2 => own.take_any(mask).block(this),
        _ => own.take_all(mask).block(this),
    }
}

/// The same until a time.
pub fn wait_until(
    this: &CurrentThread<'_>,
    context: usize,
    mask: u32,
    kind: u32,
    deadline: Instant,
) -> u32 {
    let own = owned(context);
    value(match kind {
        0 => own.wait_any(mask).block_until(this, deadline),
        1 => own.wait_all(mask).block_until(this, deadline),
        2 => own.take_any(mask).block_until(this, deadline),
        _ => own.take_all(mask).block_until(this, deadline),
    })
}
