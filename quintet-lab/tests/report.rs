//! `quintet report` and `quintet tour`: an image on a page, and the first look.

mod support;

use std::path::Path;
use std::process::Command;

use support::page::assert_well_formed;
use support::{Finished, cargo, program, quintet, temporary};

/// The sections of every report, in order.
const SECTIONS: [&str; 13] = [
    "end",
    "memory",
    "sizes",
    "stacks",
    "bounds",
    "priorities",
    "costs",
    "deadlines",
    "masks",
    "timeline",
    "profile",
    "threads",
    "charts",
];

/// A place for a page, which is not there yet.
fn fresh(name: &str) -> String {
    let path = temporary(name, b"");
    std::fs::remove_file(&path).unwrap();
    path
}

/// The report on a file, and what the command said.
#[track_caller]
fn report(name: &str, arguments: &[&str]) -> (String, Finished) {
    let path = fresh(name);
    let run = quintet(&[&["report", "-o", &path], arguments].concat());
    let page = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", run.stdout, run.stderr));
    assert_well_formed(&page);
    (page, run)
}

/// A section of a page.
#[track_caller]
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let start = page.find(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    let length = page[start..].find("</section>").unwrap();
    &page[start..start + length]
}

#[track_caller]
fn has(page: &str, id: &str, parts: &[&str]) {
    let section = section(page, id);
    for part in parts {
        assert!(section.contains(part), "no \"{part}\" in\n{section}");
    }
}

/// An example, built as its README says.
fn example(name: &str) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let built = cargo(&examples, &["build", "--quiet", "--release", "--locked", "--bin", name]);
    assert_eq!(built.code, 0, "{name} does not build:\n{}", built.stderr);
    let firmware = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("firmware");
    firmware.join("thumbv7m-none-eabi/release").join(name).display().to_string()
}

#[test]
fn a_page_shows_everything_about_an_application() {
    let (page, run) = report("pelican.html", &[&example("pelican")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("the firmware ended with code 0"), "{}", run.stdout);
    let ids: Vec<&str> = page.split("<section id=\"").skip(1).collect();
    let ids: Vec<&str> = ids.iter().filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids, SECTIONS);
    has(&page, "end", &["Printed on stdout", "ended with code 0"]);
    has(
        &page,
        "memory",
        &["<svg class=\"memory\" role=\"img\"", ".vector_table", "main stack, used"],
    );
    has(&page, "sizes", &["<td>quintet</td>", "<td>pelican</td>", "The heaviest symbols"]);
    has(&page, "stacks", &["<td>main stack</td>", "deepest in cycle"]);
    has(&page, "priorities", &["The scheduler is preemptive", "actor `crossing`"]);
    has(&page, "costs", &["<td>crossing</td><td>tasks</td>", "wake to run"]);
    has(&page, "bounds", &["<td>Reset</td>", "observed cycles", "A bound holds for every run"]);
    has(&page, "deadlines", &["declares a period", "period = "]);
    has(&page, "masks", &["BASEPRI", "Interrupts are held off for"]);
    has(&page, "timeline", &["<iframe title=\"Timeline of pelican\"", "crossing"]);
    has(&page, "profile", &["Flame graph of pelican", "The lines with the most cycles"]);
    has(&page, "threads", &["The image has no threads of Quintet"]);
    has(&page, "charts", &["<img alt=\"", "data:image/svg+xml,"]);
}

#[test]
fn two_images_are_compared() {
    let (before, now) = (program("side_by_side"), program("threads"));
    let (page, run) = report("against.html", &[&now, "--against", &before]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let parts =
        ["Compared with side_by_side", "<td>cycles</td>", "Stacks, in bytes used", " %</td>"];
    has(&page, "against", &parts);
    let (page, _) = report("same.html", &[&now, "--against", &now]);
    has(&page, "against", &["The whole: nothing has changed.", "Stacks, in bytes used: nothing"]);
    has(&page, "threads", &["<td>WORKER</td>"]);
}

#[test]
fn firmware_that_dies_has_a_report_that_says_so() {
    let (page, run) = report("dies.html", &[&program("hard_fault")]);
    run.fails(121, &["a fault at", "What to do:"]);
    has(&page, "end", &["the firmware died", "What to do:", "class=\"warns\""]);
    has(&page, "costs", &["HardFault"]);
}

#[test]
fn firmware_that_never_ends_is_reported_on_up_to_the_limit() {
    let (page, run) = report("endless.html", &[&program("endless"), "--max-cycles", "50_000"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    has(&page, "end", &["the limit of cycles or instructions was reached", "It printed nothing"]);
    assert!(page.contains("<dd>50 000 cycles, "), "the limit is the length of the run");
}

#[test]
fn of_an_image_without_names_sections_say_what_they_need() {
    // A vector table, and code that loops.
    let mut image = vec![0x2000_1000_u32, 0x41];
    image.resize(16, 0x41);
    image.push(0xbf00_bf00);
    image.push(0xe7fc_bf00);
    let bytes: Vec<u8> = image.iter().flat_map(|word| word.to_le_bytes()).collect();
    let raw = temporary("nameless.bin", &bytes);
    let (page, run) = report("nameless.html", &[&raw, "--load", "0", "--max-cycles", "10_000"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    has(&page, "sizes", &["need symbols"]);
    has(&page, "priorities", &["The image has no map"]);
    has(&page, "masks", &["Interrupts were never held off"]);
    has(&page, "profile", &["Lines need debug information"]);
    has(&page, "bounds", &["it has no symbols"]);
    has(&page, "charts", &["The image has no state machine"]);
}

#[test]
fn the_timeline_shows_the_part_that_was_asked_for() {
    let (page, run) = report("window.html", &[&program("threads"), "--from", "2ms", "--to", "3ms"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    has(&page, "timeline", &["from 2.000 ms to 3.000 ms of ", "choose another part"]);
}

#[test]
fn what_cannot_be_reported_is_refused_with_the_way_out() {
    let file = program("threads");
    let fails = |arguments: &[&str], parts: &[&str]| {
        quintet(&[&["report", &file], arguments].concat()).fails(120, parts);
    };
    fails(&["-o", "report.txt"], &["report.txt would be a page", "let the name end in .html"]);
    let page = fresh("never.html");
    let window = ["-o", &page, "--from", "3ms", "--to", "2ms"];
    fails(&window, &["the timeline is empty: it ends at 2.000 ms", "a later --to"]);
}

#[test]
fn a_timeline_behind_the_end_and_a_missing_file_are_refused() {
    let (file, page) = (program("threads"), fresh("never.html"));
    let behind = quintet(&["report", &file, "-o", &page, "--from", "100s"]);
    behind.fails(120, &["the timeline is empty: it begins at 100.000 s", "an earlier --from"]);
    let missing = quintet(&["report", &file, "-o", &page, "--against", "no/such/image"]);
    missing.fails(120, &["no/such/image"]);
    let nowhere = quintet(&["report", &file, "-o", "no/such/directory/a.html"]);
    nowhere.fails(120, &["cannot write no/such/directory/a.html"]);
    quintet(&["report", &file]).fails(2, &["--output <FILE>"]);
    assert!(!Path::new(&page).exists(), "a refusal writes nothing");
}

#[test]
fn the_tour_shows_all_models_on_one_screen() {
    let page = fresh("tour.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(["tour", "-o", &page]).env("QUINTET_BOARD", "stm32f100");
    let run = Finished::new(command.output().unwrap());
    assert_eq!(run.code, 0, "{}", run.stderr);
    for step in ["1 of 3: builds the kernel", "2 of 3: builds the application", "3 of 3: runs it"] {
        assert!(run.stderr.contains(step), "no \"{step}\" in:\n{}", run.stderr);
    }
    let parts = [
        "thread: 39 bytes in all",
        "hardware task `moves`",
        "actor `measures`",
        "async `adds`",
        "thread `ends`",
        "process 0",
        "The report, for a browser: ",
    ];
    for part in parts {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
    assert!(run.stdout.lines().count() <= 42, "{}", run.stdout);
    let widest = run.stdout.lines().filter(|line| !line.contains(&page));
    assert!(widest.map(|line| line.chars().count()).max() <= Some(100), "{}", run.stdout);
    let page = std::fs::read_to_string(page).unwrap();
    assert_well_formed(&page);
    has(&page, "threads", &["process 0"]);
    let refused = quintet(&["tour", "-o", "tour.txt"]);
    refused.fails(120, &["let the name end in .html"]);
}

#[test]
fn deadlines_and_bounds_are_on_the_page_and_compared() {
    let (now, before) = (example("guaranteed"), example("deadlines"));
    let (page, run) = report("guaranteed.html", &[&now, "--against", &before]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    has(&page, "bounds", &["<td>BOUNDED</td>", "SSI0", "is open</summary>"]);
    has(&page, "deadlines", &["BOUNDED: all 2 deadlines", "<td>sample</td>", "For all runs"]);
    let parts = ["Bounds of handlers, in cycles", "sample, of all runs", "control, seen"];
    has(&page, "against", &parts);
}

#[test]
fn what_the_page_shows_is_there_as_json() {
    let file = program("threads");
    let report = quintet(&["report", &file, "--json"]).json();
    let threads = quintet(&["threads", &file, "--json"]).json();
    assert_eq!(report["cycles"], threads["cycles"]);
    assert_eq!(report["threads"]["threads"], threads["threads"]);
    assert_eq!(report["ended"], "exit", "{report}");
    assert!(report["sizes"]["flash"].as_u64() > Some(0), "{report}");
    for list in ["crates", "stacks", "masks", "costs", "remarks"] {
        assert!(report[list].is_array(), "{list}: {report}");
    }
    assert!(!report["profile"]["functions"].as_array().unwrap().is_empty());
    quintet(&["report", &file]).fails(2, &["--output <FILE>"]);
}
