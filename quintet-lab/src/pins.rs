//! What the pins of a board did: each change as a line, and how often each pin changed.
//!
//! Firmware that blinks prints nothing; its pins tell that it runs.

use std::collections::BTreeMap;
use std::fmt::Write;

use quintet_sim::board::Parts;
use quintet_sim::bus::PinChange;
use quintet_sim::peripherals::is_sio;

/// So many pins are named in a sentence.
const NAMED_MAX: usize = 8;

/// The changes of a run's pins. A board begins with levels; only what changes afterwards counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pins {
    counts: BTreeMap<String, u64>,
}

impl Pins {
    /// Counts changes, and gives them as lines of text.
    pub fn take(&mut self, changes: &[PinChange], board: Parts<'_>) -> String {
        let mut lines = String::new();
        for change in changes {
            let name = name(board, change);
            let seconds = change.cycle as f64 / board.clock_hz as f64;
            let level = if change.level { "high" } else { "low" };
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "[{seconds:.6} s] {name} {level}");
            *self.counts.entry(name).or_default() += 1;
        }
        lines
    }

    /// How often each pin has changed, by its name.
    pub fn into_counts(self) -> BTreeMap<String, u64> {
        self.counts
    }

    /// Whether any pin has changed.
    pub fn have_changed(&self) -> bool {
        !self.counts.is_empty()
    }

    /// What is said of firmware that has printed nothing.
    pub fn silence(&self) -> String {
        let mut most: Vec<_> = self.counts.iter().collect();
        most.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let times = |count: u64| if count == 1 { "once".into() } else { format!("{count} times") };
        let named = most.iter().take(NAMED_MAX);
        let named: Vec<_> =
            named.map(|(name, count)| format!("{name} {}", times(**count))).collect();
        match named.as_slice() {
            [] => "the firmware printed nothing, and no pin changed".to_owned(),
            named => {
                let rest = if most.len() > NAMED_MAX { " and others" } else { "" };
                let named = named.join(", ");
                format!("the firmware printed nothing; pins changed: {named}{rest} (--pins)")
            }
        }
    }
}

/// The name of a pin, as scripts have it: port and number.
fn name(board: Parts<'_>, change: &PinChange) -> String {
    let device = board.devices.get(change.device);
    let port = device.and_then(|device| device.port.as_deref());
    match port {
        Some(_) if device.is_some_and(|device| is_sio(device.kind)) => {
            format!("GP{}", change.pin)
        }
        Some(digit) if digit.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("P{digit}.{}", change.pin)
        }
        Some(letter) => format!("P{letter}{}", change.pin),
        None => format!("{}.{}", device.map_or("", |device| &device.name), change.pin),
    }
}

#[cfg(test)]
mod tests {
    use quintet_sim::board::Board;

    use super::*;

    fn counted(counts: &[(&str, u64)]) -> Pins {
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Pins { counts }
    }

    #[test]
    fn pins_have_the_names_of_scripts() {
        let named = |board: &str, device: &str, pin| {
            let board = Board::named(board).unwrap();
            let device = board.devices.iter().position(|one| one.name == device).unwrap();
            name(board.parts(), &PinChange { cycle: 0, device, pin, level: true })
        };
        assert_eq!(named("stm32f103", "gpioc", 13), "PC13");
        assert_eq!(named("nrf52840", "gpio1", 4), "P1.4");
        assert_eq!(named("rp2040", "sio", 25), "GP25");
    }

    #[test]
    fn silence_names_the_busiest_pins() {
        let none = "the firmware printed nothing, and no pin changed";
        assert_eq!(counted(&[]).silence(), none);
        let some = "the firmware printed nothing; pins changed: PC13 20 times, PA0 once (--pins)";
        assert_eq!(counted(&[("PA0", 1), ("PC13", 20)]).silence(), some);
        let many: Vec<String> = (0..9).map(|pin| format!("PA{pin}")).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), 2)).collect();
        assert!(counted(&many).silence().ends_with("PA7 2 times and others (--pins)"));
    }
}
