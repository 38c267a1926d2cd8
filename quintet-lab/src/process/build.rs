//! Building applications by cargo: the programs of a crate, as ELF files that can be moved.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, ensure};
use object::{Object, ObjectSection};
use quintet_sim::image::{BuiltFor, Image};
use serde_json::Value;

use crate::input;
use crate::process::names::Names;
use crate::process::pack::{Extras, Wishes};
use crate::process::place::{Loose, Room, move_all};
use crate::process::relocate::Movable;
use crate::toolchain::{self, Setup};

/// The target of applications that run on each Cortex-M with processes but that of ARMv6-M.
const CORTEX_M: &str = "thumbv7m-none-eabi";
/// The target of applications for a kernel of ARMv6-M.
const SMALL: &str = "thumbv6m-none-eabi";
/// Those of RISC-V, with atomic instructions and without.
const RISCV: [&str; 2] = ["riscv32imac-unknown-none-elf", "riscv32imc-unknown-none-elf"];

/// The linker's script of `quintet-process`, no pages, so that the ELF header isn't loaded, and the
/// options for moving.
const FLAGS: [&str; 6] =
    ["-C", "link-arg=-Tprocess.x", "-C", "link-arg=--nmagic", "-C", "link-arg=--emit-relocs"];

/// The linker must leave what relocations tell, where it could make code shorter.
const FLAGS_RISCV: [&str; 2] = ["-C", "link-arg=--no-relax"];

/// Returns the target of applications for the kernel in this file.
pub fn target_of(kernel: &[u8]) -> &'static str {
    if !Image::is_riscv_elf(kernel) {
        let built_for = Image::parse_elf(kernel).ok().and_then(|image| image.built_for);
        return if built_for == Some(BuiltFor::V6M) { SMALL } else { CORTEX_M };
    }
    let file = object::File::parse(kernel).ok();
    let attributes = file.as_ref().and_then(|file| file.section_by_name(".riscv.attributes"));
    let text = attributes.and_then(|section| section.data().ok()).unwrap_or_default();
    let [with_atomics, without] = RISCV;
    let has_atomics = text.windows(3).any(|bytes| bytes == b"_a2");
    if has_atomics { with_atomics } else { without }
}

/// The programs of a crate, and their build.
#[derive(Clone, Debug)]
pub struct Crate {
    /// The crate's directory.
    pub directory: PathBuf,
    /// The binaries. If no binary and no example is given, all binaries.
    pub bins: Vec<String>,
    /// The examples.
    pub examples: Vec<String>,
    /// The profile of cargo.
    pub profile: String,
    /// The directory of cargo's output, if it isn't cargo's own choice.
    pub target_directory: Option<PathBuf>,
    /// The target for which cargo builds.
    pub target: String,
}

/// A program that was built.
#[derive(Debug)]
pub struct Built {
    /// The program's name.
    pub name: String,
    /// The parts that can be moved.
    pub movable: Movable,
    /// The ELF file.
    pub elf: Names,
}

/// Splits an argument into a directory and a program in it: `DIRECTORY`, or `DIRECTORY:PROGRAM`.
/// Returns `None` if it is no directory with a manifest.
pub fn of_argument(path: &Path, target: &str) -> Option<Crate> {
    let of = |directory: &Path, bins: &[&str]| {
        directory.join("Cargo.toml").is_file().then(|| Crate {
            directory: directory.to_owned(),
            bins: bins.iter().map(|&bin| bin.to_owned()).collect(),
            examples: Vec::new(),
            profile: "release".to_owned(),
            target_directory: target_directory(),
            target: target.to_owned(),
        })
    };
    of(path, &[]).or_else(|| {
        let (directory, bin) = path.to_str()?.rsplit_once(':')?;
        of(Path::new(directory), &[bin])
    })
}

/// Returns the directory in which the environment wants everything built, for this build too.
pub fn target_directory() -> Option<PathBuf> {
    std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from)
}

impl Crate {
    /// Builds the programs, in the order of their names.
    pub fn build(&self) -> anyhow::Result<Vec<Built>> {
        let name = self.directory.display();
        ensure!(
            self.directory.join("Cargo.toml").is_file(),
            "{name} has no Cargo.toml: name the directory of a crate, or an ELF file"
        );
        let mut files = self.cargo()?;
        ensure!(
            !files.is_empty(),
            "{name} has no programs: an application is a file in src/bin, or src/main.rs"
        );
        files.sort();
        let read = |(name, file): (String, PathBuf)| {
            let bytes = input::firmware(&file)?;
            let movable = Movable::read(&bytes)
                .with_context(|| format!("cannot make an application of {}", file.display()))?;
            Ok(Built { name, movable, elf: Names { file, bytes, is_asked_for: false } })
        };
        files.into_iter().map(read).collect()
    }

    /// Calls cargo. Returns each program's name and file.
    fn cargo(&self) -> anyhow::Result<Vec<(String, PathBuf)>> {
        let (workspace, profile) = (&self.directory, &self.profile);
        let mut flags = FLAGS.to_vec();
        if self.target.starts_with("riscv") {
            flags.extend(FLAGS_RISCV);
        }
        let setup = Setup { workspace, target: &self.target, profile, flags: &flags };
        let mut command = toolchain::cargo(&setup)?;
        command.args(["build", "--quiet", "--target", &self.target, "--profile", &self.profile]);
        command.arg("--message-format=json-render-diagnostics");
        if self.bins.is_empty() && self.examples.is_empty() {
            command.arg("--bins");
        }
        command.args(self.bins.iter().flat_map(|bin| ["--bin", bin]));
        command.args(self.examples.iter().flat_map(|example| ["--example", example]));
        if let Some(directory) = &self.target_directory {
            command.env("CARGO_TARGET_DIR", directory);
        }
        let output = command.stderr(Stdio::inherit()).output().context("cargo could not start")?;
        ensure!(
            output.status.success(),
            "cargo could not build the applications in {} (it says why above)",
            self.directory.display()
        );
        Ok(programs(&String::from_utf8_lossy(&output.stdout)))
    }
}

/// The programs among cargo's messages, a line of JSON each.
fn programs(messages: &str) -> Vec<(String, PathBuf)> {
    let program = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let executable = message.get("executable")?.as_str()?;
        let name = message.get("target")?.get("name")?.as_str()?;
        Some((name.to_owned(), PathBuf::from(executable)))
    };
    messages.lines().filter_map(program).collect()
}

/// Moves programs into the room behind a kernel. Returns each program's name and content.
pub fn pack_all(
    built: &[Built],
    room: &Room,
    Extras { heap, sha256 }: Extras,
) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let loose = |built: &Built| built.name.clone();
    let names: Vec<_> = built.iter().map(loose).collect();
    let applications: Vec<_> = built
        .iter()
        .map(|built| {
            let wishes = Wishes { name: &built.name, heap, sha256 };
            Loose { wishes, movable: &built.movable }
        })
        .collect();
    let packed = move_all(room, &applications)?;
    Ok(names.into_iter().zip(packed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_among_the_messages() {
        let messages = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"a\"},\
                        \"executable\":null}\nno JSON\n\
                        {\"target\":{\"name\":\"b\"},\"executable\":\"/t/b\"}\n";
        assert_eq!(programs(messages), [("b".to_owned(), PathBuf::from("/t/b"))]);
    }

    #[test]
    fn an_argument_may_name_one_program_of_a_directory() {
        let root = crate::project::root().unwrap().join("quintet-lab");
        assert!(of_argument(&root, CORTEX_M).unwrap().bins.is_empty());
        let one = of_argument(Path::new(&format!("{}:quintet", root.display())), CORTEX_M).unwrap();
        assert_eq!((one.directory, one.bins), (root.clone(), vec!["quintet".to_owned()]));
        assert!(of_argument(&root.join("src"), CORTEX_M).is_none());
        assert!(of_argument(Path::new("a.tbf"), CORTEX_M).is_none());
    }

    #[test]
    fn a_directory_without_a_crate_is_refused() {
        let directory = crate::project::root().unwrap().join("docs");
        let wanted = Crate {
            directory,
            bins: Vec::new(),
            examples: Vec::new(),
            profile: "release".to_owned(),
            target_directory: None,
            target: CORTEX_M.to_owned(),
        };
        let message = wanted.build().unwrap_err().to_string();
        assert!(message.ends_with("name the directory of a crate, or an ELF file"), "{message}");
    }
}
