//! What the user says of code that does not say it itself: counts of loops, targets of calls,
//! depths of recursion. A TOML file:
//!
//! ```toml
//! [[loop]]
//! function = "app::checksum"      # a symbol, the end of its path, or an address
//! at = "src/main.rs:42"           # a line of source, or an address; all loops without it
//! iterations = 64                 # how often the loop begins a round each time, at most
//!
//! [[call]]
//! function = "app::dispatch"
//! at = "src/main.rs:51"
//! targets = ["app::on_button", "app::on_timer"]
//!
//! [[recursion]]
//! function = "app::walk"
//! depth = 8                       # how often it is in calls of itself, and of others, at most
//!
//! [[bound]]
//! function = "app::flash_write"   # its code is not looked at, nor what it calls
//! cycles = 900                    # the most, from its first instruction to behind its call
//! stack = 64                      # bytes, at most
//! ```

use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::firmware::Firmware;
use crate::firmware::names::answers_to;
use crate::firmware::symbols::{parse_number, resolve};

/// All that is said.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Annotations {
    /// Counts of loops.
    #[serde(default, rename = "loop", skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LoopCount>,
    /// Targets of calls and branches through registers.
    #[serde(default, rename = "call", skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallTargets>,
    /// Depths of recursion.
    #[serde(default, rename = "recursion", skip_serializing_if = "Vec::is_empty")]
    pub recursions: Vec<Depth>,
    /// Functions as a whole.
    #[serde(default, rename = "bound", skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Whole>,
}

/// The count of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LoopCount {
    /// The function that it is in, or was inlined from.
    pub function: String,
    /// Where it begins: a line or an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// How often its first block is executed each time that the loop is entered, at most.
    pub iterations: u64,
}

/// The targets of a call.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CallTargets {
    /// The function that it is in.
    pub function: String,
    /// Where: a line or an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The functions that it may call.
    pub targets: Vec<String>,
}

/// The depth of a recursion.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Depth {
    /// The function.
    pub function: String,
    /// How many calls of it there are at a time, at most.
    pub depth: u32,
}

/// The bounds of a function.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Whole {
    /// The function.
    pub function: String,
    /// The most cycles from its first instruction to the one behind its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// The most bytes of stack below where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u32>,
}

impl Annotations {
    /// Reads a file.
    pub fn from_file(path: &Path) -> anyhow::Result<Self> {
        let context = || format!("cannot read the annotations in {}", path.display());
        let text = std::fs::read_to_string(path).with_context(context)?;
        Self::parse(&text).with_context(context)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let annotations: Self = toml::from_str(text)?;
        if let Some(one) = annotations.loops.iter().find(|one| one.iterations == 0) {
            bail!(
                "the loop in {} has 0 iterations: the first round counts too, write 1 or more",
                one.function
            );
        }
        if let Some(one) = annotations.calls.iter().find(|one| one.targets.is_empty()) {
            bail!("the call in {} has no targets: name the functions that it calls", one.function);
        }
        if let Some(one) = annotations.recursions.iter().find(|one| one.depth == 0) {
            bail!("the depth of {} is 0: the first call counts too, write 1 or more", one.function);
        }
        let says_nothing = |one: &&Whole| one.cycles.is_none() && one.stack.is_none();
        if let Some(one) = annotations.bounds.iter().find(says_nothing) {
            bail!("the bound of {} says nothing: give `cycles`, `stack` or both", one.function);
        }
        Ok(annotations)
    }

    /// The bounds that are said of a function.
    pub fn whole(&self, firmware: &Firmware, entry: u32) -> Option<&Whole> {
        self.bounds.iter().find(|one| is_function(firmware, entry, &one.function))
    }

    /// The count of the loop that begins at an address, if one is said; of several, the highest.
    pub fn count(&self, firmware: &Firmware, entry: u32, head: u32) -> Option<u64> {
        let meant = self
            .loops
            .iter()
            .filter(|one| is_there(firmware, entry, head, &one.function, one.at.as_deref()));
        meant.map(|one| one.iterations).max()
    }

    /// The depth of a function's recursion, if it is said.
    pub fn depth(&self, firmware: &Firmware, entry: u32) -> Option<u32> {
        let mut all = self.recursions.iter();
        all.find(|one| is_function(firmware, entry, &one.function)).map(|one| one.depth)
    }

    /// The targets of the call at an address, as far as they are said.
    pub fn targets(&self, firmware: &Firmware, entry: u32, call: u32) -> anyhow::Result<Vec<u32>> {
        let mut targets = Vec::new();
        for one in &self.calls {
            if is_there(firmware, entry, call, &one.function, one.at.as_deref()) {
                for target in &one.targets {
                    let address = resolve(&firmware.image, target);
                    let context = || format!("a target of the call in {}", one.function);
                    targets.push(address.with_context(context)?);
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(targets)
    }
}

/// What annotations can be about: loops by their heads and calls by their instructions, each with
/// its function, and functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// Loops.
    pub loops: Vec<(u32, u32)>,
    /// Calls, and branches out of functions.
    pub calls: Vec<(u32, u32)>,
    /// Functions.
    pub functions: Vec<u32>,
}

impl Annotations {
    /// Fails for the first annotation that is about nothing.
    pub fn check(&self, firmware: &Firmware, places: &Places) -> anyhow::Result<()> {
        let is_any = |all: &[(u32, u32)], function: &str, at: Option<&str>| {
            all.iter().any(|&(entry, address)| is_there(firmware, entry, address, function, at))
        };
        let loops = self.loops.iter().map(|one| {
            (
                "loop",
                &one.function,
                &one.at,
                is_any(&places.loops, &one.function, one.at.as_deref()),
            )
        });
        let calls = self.calls.iter().map(|one| {
            (
                "call",
                &one.function,
                &one.at,
                is_any(&places.calls, &one.function, one.at.as_deref()),
            )
        });
        if let Some((what, function, at, _)) = loops.chain(calls).find(|(.., is_used)| !is_used) {
            let at = at.as_ref().map_or(String::new(), |at| format!(" at {at}"));
            bail!(
                "the annotations name a {what} in {function}{at}, and there is none; \
                 `quintet bounds --suggest` prints those that are open"
            );
        }
        let is_none = |one: &&Depth| {
            !places.functions.iter().any(|&entry| is_function(firmware, entry, &one.function))
        };
        if let Some(one) = self.recursions.iter().find(is_none) {
            bail!("the annotations name a recursion of {}, which is no function", one.function);
        }
        let is_none = |one: &&Whole| {
            !places.functions.iter().any(|&entry| is_function(firmware, entry, &one.function))
        };
        if let Some(one) = self.bounds.iter().find(is_none) {
            bail!(
                "the annotations name a bound of {}, which is no function; `quintet bounds --all` \
                 lists functions",
                one.function
            );
        }
        Ok(())
    }
}

/// Returns `true` if an address is in the function, itself or inlined, and at the place.
fn is_there(
    firmware: &Firmware,
    entry: u32,
    address: u32,
    function: &str,
    at: Option<&str>,
) -> bool {
    let places = firmware.locate(address);
    let inlined = places.iter().filter_map(|place| place.function.as_deref());
    let is_in = is_function(firmware, entry, function)
        || inlined.into_iter().any(|name| answers_to(name, function));
    let Some(at) = at.filter(|_| is_in) else { return is_in };
    if let Ok(number) = parse_number(at) {
        return number & !1 == address;
    }
    places.iter().any(|place| {
        let (Some(file), Some(line)) = (&place.file, place.line) else { return false };
        let text = format!("{file}:{line}");
        text == at || text.ends_with(&format!("/{at}"))
    })
}

fn is_function(firmware: &Firmware, entry: u32, function: &str) -> bool {
    if let Ok(number) = parse_number(function) {
        return number & !1 == entry;
    }
    let symbols = firmware.image.symbols.iter().filter(|symbol| symbol.address & !1 == entry);
    let names = symbols.map(|symbol| crate::firmware::symbols::demangle(&symbol.name));
    names.into_iter().any(|name| answers_to(&name, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_read() {
        let text = "[[loop]]\nfunction = \"a\"\niterations = 3\n[[recursion]]\nfunction = \"b\"\n\
                    depth = 2\n[[call]]\nfunction = \"c\"\nat = \"0x10\"\ntargets = [\"d\"]\n";
        let annotations = Annotations::parse(text).unwrap();
        assert_eq!((annotations.loops[0].iterations, annotations.recursions[0].depth), (3, 2));
        assert_eq!(
            Annotations::parse(&toml::to_string(&annotations).unwrap()).unwrap(),
            annotations
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, said) in [
            ("[[loop]]\nfunction = \"a\"\niterations = 0\n", "the loop in a has 0 iterations"),
            ("[[call]]\nfunction = \"a\"\ntargets = []\n", "the call in a has no targets"),
            ("[[recursion]]\nfunction = \"a\"\ndepth = 0\n", "the depth of a is 0"),
            ("[[bound]]\nfunction = \"a\"\n", "the bound of a says nothing: give `cycles`"),
            ("[[loop]]\nfunction = \"a\"\nrounds = 1\n", "unknown field `rounds`"),
        ] {
            let error = Annotations::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
