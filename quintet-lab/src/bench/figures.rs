//! The documents' figures, other kernels' and the hardware's floors, as data that comes with the
//! tool.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::{Table, Value};

const DOCUMENTS: &str = include_str!("../../data/figures.toml");
const FLOORS: &str = include_str!("../../data/hardware-floors.toml");
const PEERS: &str = include_str!("../../data/peer-figures.toml");

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
    peers: Value,
}

impl Figures {
    /// The figures that come with the tool.
    pub fn built_in() -> Result<Self> {
        let parse = |text: &str| text.parse::<Table>().map(Value::Table);
        Ok(Self {
            documents: parse(DOCUMENTS).context("data/figures.toml")?,
            floors: parse(FLOORS).context("data/hardware-floors.toml")?,
            peers: parse(PEERS).context("data/peer-figures.toml")?,
        })
    }

    /// The figure of a document, by its path: `rtfm.function_call.0`.
    pub fn document(&self, key: &str) -> Result<Figure> {
        find(&self.documents, key).with_context(|| format!("no figure `{key}` in figures.toml"))
    }

    /// The figures that other kernels have in a row: `threads.sem_sw`, each behind its column's
    /// head. Those without such a thing are left out, and where `only` names some, all others.
    pub fn published(&self, key: &str, only: &[String]) -> Result<Vec<(String, Figure)>> {
        let missing = || format!("no row `{key}` in peer-figures.toml");
        let table = key.split('.').next().unwrap_or_default();
        let list = |path: &str| value(&self.peers, path)?.as_array();
        let columns = list(&format!("{table}.columns")).with_context(missing)?;
        let figures = list(key).filter(|figures| figures.len() == columns.len());
        let figures = figures.with_context(missing)?;
        let pair = |(name, figure): (&Value, &Value)| {
            let figure = number(figure).filter(|figure| figure.0 >= 0.0)?;
            Some((name.as_str()?.to_owned(), figure))
        };
        let mut pairs: Vec<_> = columns.iter().zip(figures).filter_map(pair).collect();
        if let Some(name) = only.iter().find(|name| pairs.iter().all(|(head, _)| head != *name)) {
            let heads: Vec<_> = pairs.iter().map(|(head, _)| head.as_str()).collect();
            bail!(
                "`{key}` in peer-figures.toml has no figure in a column \"{name}\": choose from {}",
                heads.join(", ")
            );
        }
        pairs.retain(|(head, _)| only.is_empty() || only.contains(head));
        Ok(pairs)
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
    fn kernels_without_an_operation_are_left_out_of_its_row() {
        let figures = Figures::built_in().unwrap();
        let row = figures.published("threads.prio", &[]).unwrap();
        assert_eq!((row.len(), row[0].clone()), (5, ("FreeRTOS".to_owned(), Figure(106.0))));
        assert_eq!(figures.published("object_bytes.timer", &[]).unwrap().len(), 5);
        for missing in ["threads.nap", "threads", "nothing.tick", "threads.tick.0"] {
            assert!(figures.published(missing, &[]).is_err(), "{missing}");
        }
    }

    #[test]
    fn a_row_chooses_its_columns() {
        let figures = Figures::built_in().unwrap();
        let only = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            figures.published("threads.yield", &names)
        };
        let chosen = only(&["ChibiOS", "FreeRTOS"]).unwrap();
        let heads: Vec<_> = chosen.iter().map(|(head, _)| head.as_str()).collect();
        assert_eq!(heads, ["FreeRTOS", "ChibiOS"]);
        // One that doesn't exist, and one that has no such thing.
        for unknown in ["Chibi", "uCOS2"] {
            let refused = only(&["ChibiOS", unknown]).unwrap_err().to_string();
            assert_eq!(
                refused,
                format!(
                    "`threads.yield` in peer-figures.toml has no figure in a column \"{unknown}\": \
                     choose from FreeRTOS, FRTOS+assert, TX fast, TX nochk, TX dflt, ChibiOS, \
                     Chibi+dbg"
                )
            );
        }
    }

    #[test]
    fn every_published_row_has_as_many_figures_as_its_table_has_columns() {
        let figures = Figures::built_in().unwrap();
        for (table, rows) in figures.peers.as_table().unwrap() {
            for row in rows.as_table().unwrap().keys().filter(|row| *row != "columns") {
                figures.published(&format!("{table}.{row}"), &[]).unwrap();
            }
        }
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
