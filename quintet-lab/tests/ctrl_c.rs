//! Ctrl-C: each command that runs firmware ends with 130 then, and says of what it prints and
//! writes that it is of a part.
#![cfg(unix)]

mod support;

use support::{Finished, interrupted, printed, program, temporary};

/// What is said of results.
const CUT: &str = "partial: Ctrl-C has cut the run at cycle ";

/// A command that is interrupted once the firmware has printed a line on standard error.
#[track_caller]
fn cut(arguments: &[&str]) -> Finished {
    let endless = ["--max-cycles", "0"];
    let run = interrupted(&[arguments, &endless].concat(), |child| {
        printed(child.stderr.as_mut().unwrap(), "round\n");
    });
    run.fails(130, &[&format!("quintet: {CUT}")]);
    run
}

/// A file that a command is to write.
fn path(name: &str) -> String {
    temporary(name, b"an earlier one")
}

fn read(path: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

#[test]
fn what_is_printed_says_that_it_is_partial() {
    let file = program("rounds");
    let tasks = "[[task]]\nfunction = 'work'\nperiod = '1 ms'\n";
    let tasks = temporary("rounds.toml", tasks.as_bytes());
    let commands: [&[&str]; 9] = [
        &["coverage", &file],
        &["profile", &file],
        &["trace", &file],
        &["stack", &file],
        &["masks", &file],
        &["threads", &file],
        &["measure", &file, "--from", "work", "--to", "work"],
        &["deadlines", &file, "--tasks", &tasks],
        &["bounds", &file, "--check"],
    ];
    for command in commands {
        let text = cut(command).stdout;
        assert!(text.starts_with(CUT), "{command:?}: {text}");
        let json = cut(&[command, &["--json"]].concat()).json();
        assert!(json["partial"].as_str().unwrap().starts_with(CUT), "{command:?}: {json}");
    }
    let whole = ["masks", &file, "--json", "--max-cycles", "300000"];
    assert!(support::quintet(&whole).json().get("partial").is_none());
    let suggested = cut(&["bounds", &file, "--suggest", "--observe"]).stdout;
    assert!(suggested.starts_with(&format!("# {CUT}")), "{suggested}");
}

#[test]
fn what_is_written_says_that_it_is_partial() {
    let file = program("rounds");
    let [lcov, xml, html] = ["cut.info", "cut.xml", "cut-coverage.html"].map(path);
    let files = ["--lcov", &lcov, "--cobertura", &xml, "--html", &html];
    cut(&[&["coverage", &file][..], &files].concat());
    assert!(read(&lcov).starts_with("TN:partial\n"));
    for file in [&xml, &html] {
        assert!(read(file).contains("partial: Ctrl-C has cut a run in it"), "{file}");
    }
    let sum = support::quintet(&["coverage", &file, "--max-cycles", "300000", "--add", &lcov]);
    assert!(sum.stdout.ends_with("partial: Ctrl-C has cut a run in it\n"), "{}", sum.stdout);
    assert_eq!(sum.code, 0);

    let [flame, speedscope, folded] = ["cut.svg", "cut-speed.json", "cut.folded"].map(path);
    let files = ["--flame", &flame, "--speedscope", &speedscope, "--folded", &folded];
    cut(&[&["profile", &file][..], &files].concat());
    let [page, chrome, perfetto] = ["cut.html", "cut.json", "cut.pftrace"].map(path);
    cut(&["trace", &file, "-o", &page, "-o", &chrome, "-o", &perfetto]);
    for file in [&flame, &speedscope, &folded, &page, &chrome, &perfetto] {
        assert!(read(file).contains(CUT), "{file}");
    }
}

#[test]
fn a_run_with_coverage_leaves_a_partial_file() {
    let directory = format!("{}/cut-runs", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&directory);
    let file = program("rounds");
    let arguments = ["run", &file, "--max-cycles", "0", "--coverage", &directory];
    let run = interrupted(&arguments, |child| {
        printed(child.stdout.as_mut().unwrap(), "round\n");
    });
    run.fails(130, &["interrupted, at", CUT]);
    let merged = support::quintet(&["coverage", "--merge", &directory, "--json"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert_eq!(merged.json()["partial"], "partial: Ctrl-C has cut a run in it");
}

/// These commands print nothing while the firmware runs: the process says when it knows Ctrl-C.
#[cfg(target_os = "linux")]
mod silent {
    use super::*;
    use std::process::Child;

    /// Waits until the process handles Ctrl-C, and has so many threads.
    fn is_ready(child: &mut Child, threads: usize) {
        const SIGINT: u32 = 2;
        loop {
            let status = read(&format!("/proc/{}/status", child.id()));
            let field = |name: &str| {
                let mut lines = status.lines();
                lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
            };
            let caught = u64::from_str_radix(&field("SigCgt:"), 16).unwrap_or(0);
            let has_threads = field("Threads:").parse().is_ok_and(|count: usize| count >= threads);
            if caught >> (SIGINT - 1) & 1 != 0 && has_threads {
                return;
            }
            assert!(child.try_wait().unwrap().is_none(), "it has ended");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_report_says_that_it_is_partial() {
        let (file, page) = (program("rounds"), path("cut-report.html"));
        let arguments = ["report", &file, "-o", &page, "--max-cycles", "0"];
        let run = interrupted(&arguments, |child| is_ready(child, 1));
        run.fails(130, &[CUT]);
        assert!(run.stdout.starts_with(CUT), "{}", run.stdout);
        let page = read(&page);
        for part in ["<h1>Report on rounds (partial: Ctrl-C", "Ctrl-C has cut it"] {
            assert!(page.contains(part), "no {part}");
        }
    }

    #[test]
    fn a_campaign_says_that_it_is_partial() {
        // Each of its runs takes a tenth of a second or more, and there are hundreds.
        let file = program("long_after_window");
        let window = ["--from", "window_begin", "--to", "window_end"];
        let arguments = ["inject", &file, "--pairs", "all", "--jobs", "1"];
        // The third thread makes the runs; the second waits for Ctrl-C.
        let run = interrupted(&[&arguments[..], &window].concat(), |child| is_ready(child, 3));
        run.fails(130, &["partial: Ctrl-C has cut the campaign"]);
        assert!(run.stdout.contains("Interrupted; clean so far"), "{}", run.stdout);
        // An endless program has no end to compare with.
        let file = program("rounds");
        let arguments = ["inject", &file, "--max-cycles", "0", "--from", "main", "--to", "work"];
        interrupted(&arguments, |child| is_ready(child, 1))
            .fails(130, &["partial: Ctrl-C has cut the undisturbed run"]);
    }

    #[test]
    fn tests_behind_one_that_was_cut_do_not_run() {
        let package = ["--package", "embedded", "--test", "arithmetic", "--no-run"];
        let line = ["test", "--quiet", "--locked", "--message-format=json"];
        let built = support::firmware_cargo(&[&line[..], &package].concat());
        assert_eq!(built.code, 0, "{}", built.stderr);
        let messages = built.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
        let file = messages
            .filter_map(|message: serde_json::Value| {
                Some(message["executable"].as_str()?.to_owned())
            })
            .next()
            .unwrap();
        // The second that the test may take has so many cycles that Ctrl-C comes before its end.
        let board = "like = \"lm3s6965\"\nclock_hz = 1_000_000_000\n";
        let board = temporary("fast.toml", board.as_bytes());
        let arguments = ["run", "--board", &board, "--max-cycles", "0", &file, "--ignored", "s"];
        let run = interrupted(&arguments, |child| {
            printed(child.stdout.as_mut().unwrap(), "test tests::fails ... FAILED\n");
        });
        run.fails(130, &[CUT]);
        let rest = "test tests::hangs ... interrupted\n";
        assert!(run.stdout.contains(rest), "{}", run.stdout);
    }
}
