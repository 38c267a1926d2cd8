//! Processes that take turns by time, and one that comes between.

use super::{Shared, begin, expect, listen, over, say};
use crate::patterns::steps;
use crate::{exit, yield_wait};

/// Which upcall lets the urgent one come.
const COMES: u32 = 0;
/// What the kernel is told.
const LOOKS: u32 = 0;
const HEARS: u32 = 1;

static HEARD: Shared = Shared::new(0);

/// Runs until the kernel says that it was for long enough.
pub fn take_turns() -> ! {
    let index = say(LOOKS, 1);
    if index == 0 {
        begin();
    }
    while say(LOOKS, 0) == 0 {
        steps(0x6000_1000 + (index << 28));
    }
    if index == 0 {
        over();
    }
    exit(0)
}

extern "C" fn hear(word: u32, _: u32, _: u32, _: u32) {
    expect(word == HEARD.get(), word);
    HEARD.put(word + 1);
}

/// Waits, and says how often it has come.
pub fn come_between() -> ! {
    listen(COMES, hear, 0);
    loop {
        yield_wait();
        steps(0x2000_2000);
        say(HEARS, HEARD.get());
    }
}
