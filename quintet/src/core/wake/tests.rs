//! The information in wakers, in each size of levels.

use std::task::RawWaker;

use super::{Level, Wake};
use crate::core::level::{Few, One, set_flag};

static ONE: One = One::new();
static FEW: Few<3> = Few::new();

static OF_ONE: Level = Level::of_one(1, 0, &ONE, 7);
static OF_FEW: Level = Level::of_few(2, 1, FEW.flags(), clone_of_few, WAKE);
static OF_BITS: Level = Level::new(3, 4, false, clone_of_bits, wake_nobody);
static OF_NUMBERS: Level = Level::new(4, 36, true, clone_of_numbers, wake_nobody);

const WAKE: Wake = |flag| {
    // SAFETY: the wakers' words are flags of the level.
    unsafe { set_flag(flag) };
};

unsafe fn clone_of_few(word: *const ()) -> RawWaker {
    OF_FEW.with_word(word)
}

unsafe fn clone_of_bits(word: *const ()) -> RawWaker {
    OF_BITS.with_word(word)
}

unsafe fn clone_of_numbers(word: *const ()) -> RawWaker {
    OF_NUMBERS.with_word(word)
}

fn wake_nobody(_word: *const ()) {}

#[test]
fn the_word_of_a_waker_says_which_slot_it_is_for() {
    // The name of the slot, and its number.
    let named: [(&'static Level, u32, u32); 6] = [
        (&OF_ONE, 0, 0),
        (&OF_FEW, 0, 0),
        (&OF_FEW, 2, 2),
        (&OF_BITS, 0x8000_0000, 0),
        (&OF_BITS, 1, 31),
        (&OF_NUMBERS, 40, 40),
    ];
    for (level, name, number) in named {
        // SAFETY: the levels have these slots.
        let waker = unsafe { level.waker(name) };
        assert_eq!(level.slot(waker.data()), number);
        let again = waker.clone();
        assert!(again.will_wake(&waker), "a clone is for the same slot");
    }
}

#[test]
fn a_waker_of_a_level_of_a_few_sets_its_flag() {
    // SAFETY: the level has the slot.
    let waker = unsafe { OF_FEW.waker(1) };
    waker.wake_by_ref();
    assert_eq!([0, 1, 2].map(|slot| FEW.take(slot)), [false, true, false]);
    waker.wake();
    assert_eq!([0, 1, 2].map(|slot| FEW.take(slot)), [false, true, false]);
}
