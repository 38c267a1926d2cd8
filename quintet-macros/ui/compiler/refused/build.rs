//! Makes one program of all applications in `ui/`, a module for each, so that one run of the
//! compiler shows what it says of them. And gives the linker its script, for what only it refuses.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo:rerun-if-changed={}", ui.display());
    let mut files = fs::read_dir(ui)
        .expect("the directory is there")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect::<Vec<_>>();
    // A module in another file can't come from a macro, which `include!` is.
    files.retain(|path| !path.ends_with("r01_module_in_another_file.rs"));
    files.sort();
    let mut program = String::new();
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("the name is UTF-8");
        let text = fs::read_to_string(&file).expect("the file can be read");
        // What stands at the top of a file can't stand in a module that comes from a macro.
        let lines =
            text.lines().filter(|line| !line.starts_with("#![") && !line.starts_with("//!"));
        let text = lines.collect::<Vec<_>>().join("\n");
        // The only import of the crate that handles panics.
        let text = text.replacen("mod app {", "mod app { use panic_halt as _;", 1);
        writeln!(program, "mod {name} {{\n{text}\n}}").expect("strings take everything");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("applications.rs"), program).expect("the file can be written");
    let memory = "MEMORY {\n  FLASH : ORIGIN = 0, LENGTH = 256K\n  \
                  RAM : ORIGIN = 0x20000000, LENGTH = 64K\n}\n";
    fs::write(out.join("memory.x"), memory).expect("the file can be written");
    println!("cargo:rustc-link-search={}", out.display());
    for name in ["without_clock", "without_kernel"] {
        println!("cargo:rustc-link-arg-bin={name}=-Tlink.x");
    }
}
