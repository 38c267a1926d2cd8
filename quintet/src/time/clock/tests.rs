//! The clock against exact arithmetic, with a counter that the test moves.

use super::{Base, Clock};
use crate::arch::systick;
use crate::time::systick::SysTickSource;

/// What a clock of `HZ` shows after `counts`, by definition.
fn exact<const HZ: u32>(counts: u128) -> u128 {
    counts * u128::from(embassy_time_driver::TICK_HZ) / u128::from(HZ)
}

/// Whether a count is a tick: there is no base.
const fn is_same<const HZ: u32>() -> bool {
    Base::<SysTickSource<HZ>>::SAME
}

/// Moves the counter by steps of up to two legs, and the base after each or now and then.
fn stays_exact<const HZ: u32>() {
    let clock = Clock::<SysTickSource<HZ>>::new();
    systick::pass(123);
    assert_eq!(clock.now(), 0, "not begun");
    // SAFETY: once, and nothing interrupts.
    unsafe { clock.begin() };
    // Where a count is a tick, time begins with what the counter shows.
    let mut counts = if is_same::<HZ>() { u128::from(systick::counter()) } else { 0 };
    let mut since = 0;
    let mut random = 1_u64;
    for step in 0..if cfg!(miri) { 50 } else { 20_000 } {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let limit = 2 * u64::from(systick::LEG) - since;
        let next = if step % 3 == 0 { random % 100 } else { random % (limit + 1) };
        let next = next.min(limit);
        systick::pass(next as u32);
        counts += u128::from(next);
        since += next;
        assert_eq!(u128::from(clock.now()), exact::<HZ>(counts));
        if step % 2 == 0 || since + 100 > 2 * u64::from(systick::LEG) {
            // SAFETY: begun, and nothing interrupts.
            let (base, now) = unsafe { clock.refresh(systick::counter()) };
            assert_eq!(u128::from(now), exact::<HZ>(counts));
            if is_same::<HZ>() {
                since = 0;
                continue;
            }
            since = systick::counter().wrapping_sub(base.counter).into();
            assert!(since < u64::from(systick::LEG / 8));
        }
        if is_same::<HZ>() {
            assert_eq!(
                clock.base().counter_at(clock.now() + 7),
                systick::counter().wrapping_add(7)
            );
            continue;
        }
        finds_counts(&clock, counts - u128::from(since), random >> 40);
    }
}

/// `counter_at` is the first count of the tick, from the base on, within a leg.
fn finds_counts<const HZ: u32>(clock: &Clock<SysTickSource<HZ>>, counts: u128, ahead: u64) {
    let (base, now) = (clock.base(), clock.now());
    assert_eq!(u128::from(base.ticks), exact::<HZ>(counts));
    for deadline in [0, base.ticks, base.ticks + 1, now, now + 1, now + ahead, u64::MAX] {
        let at = base.counter_at(deadline).wrapping_sub(base.counter);
        assert!(at <= systick::LEG);
        let then = exact::<HZ>(counts + u128::from(at));
        if deadline <= base.ticks {
            assert_eq!(at, 0);
        } else if at < systick::LEG {
            assert_eq!(then, u128::from(deadline), "the tick has begun");
            let before = exact::<HZ>(counts + u128::from(at) - 1);
            assert!(before < u128::from(deadline), "not before this count");
        } else {
            assert!(then <= u128::from(deadline));
        }
    }
}

#[test]
fn a_whole_number_of_cycles_a_tick() {
    stays_exact::<12_000_000>();
    stays_exact::<168_000_000>();
}

#[test]
fn one_cycle_a_tick() {
    stays_exact::<1_000_000>();
}

/// The upper word is right whenever the handler counts the halves that have begun: at the latest a
/// half round of the counter behind.
#[test]
fn halves_may_be_one_behind() {
    type Same = Base<SysTickSource<1_000_000>>;
    for (halves, counter, upper) in [
        (1, 0, 0),
        (1, u32::MAX >> 1, 0),
        (1, 1 << 31, 0),
        (1, u32::MAX, 0),
        (2, 1 << 31, 0),
        (2, u32::MAX, 0),
        (2, 0, 1),
        (2, u32::MAX >> 1, 1),
        (3, 0, 1),
        (3, u32::MAX, 1),
    ] {
        let ticks = Same::extended(halves, counter);
        assert_eq!(ticks, upper << 32 | u64::from(counter), "{halves} {counter}");
    }
}

#[test]
fn a_fraction_of_cycles_a_tick() {
    stays_exact::<1_048_576>();
    stays_exact::<32_768_000>();
}

/// Products that 32 bits don't hold.
#[test]
fn a_ratio_of_large_numbers() {
    stays_exact::<11_059_201>();
    stays_exact::<{ u32::MAX }>();
}
