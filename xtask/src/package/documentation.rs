//! The documentation as docs.rs builds it: of the library alone, for the targets and features in
//! the manifest.
//!
//! docs.rs uses a nightly compiler, and sets `docsrs`. No code here depends on either.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::manifest::{DocsRs, Package};

/// Builds the pages of a crate, for each target. Warnings are errors.
pub fn build(root: &Path, package: &Package) -> Result<()> {
    let host = DocsRs::default();
    let settings = package.metadata.as_ref().map_or(&host, |metadata| &metadata.docs.rs);
    for target in targets(settings) {
        let shown = target.unwrap_or("the host");
        println!("{} for {shown}", package.name);
        let mut cargo = Command::new("cargo");
        cargo
            .args(["doc", "--lib", "--no-deps", "--locked", "--quiet", "--package", &package.name])
            .args(["--features", &settings.features.join(",")])
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("DOCS_RS", "1")
            .current_dir(root);
        if let Some(target) = target {
            cargo.args(["--target", target]);
        }
        let status = cargo.status().context("cargo could not be started")?;
        ensure!(status.success(), "{} has no documentation for {shown}", package.name);
    }
    Ok(())
}

/// The targets, the first page's in front.
fn targets(settings: &DocsRs) -> Vec<Option<&str>> {
    let first = settings.default_target.as_deref();
    let rest = settings.targets.iter().map(|target| Some(target.as_str()));
    std::iter::once(first).chain(rest.filter(|target| *target != first)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_pages_once() {
        assert_eq!(targets(&DocsRs::default()), [None]);
        let settings = DocsRs {
            default_target: Some("a".into()),
            targets: vec!["b".into(), "a".into()],
            ..DocsRs::default()
        };
        assert_eq!(targets(&settings), [Some("a"), Some("b")]);
    }
}
