//! A profile as files that other programs read: folded stacks, a flame graph, speedscope.

use std::collections::BTreeMap;

use anyhow::Context;
use inferno::flamegraph::{self, Options};
use serde_json::{Value, json};

use super::Profile;
use crate::report::table::grouped;

/// A line for each path: the names, outermost first, with semicolons, and the cycles.
/// <https://github.com/brendangregg/FlameGraph>
pub fn folded(profile: &Profile) -> String {
    let line = |(path, cycles): &(Vec<String>, u64)| {
        let names: Vec<String> = path.iter().map(|name| name.replace(';', ":")).collect();
        format!("{} {cycles}\n", names.join(";"))
    };
    profile.paths.iter().map(line).collect()
}

/// Returns an SVG image in which a function is as wide as its cycles, above its caller.
pub fn flame_graph(profile: &Profile, title: &str) -> anyhow::Result<Vec<u8>> {
    let mut options = Options::default();
    options.title = title.to_owned();
    "cycles".clone_into(&mut options.count_name);
    let awake = profile.paths.iter().map(|(_, cycles)| cycles).sum();
    options.subtitle = Some(format!("as wide as its cycles, of {} awake", grouped(awake)));
    let mut svg = Vec::new();
    let text = folded(profile);
    flamegraph::from_lines(&mut options, text.lines(), &mut svg)
        .context("the flame graph can't be drawn")?;
    Ok(svg)
}

/// The format of <https://www.speedscope.app>: a profile for each context.
pub fn speedscope(profile: &Profile, name: &str) -> Value {
    let mut frames = BTreeMap::<&str, usize>::new();
    for name in profile.paths.iter().flat_map(|(path, _)| &path[1..]) {
        let next = frames.len();
        frames.entry(name).or_insert(next);
    }
    let mut by_context = BTreeMap::<&str, (Vec<Vec<usize>>, Vec<u64>)>::new();
    for (path, cycles) in &profile.paths {
        let (samples, weights) = by_context.entry(&path[0]).or_default();
        samples.push(path[1..].iter().map(|name| frames[name.as_str()]).collect());
        weights.push(*cycles);
    }
    let one = |(context, (samples, weights)): (&str, (Vec<Vec<usize>>, Vec<u64>))| {
        let end: u64 = weights.iter().sum();
        json!({
            "type": "sampled", "name": context, "unit": "none",
            "startValue": 0, "endValue": end, "samples": samples, "weights": weights,
        })
    };
    let profiles: Vec<Value> = by_context.into_iter().map(one).collect();
    let mut named: Vec<(&str, usize)> = frames.into_iter().collect();
    named.sort_by_key(|(_, place)| *place);
    let frames: Vec<Value> = named.into_iter().map(|(name, _)| json!({ "name": name })).collect();
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": name, "exporter": "quintet profile",
        "shared": { "frames": frames }, "profiles": profiles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Profile {
            cycles: 9,
            contexts: Vec::new(),
            functions: Vec::new(),
            lines: Vec::new(),
            paths: vec![(path(&["main", "a", "b;c"]), 4), (path(&["SysTick", "a"]), 5)],
        }
    }

    #[test]
    fn paths_are_folded() {
        assert_eq!(folded(&profile()), "main;a;b:c 4\nSysTick;a 5\n");
        let svg = String::from_utf8(flame_graph(&profile(), "app").unwrap()).unwrap();
        assert!(svg.contains("<svg") && svg.contains("b:c (4 cycles"), "{svg}");
        assert!(svg.contains("of 9 awake"), "{svg}");
    }

    #[test]
    fn speedscope_has_a_profile_for_each_context() {
        let value = speedscope(&profile(), "app");
        assert_eq!(value["shared"]["frames"][0]["name"], "a");
        assert_eq!(value["profiles"][0]["name"], "SysTick");
        assert_eq!(value["profiles"][0]["weights"], json!([5]));
        assert_eq!(value["profiles"][1]["samples"], json!([[0, 1]]));
    }
}
