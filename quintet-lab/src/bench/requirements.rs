//! What a board must have for a group: a group says it in its file, and firmware with processes by
//! its features.

use anyhow::{Result, ensure};
use quintet_sim::board::{Board, DeviceDescription};
use quintet_sim::peripherals::DeviceKind;

use super::scenario::Scenario;

/// What the names of the features have by which firmware has processes.
const PROCESS: &str = "process";

/// Where firmware with a timer has it.
const TIMER: u32 = 0x4000_0000;

/// Refuses a group on a board that can't run its firmware.
///
/// # Errors
/// It is one: no memory protection unit, too few priorities, another timer.
pub fn check(scenario: &Scenario, board: &Board) -> Result<()> {
    let (group, name) = (&scenario.name, &board.name);
    let of_variants = scenario.variants.iter().flat_map(|variant| &variant.features);
    let mut features = scenario.features.iter().chain(of_variants);
    let has_processes = features.any(|feature| feature.contains(PROCESS));
    ensure!(
        scenario.priority_bits <= board.priority_bits,
        "the group {group} needs priorities of {} bits, so many levels do its tasks have, and the \
         core of {name} has {}: choose a board with more, as --board lm3s6965",
        scenario.priority_bits,
        board.priority_bits
    );
    ensure!(
        !has_processes || board.mpu_regions > 0,
        "the group {group} has processes, and the core of {name} has no memory protection unit \
         for them: choose a board that has one, as --board rp2040 or --board lm3s6965"
    );
    let is_timer = |device: &DeviceDescription| {
        device.base == TIMER
            && matches!(device.kind, DeviceKind::Stm32Timer | DeviceKind::Stm32Timer32)
    };
    ensure!(
        !scenario.timer || board.devices.iter().any(is_timer),
        "the group {group} waits by timer 2 of an STM32, which {name} has not at {TIMER:#x}: \
         choose a board that has it, as --board stm32f100, or with a core of ARMv6-M --board \
         benches/boards/cortex-m0plus.toml"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(board: &str, fields: &str) -> Option<String> {
        let text = format!(
            "name = 'g'\ntitle = 't'\nbinary = 'b'\nboard = 'lm3s6965'\norder = 1\n{fields}\n\
             [[row]]\nname = 'r'\nmarks = [['a', 'b']]\n"
        );
        let scenario = Scenario::parse(&text).unwrap();
        check(&scenario, &Board::named(board).unwrap()).err().map(|error| error.to_string())
    }

    #[test]
    fn processes_need_a_memory_protection_unit() {
        let refused = said("microbit", "features = ['processes']").unwrap();
        let expected = "the group g has processes, and the core of microbit has no memory \
                        protection unit for them: choose a board that has one, as --board rp2040";
        assert!(refused.starts_with(expected), "{refused}");
        assert_eq!(said("microbit", "features = ['threads']"), None);
        assert_eq!(said("rp2040", "features = ['processes']"), None);
    }

    #[test]
    fn many_levels_need_many_priorities() {
        let refused = said("rp2040", "priority_bits = 3").unwrap();
        assert!(refused.contains("3 bits") && refused.contains("rp2040 has 2"), "{refused}");
        assert_eq!(said("lm3s6965", "priority_bits = 3"), None);
    }

    #[test]
    fn a_timer_is_one_of_stm32() {
        let refused = said("rp2040", "timer = true").unwrap();
        let expected = "the group g waits by timer 2 of an STM32, which rp2040 has not at";
        assert!(refused.starts_with(expected), "{refused}");
        assert_eq!(said("stm32f100", "timer = true"), None);
    }
}
