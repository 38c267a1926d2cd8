//! `quintet man`: a manual page for each command.

mod support;

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use quintet_lab::commands::Cli;
use support::{quintet, temporary};

/// The name of each command's page, without what is behind the dot.
fn names(command: &Command, before: &str) -> Vec<String> {
    let name = format!("{before}{}", command.get_name());
    let inner = command.get_subcommands().flat_map(|inner| names(inner, &format!("{name}-")));
    std::iter::once(name.clone()).chain(inner).collect()
}

/// A folder that is not there.
fn nowhere(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man").join(test);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("it can be removed");
    }
    folder
}

/// A page without the marks that keep hyphens.
fn plain(page: &str) -> String {
    page.replace("\\-", "-")
}

#[test]
fn the_page_of_quintet_names_every_command() {
    let page = quintet(&["man"]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    let text = plain(&page.stdout);
    assert!(text.contains(".TH quintet 1"), "{text}");
    for command in Cli::command().get_subcommands() {
        let name = format!("quintet-{}(1)", command.get_name());
        assert!(text.contains(&name), "no {name} in:\n{text}");
    }
}

#[test]
fn a_folder_gets_a_page_for_each_command() {
    let folder = nowhere("deep/man1");
    let written = quintet(&["man", &folder.display().to_string()]);
    assert_eq!((written.code, written.stderr.as_str()), (0, ""));
    let mut expected = names(&Cli::command(), "");
    expected.sort();
    assert!(expected.contains(&"quintet-apps-list".to_owned()));
    let said = format!("{} pages in {}\n", expected.len(), folder.display());
    assert_eq!(written.stdout, said);
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut found: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    let mut files: Vec<_> = expected.iter().map(|name| format!("{name}.1")).collect();
    files.sort();
    assert_eq!(found, files);

    let run = plain(&std::fs::read_to_string(folder.join("quintet-run.1")).unwrap());
    assert!(run.contains("--max-cycles"), "{run}");
    // Examples keep their lines.
    let notes = run.split_once(".SH NOTES\n.nf\n").expect("it has notes").1;
    assert!(notes.contains("\n  quintet run app --pins  "), "{notes}");
    assert!(run.contains(&format!("quintet {}", env!("CARGO_PKG_VERSION"))), "{run}");
    // Again, over those that are there.
    assert_eq!(quintet(&["man", &folder.display().to_string()]).stdout, said);
}

#[test]
fn groff_takes_every_page() {
    let folder = nowhere("groff");
    assert_eq!(quintet(&["man", &folder.display().to_string()]).code, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let mut groff = std::process::Command::new("groff");
        let Ok(output) = groff.args(["-man", "-Tutf8", "-ww"]).arg(&path).output() else {
            eprintln!("skipped: groff is not installed");
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {said}", path.display());
    }
}

#[test]
fn the_object_has_the_pages_or_their_files() {
    let pages = quintet(&["man", "--json"]).json();
    assert_eq!(pages.as_array().unwrap().len(), names(&Cli::command(), "").len());
    let first = &pages[0];
    assert_eq!((&first["command"], &first["file"]), (&"quintet".into(), &"quintet.1".into()));
    assert_eq!(first["text"], quintet(&["man"]).stdout);

    let folder = nowhere("json");
    let files = quintet(&["man", &folder.display().to_string(), "--json"]).json();
    assert_eq!(files.as_array().unwrap().len(), pages.as_array().unwrap().len());
    for (file, page) in files.as_array().unwrap().iter().zip(pages.as_array().unwrap()) {
        assert!(file["text"].is_null());
        let text = std::fs::read_to_string(file["file"].as_str().unwrap()).unwrap();
        assert_eq!(page["text"], text);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_the_cause_and_a_way_out() {
    let way_out = "; name a folder that you may write, such as ~/.local/share/man/man1";
    let file = temporary("man-file", b"x");
    quintet(&["man", &file]).fails(120, &[&format!("{file} is a file and no folder{way_out}")]);

    let below = format!("{file}/man1");
    let refused = quintet(&["man", &below]);
    refused.fails(120, &[&format!("cannot make the folder {below}: "), way_out]);

    // Something else has the name of a page.
    let folder = nowhere("taken");
    std::fs::create_dir_all(folder.join("quintet.1")).unwrap();
    let refused = quintet(&["man", &folder.display().to_string()]);
    let page = folder.join("quintet.1").display().to_string();
    refused.fails(120, &[&format!("cannot write {page}: "), way_out]);
}
