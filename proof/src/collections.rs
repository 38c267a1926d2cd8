//! Firmware with a written output: the programs of each workspace, and how they are run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use quintet_lab::process::build::{Crate, pack_all, target_of};
use quintet_lab::process::pack::{Extras, image_of};
use quintet_lab::process::place::{self, Application, Room};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::Machine;
use quintet_sim::script::Script;

use crate::firmware::{output, root};

/// No program runs longer than this many cycles (over 10 s on these boards).
pub const CYCLES_MAX: u64 = 200_000_000;

/// Applications by name, in the Tock binary format.
pub type Packed = Vec<(String, Vec<u8>)>;

/// A workspace of firmware: a binary for each file in `src/bin`, and `NAME.out` beside the
/// manifest.
pub struct Collection {
    /// The directory of the workspace.
    pub directory: &'static str,
    /// The target of the programs.
    pub target: &'static str,
    /// The simulator's board: its name, or its file.
    board: &'static str,
    /// QEMU's machine of the same chip.
    pub machine: &'static str,
    /// The directory of `NAME.out`, seen from the workspace.
    outputs: &'static str,
}

/// Every workspace with written outputs.
pub const COLLECTIONS: [Collection; 5] = [
    Collection {
        directory: "examples",
        target: "thumbv7m-none-eabi",
        board: "lm3s6965",
        machine: "lm3s6965evb",
        outputs: ".",
    },
    Collection {
        directory: "examples/microbit",
        target: "thumbv6m-none-eabi",
        board: "examples/microbit/microbit.toml",
        machine: "microbit",
        outputs: ".",
    },
    Collection {
        directory: "examples/tick",
        target: "thumbv7m-none-eabi",
        board: "lm3s6965",
        machine: "lm3s6965evb",
        outputs: ".",
    },
    Collection {
        directory: "examples/processes",
        target: "thumbv7m-none-eabi",
        board: "lm3s6965",
        machine: "lm3s6965evb",
        outputs: ".",
    },
    Collection {
        directory: "proof/firmware/behaviours",
        target: "thumbv7m-none-eabi",
        board: "lm3s6965",
        machine: "lm3s6965evb",
        outputs: "src/bin",
    },
];

impl Collection {
    /// The root of the workspace.
    pub fn path(&self) -> PathBuf {
        root().join(self.directory)
    }

    /// The file with the expected output of a binary.
    pub fn output(&self, name: &str) -> PathBuf {
        self.path().join(self.outputs).join(format!("{name}.out"))
    }

    /// The names of the binaries, sorted.
    pub fn names(&self) -> Result<Vec<String>> {
        let directory = self.path().join("src/bin");
        let entries = std::fs::read_dir(&directory)
            .with_context(|| format!("cannot list {}", directory.display()))?;
        let mut names = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the board's name for messages.
    pub fn board_name(&self) -> &str {
        let file = self.board.rsplit('/').next().unwrap_or(self.board);
        file.trim_end_matches(".toml")
    }

    /// Returns the file of inputs for a binary, if it has one.
    pub fn inputs(&self, name: &str) -> Option<PathBuf> {
        Some(self.path().join(format!("{name}.toml"))).filter(|inputs| inputs.exists())
    }

    /// Returns the processes of a kernel, built from the crate with its name in `apps`: their
    /// address in flash, and the bytes. `None` for a collection without processes.
    pub fn processes(&self, name: &str, kernel: &Path) -> Result<Option<(u32, Vec<u8>)>> {
        let Some((room, packed)) = self.packed(name, kernel)? else { return Ok(None) };
        let applications: Vec<_> =
            packed.iter().map(|(file, bytes)| Application { file, bytes }).collect();
        Ok(Some((room.flash.0, place::place(room.flash, &applications)?)))
    }

    /// The same in parts: the kernel's room, and the name of each process with its file in the Tock
    /// binary format.
    pub fn packed(&self, name: &str, kernel: &Path) -> Result<Option<(Room, Packed)>> {
        let directory = self.path().join("apps").join(name);
        if !directory.is_dir() {
            return Ok(None);
        }
        let kernel_bytes = std::fs::read(kernel)?;
        let wanted = Crate {
            directory,
            bins: Vec::new(),
            examples: Vec::new(),
            profile: "release".to_owned(),
            target_directory: Some(output()),
            target: target_of(&kernel_bytes).to_owned(),
        };
        let built = wanted.build()?;
        let room = place::room(&image_of(&kernel_bytes)?)?;
        let packed = pack_all(&built, &room, Extras::default())?;
        Ok(Some((room, packed)))
    }

    /// A machine with the image of a binary in it, and its processes, after reset.
    pub fn load(&self, name: &str, image: &Path) -> Result<Machine> {
        let board = if self.board.contains('/') {
            Board::from_file(&root().join(self.board))?
        } else {
            Board::named(self.board)?
        };
        let mut machine = load(&board, image, self.inputs(name).as_deref())?;
        if let Some((address, bytes)) = self.processes(name, image)? {
            machine.load(&Image::raw(&bytes, address)?)?;
            machine.reset();
        }
        Ok(machine)
    }
}

/// A machine with an image in it, after reset.
pub fn load(board: &Board, image: &Path, inputs: Option<&Path>) -> Result<Machine> {
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut machine = Machine::new(board);
    machine.load(&Image::parse_elf(&read(image)?)?)?;
    if let Some(inputs) = inputs {
        let text = String::from_utf8_lossy(&read(inputs)?).into_owned();
        machine.set_script(Script::parse(&text, board)?);
    }
    machine.reset();
    Ok(machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_a_written_output() {
        for collection in &COLLECTIONS {
            let names = collection.names().unwrap();
            assert!(!names.is_empty(), "{}", collection.directory);
            for name in &names {
                let path = collection.output(name);
                assert!(path.exists(), "{} is missing", path.display());
            }
        }
    }
}
