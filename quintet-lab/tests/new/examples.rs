//! The crates in `examples/boards`, which are committed.

use std::path::Path;

use quintet_lab::new::chips::Families;
use quintet_lab::new::{Purpose, Source, template, variables};

use super::assert_formatted;

/// The crates in `examples/boards` are what the command makes, but for the application and what it
/// asks of the board.
#[test]
fn the_examples_for_boards_are_made_by_the_command() {
    let families = Families::read().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/boards");
    for board in ["nucleo-f446re", "nrf52840-dk", "pico"] {
        let purpose = Purpose { chip: Some(families.find(board).unwrap()), board: None };
        let with = ["defmt".to_owned(), "async".to_owned()];
        let source = Source::Checkout("../../../quintet".into());
        let variables = variables(board, &purpose, &with, &source).unwrap();
        for (path, text) in template::fill_in(&variables).unwrap() {
            if ["src/main.rs", "src/board.rs"].contains(&path) {
                continue;
            }
            let file = examples.join(board).join(path);
            if std::env::var_os("QUINTET_BLESS").is_some() {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, &text).unwrap();
            }
            let committed = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(committed == text, "QUINTET_BLESS=1 writes {} anew", file.display());
        }
        for path in ["src/main.rs", "src/board.rs"] {
            let text = std::fs::read_to_string(examples.join(board).join(path)).unwrap();
            assert_formatted(&format!("{board}, {path}"), &text);
        }
    }
}
