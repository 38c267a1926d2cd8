//! The ways of machines in the compact form, which are looked up while the machine runs.
//!
//! The states of a machine are numbers here. A leaf has its place in the `enum` of leaves. The
//! superstates follow, each behind the states inside of it. The number of states stands for the
//! outside of all. So a state's parent always has a greater number than the state, and a table of
//! parents is all that is known of the tree.
//!
//! The macro calls these functions with numbers of the table only. Each loop takes at most as many
//! steps as states contain each other.

/// Returns the state around a state. Outside of all, that is the outside again.
///
/// The table's length is a power of two, and its rest names the outside, so that no index needs a
/// check.
#[inline(always)]
pub fn parent<N: Copy + Into<usize>, const LENGTH: usize>(
    parents: &[N; LENGTH],
    state: usize,
) -> usize {
    const { assert!(LENGTH.is_power_of_two(), "the length of a table is a power of two") };
    parents[state & (LENGTH - 1)].into()
}

/// Returns the innermost state that contains both states, or is one of them.
#[inline]
pub fn common<N: Copy + Into<usize>, const LENGTH: usize>(
    parents: &[N; LENGTH],
    mut one: usize,
    mut other: usize,
) -> usize {
    while one != other {
        // The smaller number doesn't contain the other.
        if one < other {
            one = parent(parents, one);
        } else {
            other = parent(parents, other);
        }
    }
    one
}

/// Returns the state directly inside of `outer` on the way to `state`, which is inside of `outer`.
#[inline]
pub fn inner<N: Copy + Into<usize>, const LENGTH: usize>(
    parents: &[N; LENGTH],
    outer: usize,
    mut state: usize,
) -> usize {
    loop {
        let around = parent(parents, state);
        if around == outer {
            return state;
        }
        state = around;
    }
}

/// What a handler says of an event that comes by value.
#[derive(Debug)]
pub enum Asked<N, E> {
    /// The handler's outcome, as a number. The event is gone.
    Said(N),
    /// The states around are asked for the event.
    Super(E),
    /// The event is kept.
    Deferred(E),
}

#[cfg(test)]
mod tests {
    use super::{common, inner, parent};

    /// `0 1` in 4, `2` in 5, `4 5` in 6, `3` outside.
    const PARENTS: [u8; 8] = [4, 4, 5, 7, 6, 6, 7, 7];

    fn chain(mut state: usize) -> Vec<usize> {
        let mut chain = vec![state];
        while state != 7 {
            state = parent(&PARENTS, state);
            chain.push(state);
        }
        chain
    }

    #[test]
    fn what_two_states_have_in_common_is_in_both_chains_first() {
        for one in 0..=7 {
            for other in 0..=7 {
                let expected = chain(one).into_iter().find(|state| chain(other).contains(state));
                assert_eq!(Some(common(&PARENTS, one, other)), expected, "{one} {other}");
            }
        }
    }

    #[test]
    fn the_next_state_inwards_is_the_one_before_in_the_chain() {
        for state in 0..7 {
            let chain = chain(state);
            for pair in chain.windows(2) {
                assert_eq!(inner(&PARENTS, pair[1], state), pair[0]);
            }
        }
    }

    #[test]
    fn outside_of_all_is_the_outside() {
        assert_eq!(parent(&PARENTS, 7), 7);
    }
}
