//! The documents' figures and the hardware's floors, as data that comes with the tool.

use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::{Table, Value};

const DOCUMENTS: &str = include_str!("../../data/figures.toml");
const FLOORS: &str = include_str!("../../data/hardware-floors.toml");

/// A number of a table; few are not whole.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Figure(pub f64);

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Figure {
    /// Takes whole numbers too.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

/// With two places at most: nothing is measured more exactly.
impl std::fmt::Display for Figure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        ((self.0 * 100.0).round() / 100.0).fmt(formatter)
    }
}

/// The files.
pub struct Figures {
    documents: Value,
    floors: Value,
}

impl Figures {
    /// The figures that come with the tool.
    pub fn built_in() -> Result<Self> {
        let parse = |text: &str| text.parse::<Table>().map(Value::Table);
        Ok(Self {
            documents: parse(DOCUMENTS).context("data/figures.toml")?,
            floors: parse(FLOORS).context("data/hardware-floors.toml")?,
        })
    }

    /// Returns the figure of a document, by its path: `rtfm.function_call.0`. A path may add up
    /// several figures, each with a factor:
    /// `5 qp.group3.publish_per_subscriber + qp.group3.publish_constant`.
    pub fn document(&self, key: &str) -> Result<Figure> {
        let mut sum = 0.0;
        for part in key.split(" + ") {
            let (times, path) = match part.split_once(' ') {
                Some((times, path)) => (times.parse::<f64>().ok(), path),
                None => (Some(1.0), part),
            };
            let figure = times.zip(find(&self.documents, path));
            let (times, figure) =
                figure.with_context(|| format!("no figure `{part}` in figures.toml"))?;
            sum += times * figure.0;
        }
        Ok(Figure(sum))
    }

    /// The floor of a mechanism.
    pub fn floor(&self, key: &str) -> Result<Figure> {
        find(&self.floors, key).with_context(|| format!("no floor `{key}` in hardware-floors.toml"))
    }
}

fn find(root: &Value, key: &str) -> Option<Figure> {
    value(root, key).and_then(number)
}

fn value<'a>(root: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(root, |value, part| match value {
        Value::Table(table) => table.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

fn number(value: &Value) -> Option<Figure> {
    match value {
        Value::Integer(number) => Some(Figure(*number as f64)),
        Value::Float(number) => Some(Figure(*number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_path() {
        let figures = Figures::built_in().unwrap();
        assert_eq!(figures.document("rtfm.nop").unwrap(), Figure(1.0));
        assert_eq!(figures.document("rtfm.function_call.1").unwrap(), Figure(12.0));
        assert_eq!(figures.floor("lock_unlock_nested.0").unwrap(), Figure(3.0));
        for missing in ["rtfm.nap", "rtfm.function_call", "rtfm.function_call.2", "rtfm.nop.0"] {
            assert!(figures.document(missing).is_err(), "{missing}");
        }
    }

    #[test]
    fn figures_are_added_up_so_many_times() {
        let figures = Figures::built_in().unwrap();
        let sum = "5 qp.group3.publish_per_subscriber + qp.group3.publish_constant";
        assert_eq!(figures.document(sum).unwrap(), Figure(1208.0));
        let said = figures.document("rtfm.nop + x rtfm.nop").unwrap_err().to_string();
        assert_eq!(said, "no figure `x rtfm.nop` in figures.toml");
        assert!(figures.document("rtfm.nop + rtfm.nap").is_err());
    }

    #[test]
    fn whole_figures_are_written_whole() {
        let write = |figure| serde_json::to_string(&Figure(figure)).unwrap();
        assert_eq!((write(12.0), write(0.6508)), ("12".to_owned(), "0.6508".to_owned()));
    }

    #[test]
    fn figures_are_read_as_they_are_written() {
        let read = |text: &str| serde_json::from_str::<Figure>(text).unwrap();
        assert_eq!((read("12"), read("0.25")), (Figure(12.0), Figure(0.25)));
    }

    #[test]
    fn people_see_two_places_at_most() {
        let shown = |figure| Figure(figure).to_string();
        assert_eq!((shown(533.16), shown(4.0), shown(2.0 / 3.0)), {
            ("533.16".to_owned(), "4".to_owned(), "0.67".to_owned())
        });
    }
}
