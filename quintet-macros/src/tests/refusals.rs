//! The applications in `ui/` are refused with the messages beside them.
//!
//! `ui/NAME.rs` is an application, and `ui/NAME.stderr` has the macro's messages. After an intended
//! change, `QUINTET_BLESS=1` in the environment writes the messages again. `ui/compiler/src/bin`
//! has applications that the macro accepts and the compiler refuses.

use std::fs;
use std::path::{Path, PathBuf};

use super::Input;
use super::render::render;

/// The applications below `ui`, sorted.
fn applications(directory: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui").join(directory);
    let mut files = fs::read_dir(root)
        .expect("the directory is there")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect::<Vec<_>>();
    files.sort();
    files
}

/// A path for people: from the crate on.
fn short(path: &Path) -> String {
    let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("it is in the crate");
    path.display().to_string()
}

#[test]
fn are_refused_with_the_message_beside_them() {
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    let mut wrong = Vec::new();
    let applications = applications("");
    assert!(applications.len() > 40, "only {} applications", applications.len());
    for path in applications {
        let name = short(&path);
        let text = fs::read_to_string(&path).expect("the file can be read");
        let shown = match Input::of_file(&text).analyse() {
            Ok(_) => {
                wrong.push(format!("{name} is accepted"));
                continue;
            }
            Err(error) => render(&error, &name, &text),
        };
        let expected_path = path.with_extension("stderr");
        if bless {
            fs::write(&expected_path, &shown).expect("the file can be written");
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if shown != expected {
            wrong.push(format!("{name}: expected\n{expected}\nbut it says\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn no_message_is_left_over() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    for entry in fs::read_dir(root).expect("the directory is there") {
        let path = entry.expect("the directory can be read").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            assert!(path.with_extension("rs").exists(), "{} has no application", short(&path));
        }
    }
}

#[test]
fn what_the_compiler_refuses_passes_the_macro() {
    let refused = applications("compiler/src/bin");
    for path in refused.into_iter().chain(applications("compiler/examples")) {
        let text = fs::read_to_string(&path).expect("the file can be read");
        if let Err(error) = Input::of_file(&text).analyse() {
            panic!("{}", render(&error, &short(&path), &text));
        }
    }
}
