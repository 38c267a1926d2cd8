//! Why no thread is ready: threads that wait for each other, or for a time that no clock brings.

use std::collections::BTreeMap;

use quintet_sim::image::{Image, Symbol};
use quintet_sim::machine::Machine;

use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::threads::layout::{About, Layout};
use crate::threads::waits::{self, Names, Wait};

/// The end of the path of what is armed for times. It is there where the program has a clock.
const TIMER_QUEUE: &str = "core::timer::QUEUE";

/// In the path of what keeps a clock's time whose hardware is SysTick.
const SYSTICK_CLOCK: &str = "quintet::arch::cortex_m::systick::";
/// SysTick's word of control, and its bit that lets it count.
pub const SYST_CSR: u32 = 0xe000_e010;
const ENABLE: u32 = 1;

/// A thread that waits.
struct Waiter {
    name: String,
    wait: Wait,
}

/// What to do where threads wait in a circle; none where they don't, or there are none.
pub fn circle_advice(firmware: &Firmware, machine: &Machine) -> Option<String> {
    let waiters = waiters(firmware, machine)?;
    let circle = waiters.keys().find_map(|first| circle(&waiters, *first))?;
    let mut words = Vec::new();
    for (one, next) in circle.iter().zip(circle.iter().cycle().skip(1)) {
        let owns = if one.wait.owner.is_some() {
            format!(", which {} has", next.name)
        } else {
            String::new()
        };
        words.push(format!("{} waits for {}{owns}", one.name, one.wait.what));
    }
    Some(format!(
        "threads wait for each other: {}; lock mutexes in the same order everywhere, or give up at \
         a time, as by `lock().block_for(..)`",
        words.join("; ")
    ))
}

/// What to do where firmware has a clock of Quintet's that doesn't run. That is so where nothing
/// will wake the firmware; where something else ends it, `control` tells, SysTick's word, if that
/// is the clock.
pub fn clock_advice(image: &Image, is_asleep: bool, control: Option<u32>) -> Option<String> {
    let has = |key: &str, is: fn(&str) -> bool| {
        let named = |symbol: &Symbol| symbol.name.contains(key) && is(&demangle(&symbol.name));
        image.symbols.iter().any(named)
    };
    let stands_still = || {
        control.is_some_and(|control| control & ENABLE == 0)
            && has("systick", |name| name.contains(SYSTICK_CLOCK))
    };
    let is_there = has("QUEUE", |name| name.ends_with(TIMER_QUEUE));
    (is_there && (is_asleep || stands_still())).then(|| {
        "the program's clock doesn't run, so no time comes: `init` starts it, as \
         `Clock::start(cx.core.SYST)` does that of `systick_timer!`"
            .into()
    })
}

/// All threads that wait, by their control blocks.
fn waiters(firmware: &Firmware, machine: &Machine) -> Option<BTreeMap<u32, Waiter>> {
    let layout = Layout::find(&firmware.image)?;
    let names = Names { image: &firmware.image, types: firmware.debug.types() };
    let all: Vec<(u32, About)> = layout.all(&firmware.image, machine).collect();
    let threads = || all.iter().map(|(control, about)| (*control, about));
    let waiter = |one: (u32, &About)| {
        let wait = waits::find(names, (&layout, machine), threads(), one)?;
        Some((one.0, Waiter { name: one.1.name.clone(), wait }))
    };
    Some(threads().filter_map(waiter).collect())
}

/// The threads from the first one on, of which each waits for the next, and the last for the first.
fn circle(waiters: &BTreeMap<u32, Waiter>, first: u32) -> Option<Vec<&Waiter>> {
    let next = |control: &u32| waiters.get(control)?.wait.whom();
    // Who waits for somebody in a circle is not in it: so many steps are enough.
    let rest = std::iter::successors(next(&first), next).take(waiters.len());
    let length = rest.into_iter().position(|control| control == first)? + 1;
    let controls = std::iter::successors(Some(first), next).take(length);
    controls.map(|control| waiters.get(&control)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::image::SymbolKind;

    #[test]
    fn a_clock_is_known_by_what_it_brings() {
        let with = |names: &[&str], is_asleep, control| {
            let symbol = |name: &&str| {
                let (name, kind) = ((*name).into(), SymbolKind::Data);
                Symbol { name, address: 0x2000_0000, size: 8, kind, absolute: false }
            };
            let symbols = names.iter().map(symbol).collect();
            clock_advice(&Image { symbols, ..Image::default() }, is_asleep, control)
        };
        let queue = "_ZN7quintet4core5timer5QUEUE17h0123456789abcdefE";
        let systick = "_ZN7quintet4arch8cortex_m7systick3END17h0123456789abcdefE";
        let said = with(&[queue], true, None).unwrap();
        assert!(said.contains("Clock::start"), "{said}");
        assert_eq!(with(&["_ZN3app5QUEUE17h0123456789abcdefE"], true, None), None);
        // Who is awake, or woken for ever, may wait for a clock all the same.
        assert_eq!(with(&[queue, systick], false, Some(4)), Some(said));
        assert_eq!(with(&[queue, systick], false, Some(7)), None);
        assert_eq!(with(&[queue], false, Some(4)), None, "another's hardware");
    }

    fn waiting(waits: &[(u32, Option<u32>)]) -> BTreeMap<u32, Waiter> {
        let waiter = |whom: Option<u32>| {
            let wait = Wait { what: "the mutex app::A".into(), owner: whom, ends: None };
            Waiter { name: "it".into(), wait }
        };
        waits.iter().map(|(control, whom)| (*control, waiter(*whom))).collect()
    }

    #[test]
    fn a_circle_is_found_from_whoever_is_in_it() {
        let length = |waits: &[(u32, Option<u32>)], first| {
            circle(&waiting(waits), first).map(|circle| circle.len())
        };
        let three = [(1, Some(2)), (2, Some(3)), (3, Some(1)), (4, Some(1)), (5, None)];
        for first in 1..=3 {
            assert_eq!(length(&three, first), Some(3));
        }
        assert_eq!((length(&three, 4), length(&three, 5)), (None, None));
        assert_eq!(length(&[(1, Some(1))], 1), Some(1));
        // Its owner waits for nobody, or for nothing.
        assert_eq!(length(&[(1, Some(2)), (2, None)], 1), None);
        assert_eq!(length(&[(1, Some(2))], 1), None);
    }
}
