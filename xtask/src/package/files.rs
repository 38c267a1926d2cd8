//! The files of a package: all files that its code includes, its README and licences, and the
//! documentation of its features.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::manifest::Package;
use crate::tidy::tree;

/// The files that each package has.
const ALWAYS: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// The macros that read a file when the code is compiled.
const INCLUDING: [&str; 3] = ["include_str!(\"", "include_bytes!(\"", "include!(\""];

/// Returns the files that a package lacks. `list` has its files.
pub fn problems(package: &Package, list: &[String]) -> Result<Vec<String>> {
    let directory = package.manifest_path.parent().context("a manifest has no directory")?;
    let packed: BTreeSet<&str> = list.iter().map(String::as_str).collect();
    let name = &package.name;
    let always = ALWAYS.iter().filter(|file| !packed.contains(*file));
    let mut problems: Vec<_> =
        always.map(|file| format!("the package {name} has no {file}")).collect();
    for file in list.iter().filter(|file| file.ends_with(".rs")) {
        let text = read(directory, file)?;
        problems.extend(not_packed(file, &text, &packed).into_iter().map(|included| {
            format!(
                "{name}/{file} includes {included}, which isn't in the package: add it to \
                 `include` in {name}/Cargo.toml"
            )
        }));
    }
    let library = read(directory, "src/lib.rs")?;
    problems.extend(undocumented(&package.features, &library).map(|feature| {
        format!("{name}/src/lib.rs documents no feature `{feature}`: its top lists all of them")
    }));
    Ok(problems)
}

fn read(directory: &Path, file: &str) -> Result<String> {
    let path = directory.join(file);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// The files that the text of `file` includes by a literal path, and that aren't packed.
fn not_packed(file: &str, text: &str, packed: &BTreeSet<&str>) -> Vec<String> {
    let mut missing = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for including in INCLUDING {
            for behind in line.split(including).skip(1) {
                let Some((target, _)) = behind.split_once('"') else { continue };
                let included = tree::join(file, target);
                if !packed.contains(included.as_str()) {
                    missing.push(included);
                }
            }
        }
    }
    missing
}

/// The features that the crate's page doesn't name.
fn undocumented<'a>(
    features: &'a BTreeMap<String, Vec<String>>,
    library: &'a str,
) -> impl Iterator<Item = &'a String> {
    let page: Vec<_> = library.lines().filter(|line| line.starts_with("//!")).collect();
    let features = features.keys().filter(|name| *name != "default");
    features.filter(move |name| {
        let named = format!("`{name}`");
        !page.iter().any(|line| line.contains(&named))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_included_is_packed() {
        let packed = BTreeSet::from(["src/a/mod.rs", "data/there.toml"]);
        let text = "const A: &str = include_str!(\"../../data/there.toml\");\n\
                    const B: &str = include_str!(\"../../data/missing.toml\");\n\
                    // include_str!(\"said.toml\")\n\
                    static C: [&[u8]; 2] = [include_bytes!(\"c.x\"), include_bytes!(\"mod.rs\")];";
        assert_eq!(not_packed("src/a/mod.rs", text, &packed), ["data/missing.toml", "src/a/c.x"]);
    }

    #[test]
    fn each_feature_is_on_the_crates_page() {
        let names = ["default", "time", "hidden"];
        let features = names.map(|name| (name.to_owned(), Vec::new())).into();
        let library = "//! - `time`: the clock\n// `hidden`\n";
        assert_eq!(undocumented(&features, library).collect::<Vec<_>>(), ["hidden"]);
    }
}
