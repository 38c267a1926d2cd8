//! Cargo for firmware: with the target that it needs, and with the tree's settings alone.
//!
//! Measured firmware must be the same for everyone who builds it. So [`cargo`] ignores the
//! surroundings of a call: variables such as `RUSTFLAGS` and `CARGO_PROFILE_RELEASE_LTO`, and the
//! flags, profiles, targets and linkers in a `.cargo/config.toml` above the tree. The sources of
//! crates (registries, mirrors, proxies) stay as they are.
//!
//! A target that the compiler lacks is added by `rustup target add`, once.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use toml::{Table, Value};

/// The beginnings of the names of all variables that change cargo's builds.
const REMOVED: [&str; 6] = [
    "CARGO_BUILD_",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CARGO_UNSTABLE_",
    "RUSTFLAGS",
];

/// The variables that change only the speed of builds, and not the result.
const KEPT: [&str; 4] = [
    "CARGO_BUILD_JOBS",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
];

/// Cargo's settings of the profile `release`, where the manifest says nothing else.
/// <https://doc.rust-lang.org/cargo/reference/profiles.html#release>
const RELEASE: [(&str, &str); 9] = [
    ("opt-level", "3"),
    ("debug", "false"),
    ("strip", "\"none\""),
    ("debug-assertions", "false"),
    ("overflow-checks", "false"),
    ("lto", "false"),
    ("panic", "\"unwind\""),
    ("codegen-units", "16"),
    ("rpath", "false"),
];

/// The same of the profile `dev`.
const DEV: [(&str, &str); 9] = [
    ("opt-level", "0"),
    ("debug", "true"),
    ("strip", "\"none\""),
    ("debug-assertions", "true"),
    ("overflow-checks", "true"),
    ("lto", "false"),
    ("panic", "\"unwind\""),
    ("codegen-units", "256"),
    ("rpath", "false"),
];

/// The settings of a firmware's build.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The directory of the firmware's crate, or of its cargo workspace.
    pub workspace: &'a Path,
    /// The target of the build.
    pub target: &'a str,
    /// The profile of cargo that the caller will ask for. Its settings come from the manifest.
    pub profile: &'a str,
    /// The compiler's flags. No others are used, also if a file `.cargo/config.toml` has some.
    pub flags: &'a [&'a str],
}

/// A target could not be had.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MissingTarget {
    /// There is no tool to add the target.
    #[error(
        "the compiler has no target {0} and there is no rustup to add it: install rustup \
         (https://rustup.rs), or add the target's standard library to the compiler in use"
    )]
    WithoutRustup(String),
    /// Rustup tried.
    #[error(
        "the compiler has no target {0} and rustup could not add it (it says why above): run \
         `rustup target add {0}` where there is a network"
    )]
    NotAdded(String),
}

/// Returns a call of cargo in a workspace of firmware, to which the caller adds a subcommand.
///
/// Adds the target first, if the compiler lacks it.
///
/// # Errors
/// [`MissingTarget`]; a manifest that can't be read.
pub fn cargo(setup: &Setup<'_>) -> Result<Command> {
    cargo_by(setup, setup.profile)
}

/// The same, but the profile `asked` gets the settings, and the caller asks cargo for `asked`.
/// Profiles with one name share their builds of macros.
///
/// # Errors
/// Those of [`cargo`].
pub fn cargo_by(setup: &Setup<'_>, asked: &str) -> Result<Command> {
    add_missing_target(setup.workspace, setup.target)?;
    let manifest = manifest(setup.workspace)?;

    let mut command = Command::new(program());
    command.current_dir(setup.workspace);
    for (name, _) in std::env::vars_os() {
        if is_removed(&name) {
            command.env_remove(&name);
        }
    }
    command.env("CARGO_INCREMENTAL", "0");
    // If this variable is set, cargo takes no flags from elsewhere.
    command.env("CARGO_ENCODED_RUSTFLAGS", setup.flags.join("\u{1f}"));
    let linker = format!("target.{}.linker=\"rust-lld\"", setup.target);
    for setting in profile(&manifest, setup.profile, asked).into_iter().chain([linker]) {
        command.args(["--config", &setting]);
    }
    Ok(command)
}

/// Reads the manifest with the profiles of a crate: that of the crate's workspace.
fn manifest(directory: &Path) -> Result<Table> {
    let read = |path: &Path| -> Result<Table> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        text.parse().with_context(|| path.display().to_string())
    };
    let own = read(&directory.join("Cargo.toml"))?;
    if own.contains_key("workspace") {
        return Ok(own);
    }
    let output = Command::new(program())
        .args(["locate-project", "--workspace", "--message-format", "plain"])
        .current_dir(directory)
        .output()
        .context("cargo could not start: install it by rustup (https://rustup.rs)")?;
    anyhow::ensure!(
        output.status.success(),
        "cargo finds no crate in {}: {}",
        directory.display(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    read(Path::new(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The cargo that runs this program, or the one on the path.
fn program() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

fn is_removed(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    REMOVED.iter().any(|start| name.starts_with(start)) && !KEPT.contains(&name.as_ref())
}

/// Returns all settings of a profile, as cargo's option `--config` takes them for the profile
/// `asked`: the manifest's, those of the inherited profile, and cargo's own.
fn profile(manifest: &Table, name: &str, asked: &str) -> Vec<String> {
    let table = |name: &str| manifest.get("profile")?.get(name)?.as_table();
    let mut chain = vec![name];
    // Each profile of a manifest at most once, so that a circle ends. Cargo reports the error.
    while let Some(Value::String(next)) =
        chain.last().and_then(|last| table(last)).and_then(|table| table.get("inherits"))
    {
        if chain.contains(&next.as_str()) {
            break;
        }
        chain.push(next);
    }
    let base = if chain.iter().any(|name| matches!(*name, "dev" | "test")) { DEV } else { RELEASE };
    let setting = |(key, default): (&str, &str)| {
        let own = chain.iter().find_map(|name| table(name)?.get(key));
        let value = own.map_or_else(|| default.to_owned(), Value::to_string);
        format!("profile.{asked}.{key}={value}")
    };
    base.into_iter().map(setting).collect()
}

/// Adds a target to the compiler that the tree uses, unless the compiler has it, and prints this.
///
/// # Errors
/// [`MissingTarget`], with the advice.
pub fn add_missing_target(directory: &Path, target: &str) -> Result<()> {
    static THERE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    // One at a time: tests ask from several threads, and rustup is not made for that.
    let mut there = THERE.lock().unwrap_or_else(PoisonError::into_inner);
    if there.contains(target) || has(directory, target)? {
        there.insert(target.to_owned());
        return Ok(());
    }
    eprintln!("quintet: the compiler has no target {target}: rustup target add {target}");
    let added = Command::new("rustup")
        .args(["target", "add", target])
        .current_dir(directory)
        .stdout(Stdio::null())
        .status();
    match added {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(MissingTarget::WithoutRustup(target.to_owned()).into())
        }
        Err(error) => Err(error).context("rustup could not be started"),
        // Another process may have added it meanwhile.
        Ok(status) if status.success() || has(directory, target)? => {
            there.insert(target.to_owned());
            Ok(())
        }
        Ok(_) => Err(MissingTarget::NotAdded(target.to_owned()).into()),
    }
}

/// Returns `true` if the compiler has the target's `core`, with rustup or without.
fn has(directory: &Path, target: &str) -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .current_dir(directory)
        .output()
        .context("rustc could not be started: install rustup (https://rustup.rs)")?;
    anyhow::ensure!(
        output.status.success(),
        "rustc does not know the target {target}:\n{}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    let libraries = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
    let Ok(entries) = std::fs::read_dir(libraries) else { return Ok(false) };
    Ok(entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: &str = "thumbv7m-none-eabi";

    fn settings(manifest: &str, name: &str) -> Vec<String> {
        profile(&manifest.parse().unwrap(), name, name)
    }

    #[test]
    fn a_profile_has_what_its_manifest_says_and_cargos_own_settings_for_the_rest() {
        let manifest = "[profile.release]\nlto = 'fat'\ncodegen-units = 1\n\
                        [profile.small]\ninherits = 'release'\nopt-level = 'z'\n";
        let release = settings(manifest, "release");
        for expected in ["lto=\"fat\"", "codegen-units=1", "opt-level=3", "overflow-checks=false"] {
            assert!(release.contains(&format!("profile.release.{expected}")), "{release:?}");
        }
        let small = settings(manifest, "small");
        for expected in ["lto=\"fat\"", "opt-level=\"z\"", "debug-assertions=false"] {
            assert!(small.contains(&format!("profile.small.{expected}")), "{small:?}");
        }
        let asked = profile(&manifest.parse().unwrap(), "small", "release");
        assert!(asked.contains(&"profile.release.opt-level=\"z\"".to_owned()), "{asked:?}");
        let dev = settings(manifest, "dev");
        assert!(dev.contains(&"profile.dev.debug-assertions=true".to_owned()), "{dev:?}");
        let circle = "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'\n";
        assert_eq!(settings(circle, "a").len(), RELEASE.len());
    }

    #[test]
    fn variables_that_change_a_build_are_removed() {
        let removed = |name: &str| is_removed(OsStr::new(name));
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_DIR",
            "CARGO_TARGET_THUMBV7M_NONE_EABI_RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_LTO",
        ] {
            assert!(removed(name), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_BUILD_JOBS", "PATH", "CARGO_REGISTRIES_X_INDEX"] {
            assert!(!removed(name), "{name}");
        }
    }

    #[test]
    fn a_target_that_does_not_exist_is_refused_by_name() {
        let error = add_missing_target(Path::new("."), "thumbv9z").unwrap_err().to_string();
        assert!(error.starts_with("rustc does not know the target thumbv9z"), "{error}");
    }

    #[test]
    fn a_missing_target_is_said_with_the_way_out() {
        let without = MissingTarget::WithoutRustup(TARGET.to_owned()).to_string();
        assert_eq!(
            without,
            "the compiler has no target thumbv7m-none-eabi and there is no rustup to add it: \
             install rustup (https://rustup.rs), or add the target's standard library to the \
             compiler in use"
        );
        let not_added = MissingTarget::NotAdded(TARGET.to_owned()).to_string();
        assert!(not_added.contains("run `rustup target add thumbv7m-none-eabi`"), "{not_added}");
    }

    #[test]
    fn the_linker_and_the_flags_are_the_callers() {
        let workspace = crate::project::root().unwrap().join("benches");
        let flags = ["-C", "link-arg=-Tlink.x"];
        let setup =
            Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &flags };
        let command = cargo(&setup).unwrap();
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_str()).collect();
        assert!(arguments.contains(&Some("target.thumbv7m-none-eabi.linker=\"rust-lld\"")));
        let encoded = command.get_envs().find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS");
        assert_eq!(encoded.unwrap().1, Some(OsStr::new("-C\u{1f}link-arg=-Tlink.x")));
    }
}
