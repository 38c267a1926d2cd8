//! `cargo xtask dependencies`: every lock file of the tree against `deny.toml`.
//!
//! The file has cargo-deny's format. This command checks its licences, and the crates that exist in
//! two versions, for all workspaces at once. It needs no other tool.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use spdx::{Expression, LicenseReq};

use proof::firmware::root;

/// Check the licences of all dependencies, and which are there in two versions, against deny.toml
#[derive(clap::Args, Debug)]
pub struct Arguments {}

impl Arguments {
    /// Prints the problems. Fails if there are any.
    pub fn run(&self) -> Result<()> {
        let rules = Rules::read(&root().join("deny.toml"))?;
        let workspaces = workspaces()?;
        let mut problems = BTreeSet::new();
        let mut crates = BTreeSet::new();
        let mut in_two = BTreeSet::new();
        for workspace in &workspaces {
            let packages = packages(workspace)?;
            problems.extend(problems_of_licences(&packages, &rules));
            problems.extend(problems_of_versions(&packages, &rules, workspace));
            in_two.extend(versions(&packages).into_iter().filter(is_in_two).map(|(name, _)| name));
            crates.extend(packages.into_iter().map(|package| package.name));
        }
        problems.extend(unused(&rules, &crates, &in_two));
        for problem in &problems {
            eprintln!("{problem}");
        }
        ensure!(problems.is_empty(), "{} problems", problems.len());
        println!(
            "{} crates in {} lock files are as deny.toml has them",
            crates.len(),
            workspaces.len()
        );
        Ok(())
    }
}

/// The part of `deny.toml` that is read.
#[derive(Deserialize, Debug)]
struct Rules {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize, Debug)]
struct Licenses {
    /// The licences that every crate may have, by their SPDX names.
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

/// The licences that one crate may have in addition.
#[derive(Deserialize, Debug)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize, Debug)]
struct Bans {
    #[serde(default)]
    skip: Vec<Skipped>,
}

/// A crate that may be there in two versions.
#[derive(Deserialize, Debug)]
struct Skipped {
    #[serde(rename = "crate")]
    name: String,
}

impl Rules {
    fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Returns `true` if a crate may have the required licence.
    fn allows(&self, name: &str, required: &LicenseReq) -> bool {
        let required = required.to_string();
        let own = self.licenses.exceptions.iter().filter(|exception| exception.name == name);
        let mut allowed = self.licenses.allow.iter().chain(own.flat_map(|own| &own.allow));
        allowed.any(|allowed| *allowed == required)
    }
}

/// A dependency, by cargo's names.
#[derive(Deserialize, Debug)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// The directories of the tree's lock files.
pub fn workspaces() -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "--", "Cargo.lock", "*/Cargo.lock"])
        .current_dir(root())
        .output()
        .context("git could not be started")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let paths = String::from_utf8(output.stdout).context("a path isn't UTF-8")?;
    let workspaces: Vec<_> =
        paths.lines().map(|path| path.trim_end_matches("Cargo.lock").to_owned()).collect();
    ensure!(!workspaces.is_empty(), "git knows no Cargo.lock here");
    Ok(workspaces)
}

/// Returns the packages that a workspace takes from elsewhere, on all systems.
fn packages(workspace: &str) -> Result<Vec<Package>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked", "--quiet"])
        .current_dir(root().join(workspace))
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("cargo metadata in /{workspace}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let Metadata { mut packages } = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("cargo's answer in /{workspace}"))?;
    packages.retain(|package| package.source.is_some());
    Ok(packages)
}

/// Returns the crates without a licence, with an unreadable one, or with one that isn't allowed.
fn problems_of_licences<'a>(
    packages: &'a [Package],
    rules: &'a Rules,
) -> impl Iterator<Item = String> + 'a {
    packages.iter().filter_map(|package| {
        let Package { name, version, license, .. } = package;
        let Some(license) = license else {
            return Some(format!("{name} {version} says no licence: see what its files say"));
        };
        // Cargo still takes the form of old.
        let Ok(expression) = Expression::parse(&license.replace('/', " OR ")) else {
            return Some(format!(
                "{name} {version} has the licence \"{license}\", no SPDX expression"
            ));
        };
        let is_allowed = expression.evaluate(|required| rules.allows(name, required));
        (!is_allowed).then(|| {
            format!(
                "{name} {version} has the licence {license}, which deny.toml doesn't allow: find \
                 another crate, or say there why it may"
            )
        })
    })
}

/// The versions of each crate.
fn versions(packages: &[Package]) -> BTreeMap<String, BTreeSet<String>> {
    let mut versions = BTreeMap::<_, BTreeSet<_>>::new();
    for Package { name, version, .. } in packages {
        versions.entry(name.clone()).or_default().insert(version.clone());
    }
    versions
}

fn is_in_two((_, versions): &(String, BTreeSet<String>)) -> bool {
    versions.len() > 1
}

/// A crate that is there in two versions, and may not.
fn problems_of_versions<'a>(
    packages: &[Package],
    rules: &'a Rules,
    workspace: &'a str,
) -> impl Iterator<Item = String> + 'a {
    versions(packages).into_iter().filter(is_in_two).filter_map(move |(name, versions)| {
        let is_skipped = rules.bans.skip.iter().any(|skipped| skipped.name == name);
        (!is_skipped).then(|| {
            let versions: Vec<_> = versions.into_iter().collect();
            format!(
                "{name} is in {workspace}Cargo.lock as {}: take one version, or say in deny.toml \
                 why there are two",
                versions.join(" and ")
            )
        })
    })
}

/// Returns the entries of `deny.toml` for crates that are no longer there, or only in one version.
fn unused<'a>(
    rules: &'a Rules,
    crates: &'a BTreeSet<String>,
    in_two: &'a BTreeSet<String>,
) -> impl Iterator<Item = String> + 'a {
    let exceptions = rules.licenses.exceptions.iter().map(|exception| &exception.name);
    let gone = exceptions.filter(|name| !crates.contains(*name));
    let skipped = rules.bans.skip.iter().map(|skipped| &skipped.name);
    let once = skipped.filter(|name| !in_two.contains(*name));
    gone.map(|name| format!("deny.toml has an exception for {name}, which nothing depends on"))
        .chain(
            once.map(|name| format!("deny.toml skips {name}, which isn't there in two versions")),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        toml::from_str(
            r#"
            [licenses]
            allow = ["MIT", "Apache-2.0", "BSD-3-Clause"]
            exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
            [bans]
            skip = [{ crate = "twice" }]
            "#,
        )
        .unwrap()
    }

    fn package(name: &str, version: &str, license: Option<&str>) -> Package {
        Package {
            name: name.into(),
            version: version.into(),
            license: license.map(str::to_owned),
            source: Some("registry".into()),
        }
    }

    fn licences(name: &str, license: Option<&str>) -> Vec<String> {
        problems_of_licences(&[package(name, "1.0.0", license)], &rules()).collect()
    }

    #[test]
    fn a_choice_needs_one_that_is_allowed_and_a_sum_needs_all() {
        for fine in ["MIT", "GPL-3.0-only OR MIT", "MIT/Apache-2.0", "MIT AND BSD-3-Clause"] {
            assert_eq!(licences("a", Some(fine)), [""; 0], "{fine}");
        }
        assert_eq!(licences("odd", Some("MPL-2.0")), [""; 0]);
        let refused = licences("a", Some("MIT AND MPL-2.0"));
        assert_eq!(
            refused,
            ["a 1.0.0 has the licence MIT AND MPL-2.0, which deny.toml doesn't allow: find \
                 another crate, or say there why it may"]
        );
    }

    #[test]
    fn a_licence_that_cannot_be_read_is_a_problem() {
        assert_eq!(licences("a", None), ["a 1.0.0 says no licence: see what its files say"]);
        assert_eq!(
            licences("a", Some("as you like")),
            ["a 1.0.0 has the licence \"as you like\", no SPDX expression"]
        );
    }

    #[test]
    fn two_versions_need_a_reason() {
        let packages = [
            package("twice", "1.0.0", Some("MIT")),
            package("twice", "2.0.0", Some("MIT")),
            package("b", "1.0.0", Some("MIT")),
            package("b", "2.1.0", Some("MIT")),
        ];
        let problems: Vec<_> = problems_of_versions(&packages, &rules(), "examples/").collect();
        assert_eq!(
            problems,
            ["b is in examples/Cargo.lock as 1.0.0 and 2.1.0: take one version, or say in \
                 deny.toml why there are two"]
        );
    }

    #[test]
    fn what_is_said_of_nothing_is_a_problem() {
        let problems: Vec<_> = unused(&rules(), &BTreeSet::new(), &BTreeSet::new()).collect();
        assert_eq!(
            problems,
            [
                "deny.toml has an exception for odd, which nothing depends on",
                "deny.toml skips twice, which isn't there in two versions"
            ]
        );
    }
}
