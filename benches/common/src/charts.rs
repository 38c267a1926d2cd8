//! The chart of the group `charts`: its events, and the order in which every system gets them.
//!
//! `scenarios/next/charts.toml` has the chart in words.

/// What is dispatched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Handled by the leaf, which stays.
    Internal,
    /// Handled two levels up, by the outermost state, which stays.
    Up,
    /// Handled nowhere.
    Ignored,
    /// The leaf's transition to itself.
    Own,
    /// To the other leaf of the same parent.
    Sibling,
    /// To the leaf of another parent.
    Deep,
    /// To a parent, whose initial transition leads to a leaf.
    Restart,
    /// From the other leaves back to the first one.
    Back,
}

/// How often all of it is done.
pub const ROUNDS: u32 = 3;

/// How many actions run until the first leaf is entered, and in each round.
pub const ACTIONS: u32 = 3 + 20 * ROUNDS;

/// Counts one action: each entry, each exit, and each event that is handled without a transition.
#[inline(always)]
pub fn act(count: &mut u32) {
    let count = core::ptr::from_mut(count);
    // SAFETY: it was a reference.
    unsafe { count.write_volatile(count.read_volatile() + 1) }
}

/// Gives all events to a machine that is in its first leaf, and ends the program.
///
/// `dispatch` is a function of machine and event that must not be inlined, `Event` the name of an
/// enum with the variants of [`Event`], `count` reads the count of actions from the machine.
#[macro_export]
macro_rules! chart_rounds {
    ($machine:expr, $dispatch:path, $events:ident, $count:expr) => {{
        use ::core::hint::black_box;
        let mut machine = $machine;
        for _ in 0..black_box($crate::charts::ROUNDS) {
            $crate::chart_step!(machine, $dispatch, $events, Internal, "internal_from", "internal_to");
            $crate::chart_step!(machine, $dispatch, $events, Up, "up_from", "up_to");
            $crate::chart_step!(machine, $dispatch, $events, Ignored, "ignored_from", "ignored_to");
            $crate::chart_step!(machine, $dispatch, $events, Own, "self_from", "self_to");
            $crate::chart_step!(machine, $dispatch, $events, Restart, "initial_from", "initial_to");
            $crate::chart_step!(machine, $dispatch, $events, Sibling, "sibling_from", "sibling_to");
            $dispatch(&mut machine, black_box($events::Back));
            $crate::chart_step!(machine, $dispatch, $events, Deep, "deep_from", "deep_to");
            $dispatch(&mut machine, black_box($events::Back));
        }
        let count: u32 = $count(&machine);
        $crate::exit(if count == $crate::charts::ACTIONS { 0 } else { 105 })
    }};
}

/// Dispatches one event between two marks.
#[macro_export]
macro_rules! chart_step {
    ($machine:ident, $dispatch:path, $events:ident, $event:ident, $from:literal, $to:literal) => {
        let event = black_box($events::$event);
        $crate::mark!($from);
        $dispatch(&mut $machine, event);
        $crate::mark!($to);
    };
}
