//! Sections of resources that threads share: a script's operations between entering and leaving.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};
use quintet::export::threads::{ThreadResource, thread_resource};
use quintet::thread::CurrentThread;

use super::objects::act_in_section;
use super::{ENTER, EXIT, REFUSED, is_at_end, log, next};

/// The resource of threads up to a priority, and that of all.
struct Some;
struct All;

impl ThreadResource for Some {
    type Value = ();
    const CEILING: u8 = 3;
}

impl ThreadResource for All {
    type Value = ();
    const CEILING: u8 = 31;
}

/// By resource: how many are in a section of it, and which threads.
static INSIDE: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static WHO: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Enters a section, does what the script says up to its end, and leaves it.
pub fn run(this: &CurrentThread<'_>, context: usize, word: u32) {
    let resource = (word >> 8 & 0xff) as usize;
    let own = 1 << context;
    if WHO[resource].load(Ordering::Relaxed) & own != 0 {
        return log(context, word, REFUSED);
    }
    let section = |(): &mut ()| {
        WHO[resource].fetch_or(own, Ordering::Relaxed);
        log(context, word, INSIDE[resource].fetch_add(1, Ordering::Relaxed));
        act(this, context);
        WHO[resource].fetch_and(!own, Ordering::Relaxed);
        INSIDE[resource].fetch_sub(1, Ordering::Relaxed);
    };
    let value = NonNull::dangling().as_ptr();
    // SAFETY: the value is none, so nothing is shared; who is inside is only counted.
    unsafe {
        match resource {
            0 => thread_resource::<Some, _>(value, section),
            _ => thread_resource::<All, _>(value, section),
        }
    }
    log(context, EXIT, 0);
}

/// What the script says, up to the end of the section.
fn act(this: &CurrentThread<'_>, context: usize) {
    while !is_at_end(context) {
        let word = next(context);
        match word & 0xff {
            EXIT => return,
            ENTER => run(this, context, word),
            _ => log(context, word, act_in_section(this, context, word)),
        }
    }
}
