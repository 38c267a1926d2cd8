//! The chart of the group `charts`: its events and actions, and the order in which every system
//! gets the events.
//!
//! The scenario of the group has the chart in words.

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

/// What is done: entries, exits, and what two events do without a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are named by their states and events")]
pub enum Action {
    EnterTop,
    EnterA,
    EnterB,
    EnterA1,
    EnterA2,
    EnterB1,
    ExitTop,
    ExitA,
    ExitB,
    ExitA1,
    ExitA2,
    ExitB1,
    Internal,
    Up,
}

/// How often all of it is done.
pub const ROUNDS: u32 = 3;

/// How often each action has to run in all, in the order of [`Action`].
const EXPECTED: [u32; 14] = [
    1,
    1 + 2 * ROUNDS,
    ROUNDS,
    1 + 4 * ROUNDS,
    ROUNDS,
    ROUNDS,
    0,
    2 * ROUNDS,
    ROUNDS,
    4 * ROUNDS,
    ROUNDS,
    ROUNDS,
    ROUNDS,
    ROUNDS,
];

/// How often each action ran.
#[derive(Debug, Default)]
pub struct Counts([u32; 14]);

impl Counts {
    /// None of them.
    pub const fn new() -> Self {
        Self([0; 14])
    }

    /// Counts an action. The access is volatile, so that none is merged with another.
    #[inline(always)]
    pub fn act(&mut self, action: Action) {
        let count = &raw mut self.0[action as usize];
        // SAFETY: it points into the array, which is borrowed.
        unsafe { count.write_volatile(count.read_volatile() + 1) }
    }

    /// Several, one behind the other.
    #[inline(always)]
    pub fn all<const N: usize>(&mut self, actions: [Action; N]) {
        for action in actions {
            self.act(action);
        }
    }

    /// Whether each ran as often as the chart asks for.
    pub fn are_right(&self) -> bool {
        self.0 == EXPECTED
    }
}

/// Gives all events to a machine that is in its first leaf, and ends the program.
///
/// `dispatch` is a function of machine and event that must not be inlined, `events` the name of an
/// enum with the variants of [`Event`], `counts` gets the [`Counts`] of a machine.
#[macro_export]
macro_rules! chart_rounds {
    ($machine:expr, $dispatch:path, $events:ident, $counts:expr) => {{
        use ::core::hint::black_box;
        let mut machine = $machine;
        for _ in 0..black_box($crate::charts::ROUNDS) {
            $crate::chart_step!(
                machine,
                $dispatch,
                $events::Internal,
                "internal_from",
                "internal_to"
            );
            $crate::chart_step!(machine, $dispatch, $events::Up, "up_from", "up_to");
            $crate::chart_step!(machine, $dispatch, $events::Ignored, "ignored_from", "ignored_to");
            $crate::chart_step!(machine, $dispatch, $events::Own, "self_from", "self_to");
            $crate::chart_step!(machine, $dispatch, $events::Restart, "initial_from", "initial_to");
            $crate::chart_step!(machine, $dispatch, $events::Sibling, "sibling_from", "sibling_to");
            $dispatch(&mut machine, black_box($events::Back));
            $crate::chart_step!(machine, $dispatch, $events::Deep, "deep_from", "deep_to");
            $dispatch(&mut machine, black_box($events::Back));
        }
        let counts: fn(&_) -> &$crate::charts::Counts = $counts;
        $crate::exit(if counts(&machine).are_right() { 0 } else { 105 })
    }};
}

/// Dispatches one event between two marks.
#[macro_export]
macro_rules! chart_step {
    ($machine:ident, $dispatch:path, $event:expr, $from:literal, $to:literal) => {
        let event = black_box($event);
        $crate::mark!($from);
        $dispatch(&mut $machine, event);
        $crate::mark!($to);
    };
}
