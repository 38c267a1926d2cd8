//! The facts about a peer without a run: its versions, and that its build is like ours.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use toml::{Table, Value};

use super::scenario::PeerScenario;

/// The settings that change the machine code, in the order in which they are printed. Other
/// settings are left out: debug information changes nothing.
const SETTINGS: [&str; 6] =
    ["opt-level", "lto", "codegen-units", "panic", "debug-assertions", "overflow-checks"];

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// The versions of a peer's packages, from the lock file of the peers' workspace.
pub fn versions(root: &Path, peer: &PeerScenario) -> Result<BTreeMap<String, String>> {
    let path = peer.workspace(root).join("Cargo.lock");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lock: Lock = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let version = |name: &String| {
        let mut found = lock.package.iter().filter(|package| package.name == *name);
        let found = found.next().with_context(|| format!("{} has no {name}", path.display()))?;
        Ok((name.clone(), found.version.clone()))
    };
    peer.packages.iter().map(version).collect()
}

/// Refuses a peer that is built otherwise than ours.
pub fn check_profile(root: &Path, peer: &PeerScenario) -> Result<()> {
    let ours = profile(&root.join("benches/Cargo.toml"))?;
    let path = peer.workspace(root).join("Cargo.toml");
    let theirs = profile(&path)?;
    ensure!(
        ours == theirs,
        "{}: [profile.release] is not that of benches/Cargo.toml ({theirs} instead of {ours}), so \
         that the figures could not be compared",
        path.display()
    );
    Ok(())
}

/// How all firmware is built, in words: compiler and profile.
pub fn build_in_words(root: &Path) -> Result<String> {
    let benches = root.join("benches");
    let profile = profile(&benches.join("Cargo.toml"))?;
    // In the directory, so that rustup takes the tree's toolchain.
    let output = Command::new("rustc").arg("--version").current_dir(&benches).output();
    let version = match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => "an unknown rustc".to_owned(),
    };
    Ok(format!("{version}, {profile}"))
}

/// The settings of a workspace's release profile that matter, as one text.
fn profile(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    settings(&text).with_context(|| path.display().to_string())
}

fn settings(text: &str) -> Result<String> {
    let manifest: Table = text.parse()?;
    let release = manifest.get("profile").and_then(|profiles| profiles.get("release"));
    let setting = |name: &&str| {
        let value = release?.get(*name)?;
        let value = value.as_str().map_or_else(|| Value::to_string(value), str::to_owned);
        Some(format!("{name} {value}"))
    };
    let settings: Vec<String> = SETTINGS.iter().filter_map(setting).collect();
    ensure!(!settings.is_empty(), "there is no [profile.release]");
    Ok(settings.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_compared_by_what_decides_about_code() {
        let text = "[profile.release]\nlto = 'fat'\nopt-level = 3\ndebug = 'full'\n";
        assert_eq!(settings(text).unwrap(), "opt-level 3, lto fat");
        assert!(settings("[profile.dev]\nopt-level = 1").is_err());
    }

    #[test]
    fn the_build_is_told_with_its_compiler() {
        let words = build_in_words(&crate::project::root().unwrap()).unwrap();
        assert!(words.starts_with("rustc 1.") && words.contains("opt-level 3"), "{words}");
    }
}
