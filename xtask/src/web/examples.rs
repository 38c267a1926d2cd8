//! The examples that the page offers: built, and copied with the files that they need.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use proof::collections::{COLLECTIONS, Collection};
use proof::firmware::build_in;

/// Their workspaces and names, in the order of the page: one for each idea, the first steps first.
const NAMES: [(&str, &str); 9] = [
    ("examples", "first_steps"),
    ("examples", "at_a_glance"),
    ("examples", "message_passing"),
    ("examples", "button"),
    ("examples", "priority_inversion"),
    ("examples", "pelican"),
    ("examples", "dinner_threads"),
    ("examples", "all_models"),
    ("examples/processes", "five_models"),
];

/// An example, as the page reads it.
#[derive(Serialize)]
struct Example {
    name: &'static str,
    /// A line for people.
    about: String,
    board: &'static str,
    /// In the page's folder of examples.
    files: Vec<String>,
}

/// The workspace and the name of each.
pub fn all() -> impl Iterator<Item = (&'static Collection, &'static str)> {
    NAMES.iter().filter_map(|(directory, name)| {
        let collection = COLLECTIONS.iter().find(|one| one.directory == *directory)?;
        Some((collection, *name))
    })
}

/// Builds them into the folder, with a list of them.
pub fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut examples = Vec::new();
    for (collection, name) in all() {
        let arguments = ["--bin", name];
        let image = build_in(&collection.path(), &arguments, collection.target)?.join(name);
        let mut files = vec![format!("{name}.elf")];
        copy(&image, &folder.join(&files[0]))?;
        if let Some(inputs) = collection.inputs(name) {
            files.push(format!("{name}.toml"));
            copy(&inputs, &folder.join(format!("{name}.toml")))?;
        }
        if let Some((_, packed)) = collection.packed(name, &image)? {
            for (process, bytes) in packed {
                let file = format!("{process}.tbf");
                fs::write(folder.join(&file), bytes).with_context(|| file.clone())?;
                files.push(file);
            }
        }
        let about = about(collection, name)?;
        examples.push(Example { name, about, board: "lm3s6965", files });
    }
    let list = folder.join("examples.json");
    fs::write(&list, serde_json::to_string(&examples)?).with_context(|| list.display().to_string())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
    Ok(())
}

/// Returns the first line of an example's documentation.
fn about(collection: &Collection, name: &str) -> Result<String> {
    let source = collection.path().join(format!("src/bin/{name}.rs"));
    let text = fs::read_to_string(&source).with_context(|| source.display().to_string())?;
    let first = text.lines().next().and_then(|line| line.strip_prefix("//! "));
    let first = first.with_context(|| format!("{} begins with no `//!`", source.display()))?;
    Ok(first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_example_has_a_line_about_it_and_a_written_output() {
        assert_eq!(all().count(), NAMES.len());
        for (collection, name) in all() {
            assert!(about(collection, name).unwrap().len() > 20, "{name}");
            assert!(collection.output(name).is_file(), "{name}");
        }
    }
}
