//! Applications in Rust: built, moved to their places and packed by one command, and run behind a
//! kernel.

mod support;

use std::path::{Path, PathBuf};

use quintet_lab::process::build::Crate;
use quintet_lab::process::pack::{Wishes, pack, pack_linked};
use quintet_sim::image::Image;
use support::{Finished, quintet, temporary};

/// The kernels, and their processes in `apps`.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes")
}

/// Where firmware is built.
fn target_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("firmware")
}

/// Runs a kernel with its processes, as the README says.
fn run(name: &str) -> Finished {
    let apps = format!("apps/{name}");
    let line = ["run", "--quiet", "--release", "--locked", "--bin", name, "--", "--process", &apps];
    support::cargo(&examples(), &line)
}

/// A text without the digits of its numbers of 32 bits: a dump's are another compiler's matter.
fn masked(text: &str) -> String {
    let mut parts = text.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let digits = part.chars().take(8).take_while(char::is_ascii_hexdigit).count();
        text + "0x" + &"_".repeat(digits) + &part[digits..]
    })
}

#[test]
fn every_kernel_prints_what_is_written_beside_it() {
    let mut count = 0;
    for file in std::fs::read_dir(examples().join("src/bin")).expect("there are kernels") {
        let path = file.expect("it can be listed").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
        let expected = std::fs::read_to_string(examples().join(format!("{name}.out"))).unwrap();
        let finished = run(name);
        assert_eq!(masked(&finished.stdout), masked(&expected), "{name}: {}", finished.stderr);
        assert_eq!(finished.code, 0, "{name}: {}", finished.stderr);
        count += 1;
    }
    assert!(count > 0);
}

/// The kernel's file says that it is of ARMv6-M: so is its process, from the same source.
#[test]
fn all_five_models_run_on_a_pico() {
    let directory = examples().join("../pico-processes");
    let line = ["build", "--quiet", "--release", "--locked", "--bin", "five_models"];
    assert_eq!(support::cargo(&directory, &line).code, 0);
    let kernel = target_directory().join("thumbv6m-none-eabi/release/five_models");
    let apps = examples().join("apps/five_models");
    let [kernel, apps] = [kernel, apps].map(|path| path.display().to_string());
    let finished = quintet(&["run", "--board", "rp2040", "--process", &apps, &kernel]);
    let expected = std::fs::read_to_string(directory.join("five_models.out")).unwrap();
    assert_eq!(finished.stdout, expected, "{}", finished.stderr);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
}

#[test]
fn the_stack_of_a_process_has_its_name() {
    let line = ["build", "--quiet", "--release", "--locked", "--bin", "five_models"];
    assert_eq!(support::cargo(&examples(), &line).code, 0);
    let kernel = target_directory().join("thumbv7m-none-eabi/release/five_models");
    let apps = examples().join("apps/five_models");
    let [kernel, apps] = [kernel, apps].map(|path| path.display().to_string());
    let report = quintet(&["stack", &kernel, "--process", &apps, "--json"]).json();
    let stacks = report["stacks"].as_array().unwrap();
    let mut of_processes = stacks.iter().filter(|stack| stack["symbol"] == "process 0");
    let stack = of_processes.next().expect("it is there");
    assert!(of_processes.next().is_none(), "the frame of the first entry is no stack: {report}");
    assert!(stack["used"].as_u64().is_some_and(|used| (32..2048).contains(&used)), "{stack}");
}

/// The programs of one of the packages.
fn programs(package: &str) -> Crate {
    Crate {
        directory: examples().join("apps").join(package),
        bins: Vec::new(),
        examples: Vec::new(),
        profile: "release".to_owned(),
        target_directory: Some(target_directory()),
        target: "thumbv7m-none-eabi".to_owned(),
    }
}

#[test]
fn an_application_that_is_not_moved_is_as_it_was_linked() {
    let built = programs("one_process").build().expect("it builds");
    let [greeter] = built.as_slice() else { panic!("one program: {built:?}") };
    let linked = &greeter.movable.linked;
    assert_eq!(greeter.movable.moved(linked.flash, linked.memory), *linked);
    let elsewhere = greeter.movable.moved(0x0003_4080, 0x2000_c000);
    assert_ne!(elsewhere.binary, linked.binary);
    // By the file itself, without its relocations.
    let file = target_directory().join("thumbv7m-none-eabi/release/greeter");
    let image = Image::parse_elf(&std::fs::read(file).unwrap()).unwrap();
    let wishes = Wishes { name: "greeter", heap: 0, sha256: false };
    assert_eq!(pack(&image, &wishes).unwrap(), pack_linked(linked, &wishes).unwrap());
}

/// Nothing of the code that formats is in it: record 0089.
#[test]
fn an_application_that_only_greets_is_small() {
    let built = programs("hello").build().expect("it builds");
    let [hello] = built.as_slice() else { panic!("one program: {built:?}") };
    let bytes = hello.movable.linked.binary.len();
    assert!(bytes < 1_000, "{bytes} bytes");
}

/// What the kernel of the example with shared memory prints, if the client does this behind its
/// notices.
fn with_a_client_that(name: &str, does: &str) -> String {
    let apps = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients").join(name);
    let (from, package) = (examples().join("apps"), apps.join("shared_memory"));
    std::fs::create_dir_all(package.join("src/bin")).unwrap();
    let copy = |file: &str, change: &dyn Fn(String) -> String| {
        let text = std::fs::read_to_string(from.join(file)).unwrap();
        std::fs::write(apps.join(file), change(text)).unwrap();
    };
    let library = examples().join("../../quintet-process").display().to_string();
    let only = "members = [\"shared_memory\"]\n";
    copy("Cargo.toml", &|text| {
        let lines = text.lines().map(|line| match line.starts_with("members") {
            true => only.to_owned(),
            false => line.replace("../../../quintet-process", &library) + "\n",
        });
        lines.collect()
    });
    copy("Cargo.lock", &|text| text);
    copy("shared_memory/Cargo.toml", &|text| text);
    copy("shared_memory/src/bin/adder.rs", &|text| text);
    // Under a name of its own, as all are built in one directory.
    let client = std::fs::read_to_string(from.join("shared_memory/src/bin/asker.rs")).unwrap();
    let shared = "quintet_process::shared!(static OTHERS: 32);\nquintet_process::main!";
    let client = client.replace("quintet_process::main!", shared);
    let client = client.replace("adder.notify()?;", &format!("adder.notify()?;\n{does}"));
    std::fs::write(package.join(format!("src/bin/{name}.rs")), client).unwrap();
    let package = package.display().to_string();
    let bin = "shared_memory";
    let line =
        ["run", "--quiet", "--release", "--locked", "--bin", bin, "--", "--process", &package];
    let run = support::cargo(&examples(), &line);
    assert!(run.stdout.contains(&format!("{name}: ")), "{}\n{}", run.stdout, run.stderr);
    run.stdout
}

#[test]
fn a_service_outlives_a_client_that_takes_its_buffer_away_behind_a_notice() {
    let shares = with_a_client_that("shares", "adder.share(OTHERS)?;");
    assert!(shares.contains("adder: Alive"), "{shares}");
    // The service's own `?` ends it then.
    let faults = "unsafe { core::ptr::null_mut::<u32>().write_volatile(0) };";
    for (name, does) in [("faults", faults), ("returns", "if numbers[0] > 0 { return Ok(()); }")] {
        let printed = with_a_client_that(name, does);
        assert!(!printed.contains("adder: Faulted"), "{name}: {printed}");
    }
}

/// Packs a package of the examples, with these arguments.
fn pack_package(package: &str, arguments: &[&str]) -> Finished {
    let directory = examples().join("apps").join(package).display().to_string();
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed").display().to_string();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(["pack", &directory, "-o", &output]).args(arguments);
    command.env("CARGO_TARGET_DIR", target_directory());
    Finished::new(command.output().expect("quintet starts"))
}

const FLASH: &str = "0x30000..0x38000";
const MEMORY: &str = "0x20008000..0x2000a000";

#[test]
fn several_are_packed_one_behind_the_other() {
    let packed = pack_package("shared_driver", &["--flash", FLASH, "--memory", MEMORY, "--json"]);
    assert_eq!(packed.code, 0, "{}", packed.stderr);
    let json = packed.json();
    let names: Vec<_> = json.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["fifteens", "sixes", "tens"]);
    let one =
        pack_package("shared_driver", &["--flash", FLASH, "--memory", MEMORY, "--bin", "tens"]);
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert!(one.stdout.contains("tens.tbf: "), "{}", one.stdout);
}

#[test]
fn a_credential_is_printed_and_looked_at() {
    let places = ["--flash", FLASH, "--memory", MEMORY];
    let list = |file: &str| {
        let listed = quintet(&["apps", "list", file, "--at", "0x30000", "--json"]);
        listed.json()[0]["credential"].as_str().unwrap().to_owned()
    };
    let packed = pack_package("one_process", &[&places[..], &["--json"]].concat()).json();
    assert_eq!(packed[0].get("sha256"), None);
    let file = packed[0]["output"].as_str().unwrap();
    assert_eq!(list(file), "none");
    let packed = pack_package("one_process", &[&places[..], &["--sha256"]].concat());
    let (_, digest) = packed.stdout.trim().split_once(", SHA-256 ").expect("it is printed");
    assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    assert_eq!(list(file), "right");
    // Its header says that it isn't to run; the credential is of the application that does.
    assert_eq!(quintet(&["apps", "disable", file, "greeter", "--at", "0x30000"]).code, 0);
    assert_eq!(list(file), "right");
    let mut bytes = std::fs::read(file).unwrap();
    bytes[0x100] ^= 1;
    let wrong = temporary("wrong.bin", &bytes);
    assert_eq!(list(&wrong), "wrong");
    assert_eq!(quintet(&["apps", "enable", &wrong, "greeter", "--at", "0x30000"]).code, 0);
    let text = quintet(&["apps", "list", &wrong, "--at", "0x30000"]).stdout;
    assert!(text.contains("its SHA-256 is wrong: install it again"), "{text}");
}

#[test]
fn what_can_not_be_packed_is_told_with_the_way_out() {
    let at = |flash, memory| ["--flash", flash, "--memory", memory];
    pack_package("one_process", &[]).fails(
        120,
        &["nothing says where the applications", "--kernel FILE, or the room by --flash"],
    );
    let none = [&at(FLASH, MEMORY)[..], &["--bin", "nobody"]].concat();
    pack_package("one_process", &none)
        .fails(120, &["no bin target named `nobody`", "cargo could not build the applications"]);
    pack_package("one_process", &at("0x30000..0x30400", MEMORY))
        .fails(120, &["greeter takes 0x00030000 to", "ends at 0x00030400: give `flash`"]);
    pack_package("one_process", &at(FLASH, "0x20008000..0x20008200"))
        .fails(120, &["greeter needs ", "ends at 0x20008200: give `memory`", "stack = BYTES"]);
    pack_package("one_process", &at("0x30000..0x30000", MEMORY))
        .fails(2, &["the range 0x30000..0x30000 is empty"]);
    let named = [&at(FLASH, MEMORY)[..], &["--name", "one"]].concat();
    pack_package("shared_driver", &named)
        .fails(120, &["--name is of one application", "has 3: name one by --bin"]);
}

#[test]
fn what_is_no_crate_or_kernel_is_told() {
    let hello = support::program("hello");
    let output = temporary("hello.tbf", b"");
    quintet(&["pack", &hello, "-o", &output, "--flash", FLASH, "--memory", MEMORY])
        .fails(120, &["it has no relocations, so it can't be moved", "--emit-relocs"]);
    quintet(&["pack", &hello, "-o", &output, "--kernel", &hello])
        .fails(120, &["cannot use the kernel", "the kernel has no processes"]);
    quintet(&["pack", &hello, "-o", &output, "--bin", "a"])
        .fails(120, &["is a file: --bin and --example name programs of a crate"]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").display().to_string();
    quintet(&["pack", &source, "-o", &output, "--flash", FLASH, "--memory", MEMORY])
        .fails(120, &["has no Cargo.toml: name the directory of a crate, or an ELF file"]);
    quintet(&["run", &hello, "--process", &source]).fails(120, &["the kernel has no processes"]);
}
