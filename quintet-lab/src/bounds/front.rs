//! Flash behind a cache or a prefetch: each access is taken to miss.
//!
//! The content of a front end depends on all reads before, so the analysis does not follow the
//! content. In its place each access has wait states that no access exceeds. With the wait states
//! `w` of the array:
//!
//! ```text
//!  fetch   a read ahead has just begun: w + 1; then its own line: w            2 w + 1
//!  data    the same, and a fetch that has come first on another bus: w + 1     3 w + 2
//! ```

use quintet_sim::board::{Board, FrontDescription};
use quintet_sim::processor::bus::{Port, RegionTiming};

/// The memories of a board, none with a front end. `wait_states`: those that the program sets.
pub fn always_missed(board: &Board, wait_states: Option<u8>) -> Vec<RegionTiming> {
    let fronts = board.memories.iter().filter_map(|memory| memory.front_end.as_ref());
    let fronts: Vec<&FrontDescription> = fronts.collect();
    let mut regions = board.regions();
    for region in &mut regions {
        let Some(place) = usize::from(region.front).checked_sub(1) else { continue };
        let Some(front) = fronts.get(place) else { continue };
        let of_array = wait_states.unwrap_or_else(|| most_wait_states(front));
        let turns = 1 + u8::from(front.prefetch) + u8::from(region.port == Port::CodeSeparate);
        region.front = 0;
        region.read_wait_states = longest(of_array, turns);
    }
    regions
}

/// So many reads of the array one behind the other, as wait states.
fn longest(of_array: u8, turns: u8) -> u8 {
    let cycles = u16::from(turns) * (u16::from(of_array) + 1);
    u8::try_from(cycles - 1).unwrap_or(u8::MAX)
}

/// The most that the array can have: after reset, or by its register.
fn most_wait_states(front: &FrontDescription) -> u8 {
    let of_register = front.control.as_ref().and_then(|control| control.wait_states);
    let most = of_register.map_or(0, |(_, bits)| (1_u32 << bits.min(8)) - 1);
    front.wait_states.max(u8::try_from(most).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_waits_for_a_read_ahead_and_for_the_other_bus() {
        let board = Board::named("stm32f446").unwrap();
        let flash = |wait_states| {
            let regions = always_missed(&board, wait_states);
            assert!(regions.iter().all(|region| region.front == 0));
            regions.iter().find(|region| region.start == 0).unwrap().read_wait_states
        };
        assert_eq!(flash(Some(5)), 3 * 6 - 1);
        assert_eq!(flash(None), 3 * 16 - 1, "its register has four bits");
    }

    #[test]
    fn memories_without_a_front_end_stay_as_they_are() {
        let board = Board::named("lm3s6965").unwrap();
        assert_eq!(always_missed(&board, Some(5)), board.regions());
    }
}
