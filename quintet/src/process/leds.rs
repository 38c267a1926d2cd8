//! LEDs, Tock's driver 2.
//!
//! | call | effect |
//! |---|---|
//! | command 0 | answers the number of LEDs |
//! | command 1, 2, 3 `(which)` | switches the LED on, off, to the other state |
//! | command 4 `(which)` | answers whether the LED is on |

use ::core::sync::atomic::{AtomicU32, Ordering};

use super::{Answer, Client, Driver, ErrorCode, Slots};

/// `K` LEDs, up to 32.
///
/// ```
/// use core::sync::atomic::{AtomicBool, Ordering};
/// use quintet::process::leds::Leds;
///
/// /// Two LEDs, in place of the pins of a port.
/// static LIT: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];
///
/// static LEDS: Leds<2> = Leds::new(|led, on| LIT[led].store(on, Ordering::Relaxed));
/// ```
pub struct Leds<const K: usize> {
    lit: AtomicU32,
    switch: fn(usize, bool),
}

debug_by_name!([const K: usize] Leds<K>: "Leds");

impl<const K: usize> Leds<K> {
    /// Makes the driver; all LEDs are off. The driver calls `switch` in SVCall with the number of
    /// an LED, and `true` to switch the LED on.
    #[must_use]
    pub const fn new(switch: fn(usize, bool)) -> Self {
        assert!(K <= 32, "there can be up to 32 LEDs");
        Self { lit: AtomicU32::new(0), switch }
    }

    fn set(&self, which: usize, on: bool) -> Answer {
        // Commands come one after the other.
        let others = self.lit.load(Ordering::Relaxed) & !(1 << which);
        self.lit.store(others | u32::from(on) << which, Ordering::Relaxed);
        (self.switch)(which, on);
        Answer::Success
    }

    fn is_on(&self, which: usize) -> bool {
        self.lit.load(Ordering::Relaxed) >> which & 1 != 0
    }
}

impl<const K: usize> Driver for Leds<K> {
    const NUMBER: u32 = 2;

    fn slots(&'static self, _: usize) -> Slots {
        Slots::NONE
    }

    fn exists(&'static self, _: Client) -> Answer {
        Answer::Word(K as u32)
    }

    fn command(&'static self, _: Client, command: u32, first: u32, _: u32) -> Answer {
        let which = first as usize;
        match command {
            1..=4 if which >= K => Answer::Failure(ErrorCode::Invalid),
            1 => self.set(which, true),
            2 => self.set(which, false),
            3 => self.set(which, !self.is_on(which)),
            4 => Answer::Word(self.is_on(which).into()),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}
