//! Turns of processes that wait for the same thing, by their places.

/// Returns the first member of `set` from the place `first` on, and behind the last place from
/// place 0 on. A bit of `set` stands for each process that waits. The same time for any set.
#[inline(always)]
pub fn next_turn(set: u16, first: u8) -> Option<u8> {
    let set = u32::from(set);
    let behind = set >> first << first;
    let among = if behind == 0 { set } else { behind };
    (among != 0).then(|| among.trailing_zeros() as u8)
}

#[cfg(test)]
mod tests {
    use super::next_turn;

    #[test]
    fn turns_go_round_and_leave_nobody_out() {
        for first in 0..=16 {
            assert_eq!(next_turn(0, first), None);
            for place in 0..16 {
                assert_eq!(next_turn(1 << place, first), Some(place), "from {first} on");
            }
        }
        let set = 0b1000_0000_0010_0101;
        let from = |first| next_turn(set, first).unwrap();
        assert_eq!([0, 1, 2, 3, 5, 6, 15, 16].map(from), [0, 2, 2, 5, 5, 15, 15, 0]);
    }
}
