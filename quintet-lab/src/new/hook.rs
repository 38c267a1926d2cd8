//! Writes the hook `template/chips.rhai` from the table of chips. By the hook, cargo-generate gives
//! each placeholder its text.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;

use super::chips::Families;
use super::{Purpose, of_purpose};

/// Stands in the hook for the name of the crate, which only cargo-generate knows.
const CRATE_NAME: &str = "CRATE_NAME";

const HEAD: &str = "\
// Written from chips.toml, by `QUINTET_BLESS=1 cargo test -p quintet-lab --test new`.
// What the placeholders of the template stand for, chip by chip.
let families = #{
";

const TAIL: &str = r#"
let crate_name = variable::get("crate_name");
variable::set("name", variable::get("project-name"));
let chip = variable::get("chip");
let path = variable::get("quintet_path");
if path == "" {
    variable::set("quintet", `version = "${version}"`);
} else {
    variable::set("quintet", `path = "${path}/quintet"`);
}
let values = families[chips[chip].family];
values.mixin(chips[chip]);
values.chip = chip;
values.board_file = "";
if values.embassy_package == "" && variable::get("embassy") {
    abort("no HAL of Embassy is known for this chip: leave it out");
}
if values.hal_package == "" && variable::get("hal") {
    abort("no HAL with drivers that block is known for this chip: leave it out");
}
if variable::get("embassy") && variable::get("hal") {
    abort("a chip has one HAL at a time: take Embassy's or the other one");
}
values.drivers = "";
if variable::get("embassy") {
    values.drivers = "embassy";
}
if variable::get("hal") {
    values.drivers = "hal";
    if values.hal_dispatchers != "" {
        values.dispatchers = values.hal_dispatchers;
    }
}
for name in values.keys() {
    let text = values[name];
    text.replace("CRATE_NAME", crate_name);
    variable::set(name, text);
}
"#;

/// Returns the text of the hook.
pub fn text(families: &Families) -> Result<String> {
    let (mut shared, mut own) = (String::new(), String::new());
    for family in families.iter() {
        let mut values = Vec::new();
        for chip in family.chips() {
            let name = chip.name.clone();
            let texts = of_purpose(&Purpose { chip: Some(chip), board: None }, CRATE_NAME)?.texts;
            values.push((name, texts));
        }
        let is_shared = |name: &str| {
            let mut all = values.iter().map(|(_, texts)| texts.get(name));
            let first = all.next();
            first.is_some_and(|first| all.all(|text| text == first))
        };
        let names = values.first().map(|(_, texts)| texts.keys().copied());
        let names: Vec<_> = names.into_iter().flatten().collect();
        let taken = |name: &&str| !["chip", "board_file"].contains(name);
        let shares: Vec<_> = names.iter().copied().filter(|name| is_shared(name)).collect();
        let differs: Vec<_> = names.into_iter().filter(|name| !is_shared(name)).collect();
        if let Some((_, texts)) = values.first() {
            let entries = entries(texts, shares.into_iter().filter(taken));
            let _ = writeln!(shared, "    \"{}\": #{{\n{entries}    }},", family.name);
        }
        for (name, texts) in &values {
            let entries = entries(texts, differs.iter().copied().filter(taken));
            let family = &family.name;
            let _ = writeln!(
                own,
                "    \"{name}\": #{{\n        \"family\": \"{family}\",\n{entries}    }},"
            );
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("{HEAD}{shared}}};\nlet chips = #{{\n{own}}};\nlet version = \"{version}\";{TAIL}"))
}

/// Returns the lines of a map in Rhai.
fn entries<'a>(
    texts: &BTreeMap<&'static str, String>,
    names: impl Iterator<Item = &'a str>,
) -> String {
    let mut lines = String::new();
    for (name, text) in names.filter_map(|name| texts.get_key_value(name)) {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = writeln!(lines, "        \"{name}\": \"{text}\",");
    }
    lines
}
