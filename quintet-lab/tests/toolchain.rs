//! What surrounds the tree changes nothing of firmware that [`quintet_lab::toolchain`] builds.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use quintet_lab::toolchain::{self, Setup};

const TARGET: &str = "thumbv7m-none-eabi";

/// Firmware that doesn't compile by other settings than its own.
const MANIFEST: &str = r#"
[workspace]
[package]
name = "settings"
version = "0.0.0"
edition = "2024"
[profile.release]
opt-level = "s"
"#;
const LIBRARY: &str = r#"
#![no_std]
#[cfg(debug_assertions)]
compile_error!("another profile");
#[cfg(foreign)]
compile_error!("flags of somebody else");
#[cfg(not(own))]
compile_error!("without its own flags");
"#;

/// What a directory above may say.
const SURROUNDINGS: &str = r#"
[build]
target-dir = "elsewhere"
rustflags = ["--cfg", "foreign"]
[target.thumbv7m-none-eabi]
rustflags = ["--cfg", "foreign"]
linker = "no-such-linker"
[profile.release]
debug-assertions = true
"#;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A directory with these settings, and the firmware in it.
fn surrounded() -> PathBuf {
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join("surroundings");
    write(&parent.join(".cargo/config.toml"), SURROUNDINGS);
    let workspace = parent.join("settings");
    write(&workspace.join("Cargo.toml"), MANIFEST);
    write(&workspace.join("src/lib.rs"), LIBRARY);
    workspace
}

fn build(mut cargo: Command, workspace: &Path) -> Output {
    cargo.args(["build", "--release", "--target", TARGET, "--target-dir"]);
    cargo.arg(workspace.join("target")).output().unwrap()
}

#[test]
fn settings_of_a_directory_above_change_nothing() {
    let workspace = surrounded();
    let flags = ["--cfg", "own"];
    let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &flags };
    let output = build(toolchain::cargo(&setup).unwrap(), &workspace);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");

    // They do, where cargo is called as it is.
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&workspace);
    let output = build(cargo, &workspace);
    let errors = String::from_utf8_lossy(&output.stderr);
    for expected in ["another profile", "flags of somebody else", "without its own flags"] {
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn a_member_of_a_workspace_has_the_profiles_of_the_workspace() {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("members");
    let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"one\"]\n\
                    [profile.release]\noverflow-checks = true\n";
    write(&workspace.join("Cargo.toml"), manifest);
    let member = "[package]\nname = \"one\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    write(&workspace.join("one/Cargo.toml"), member);
    write(&workspace.join("one/src/lib.rs"), "");
    let member = workspace.join("one");
    let setup = Setup { workspace: &member, target: TARGET, profile: "release", flags: &[] };
    let command = toolchain::cargo(&setup).unwrap();
    let has = |setting: &str| command.get_args().any(|argument| argument == setting);
    assert!(has("profile.release.overflow-checks=true"), "{command:?}");
    assert!(has("profile.release.debug-assertions=false"), "{command:?}");
}

#[test]
fn a_crate_that_its_workspace_does_not_know_is_refused() {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strangers");
    write(&workspace.join("Cargo.toml"), "[workspace]\nresolver = \"3\"\nmembers = []\n");
    let stranger = workspace.join("one");
    write(&stranger.join("Cargo.toml"), "[package]\nname = \"one\"\nedition = \"2024\"\n");
    write(&stranger.join("src/lib.rs"), "");
    let setup = Setup { workspace: &stranger, target: TARGET, profile: "release", flags: &[] };
    let error = toolchain::cargo(&setup).unwrap_err().to_string();
    let expected = format!("cargo finds no crate in {}: ", stranger.display());
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.contains("believes it's in a workspace when it's not"), "{error}");
}
