//! A life that is told when it is to end, and how.

use core::arch::asm;

use super::{LINES, Shared, begin, expect, listen, ring, say};
use crate::patterns::steps;
use crate::{exit, restart, yield_wait};

/// Which life this is, and what it is to do.
static LIFE: Shared = Shared::new(0);
static WISH: Shared = Shared::new(0);
/// It is 0 when a life begins.
static TOUCHED: Shared = Shared::new(0);

/// What the kernel is told.
const BEGINS: u32 = 0;

/// The upcall by which a wish comes, and that of the process itself.
const WISHES: u32 = 4;
const OWN: u32 = 3;

/// An upcall is of this life, and for a function of this life.
extern "C" fn hear(word: u32, life: u32, wish: u32, data: u32) {
    expect(life == LIFE.get() && data >> 8 == life, life);
    if data & 0xff == WISHES {
        WISH.put(wish);
    }
    core::hint::black_box(word);
}

pub fn run() -> ! {
    expect(TOUCHED.get() == 0, TOUCHED.get());
    TOUCHED.put(1);
    let life = say(BEGINS, 0);
    LIFE.put(life);
    for line in 0..LINES as u32 {
        let (before, data) = listen(line, hear, life << 8 | line);
        expect((before, data) == (0, 0), data);
    }
    // What the kernel may ask from now on.
    begin();
    say(1, life);
    ring(OWN);
    loop {
        yield_wait();
        steps(0x5000_0000 + life);
        match WISH.get() {
            0 => {}
            1 => restart(),
            // SAFETY: none: the unit must refuse it.
            2 => unsafe { (0x2000_0000 as *mut u32).write_volatile(0) },
            // SAFETY: none: the kernel must.
            3 => unsafe { asm!("svc 200") },
            4 => exit(9),
            wish => expect(false, wish),
        }
    }
}
