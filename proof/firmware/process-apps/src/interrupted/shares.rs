//! Two processes that share memory: one asks, and one serves.

use super::{FAILURE, Shared, begin, expect, over, say};
use crate::{allow_read_only, allow_read_write, command, exit, subscribe, yield_wait};

/// The driver.
const IPC: u32 = 0x1_0000;
/// Where they are in the table.
const SERVICE: u32 = 0;
const CLIENT: u32 = 1;
/// How many words are shared.
const SIZE: u32 = 8;

/// What the kernel is told: that the client begins a round, that it has ended one, that it has
/// taken the memory back, and that the service now reads what is no longer shared.
const ROUND: u32 = 0;
const DONE: u32 = 1;
const CLOSED: u32 = 2;
const READS: u32 = 3;
/// That the service begins to work for a client, and whether that one has begun anew since.
const WORKS: u32 = 4;
/// The round in which the memory is taken back.
const CLOSING: u32 = 2;

#[repr(align(32))]
struct Aligned([Shared; SIZE as usize]);

static WORDS: Aligned = Aligned([const { Shared::new(0) }; SIZE as usize]);
/// What the last upcall has said: who, how many bytes, where; and how many there were.
static HEARD: [Shared; 4] = [const { Shared::new(0) }; 4];

extern "C" fn hear(from: u32, size: u32, address: u32, _: u32) {
    let words = [from, size, address, HEARD[3].get() + 1];
    HEARD.iter().zip(words).for_each(|(place, word)| place.put(word));
}

/// Waits for the next upcall.
fn heard() -> [u32; 3] {
    let before = HEARD[3].get();
    while HEARD[3].get() == before {
        yield_wait();
    }
    [0, 1, 2].map(|which| HEARD[which].get())
}

fn find(name: &str) -> u32 {
    allow_read_only([IPC, 0, name.as_ptr() as u32, name.len() as u32]);
    command([IPC, 1, 0, 0])[1]
}

/// Adds one to each word that is shared, and says so.
pub fn serve() -> ! {
    expect(find("campaign0") == SERVICE, 0);
    subscribe([IPC, SERVICE, hear as *const () as u32, 0]);
    let mut last = 0_usize;
    loop {
        let [from, size, address] = heard();
        expect(from == CLIENT, from);
        if size == 0 && last != 0 {
            say(READS, 0);
            // SAFETY: none: it is no longer shared.
            let word = unsafe { (last as *const u32).read_volatile() };
            // A client that has begun anew since may share it again.
            expect(say(READS, 1) == 0, word);
        }
        say(WORKS, 0);
        for index in 0..size as usize / 4 {
            // What a life has shared is closed with its end: then this is the last.
            let is_closed = index % 4 == 1 && say(WORKS, 1) != 0;
            let place = (address as usize as *mut u32).wrapping_add(index);
            // SAFETY: what is shared, until it is not.
            unsafe { place.write_volatile(place.read_volatile() + 1) };
            expect(!is_closed, index as u32);
        }
        last = address as usize;
        // The client may have ended.
        command([IPC, 3, from, 0]);
    }
}

/// Whether all words are this.
fn all_are(word: u32) -> bool {
    WORDS.0.iter().all(|place| place.get() == word)
}

fn notify() {
    // The service is alive whenever this runs.
    let [variant, error, ..] = command([IPC, 2, SERVICE, 0]);
    expect(variant != FAILURE, error);
}

pub fn share() -> ! {
    expect(find("campaign0") == SERVICE && find("campaign1") == CLIENT, 0);
    subscribe([IPC, SERVICE, hear as *const () as u32, 0]);
    begin();
    let address = (&raw const WORDS) as u32;
    loop {
        let round = say(ROUND, 0);
        if round > CLOSING {
            over();
            exit(0)
        }
        WORDS.0.iter().for_each(|word| word.put(round));
        allow_read_write([IPC, SERVICE, address, 4 * SIZE]);
        notify();
        // A notice may be of what was asked in the life before.
        loop {
            heard();
            if all_are(round + 1) {
                break;
            }
            expect(all_are(round), WORDS.0[0].get());
        }
        if round == CLOSING {
            close();
        }
        say(DONE, round);
    }
}

/// Shares nothing any more. The service's fault lets this one begin anew.
fn close() -> ! {
    allow_read_write([IPC, SERVICE, 0, 0]);
    say(CLOSED, 0);
    notify();
    loop {
        yield_wait();
    }
}
