//! Processes that wait for alarms, which expire on one tick.

use super::{WORD, begin, expect, over, say, wait_for};
use crate::{command, exit};

/// The driver of alarms, and the number of its upcall.
const ALARM: u32 = 0;
const DUE: u32 = 0;
/// What the kernel is told, and asked.
const ROUNDS: u32 = 0;
const DONE: u32 = 1;
const IS_LAST: u32 = 2;
/// How many rounds there are.
const COUNT: u32 = 3;
/// The alarms are at multiples of so many ticks.
const STEP: u32 = 6000;

/// Waits for the next multiple, with the other process. The upcall must tell of this alarm, and not
/// come before its time.
fn wait() {
    let [_, now, ..] = command([ALARM, 2, 0, 0]);
    let [variant, time, ..] = command([ALARM, 6, now / STEP * STEP, STEP]);
    expect(variant == WORD, variant);
    let [came, asked, _] = wait_for(ALARM, DUE);
    expect(asked == time, asked);
    expect((came.wrapping_sub(time) as i32) >= 0, came);
}

/// Waits as often as the kernel says, in this life and those before.
pub fn run() -> ! {
    begin();
    while say(ROUNDS, 0) < COUNT {
        wait();
        say(DONE, 0);
    }
    if say(IS_LAST, 0) != 0 {
        // The other one may have begun anew.
        while say(IS_LAST, COUNT) != 0 {
            wait();
        }
        over();
    }
    exit(0)
}
