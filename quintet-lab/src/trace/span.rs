//! Times as people write them: `10ms`, `2.5s`, `300us`, `120 cycles`, or cycles without a unit.

use anyhow::Context;
use serde::Deserialize;

/// A time. Seconds become cycles when the board's clock is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Span {
    /// A number of cycles.
    Cycles(u64),
    /// A number of seconds.
    Seconds(f64),
}

/// Units, each with its length in seconds. The longer names come first.
const UNITS: [(&str, f64); 5] =
    [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];

impl Span {
    /// Reads a time.
    pub fn parse(text: &str) -> Result<Self, String> {
        let clean = text.trim().replace('_', "");
        let refused =
            || format!("\"{text}\" is no time: write 10ms, 2.5s, 300us, or a number of cycles");
        if let Some(cycles) = clean.strip_suffix("cycles") {
            return cycles.trim().parse().map(Self::Cycles).map_err(|_| refused());
        }
        let unit =
            UNITS.iter().find_map(|(unit, seconds)| Some((clean.strip_suffix(unit)?, seconds)));
        let Some((number, unit)) = unit else {
            return clean.parse().map(Self::Cycles).map_err(|_| refused());
        };
        let number: f64 = number.trim().parse().map_err(|_| refused())?;
        if !number.is_finite() || number < 0.0 {
            return Err(refused());
        }
        Ok(Self::Seconds(number * unit))
    }

    /// Returns the time in cycles of a clock.
    pub fn cycles(self, clock_hz: u64) -> u64 {
        match self {
            Self::Cycles(cycles) => cycles,
            Self::Seconds(seconds) => (seconds * clock_hz as f64).round() as u64,
        }
    }
}

/// A time in a TOML file: a number of cycles, or a text.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(untagged, expecting = "expected a time, as \"10 ms\", or a number of cycles")]
pub enum Time {
    /// A number of cycles.
    Cycles(u64),
    /// A time with its unit.
    Text(String),
}

impl Time {
    /// Returns the time, or an error that names the field `what`.
    pub fn span(&self, what: &str) -> anyhow::Result<Span> {
        match self {
            Self::Cycles(cycles) => Ok(Span::Cycles(*cycles)),
            Self::Text(text) => Span::parse(text).map_err(anyhow::Error::msg),
        }
        .with_context(|| format!("`{what}`"))
    }
}

/// Returns cycles as a time for people.
pub fn in_words(cycles: u64, clock_hz: u64) -> String {
    let seconds = cycles as f64 / clock_hz.max(1) as f64;
    match seconds {
        _ if seconds >= 1.0 => format!("{seconds:.3} s"),
        _ if seconds >= 1e-3 => format!("{:.3} ms", seconds * 1e3),
        _ => format!("{:.3} us", seconds * 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_cycles_none() {
        let cycles = |text: &str| Span::parse(text).map(|span| span.cycles(12_000_000));
        assert_eq!(cycles("10ms"), Ok(120_000));
        assert_eq!(cycles("2.5 s"), Ok(30_000_000));
        assert_eq!(cycles("300us"), Ok(3600));
        assert_eq!(cycles("1_000"), Ok(1000));
        assert_eq!((cycles("1_000 cycles"), cycles("7cycles")), (Ok(1000), Ok(7)));
        for wrong in ["", "ms", "-1ms", "10min", "1e999s", "x", "NaNs", "-1 cycles"] {
            assert!(cycles(wrong).unwrap_err().contains("write 10ms"), "{wrong}");
        }
    }

    #[test]
    fn cycles_are_told_in_a_unit_that_fits() {
        let words = |cycles| in_words(cycles, 12_000_000);
        assert_eq!(words(12), "1.000 us");
        assert_eq!(words(120_000), "10.000 ms");
        assert_eq!(words(30_000_000), "2.500 s");
    }
}
