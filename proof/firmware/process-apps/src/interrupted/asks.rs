//! Asks servers: a task and a thread.

use super::{SUCCESS, Shared, begin, expect, over, say};
use crate::{allow_read_only, command, exit, subscribe, yield_wait};

/// The drivers.
const SERVED: [u32; 2] = [0x8000_0011, 0x8000_0013];

/// What the kernel is told: that a life begins, and that a question was answered.
const BEGINS: u32 = 0;
const ANSWERED: u32 = 1;

/// What the last upcall has said, and whether one has come.
static ANSWER: [Shared; 3] = [const { Shared::new(0) }; 3];
static COME: Shared = Shared::new(0);

extern "C" fn hear(first: u32, second: u32, third: u32, _: u32) {
    for (place, word) in ANSWER.iter().zip([first, second, third]) {
        place.put(word);
    }
    COME.put(COME.get() + 1);
}

pub fn run() -> ! {
    let life = say(BEGINS, 0);
    for driver in SERVED {
        subscribe([driver, 0, hear as *const () as u32, 0]);
    }
    begin();
    loop {
        // Which question is next: the lives share them.
        let question = say(ANSWERED, 0);
        if question == 99 {
            break;
        }
        let driver = SERVED[question as usize & 1];
        let bytes = [question as u8; 4];
        allow_read_only([driver, 0, bytes.as_ptr() as u32, 4]);
        COME.put(0);
        while command([driver, 1, question, life])[0] != SUCCESS {
            // Requests of the life before may take the room for as long as their server is busy.
            say(BEGINS, 1);
        }
        while COME.get() == 0 {
            yield_wait();
        }
        allow_read_only([driver, 0, 0, 0]);
        expect(COME.get() == 1, COME.get());
        expect(ANSWER[0].get() == question, ANSWER[0].get());
        expect(ANSWER[1].get() == life, ANSWER[1].get());
        expect(ANSWER[2].get() == 4 * question, ANSWER[2].get());
        say(ANSWERED, question + 1);
    }
    over();
    exit(0)
}
