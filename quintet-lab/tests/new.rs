//! `quintet new`: what it makes for every chip, what it refuses, and two crates that are built and
//! run. `cargo xtask new` builds and runs the others.

#[path = "new/editor.rs"]
mod editor;
#[path = "new/examples.rs"]
mod examples;
#[path = "new/hals.rs"]
mod hals;
#[path = "new/riscv.rs"]
mod riscv;
mod support;
#[path = "new/test_files.rs"]
mod test_files;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quintet_lab::linker::Memories;
use quintet_lab::new::chips::{Chip, Families, Family};
use quintet_lab::new::features::{EMBASSY, FEATURES, HAL};
use quintet_lab::new::{Purpose, Source, hook, template, variables};
use quintet_lab::toolchain::{self, Setup};
use quintet_sim::board::Board;
use support::{Finished, quintet, temporary};

/// A board with too few interrupts for the levels of an application.
const FEW_INTERRUPTS: &str = "name = 'few'\ndescription = 'few'\ncore = 'cortex-m3'\n\
    clock_hz = 8_000_000\npriority_bits = 4\ninterrupts = 1\nstack_align_reset = true\n\
    [[memory]]\nname = 'flash'\nkind = 'flash'\nport = 'code-shared'\nstart = 0\nsize = 0x8000\n\
    [[memory]]\nname = 'sram'\nkind = 'ram'\nport = 'system'\nstart = 0x2000_0000\nsize = 0x2000\n";

/// The directory of the templates.
fn templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("template")
}

/// The root of the tree, which is a checkout of Quintet.
fn checkout() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it has a parent");
    root.display().to_string()
}

/// A directory that is not there, for a crate with a name.
fn nowhere(test: &str, name: &str) -> PathBuf {
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(test);
    if parent.exists() {
        std::fs::remove_dir_all(&parent).expect("it can be removed");
    }
    std::fs::create_dir_all(&parent).expect("the temporary directory is writable");
    parent.join(name)
}

/// Calls `quintet new` with a path for the crate.
fn new(path: &Path, arguments: &[&str]) -> Finished {
    quintet(&[&["new", &path.display().to_string()], arguments].concat())
}

/// The features that every chip can have: all but the HALs.
fn possible() -> Vec<String> {
    let can = |name: &&str| ![EMBASSY, HAL].contains(name);
    FEATURES.iter().map(|(name, _)| *name).filter(can).map(str::to_owned).collect()
}

fn files(chip: Chip<'_>, with: &[String]) -> BTreeMap<&'static str, String> {
    let purpose = Purpose { chip: Some(chip), board: None };
    let variables = variables("blinky-2", &purpose, with, &Source::Registry).unwrap();
    template::fill_in(&variables).unwrap()
}

#[test]
fn the_files_for_every_chip_agree_with_one_another() {
    let families = Families::read().unwrap();
    for chip in families.chips() {
        let (name, target) = (chip.name.clone(), chip.family.target.clone());
        let probe = chip.probe.clone();
        let (flash, ram) = (chip.flash * 1024, chip.ram * 1024);
        let files = files(chip, &[]);
        for (path, text) in &files {
            assert!(!text.contains("{{") && !text.contains("{%"), "{name}, {path}:\n{text}");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}, {path}:\n{text:?}");
        }

        let board = Board::parse(&files["board.toml"], &name).unwrap();
        let memories = Memories::of(&board).unwrap();
        let before = memories.boot_loader.as_ref().map_or(0, |loader| loader.length);
        assert_eq!((memories.code.length + before, memories.data.length), (flash, ram), "{name}");
        // The same lines, whatever stands between them.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in memories.script().lines().filter(|line| line.contains("ORIGIN =")) {
            assert!(words(&files["memory.x"]).contains(&words(line)), "{name}: {line}");
        }

        let config: toml::Table = files[".cargo/config.toml"].parse().unwrap();
        assert_eq!(config["build"]["target"].as_str(), Some(target.as_str()));
        // Cargo takes a name with a point apart there, as TOML does.
        let of_target = target.split('.').fold(&config["target"], |table, part| &table[part]);
        assert_eq!(of_target["runner"].as_str(), Some("quintet run --for 5s"));
        let runner = format!("target.{target}.runner = 'probe-rs run --chip {probe}'");
        let alias = config.get("alias").map(|alias| alias["on-board"][3].as_str().unwrap());
        assert_eq!(alias, (!probe.is_empty()).then_some(runner.as_str()), "{name}");
        let manifest: toml::Table = files["Cargo.toml"].parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some("blinky-2"));
        let toolchain: toml::Table = files["rust-toolchain.toml"].parse().unwrap();
        assert_eq!(toolchain["toolchain"]["targets"][0].as_str(), Some(target.as_str()));
    }
}

#[test]
fn every_source_is_formatted() {
    let families = Families::read().unwrap();
    for family in families.iter() {
        for with in lists(family) {
            let chip = family.chips().next().unwrap();
            let name = chip.name.clone();
            for (path, text) in files(chip, &with) {
                if path.ends_with(".rs") {
                    assert_formatted(&format!("{name} with {}, {path}", with.join(",")), &text);
                }
            }
        }
    }
}

/// None of the features, and all: each without a HAL, and with each that there is.
fn lists(family: &Family) -> Vec<Vec<String>> {
    let without = [Vec::new(), possible()];
    let hals = [family.embassy.as_ref().map(|_| EMBASSY), family.hal.as_ref().map(|_| HAL)];
    let mut lists = without.to_vec();
    for hal in hals.into_iter().flatten() {
        lists.extend(without.iter().map(|list| [list.as_slice(), &[hal.to_owned()]].concat()));
    }
    lists
}

#[track_caller]
fn assert_formatted(what: &str, text: &str) {
    let mut rustfmt = Command::new("rustfmt")
        // As for a crate that has no settings of its own, wherever it is.
        .args(["--edition", "2024", "--config", "max_width=100,use_small_heuristics=Default"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is there");
    let mut stdin = rustfmt.stdin.take().expect("it is piped");
    stdin.write_all(text.as_bytes()).expect("rustfmt reads");
    drop(stdin);
    let output = rustfmt.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "{what}:\n{text}");
    let formatted = String::from_utf8(output.stdout).expect("it is text");
    assert_eq!(formatted, text, "{what}");
}

#[test]
fn sizes_are_those_that_the_names_say() {
    let families = Families::read().unwrap();
    // Of STM32 the last letter is the size of the flash, in KiB.
    let sizes = [
        ('6', 32),
        ('8', 64),
        ('b', 128),
        ('c', 256),
        ('d', 384),
        ('e', 512),
        ('f', 768),
        ('i', 2048),
    ];
    for chip in families.chips().filter(|chip| chip.name.starts_with("stm32")) {
        let last = chip.name.chars().last().unwrap();
        let size = sizes.into_iter().find(|(letter, _)| *letter == last);
        assert_eq!(chip.flash, size.map_or(1024, |(_, size)| size), "{}", chip.name);
        assert_eq!(chip.probe, chip.name.to_uppercase());
    }
}

/// Of Jinja and Liquid, the part that both have.
#[test]
fn the_templates_keep_to_what_two_languages_have_in_common() {
    let features: Vec<_> = FEATURES.iter().map(|(name, _)| *name).collect();
    for (path, text) in template::FILES {
        for tag in text.split("{%").skip(1) {
            let tag = tag.split("%}").next().unwrap().trim_matches('-').trim();
            let words: Vec<_> = tag.split_whitespace().collect();
            match words.as_slice() {
                ["else" | "endif"] => {}
                // Truth is a feature's: an empty text is true in Liquid alone.
                ["if", feature] => assert!(features.contains(feature), "{path}: {tag}"),
                ["if", comparisons @ ..] => {
                    for comparison in comparisons.split(|word| *word == "or") {
                        let is_one = matches!(comparison, [_, "==", text] if text.starts_with('"'));
                        assert!(is_one, "{path}: {tag}");
                    }
                }
                _ => panic!("{path}: {tag}"),
            }
        }
        for value in text.split("{{").skip(1) {
            let value = value.split("}}").next().unwrap().trim_matches('-').trim();
            let is_name =
                value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            assert!(is_name, "{path}: {value}");
        }
    }
}

#[test]
fn cargo_generate_knows_what_the_command_knows() {
    let families = Families::read().unwrap();
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    let hook = hook::text(&families).unwrap();
    let path = templates().join("chips.rhai");
    if bless {
        std::fs::write(&path, &hook).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == hook, "QUINTET_BLESS=1 writes {} anew", path.display());

    let path = templates().join("cargo-generate.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once("choices = [\n").unwrap();
    let (_, tail) = rest.split_once("]\n").unwrap();
    let names: String = families.chips().map(|chip| format!("    \"{}\",\n", chip.name)).collect();
    let expected = format!("{head}choices = [\n{names}]\n{tail}");
    if bless {
        std::fs::write(&path, &expected).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(committed == expected, "QUINTET_BLESS=1 writes {} anew", path.display());
    for (feature, _) in FEATURES {
        assert!(committed.contains(&format!("[placeholders.{feature}]")), "{feature}");
    }
    // Every file of the template is in the command as well.
    for (file, _) in template::FILES {
        assert!(templates().join(format!("{file}.liquid")).exists(), "{file}");
    }
}

#[test]
fn names_that_no_crate_can_have_are_refused_with_one_that_would_do() {
    let refused = |name: &str, part: &str| {
        let directory = nowhere("names", name);
        new(&directory, &["--chip", "rp2040"]).fails(120, &[part]);
        assert!(!directory.exists(), "{name}");
    };
    refused("2blink", "\"2blink\" is no name of a crate: it begins with a letter");
    refused("my blink", "my-blink would do");
    refused("blöd", "has letters, digits, - and _ alone");
    refused("match", "\"match\" is a word of Rust");
    refused("test", "the name \"test\" is taken by cargo or by the compiler: test-app would do");
    refused("defmt", "\"defmt\" is the name of a crate that new ones depend on: defmt-app would");
    refused("cortex-m", "\"cortex-m\" is the name of a crate");
    refused("embassy-rp", "\"embassy-rp\" is the name of a crate");
    refused("rp2040-hal", "\"rp2040-hal\" is the name of a crate");
}

#[test]
fn a_directory_with_something_in_it_is_left_alone() {
    let directory = nowhere("full", "blinky");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("mine"), "x").unwrap();
    let message = "is there already and isn't empty: take another name, or remove it";
    new(&directory, &["--chip", "rp2040"]).fails(120, &[message]);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);

    let file = nowhere("file", "blinky");
    std::fs::write(&file, "x").unwrap();
    let message = "is there already and is no directory";
    new(&file, &["--chip", "rp2040"]).fails(120, &[message]);

    let nested = nowhere("parent", "no/blinky");
    new(&nested, &["--chip", "rp2040"]).fails(120, &["to put the crate into: make it first"]);
}

#[test]
fn an_empty_directory_is_taken() {
    let directory = nowhere("empty", "blinky");
    std::fs::create_dir(&directory).unwrap();
    let made = new(&directory, &["--chip", "rp2040", "--json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let report = made.json();
    assert_eq!(
        (report["name"].as_str(), report["chip"].as_str()),
        (Some("blinky"), Some("rp2040"))
    );
    assert_eq!(report["next"][0]["command"], "cargo run");
    for file in report["files"].as_array().unwrap() {
        assert!(directory.join(file.as_str().unwrap()).exists(), "{file}");
    }
    // Beside it, nothing is left.
    assert_eq!(std::fs::read_dir(directory.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn nothing_is_left_behind_where_writing_fails() {
    let directory = nowhere("fails", "blinky");
    let files = BTreeMap::from([("a", String::new()), ("a/b", String::new())]);
    let message = quintet_lab::new::write(&directory, &files).unwrap_err().to_string();
    assert!(message.contains("cannot make the directory"), "{message}");
    assert_eq!(std::fs::read_dir(directory.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn unknown_chips_are_refused_with_those_that_are_near() {
    let refused = |chip: &str, parts: &[&str]| {
        let directory = nowhere("chips", "blinky");
        new(&directory, &["--chip", chip]).fails(120, parts);
        assert!(!directory.exists());
    };
    refused(
        "stm32f447re",
        &["no chip has the name \"stm32f447re\"; did you mean stm32f4", "--list"],
    );
    refused("nrf52832", &["did you mean nrf52840", "`--board FILE` takes"]);
    refused("z80", &["no chip has the name \"z80\". `quintet new --list`"]);
    let parts = ["\"stm32f446\" is a family of chips with memories", "stm32f446rc, stm32f446re"];
    refused("stm32f446", &parts);
    let directory = nowhere("chips", "blinky");
    new(&directory, &[]).fails(120, &["for which chip? Say it by --chip, as --chip stm32f446re"]);
    assert_eq!(quintet(&["new"]).code, 2);
}

#[test]
fn a_chip_is_found_by_the_name_on_its_package_and_by_its_board() {
    let families = Families::read().unwrap();
    for (asked, name) in [
        ("STM32F446RET6", "stm32f446re"),
        ("nucleo-f446re", "stm32f446re"),
        ("blackpill", "stm32f411ce"),
        ("STM32F401CCU6", "stm32f401cc"),
        ("microbit", "nrf51822aa"),
        ("Pico", "rp2040"),
        ("nRF52840-QIAA", "nrf52840"),
    ] {
        assert_eq!(families.find(asked).unwrap().name, name, "{asked}");
    }
    // Every other name leads to a chip.
    for name in families.iter().flat_map(Family::also) {
        assert!(families.find(name).is_ok(), "{name}");
    }
}

#[test]
fn features_that_there_are_not_are_refused() {
    let refused = |with: &str, chip: &str, part: &str| {
        let directory = nowhere("features", "blinky");
        new(&directory, &["--chip", chip, "--with", with]).fails(120, &[part]);
        assert!(!directory.exists());
    };
    let known = "there are defmt, async, actors, threads, embassy, hal";
    refused("defmt,dfmt", "rp2040", "--with has no \"dfmt\"; did you mean defmt?");
    refused("usb", "rp2040", &format!("--with has no \"usb\"; {known}"));
    refused("processes", "stm32f446re", "begin with a copy of the directory examples/processes");
}

#[test]
fn a_wrong_board_file_is_refused() {
    let refused = |arguments: &[&str], parts: &[&str]| {
        let directory = nowhere("boards", "blinky");
        new(&directory, arguments).fails(120, parts);
        assert!(!directory.exists());
    };
    refused(&["--board", "no-such.toml"], &["cannot read the board file no-such.toml"]);
    refused(&["--board", "lm3s6965"], &["lm3s6965 is the name of a board", "the chip by --chip"]);
    let wrong = temporary("new-wrong.toml", b"like = \"stm32f103\"\npriority_bits = 9\n");
    refused(&["--board", &wrong], &["new-wrong.toml", "priority_bits"]);
    let other = temporary("new-other.toml", b"like = \"stm32f103\"\nname = \"mine\"\n");
    let parts =
        ["stm32f446re is built for thumbv7em-none-eabihf, but the core of the board \"mine\""];
    refused(&["--chip", "stm32f446re", "--board", &other], &parts);
    let few = temporary("new-few.toml", FEW_INTERRUPTS.as_bytes());
    refused(&["--board", &few], &["has 1 interrupt"]);
}

#[test]
fn a_directory_without_a_checkout_is_refused() {
    let directory = nowhere("checkout", "blinky");
    let empty = directory.parent().unwrap().display().to_string();
    let made = new(&directory, &["--chip", "rp2040", "--path", &empty]);
    made.fails(120, &["there is no checkout of Quintet in", "that `git clone` made"]);
    assert!(!directory.exists());
}

#[test]
fn without_a_checkout_the_version_of_the_registry_is_taken() {
    let directory = nowhere("registry", "blinky");
    let made = new(&directory, &["--chip", "rp2040"]);
    assert_eq!(made.code, 0);
    let words = made.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let note =
        "this version isn't published: make the crate with --path DIR, a checkout of Quintet";
    assert!(words.contains(note), "{}", made.stdout);
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let version = manifest["dependencies"]["quintet"]["version"].as_str();
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_list_has_every_chip() {
    let listed = quintet(&["new", "--list"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let json = quintet(&["new", "--list", "--json"]).json();
    let families = Families::read().unwrap();
    let json = json.as_array().unwrap();
    assert_eq!(json.len(), families.chips().count());
    for chip in families.chips() {
        assert!(listed.stdout.contains(&chip.name), "{}", chip.name);
        assert!(json.iter().any(|listed| listed["chip"] == chip.name.as_str()), "{}", chip.name);
    }
}

/// Makes a crate with this tree's Quintet, and calls cargo there, as a user does who has installed
/// `quintet`. What its dependencies were resolved to is kept in `tests/new/CHIP.lock`.
///
/// Each has a name of its own: cargo gives two packages of one name the same build script in a
/// shared directory.
fn made(chip: &str, with: &str) -> impl Fn(&[&str]) -> Finished {
    let directory = nowhere(chip, &format!("tested-{chip}"));
    let with = if with.is_empty() { Vec::new() } else { vec!["--with", with] };
    let checkout = checkout();
    let arguments = [&["--chip", chip, "--path", &checkout][..], &with].concat();
    let made = new(&directory, &arguments);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(made.stdout.contains("cargo run "), "{}", made.stdout);
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/new/{chip}.lock"));
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    // What is resolved anew keeps the versions that it can.
    if lock.exists() {
        std::fs::copy(&lock, directory.join("Cargo.lock")).unwrap();
    }
    let families = Families::read().unwrap();
    let target = families.find(chip).unwrap().family.target.clone();
    move |arguments| {
        let setup = Setup { workspace: &directory, target: &target, profile: "dev", flags: &[] };
        let mut command = toolchain::cargo(&setup).unwrap();
        let beside = Path::new(env!("CARGO_BIN_EXE_quintet")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(beside.to_owned()).chain(std::env::split_paths(&path));
        command
            .args(arguments)
            .args((!bless).then_some("--locked"))
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("CARGO_TARGET_DIR", beside.parent().unwrap().join("firmware"))
            .env_remove("QUINTET_BOARD")
            .env_remove("QUINTET_MAX_CYCLES");
        let finished = Finished::new(command.output().expect("cargo starts"));
        if bless {
            std::fs::copy(directory.join("Cargo.lock"), &lock).unwrap();
        }
        finished
    }
}

#[track_caller]
fn assert_prints(finished: &Finished, lines: &[&str]) {
    assert_eq!(finished.code, 0, "{}\n{}", finished.stdout, finished.stderr);
    for line in lines {
        assert!(finished.stdout.contains(line), "no \"{line}\" in:\n{}", finished.stdout);
    }
}

#[test]
fn a_crate_with_everything_runs_and_has_a_test() {
    let cargo = made("stm32f446re", "defmt,async,actors,threads");
    let lines = [
        "INFO  started (src/main.rs:",
        "INFO  beat 1 (src/main.rs:",
        "report: the sum of all beats is 45 (",
        "counter: on for the 5. time (",
        "worker: 10 pieces of work (",
    ];
    assert_prints(&cargo(&["run", "--quiet"]), &lines);
    assert_prints(&cargo(&["test", "--quiet"]), &["test result: ok. 1 passed; 0 failed"]);
    test_files::assert_pass("stm32f446re", "thumbv7em-none-eabihf");
}

#[test]
fn the_smallest_crate_runs_and_has_a_test() {
    let cargo = made("lm3s6965", "");
    assert_prints(&cargo(&["run", "--quiet"]), &["started\n", "beat 0\n", "beat 9\n"]);
    assert_prints(&cargo(&["test", "--quiet"]), &["test result: ok. 1 passed; 0 failed"]);
    let one = cargo(&["test", "--quiet", "--test", "on_target", "the_led"]);
    assert_prints(&one, &["test result: ok. 1 passed; 0 failed"]);
    let refused = cargo(&["test", "--quiet", "the_led"]);
    assert_ne!(refused.code, 0);
    let said = "write `cargo test --test on_target NAME`";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    editor::assert_checks(&cargo);
    editor::assert_tasks_work("lm3s6965");
    test_files::assert_pass("lm3s6965", "thumbv7m-none-eabi");
}
