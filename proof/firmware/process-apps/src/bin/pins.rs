//! Uses pins 0 and 1, which are joined, and hears of what changes.
#![no_std]
#![no_main]

use process_apps::{command, exit, print, subscribe, yield_wait};

const GPIO: u32 = 4;

static mut HEARD: [u32; 3] = [0; 3];

extern "C" fn hear(pin: u32, level: u32, nothing: u32, _: u32) {
    // SAFETY: one thread, which is in a yield.
    unsafe { HEARD = [pin, level, nothing] };
}

#[track_caller]
fn expect(is_so: bool) {
    if !is_so {
        exit(core::panic::Location::caller().line());
    }
}

/// Waits for an upcall; what it says.
fn listen() -> [u32; 3] {
    yield_wait();
    // SAFETY: one thread.
    unsafe { (&raw const HEARD).read_volatile() }
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    let pin = |what, which, argument| command([GPIO, what, which, argument]);
    expect(pin(0, 0, 0)[0] == 128);
    expect(pin(10, 0, 0)[..2] == [129, 8]);
    expect(subscribe([GPIO, 0, hear as *const () as u32, 0])[0] == 130);
    // An output, and an input at its other end.
    expect(pin(1, 0, 0)[0] == 128 && pin(5, 1, 2)[0] == 128);
    expect(pin(7, 1, 0)[0] == 128);
    for (what, level) in [(2, 1), (3, 0), (4, 1), (4, 0)] {
        expect(pin(what, 0, 0)[0] == 128);
        expect(listen() == [1, level, 0]);
        expect(pin(6, 1, 0)[..2] == [129, level]);
    }
    // The rising edge, then the falling one.
    for (edge, level) in [(1, 1), (2, 0)] {
        expect(pin(7, 1, edge)[0] == 128);
        pin(2, 0, 0);
        pin(3, 0, 0);
        expect(listen() == [1, level, 0]);
    }
    // None any more: the next that is heard of is of pin 0 itself.
    expect(pin(8, 1, 0)[0] == 128 && pin(7, 0, 1)[0] == 128);
    pin(2, 0, 0);
    expect(listen() == [0, 1, 0]);
    expect(pin(9, 0, 0)[0] == 128);
    for what in 1..=9 {
        expect(pin(what, 8, 0)[..2] == [0, 6] && pin(what, u32::MAX, 0)[..2] == [0, 6]);
    }
    expect(pin(5, 0, 3)[..2] == [0, 10] && pin(7, 0, 3)[..2] == [0, 10]);
    expect(pin(11, 0, 0)[..2] == [0, 10]);
    print("pins work\n");
    exit(0);
}
