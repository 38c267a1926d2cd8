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
    let mut text = String::new();
    profile.tree.paths(|path, cycles| {
        for (place, name) in path.iter().enumerate() {
            text.push_str(if place > 0 { ";" } else { "" });
            text.extend(name.chars().map(|letter| if letter == ';' { ':' } else { letter }));
        }
        text.push_str(&format!(" {cycles}\n"));
    });
    text
}

/// Returns an SVG image in which a function is as wide as its cycles, above its caller.
pub fn flame_graph(profile: &Profile, title: &str) -> anyhow::Result<Vec<u8>> {
    let mut options = Options::default();
    options.title = title.to_owned();
    "cycles".clone_into(&mut options.count_name);
    let mut awake = 0;
    profile.tree.paths(|_, cycles| awake += cycles);
    options.subtitle = Some(format!("as wide as its cycles, of {} awake", grouped(awake)));
    let mut svg = Vec::new();
    let text = folded(profile);
    flamegraph::from_lines(&mut options, text.lines(), &mut svg)
        .context("the flame graph can't be drawn")?;
    Ok(svg)
}

/// The format of <https://www.speedscope.app>: a profile for each context.
pub fn speedscope(profile: &Profile, name: &str) -> Value {
    let mut frames = BTreeMap::<String, usize>::new();
    let mut by_context = BTreeMap::<String, (Vec<Vec<usize>>, Vec<u64>)>::new();
    profile.tree.paths(|path, cycles| {
        let [context, functions @ ..] = path else { return };
        let mut number = |name: &str| {
            if let Some(&number) = frames.get(name) {
                return number;
            }
            let next = frames.len();
            frames.insert(name.to_owned(), next);
            next
        };
        let sample = functions.iter().map(|name| number(name)).collect();
        let (samples, weights) = by_context.entry((*context).to_owned()).or_default();
        samples.push(sample);
        weights.push(cycles);
    });
    let one = |(context, (samples, weights)): (String, (Vec<Vec<usize>>, Vec<u64>))| {
        let end: u64 = weights.iter().sum();
        json!({
            "type": "sampled", "name": context, "unit": "none",
            "startValue": 0, "endValue": end, "samples": samples, "weights": weights,
        })
    };
    let profiles: Vec<Value> = by_context.into_iter().map(one).collect();
    let mut named: Vec<(String, usize)> = frames.into_iter().collect();
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
    use super::super::tree::Tree;
    use super::*;

    fn profile() -> Profile {
        let mut tree = Tree::default();
        for (path, cycles) in [(&["main", "a", "b;c"][..], 4), (&["SysTick", "a"], 5)] {
            let branch = path.iter().fold(None, |parent, name| Some(tree.child(parent, name)));
            tree.spend(branch.unwrap(), cycles);
        }
        Profile { cycles: 9, contexts: Vec::new(), functions: Vec::new(), lines: Vec::new(), tree }
    }

    #[test]
    fn paths_are_folded() {
        assert_eq!(folded(&profile()), "SysTick;a 5\nmain;a;b:c 4\n");
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
