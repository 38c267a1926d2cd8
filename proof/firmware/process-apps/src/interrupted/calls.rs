//! Calls of each class, one after the other.

use super::{
    DESK, LINES, Shared, WORDS, begin, expect, listen, over, ring, say, wait_for, yield_now,
};
use crate::patterns::{call, steps};
use crate::{
    allow_read_only, allow_read_write, allow_readable, command, exit, memory, subscribe, yield_wait,
};

/// The upcall that the process lets become due, the one that somebody else does when the process
/// has asked for it, and the one whose function changes.
const OWN: u32 = 3;
const ASKED: u32 = 4;
const CHANGING: u32 = 5;

/// By upcall, how many were heard.
static HEARD: [Shared; LINES] = [const { Shared::new(0) }; LINES];
/// Which function of the changing upcall is subscribed, and what may be told of it at the least.
static FUNCTION: Shared = Shared::new(0);
static SINCE: Shared = Shared::new(0);

/// What is lent, by turns.
static BUFFERS: [[Shared; 4]; 2] = [const { [const { Shared::new(0) }; 4] }; 2];

/// Each upcall comes once, and in its order.
extern "C" fn hear(word: u32, _: u32, _: u32, line: u32) {
    let heard = &HEARD[line as usize];
    expect(heard.get() == word, word);
    heard.put(word + 1);
}

/// Only what became due since the function was subscribed is told to it.
extern "C" fn hear_changing(word: u32, _: u32, _: u32, function: u32) {
    expect(function == FUNCTION.get(), function);
    expect(word >= SINCE.get(), word);
    SINCE.put(word + 1);
}

extern "C" fn yields(_: u32) {
    let before = all_heard();
    let has_run = yield_now();
    expect(has_run == (all_heard() != before), before);
}

extern "C" fn waits(_: u32) {
    let before = all_heard();
    yield_wait();
    expect(all_heard() != before, before);
}

/// Waits until what was asked for has come, or something else.
extern "C" fn waits_for_any(_: u32) {
    say(ASKED, 1);
    let before = HEARD[ASKED as usize].get();
    while HEARD[ASKED as usize].get() == before {
        yield_wait();
    }
}

extern "C" fn waits_for_one(_: u32) {
    say(ASKED, 1);
    let [word, ..] = wait_for(DESK, ASKED);
    hear(word, 0, 0, ASKED);
}

/// Changes with each upcall that runs.
fn all_heard() -> u32 {
    HEARD.iter().map(Shared::get).sum::<u32>() + 100 * SINCE.get()
}

/// Subscribes another function to the changing upcall.
fn subscribe_anew(round: u32) {
    SINCE.put(say(CHANGING, 0));
    FUNCTION.put(round + 1);
    let (before, data) = listen(CHANGING, hear_changing, round + 1);
    expect(before == if round == 0 { 0 } else { hear_changing as *const () as u32 }, before);
    expect(data == round, data);
}

/// Lends another buffer of each kind, of another size. Nothing is written to what is not lent.
fn lend_anew(round: u32) {
    let [now, before] = [round, round + 1].map(|which| &BUFFERS[which as usize & 1]);
    let (place, size) = (now.as_ptr() as u32, 16 >> round);
    let expected = if round == 0 { [0; 2] } else { [before.as_ptr() as u32, 16] };
    for lend in [allow_read_write, allow_read_only, allow_readable] {
        let [variant, address, had, _] = lend([DESK, 0, place, size]);
        expect(variant == WORDS && [address, had] == expected, address);
    }
    let words = || {
        before.iter().chain(&now[size as usize / 4..]).map(Shared::get).fold(0, u32::wrapping_add)
    };
    let left = words();
    expect(round == 0 || now[2].get() == 0 && now[3].get() == 0, now[2].get());
    steps(0x7000_0000);
    expect(words() == left, left);
}

/// Asks for memory, which is zero, and gives it back.
fn move_the_break() {
    let end = memory([1, 0, 0, 0])[1];
    expect(memory([1, 64, 0, 0])[1] == end, end);
    let new = end as usize as *mut u32;
    for index in 0..16 {
        // SAFETY: its own memory.
        let word = unsafe { new.add(index).read_volatile() };
        expect(word == 0, word);
        // SAFETY: the same.
        unsafe { new.add(index).write_volatile(word + 1) };
    }
    expect(memory([0, end, 0, 0])[0] == 128, end);
}

/// What is refused.
fn refused() {
    for (arguments, expected) in [
        ([DESK, 99, 1, 2], [0, 10, 1, 2]),
        ([0x1234, 1, 1, 2], [0, 11, 1, 2]),
        ([DESK, 0, 1, 2], [128, 0, 1, 2]),
    ] {
        let answer = command(arguments);
        let has = answer[0] == expected[0] && (answer[0] == 128 || answer[1] == expected[1]);
        expect(has && answer[2..] == expected[2..], answer[0]);
    }
    let answer = subscribe([DESK, 99, 0, 5]);
    expect(answer == [2, 10, 0, 5], answer[1]);
}

pub fn run() -> ! {
    for line in (0..LINES as u32).filter(|&line| line != CHANGING) {
        let (before, data) = listen(line, hear, line);
        expect((before, data) == (0, 0), before);
    }
    begin();
    for round in 0..2 {
        steps(0x1000_0000 << round);
        call(0x2100_0000, 0, yields);
        // With one due, it waits for no interrupt.
        ring(OWN);
        call(0x1200_0000, 0, waits);
        call(0x4300_0000, 0, waits_for_any);
        call(0x1400_0000, 0, waits_for_one);
        subscribe_anew(round);
        lend_anew(round);
        move_the_break();
        refused();
    }
    over();
    while yield_now() {}
    for (line, heard) in HEARD.iter().enumerate() {
        if line as u32 != CHANGING {
            let accepted = say(line as u32, 0);
            expect(accepted == heard.get(), 1000 * line as u32 + accepted);
        }
    }
    exit(0)
}
