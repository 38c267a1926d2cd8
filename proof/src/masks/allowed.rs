//! The places that hold interrupts off for longer than the goal, in groups. The reason for one
//! section stands once for all places that do the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use quintet_lab::report::table::{self, table};
use serde::Deserialize;

use super::ahead::{List, Listed};
use super::{Found, GOAL, Longest, ON_ARMV6M, Where};
use crate::firmware::root;

/// The file.
pub const PATH: &str = "proof/masks-allowed.toml";

/// The share by which a place may be above its bound. The place of functions in an image depends on
/// the directory of the build, and the time for fetching their instructions depends on that place.
const TOLERANCE: f64 = 1.03;
const TOLERANCE_CYCLES: f64 = 3.0;

/// The cycles up to which a place is within a bound.
pub fn most(bound: u64) -> f64 {
    (bound as f64 * TOLERANCE).max(bound as f64 + TOLERANCE_CYCLES)
}

/// The groups, in the file's order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// Places that do the same.
    #[serde(default)]
    pub group: Vec<Group>,
}

/// Places that do the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// A letter, for the table.
    pub mark: String,
    /// The reason for one section.
    pub reason: String,
    /// The most cycles of each place: the file below the framework's `src`, and the function. A
    /// name may list several functions, with commas, that may be alike. The compiler then makes one
    /// of them, whose name depends on the directory of the build. Behind the name stands
    /// ` on ARMv6-M`, if the bound is for such programs.
    pub places: BTreeMap<String, u64>,
}

impl Group {
    /// Returns the bound of a place, if it is in this group.
    fn bound(&self, place: &Where) -> Option<u64> {
        self.places.iter().find(|(names, _)| names_of(names, place)).map(|(_, cycles)| *cycles)
    }
}

/// The places that a key of the list names.
fn places_of(names: &str) -> impl Iterator<Item = Where> {
    let (file, functions) = names.split_once(": ").unwrap_or((names, ""));
    let (functions, is_armv6m) =
        functions.strip_suffix(ON_ARMV6M).map_or((functions, false), |functions| (functions, true));
    let place =
        |function: &str| Where { file: file.to_owned(), function: function.to_owned(), is_armv6m };
    functions.split(", ").map(place).collect::<Vec<_>>().into_iter()
}

/// Returns `true` if one of them is this.
fn names_of(names: &str, place: &Where) -> bool {
    places_of(names).any(|named| named == *place)
}

impl Allowed {
    /// Reads the tree's.
    pub fn read() -> Result<Self> {
        let text = std::fs::read_to_string(root().join(PATH));
        Self::parse(&text.with_context(|| format!("cannot read {PATH}"))?)
    }

    /// Reads the list from its text.
    fn parse(text: &str) -> Result<Self> {
        let allowed: Self = toml::from_str(text).context(PATH)?;
        let mut all = BTreeSet::new();
        for Group { mark, reason, places } in &allowed.group {
            ensure!(!reason.is_empty(), "{PATH}: the group {mark} has no reason");
            for (names, cycles) in places {
                ensure!(*cycles > GOAL, "{PATH}: {names} is within the goal: remove it");
                for place in places_of(names) {
                    ensure!(all.insert(place.clone()), "{PATH}: {place} is listed twice");
                }
            }
        }
        Ok(allowed)
    }

    /// Returns all places, the longest first.
    pub fn text(&self, ahead: &List) -> String {
        let places = |group: &'_ Group| -> Vec<(Reverse<u64>, String, String)> {
            let row = |(place, cycles): (&String, &u64)| {
                (Reverse(*cycles), place.clone(), group.mark.clone())
            };
            group.places.iter().map(row).collect()
        };
        let mut rows: Vec<_> = self.group.iter().flat_map(places).collect();
        rows.sort();
        let mut table = table(&["place", ">seen", ">on all ways", "why"]);
        for (Reverse(cycles), place, mark) in rows {
            let ways = match ahead.0.get(&place) {
                Some(Listed::Cycles(cycles)) => cycles.to_string(),
                Some(Listed::Open(_)) => "open".to_owned(),
                None if place.ends_with(ON_ARMV6M) => "not followed".to_owned(),
                None => String::new(),
            };
            table.add_row([place, cycles.to_string(), ways, mark]);
        }
        table::text(&table) + &self.reasons()
    }

    /// Returns the reasons, group by group.
    pub fn reasons(&self) -> String {
        let reason = |group: &Group| format!("{}: {}\n", group.mark, group.reason);
        self.group.iter().map(reason).collect()
    }

    /// The group that a place is in.
    pub fn group_of(&self, place: &Where) -> Option<&Group> {
        self.group.iter().find(|group| group.bound(place).is_some())
    }

    /// Returns the places that take longer than they may. If `all` programs ran, also returns
    /// entries without a use.
    pub fn problems(&self, found: &Found, all: bool) -> Vec<String> {
        let too_long = found.iter().filter_map(|(place, longest)| self.too_long(place, longest));
        let needed = |names: &String| {
            let is = |(place, longest): (&Where, &Longest)| {
                let cycles = longest.cycles as f64 + TOLERANCE_CYCLES;
                names_of(names, place) && cycles > GOAL as f64
            };
            found.iter().any(is)
        };
        let listed = self.group.iter().flat_map(|group| group.places.keys());
        let unneeded = listed.filter(|place| all && !needed(place));
        let unneeded =
            unneeded.map(|place| format!("{PATH}: {place} is within the goal: remove it"));
        too_long.chain(unneeded).collect()
    }

    fn too_long(&self, place: &Where, longest: &Longest) -> Option<String> {
        let bound = self.group.iter().find_map(|group| group.bound(place)).unwrap_or(GOAL);
        let Longest { cycles, program, .. } = longest;
        (*cycles as f64 > most(bound)).then(|| {
            format!(
                "{place} holds interrupts off for {cycles} cycles in {program}, more than {bound}: \
                 shorten it, or list it in {PATH} with what has to be one section"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "[[group]]\nmark = \"a\"\nreason = \"two words\"\n[group.places]\n\
                        \"a.rs: f\" = 200\n";

    fn found(function: &str, cycles: u64) -> Found {
        let (function, is_armv6m) =
            function.strip_suffix(ON_ARMV6M).map_or((function, false), |one| (one, true));
        let function = function.to_owned();
        let place = Where { file: "a.rs".to_owned(), function, is_armv6m };
        Found::from([(place, Longest { cycles, instructions: 1, program: "p".to_owned() })])
    }

    #[test]
    fn what_is_longer_than_listed_is_refused() {
        let allowed = Allowed::parse(LIST).unwrap();
        let problems = |found: &Found| allowed.problems(found, false).join("; ");
        assert_eq!(problems(&found("f", 206)), "", "where functions lie makes a difference");
        assert!(problems(&found("f", 207)).starts_with("a.rs: f holds interrupts off for 207"));
        assert_eq!(problems(&found("g", 27)), "");
        assert!(problems(&found("g", 28)).contains("for 28 cycles in p, more than 24"));
    }

    #[test]
    fn functions_that_may_be_alike_have_one_bound() {
        let allowed = Allowed::parse(&LIST.replace("a.rs: f", "a.rs: e, f, g")).unwrap();
        for function in ["e", "f", "g"] {
            assert_eq!(allowed.problems(&found(function, 200), true), [""; 0]);
        }
        assert_eq!(allowed.problems(&found("h", 200), true).len(), 2);
    }

    #[test]
    fn programs_for_an_armv6m_have_bounds_of_their_own() {
        let list = LIST.replace("a.rs: f", "a.rs: f, g on ARMv6-M");
        let allowed = Allowed::parse(&list).unwrap();
        assert_eq!(allowed.problems(&found("g on ARMv6-M", 206), true), [""; 0]);
        let problems = allowed.problems(&found("g on ARMv6-M", 207), true);
        assert!(problems[0].starts_with("a.rs: g on ARMv6-M holds interrupts off"), "{problems:?}");
        assert_eq!(allowed.problems(&found("g", 206), false).len(), 1);
    }

    #[test]
    fn what_is_listed_must_need_it() {
        let allowed = Allowed::parse(LIST).unwrap();
        assert_eq!(allowed.problems(&found("g", 3), false), [""; 0]);
        assert_eq!(allowed.problems(&found("f", 22), true), [""; 0], "it may be longer elsewhere");
        assert_eq!(allowed.problems(&found("f", 21), true).len(), 1);
        for (good, bad) in [("200", "24"), ("two words", "")] {
            assert!(Allowed::parse(&LIST.replace(good, bad)).is_err(), "{bad}");
        }
        let twice = format!("{LIST}{}", LIST.replace("a.rs: f", "a.rs: e, f"));
        let error = Allowed::parse(&twice).unwrap_err().to_string();
        assert!(error.contains("a.rs: f is listed twice"), "{error}");
    }
}
