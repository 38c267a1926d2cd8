//! A resource of threads, under a ceiling among them: its users and those below don't run, those
//! above do at once, and the holder goes on before anybody at or below the ceiling.
#![no_std]
#![no_main]

use campaign::doors::{Pair, enter};
use campaign::patterns::call;
use campaign::{Count, begin, end, handlers, lines, succeed};
use core::cell::UnsafeCell;
use cortex_m_rt::entry;
use quintet::export::threads::{ThreadResource, thread_resource};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;

// As `kernel!(hardware_priority = 0x40)`, but with ceilings of threads, as an application has them.
quintet::kernel!(@define 0x40, true);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);
quintet::thread!(static USER, priority = 3, stack = 768, entry = user);
quintet::thread!(static MIDDLE, priority = 2, stack = 768, entry = middle);
quintet::thread!(static DRIVER, priority = 1, stack = 768, entry = driver);

/// The resource, which the driver and the user have.
struct Shared;

struct Place(UnsafeCell<Pair>);

// SAFETY: it is the resource's.
unsafe impl Sync for Place {}

static PLACE: Place = Place(UnsafeCell::new(Pair::new()));

impl ThreadResource for Shared {
    type Value = Pair;
    const CEILING: u8 = 3;
}

/// By thread: what it waits for, and how often it was given and taken.
static PERMITS: [Semaphore; 3] = [const { Semaphore::new(0) }; 3];
static GIVEN: [Count; 3] = [const { Count::new() }; 3];
static TAKEN: [Count; 3] = [const { Count::new() }; 3];
/// Sections of the resource.
static SECTIONS: Count = Count::new();

const MIDDLES: u32 = 0;
const USERS: u32 = 1;
const HIGHS: u32 = 2;

extern "C" fn take(which: u32) {
    // SAFETY: only threads call this.
    PERMITS[which as usize].take().block(&unsafe { CurrentThread::new() });
}

extern "C" fn give(which: u32) {
    GIVEN[which as usize].add();
    PERMITS[which as usize].give();
}

/// Locks the resource, and does something in it.
fn lock(section: impl FnOnce()) {
    // SAFETY: only the driver and the user call this, one at a time.
    unsafe { thread_resource::<Shared, _>(PLACE.0.get(), |pair| pair.with(3, section)) };
    SECTIONS.add();
}

/// Waits for a permit again and again, and is called whenever the thread may run.
fn serve(which: u32, priority: u8, act: impl Fn()) -> ! {
    loop {
        call(0x1100_0000 + (which << 16), which, take);
        enter(priority);
        TAKEN[which as usize].add();
        act();
    }
}

fn high(_: &CurrentThread<'_>) {
    serve(HIGHS, 4, || ());
}

fn user(_: &CurrentThread<'_>) {
    serve(USERS, 3, || lock(|| give(HIGHS)));
}

fn middle(_: &CurrentThread<'_>) {
    serve(MIDDLES, 2, || ());
}

fn driver(_: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    lock(|| {
        call(0x2222_0000, MIDDLES, give);
        call(0x2323_0000, HIGHS, give);
        let taken = TAKEN[HIGHS as usize].get();
        assert!(taken > 0, "who is above the ceiling doesn't run at once");
        call(0x2424_0000, USERS, give);
    });
    assert!(TAKEN[USERS as usize].get() > 0, "who became ready in the section waits on");
    lock(|| call(0x2525_0000, USERS, give));
    let given = GIVEN[USERS as usize].get();
    assert!(TAKEN[USERS as usize].get() >= given, "who became ready in the section waits on");
    end();
    for which in 0..3 {
        assert!(GIVEN[which].get() == TAKEN[which].get(), "a permit is lost or had twice");
    }
    let sections = TAKEN[USERS as usize].get() + 2;
    assert!(SECTIONS.get() == sections, "a section has not ended");
    // SAFETY: nobody else runs.
    assert!(unsafe { &*PLACE.0.get() }.total() == sections, "sections have overlapped");
    succeed()
}

handlers! {
    GPIOA {
        give(MIDDLES);
    }
    GPIOB {
        give(USERS);
    }
    GPIOD {
        give(HIGHS);
    }
    GPIOE {
        give(USERS);
        give(HIGHS);
        give(MIDDLES);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&HIGH, &USER, &MIDDLE, &DRIVER] {
        assert!(thread.start().is_ok());
    }
    loop {
        cortex_m::asm::wfi();
    }
}
