//! A life that is told when it is to end, and how.

use core::arch::asm;

use super::{DESK, LINES, Shared, begin, expect, listen, ring, say, wait_for, yield_now};
use crate::patterns::steps;
use crate::{exit, restart};

/// Which life this is.
static LIFE: Shared = Shared::new(0);
/// It is 0 when a life begins.
static TOUCHED: Shared = Shared::new(0);

/// What the kernel is told.
const BEGINS: u32 = 0;
const IS_READY: u32 = 1;

/// The upcall by which a wish comes, and that of the process itself.
const WISHES: u32 = 4;
const OWN: u32 = 3;

/// An upcall is of this life, and for a function of this life.
extern "C" fn hear(_: u32, life: u32, _: u32, data: u32) {
    expect(life == LIFE.get() && data == life, life);
}

pub fn run() -> ! {
    expect(TOUCHED.get() == 0, TOUCHED.get());
    TOUCHED.put(1);
    let life = say(BEGINS, 0);
    LIFE.put(life);
    for line in (0..LINES as u32).filter(|&line| line != WISHES) {
        let (before, data) = listen(line, hear, life);
        expect((before, data) == (0, 0), data);
    }
    // What the kernel may ask from now on.
    begin();
    say(IS_READY, life);
    ring(OWN);
    loop {
        // It has no function: nothing of the life before was dropped for it.
        let [_, of, wish] = wait_for(DESK, WISHES);
        expect(of == life, of);
        while yield_now() {}
        steps(0x4000_0000 + life);
        match wish {
            1 => restart(),
            // SAFETY: none: the unit must refuse it.
            2 => unsafe { (0x2000_0000 as *mut u32).write_volatile(0) },
            // SAFETY: none: the kernel must.
            3 => unsafe { asm!("svc 200") },
            4 => exit(9),
            _ => expect(false, wish),
        }
    }
}
