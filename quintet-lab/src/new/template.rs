//! Fills in the placeholders of the files in `template/`, which are the files of a new crate.
//!
//! cargo-generate makes crates from the same directory. The language of cargo-generate is Liquid,
//! and that of this crate's engine is Jinja. The files use only what both have: a test checks it.
//! A condition without a comparison is about a feature, because an empty text is true in one
//! language and false in the other.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use minijinja::{Environment, UndefinedBehavior, Value};

/// The files, each with its path in the crate and its text.
pub const FILES: [(&str, &str); 18] = [
    (".cargo/config.toml", include_str!("../../template/.cargo/config.toml.liquid")),
    (".github/workflows/ci.yml", include_str!("../../template/.github/workflows/ci.yml.liquid")),
    (".gitignore", include_str!("../../template/.gitignore.liquid")),
    (".vscode/extensions.json", include_str!("../../template/.vscode/extensions.json.liquid")),
    (".vscode/launch.json", include_str!("../../template/.vscode/launch.json.liquid")),
    (".vscode/settings.json", include_str!("../../template/.vscode/settings.json.liquid")),
    (".vscode/tasks.json", include_str!("../../template/.vscode/tasks.json.liquid")),
    ("Cargo.toml", include_str!("../../template/Cargo.toml.liquid")),
    ("README.md", include_str!("../../template/README.md.liquid")),
    ("board.toml", include_str!("../../template/board.toml.liquid")),
    ("build.rs", include_str!("../../template/build.rs.liquid")),
    ("memory.x", include_str!("../../template/memory.x.liquid")),
    ("rust-toolchain.toml", include_str!("../../template/rust-toolchain.toml.liquid")),
    ("src/board.rs", include_str!("../../template/src/board.rs.liquid")),
    ("src/lib.rs", include_str!("../../template/src/lib.rs.liquid")),
    ("src/main.rs", include_str!("../../template/src/main.rs.liquid")),
    ("tests/on_target.rs", include_str!("../../template/tests/on_target.rs.liquid")),
    ("tests/starts.toml", include_str!("../../template/tests/starts.toml.liquid")),
];

/// The values of the placeholders.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variables {
    /// The texts, by the names of the placeholders.
    pub texts: BTreeMap<&'static str, String>,
    /// For each feature, whether the crate has it.
    pub features: BTreeMap<&'static str, bool>,
}

/// Returns all files with their placeholders filled in.
pub fn fill_in(variables: &Variables) -> Result<BTreeMap<&'static str, String>> {
    fill_in_all(&FILES, variables)
}

/// Returns files of a template with their placeholders filled in.
pub fn fill_in_all(
    files: &[(&'static str, &'static str)],
    variables: &Variables,
) -> Result<BTreeMap<&'static str, String>> {
    let mut engine = Environment::empty();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_keep_trailing_newline(true);
    let texts = variables.texts.iter().map(|(name, text)| (*name, Value::from(text.as_str())));
    let features = variables.features.iter().map(|(name, value)| (*name, Value::from(*value)));
    let context: Value = texts.chain(features).collect();
    let fill_in = |&(path, text): &(&'static str, &'static str)| {
        let filled = engine.render_named_str(path, text, &context);
        Ok((path, filled.with_context(|| format!("the template of {path}"))?))
    };
    files.iter().map(fill_in).collect()
}
