//! Lives in one of several ways, by a number that the test writes into its flash.
#![no_std]
#![no_main]

use process_apps::{allow_read_only, command, exit, print, restart, sleep, subscribe, yield_wait};

/// Which way. The test writes it.
#[unsafe(no_mangle)]
static LIFE: u32 = 0;

/// What the last upcall of a server has said.
static mut ANSWER: u32 = 0;

extern "C" fn answered(word: u32, _: u32, _: u32, _: u32) {
    // SAFETY: one thread.
    unsafe { (&raw mut ANSWER).write_volatile(word) };
}

/// Asks a server, and says what it answers.
fn ask(driver: u32, number: u32, first: u32, second: u32) {
    subscribe([driver, 0, answered as *const () as u32, 0]);
    if command([driver, number, first, second])[0] != 128 {
        exit(1);
    }
    yield_wait();
    // SAFETY: one thread.
    print(match unsafe { (&raw const ANSWER).read_volatile() } {
        42 => "42\n",
        106 => "106\n",
        5 => "5\n",
        3 => "3\n",
        _ => "something else\n",
    });
}

/// Lets so many rounds pass.
fn spin(rounds: u32) {
    for round in 0..rounds {
        core::hint::black_box(round);
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    // SAFETY: it lives.
    match unsafe { (&raw const LIFE).read_volatile() } {
        // It waits a little, and ends.
        0 => {
            for _ in 0..3 {
                sleep(20);
            }
            exit(9);
        }
        // It starts anew again and again.
        1 => restart(),
        // It never waits.
        2 => loop {
            core::hint::spin_loop();
        },
        // It accesses what isn't its own.
        // SAFETY: none: the unit must refuse it.
        3 => unsafe { (0x2000_0000 as *mut u32).write_volatile(0) },
        // It waits for ever.
        4 => loop {
            yield_wait();
        },
        // It waits for a millisecond, and takes two.
        5 => loop {
            spin(4000);
            sleep(1000);
        },
        // The same, but it takes a fifth of one.
        6 => loop {
            spin(400);
            sleep(1000);
        },
        // It asks servers.
        7 => {
            let bytes = [1_u8, 2, 3];
            ask(0x8000_0011, 1, 6, 7);
            allow_read_only([0x8000_0012, 0, bytes.as_ptr() as u32, 3]);
            ask(0x8000_0012, 1, 100, 0);
            ask(0x8000_0013, 1, 8, 3);
            ask(0x8000_0013, 2, 5, 2);
            exit(9);
        }
        8 => subscribe_anew(),
        _ => exit(77),
    }
}

/// Subscribes in its first life, and again in its second, which must not hear of the first one.
/// Which one it is, the time says: nothing else is left of a life.
fn subscribe_anew() -> ! {
    const END: u32 = 5_000;
    let now = || command([0, 2, 0, 0])[1];
    let is_second = now() >= END;
    let before = subscribe([0, 0, answered as *const () as u32, 0x1234]);
    if is_second {
        exit(u32::from(before != [130, 0, 0, 0x1234]));
    }
    while now() < END {}
    restart()
}
