//! An author debugs a process as he debugs the kernel: the commands know its functions and lines.

mod support;

use std::path::{Path, PathBuf};

use support::{Finished, temporary};

/// The kernels, and their processes in `apps`.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes")
}

/// A kernel of the examples.
fn kernel(name: &str) -> String {
    support::example(&examples(), name)
}

/// Calls `quintet`, which builds applications beside other firmware.
fn quintet(arguments: &[&str]) -> Finished {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(arguments).env("CARGO_TARGET_DIR", support::target_directory());
    Finished::new(command.output().expect("quintet starts"))
}

fn crash_and_restart() -> [String; 2] {
    let apps = examples().join("apps/crash_and_restart").display().to_string();
    [kernel("crash_and_restart"), apps]
}

/// An application of the tests, as `--process` has it.
fn application(name: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/applications");
    format!("{}:{name}", directory.display())
}

/// Packs an application of the tests for a kernel, in a directory of its own. Returns the file
/// without its end.
fn packed(kernel: &str, test: &str, options: &[&str]) -> String {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let output = directory.display().to_string();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/applications");
    let path = path.display().to_string();
    let line = ["pack", &path, "--bin", "overflows", "--kernel", kernel, "-o", &output];
    let finished = quintet(&[&line[..], options].concat());
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    directory.join("overflows").display().to_string()
}

#[test]
fn a_fault_of_a_process_is_told_with_its_line_and_its_calls() {
    let [kernel, apps] = crash_and_restart();
    let finished = quintet(&["run", &kernel, "--process", &apps]);
    let told = &finished.stderr;
    assert_eq!(finished.code, 0, "{told}");
    assert_eq!(told.matches("process 0 (crasher) has a fault at 0x").count(), 3, "{told}");
    assert!(told.contains("in main (") && told.contains("src/bin/crasher.rs:22)"), "{told}");
    assert!(told.contains("a store of 4 bytes to 0x20000000"), "{told}");
    // The first function has no caller, and what lies above its stack is another process's.
    assert!(!told.contains("[guess"), "{told}");
    assert!(!told.contains("steady.rs"), "{told}");
    let json = quintet(&["run", &kernel, "--process", &apps, "--json"]).json();
    let remarks = json["remarks"].as_array().unwrap();
    assert_eq!(remarks.len(), 3, "{json}");
}

#[test]
fn the_other_commands_know_its_functions_and_lines() {
    let [kernel, apps] = crash_and_restart();
    let profile = quintet(&["profile", &kernel, "--process", &apps, "--top", "0"]);
    assert!(profile.stdout.contains("__quintet_process_start"), "{}", profile.stdout);
    assert!(!profile.stdout.contains("in no function"), "{}", profile.stdout);
    let coverage = quintet(&["coverage", &kernel, "--process", &apps]);
    for file in ["src/bin/crasher.rs", "src/bin/steady.rs", "src/bin/crash_and_restart.rs"] {
        assert!(coverage.stdout.contains(file), "{}", coverage.stdout);
    }
    // By name, the kernel is meant.
    let main = ["measure", &kernel, "--process", &apps, "--from", "main", "--to", "SVCall"];
    let measured = quintet(&main);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
}

#[test]
fn a_stack_overflow_says_where() {
    let kernel = kernel("one_process");
    let finished = quintet(&["run", &kernel, "--process", &application("overflows")]);
    assert!(finished.stdout.contains("overflows: Faulted"), "{}", finished.stdout);
    let told = &finished.stderr;
    assert!(told.contains("process 0 (overflows) has a fault at 0x"), "{told}");
    assert!(told.contains("dig") && told.contains("src/bin/overflows.rs:"), "{told}");
    assert!(told.contains("its stack has overflowed: give it more (`main!(.., stack"), "{told}");
    assert!(told.contains("more times"), "{told}");
}

#[test]
fn semihosting_of_a_process_is_a_fault_unless_it_is_allowed() {
    let kernel = kernel("one_process");
    let application = application("semihosts");
    let refused = quintet(&["run", &kernel, "--process", &application]);
    assert!(refused.stdout.contains("semihosts: Faulted"), "{}", refused.stdout);
    assert!(refused.stderr.contains("src/bin/semihosts.rs:"), "{}", refused.stderr);
    assert!(refused.stderr.contains("serve it by --process-semihosting"), "{}", refused.stderr);
    let allowed = quintet(&["run", &kernel, "--process", &application, "--process-semihosting"]);
    assert_eq!((allowed.code, allowed.stdout.as_str()), (0, ""), "{}", allowed.stderr);
}

#[test]
fn the_elf_file_beside_gives_the_names() {
    let kernel = kernel("one_process");
    let file = packed(&kernel, "names_beside", &[]);
    let (tbf, elf) = (format!("{file}.tbf"), format!("{file}.elf"));
    let beside = quintet(&["run", &kernel, "--process", &tbf]);
    assert!(beside.stderr.contains("src/bin/overflows.rs:"), "{}", beside.stderr);
    // As if the file came from elsewhere.
    let alone = temporary("alone.tbf", &std::fs::read(&tbf).unwrap());
    let nameless = quintet(&["run", &kernel, "--process", &alone]);
    assert!(!nameless.stderr.contains("overflows.rs"), "{}", nameless.stderr);
    let named = quintet(&["run", &kernel, "--process", &alone, "--app-elf", &elf]);
    assert!(named.stderr.contains("src/bin/overflows.rs:"), "{}", named.stderr);
    quintet(&["run", &kernel, "--process", &alone, "--app-elf", &kernel]).fails(
        120,
        &["has other code than overflows: name the ELF file that the application was made from"],
    );
    quintet(&["run", &kernel, "--app-elf", &elf])
        .fails(120, &["has names for an application, and the kernel's flash has none"]);
    quintet(&["run", &kernel, "--process", &alone, "--app-elf", &alone])
        .fails(120, &["cannot use ", "alone.tbf"]);
}

#[test]
fn gdb_is_told_where_a_process_lies() {
    let [kernel, apps] = crash_and_restart();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(["run", &kernel, "--process", &apps, "--gdb=0"]);
    command.env("CARGO_TARGET_DIR", support::target_directory());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("quintet starts");
    let mut stderr = std::io::BufReader::new(child.stderr.take().expect("it is piped"));
    let mut told = String::new();
    while told.matches("add-symbol-file").count() < 2 {
        let count = std::io::BufRead::read_line(&mut stderr, &mut told).expect("it is text");
        assert!(count > 0, "{told}");
    }
    child.kill().expect("it waits for GDB");
    child.wait().expect("it has ended");
    assert!(told.contains("crasher -s .text 0x200"), "{told}");
    assert!(told.contains(" -s .stack 0x20004000 -s .data 0x20004800 "), "{told}");
}

#[test]
fn bundles_are_packed_installed_and_run() {
    let kernel = kernel("one_process");
    let file = packed(&kernel, "bundles", &["--tab"]);
    let tab = format!("{file}.tab");
    let run = quintet(&["run", &kernel, "--process", &tab]);
    assert!(run.stdout.contains("overflows: Faulted"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("src/bin/overflows.rs:"), "{}", run.stderr);

    let dump = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bundles/dump.bin");
    drop(std::fs::remove_file(&dump));
    let dump = dump.display().to_string();
    let on_dump = |action: &str, more: &[&str]| {
        let line = ["apps", action, &dump];
        quintet(&[&line[..], more, &["--kernel", &kernel]].concat())
    };
    let installed = on_dump("install", &[&tab]);
    assert!(installed.stdout.contains("0x00020000  overflows: "), "{}", installed.stderr);
    assert!(on_dump("disable", &["overflows"]).stdout.contains("of memory, disabled"));
    let before = std::fs::read(&dump).unwrap();
    on_dump("uninstall", &["nobody"]).fails(120, &["no application is named nobody; there are: "]);
    assert_eq!(std::fs::read(&dump).unwrap(), before, "bad input loses nothing");
    let listed = on_dump("list", &["--json"]).json();
    assert_eq!((&listed[0]["name"], &listed[0]["enabled"]), (&"overflows".into(), &false.into()));
    assert!(on_dump("enable", &["overflows"]).stdout.ends_with("of memory\n"));
    // The dump runs beside the kernel, and the ELF file gives the names.
    let also = format!("{dump}@0x20000");
    let elf = format!("{file}.elf");
    let run = quintet(&["run", &kernel, "--also", &also, "--app-elf", &elf]);
    assert!(run.stderr.contains("src/bin/overflows.rs:"), "{}{}", run.stdout, run.stderr);
    // The kernel's image with the application, from the ELF file to HEX and on.
    let hex = temporary("bundles_product.hex", b"");
    let on_kernel = ["apps", "install", &kernel, &tab, "--kernel", &kernel];
    quintet(&on_kernel).fails(120, &["which is read and not written: give -o FILE.hex"]);
    let made = quintet(&[&on_kernel[..], &["-o", &hex]].concat());
    assert!(made.stdout.contains("0x00020000  overflows: "), "{}", made.stderr);
    let listed = quintet(&["apps", "list", &hex, "--at", "0x20000", "--json"]).json();
    assert_eq!(listed[0]["name"], "overflows");
    let run = quintet(&["run", &hex]);
    assert!(run.stdout.contains("overflows: Faulted"), "{}{}", run.stdout, run.stderr);
    let gone = quintet(&["apps", "uninstall", &hex, "overflows", "--kernel", &kernel]);
    assert_eq!(gone.stdout, "no applications\n", "{}", gone.stderr);
    assert!(!quintet(&["run", &hex]).stdout.contains("overflows"), "the kernel is still there");
    assert_eq!(on_dump("uninstall", &["overflows"]).stdout, "no applications\n");

    let list = |arguments: &[&str]| quintet(&[&["apps", "list"], arguments].concat());
    list(&[&dump]).fails(120, &["give the address of its first byte by --at"]);
    list(&[&kernel, "--at", "0x20000"]).fails(120, &["it has nothing at 0x00020000"]);
    list(&[&tab, "--at", "0x20000"]).fails(120, &["no application is at 0x00020000"]);
    list(&[&dump, "--flash", "0x20000..0x20100"]).fails(120, &["cut it to that"]);
    let no_tab = temporary("no.tab", b"nothing");
    on_dump("install", &[&no_tab]).fails(120, &["it is no bundle of Tock"]);
}
