//! A life that begins without floating-point state, makes one, and keeps it: across calls, upcalls
//! that use the registers themselves, and whoever comes between.

use super::{begin, expect, listen, over, say, yield_now};
use crate::exit;
use crate::patterns::{call, floats, steps};

/// The upcalls that come.
const COMES: [u32; 2] = [0, 1];

extern "C" fn hear(_: u32, _: u32, _: u32, seed: u32) {
    floats::stay(seed);
}

extern "C" fn yields(_: u32) {
    yield_now();
}

extern "C" fn says(seed: u32) {
    say(0, seed);
}

pub fn run() -> ! {
    let index = say(0, 0x0123_4567);
    for line in COMES {
        listen(line, hear, 0x0aca_0000 + (line << 16));
    }
    if index == 0 {
        begin();
    }
    // Not yet.
    steps(0x1000_0000);
    let found = floats::all();
    expect(found == 0, found);
    for round in 0..2 {
        floats::stay(0x2000_0000 + (index << 20) + round);
        call(0x4000_0000 + (index << 20), 0, yields);
        call(0x6000_0000 + (index << 20), 0x0bad_0000, says);
        steps(0x8000_0000 + (index << 20));
    }
    if index == 0 {
        over();
    }
    exit(0)
}
