//! A crate's entry in a registry, and the registry's limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The slugs of crates.io that are used here: a wrong one would be dropped without a word. From
/// <https://crates.io/category_slugs>.
const CATEGORIES: [&str; 13] = [
    "asynchronous",
    "command-line-utilities",
    "concurrency",
    "development-tools",
    "development-tools::debugging",
    "development-tools::profiling",
    "development-tools::testing",
    "embedded",
    "emulators",
    "no-std",
    "no-std::no-alloc",
    "parser-implementations",
    "simulation",
];
/// The most entries of each list in a registry.
const MOST: usize = 5;
/// The most letters of a keyword.
const LONGEST: usize = 20;

/// The root's workspace, as cargo describes it.
#[derive(Deserialize, Debug)]
pub struct Workspace {
    packages: Vec<Package>,
}

/// A crate.
#[derive(Deserialize, Debug, Default)]
pub struct Package {
    /// The crate's name.
    pub name: String,
    /// The crate's version.
    pub version: String,
    /// The path of the crate's manifest.
    pub manifest_path: PathBuf,
    /// Each feature, with the features that it turns on.
    #[serde(default)]
    pub features: BTreeMap<String, Vec<String>>,
    /// The data for other tools.
    #[serde(default)]
    pub metadata: Option<Metadata>,
    description: Option<String>,
    license: Option<String>,
    readme: Option<String>,
    documentation: Option<String>,
    #[serde(default)]
    categories: Vec<String>,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    dependencies: Vec<Dependency>,
    /// The registries: any, if there is no list.
    publish: Option<Vec<String>>,
}

/// The data for other tools in a manifest.
#[derive(Deserialize, Debug, Default)]
pub struct Metadata {
    /// The documentation's part.
    #[serde(default)]
    pub docs: Docs,
}

/// Of the documentation.
#[derive(Deserialize, Debug, Default)]
pub struct Docs {
    /// The data for docs.rs.
    #[serde(default)]
    pub rs: DocsRs,
}

/// The settings of docs.rs for building the documentation.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DocsRs {
    /// The target of the first page: without one, the host.
    pub default_target: Option<String>,
    /// The further targets.
    #[serde(default)]
    pub targets: Vec<String>,
    /// The features that are on beside the default ones.
    #[serde(default)]
    pub features: Vec<String>,
}

#[derive(Deserialize, Debug)]
struct Dependency {
    name: String,
    req: String,
    path: Option<PathBuf>,
    kind: Option<String>,
}

impl Workspace {
    /// Asks cargo.
    pub fn read(root: &Path) -> Result<Self> {
        let output = Command::new("cargo")
            .args(["metadata", "--no-deps", "--format-version", "1", "--quiet"])
            .current_dir(root)
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        }
        serde_json::from_slice(&output.stdout).context("cargo's answer")
    }

    /// The crates that are published.
    pub fn published(&self) -> Vec<&Package> {
        self.packages.iter().filter(|package| package.is_published()).collect()
    }

    /// The version that all crates have: that of `quintet`.
    pub fn version(&self) -> Result<String> {
        let framework = self.packages.iter().find(|package| package.name == "quintet");
        Ok(framework.context("the workspace has no crate quintet")?.version.clone())
    }

    /// All that is wrong with the manifests.
    pub fn problems(&self) -> Vec<String> {
        let published = self.published();
        published.iter().flat_map(|package| package.problems(&published)).collect()
    }
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    fn problems(&self, published: &[&Self]) -> Vec<String> {
        let mut problems = self.missing();
        problems.extend(self.words());
        problems.extend(self.dependencies(published));
        problems.extend(self.features());
        let name = &self.name;
        problems.iter().map(|problem| format!("{name}/Cargo.toml: {problem}")).collect()
    }

    /// Returns the missing parts of a registry's entry.
    fn missing(&self) -> Vec<String> {
        let shown = [
            ("description", self.description.is_some()),
            ("license", self.license.is_some()),
            ("readme", self.readme.is_some()),
            ("documentation", self.documentation.is_some()),
            ("categories", !self.categories.is_empty()),
            ("keywords", !self.keywords.is_empty()),
        ];
        let missing = shown.iter().filter(|(_, is_there)| !is_there);
        missing
            .map(|(key, _)| format!("there is no `{key}`, which a registry shows of a crate"))
            .collect()
    }

    /// The categories and keywords that a registry refuses or drops.
    fn words(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (key, words) in [("categories", &self.categories), ("keywords", &self.keywords)] {
            if words.len() > MOST {
                problems.push(format!("{} {key}: a registry takes {MOST}", words.len()));
            }
        }
        for category in self.categories.iter().filter(|one| !CATEGORIES.contains(&one.as_str())) {
            problems.push(format!(
                "the category \"{category}\" is none that this check knows: look it up on \
                 https://crates.io/category_slugs, and add it to {}",
                file!()
            ));
        }
        for keyword in self.keywords.iter().filter(|one| one.len() > LONGEST) {
            problems.push(format!(
                "the keyword \"{keyword}\" has more than the {LONGEST} letters of a registry's"
            ));
        }
        problems
    }

    /// Checks the dependencies on crates of the tree: the same version, from the registry.
    fn dependencies(&self, published: &[&Self]) -> Vec<String> {
        let of_tree = self.dependencies.iter().filter(|dependency| dependency.path.is_some());
        // Cargo leaves out dependencies that only tests need and that have only a path.
        let kept = of_tree.filter(|one| one.kind.as_deref() != Some("dev") || one.req != "*");
        let wrong = |dependency: &Dependency| {
            let Dependency { name, req, .. } = dependency;
            if !published.iter().any(|package| package.name == *name) {
                return Some(format!("it depends on {name}, which isn't published"));
            }
            (*req != format!("^{}", self.version)).then(|| {
                format!(
                    "it asks for {name} {req}, but the version is {}: write \
                     `{name}.workspace = true`",
                    self.version
                )
            })
        };
        kept.filter_map(wrong).collect()
    }

    /// The features that docs.rs would turn on, and that there aren't.
    fn features(&self) -> Vec<String> {
        let Some(metadata) = &self.metadata else { return Vec::new() };
        let unknown =
            metadata.docs.rs.features.iter().filter(|name| !self.features.contains_key(*name));
        unknown
            .map(|name| format!("docs.rs would turn on the feature `{name}`, which there isn't"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        let some = || Some("..".to_owned());
        Package {
            name: "a".into(),
            version: "1.2.0".into(),
            description: some(),
            license: some(),
            readme: some(),
            documentation: some(),
            categories: vec!["embedded".into()],
            keywords: vec!["rtic".into()],
            ..Package::default()
        }
    }

    fn problems(package: &Package) -> Vec<String> {
        package.problems(&[package, &Package { name: "b".into(), ..Package::default() }])
    }

    #[test]
    fn a_whole_manifest_has_no_problem() {
        assert_eq!(problems(&package()), [""; 0]);
    }

    #[test]
    fn what_a_registry_shows_must_be_there() {
        let package = Package { readme: None, keywords: Vec::new(), ..package() };
        assert_eq!(
            problems(&package),
            [
                "a/Cargo.toml: there is no `readme`, which a registry shows of a crate",
                "a/Cargo.toml: there is no `keywords`, which a registry shows of a crate"
            ]
        );
    }

    #[test]
    fn a_registry_takes_few_short_words() {
        let keywords = ["a", "b", "c", "d", "e", "longer-than-a-keyword-is"];
        let categories = vec!["embeded".into()];
        let keywords = keywords.map(str::to_owned).to_vec();
        let problems = problems(&Package { categories, keywords, ..package() });
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert_eq!(problems[0], "a/Cargo.toml: 6 keywords: a registry takes 5");
        assert!(problems[1].starts_with("a/Cargo.toml: the category \"embeded\" is none"));
        assert!(problems[2].contains("\"longer-than-a-keyword-is\" has more than the 20 letters"));
    }

    #[test]
    fn the_crates_of_the_tree_have_one_version() {
        let dependency = |name: &str, req: &str, kind: Option<&str>| Dependency {
            name: name.into(),
            req: req.into(),
            path: Some("/".into()),
            kind: kind.map(str::to_owned),
        };
        let dependencies = vec![
            dependency("b", "^1.2.0", None),
            dependency("b", "^1.1.0", None),
            dependency("c", "^1.2.0", None),
            dependency("a", "*", Some("dev")),
        ];
        assert_eq!(
            problems(&Package { dependencies, ..package() }),
            [
                "a/Cargo.toml: it asks for b ^1.1.0, but the version is 1.2.0: write \
                 `b.workspace = true`",
                "a/Cargo.toml: it depends on c, which isn't published"
            ]
        );
    }

    #[test]
    fn docs_rs_turns_on_features_that_there_are() {
        let rs = DocsRs { features: vec!["time".into()], ..DocsRs::default() };
        let metadata = Some(Metadata { docs: Docs { rs } });
        assert_eq!(
            problems(&Package { metadata, ..package() }),
            ["a/Cargo.toml: docs.rs would turn on the feature `time`, which there isn't"]
        );
    }
}
