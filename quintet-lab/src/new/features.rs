//! What `--with` can add to a new crate.

use anyhow::{Result, bail};

/// How like a known name an unknown one must be for the known one to be proposed.
const LIKENESS_MIN: f64 = 0.7;

/// The features, and what each adds.
pub const FEATURES: [(&str, &str); 4] = [
    ("defmt", "the log is defmt's: levels, times and places, and little flash"),
    ("async", "a second async task, which waits for a channel"),
    ("actors", "an actor, which takes one event after the other"),
    ("threads", "a thread, which waits for a semaphore (not on ARMv6-M)"),
];

/// The feature that needs threads.
pub const THREADS: &str = "threads";

/// The names of the features that are wanted, checked.
///
/// # Errors
/// A name that no feature has, with those that there are.
pub fn check(wanted: &[String]) -> Result<()> {
    for name in wanted {
        if FEATURES.iter().any(|(known, _)| known == name) {
            continue;
        }
        if name == "processes" {
            bail!(
                "a crate with processes has more parts than one: the kernel, and a crate for each \
                 application; begin with a copy of the directory examples/processes of Quintet"
            );
        }
        let known = FEATURES.map(|(known, _)| known);
        let likeness = |known: &str| strsim::jaro_winkler(name, known);
        let near = known.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let near = near.filter(|near| likeness(near) >= LIKENESS_MIN);
        let proposal = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        let end = if proposal.is_empty() { ";" } else { "" };
        bail!("--with has no \"{name}\"{proposal}{end} there are {}", known.join(", "));
    }
    Ok(())
}
