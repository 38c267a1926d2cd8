//! What is dropped on the page, told apart by what is in it.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use quintet_lab::firmware::{Firmware, facts};
use quintet_lab::process::place::{self, Application};
use quintet_lab::process::tbf::Header;
use quintet_sim::board::Board;
use quintet_sim::image::{Format, ImageError};
use quintet_sim::script::Script;
use toml::Table;

/// A file that somebody has read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its name, for messages and as the firmware's command line.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a run is made of.
pub struct Opened {
    /// The firmware, with what was put beside it.
    pub firmware: Firmware,
    /// What the framework's macro has left in it, if anything.
    pub facts: Option<String>,
    /// The board.
    pub board: Board,
    /// The inputs from outside.
    pub inputs: Option<Script>,
}

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Firmware,
    /// An application in the Tock binary format.
    Application,
    Board,
    Inputs,
}

impl File {
    /// The kind, by the contents; text by its name too, as anything may be text.
    fn kind(&self) -> anyhow::Result<Kind> {
        if self.name.to_lowercase().ends_with(".toml") {
            let table: Table = self.text()?.parse().with_context(|| self.name.clone())?;
            // What every board has, and no list of inputs.
            return Ok(if table.contains_key("core") { Kind::Board } else { Kind::Inputs });
        }
        let is_application = Format::of(&self.bytes).is_none() && Header::read(&self.bytes).is_ok();
        Ok(if is_application { Kind::Application } else { Kind::Firmware })
    }

    fn text(&self) -> anyhow::Result<&str> {
        std::str::from_utf8(&self.bytes).with_context(|| format!("{} is no text", self.name))
    }
}

/// Opens files for a run on a built-in board, or on the board that is among the files.
///
/// The first firmware is the application; others, as a bootloader, are loaded too.
///
/// # Errors
/// Those of the command `quintet run`, and what is missing or there twice.
pub fn open(files: &[File], board: &str) -> anyhow::Result<Opened> {
    let mut sorted = Vec::new();
    for file in files {
        sorted.push((file.kind()?, file));
    }
    let of = |kind| sorted.iter().filter(move |one| one.0 == kind).map(|one| one.1);
    let board = match only(of(Kind::Board), "board files")? {
        Some(file) => Board::parse(file.text()?, &file.name)?,
        None => Board::named(board)?,
    };
    let mut images = of(Kind::Firmware);
    let first = images.next().context(
        "there is no firmware among the files: drop its ELF file too (Intel HEX, S-record and UF2 \
         files will do)",
    )?;
    let mut firmware = load(first, &board)?;
    for file in images {
        firmware.add(load(file, &board)?, &board)?;
    }
    let applications: Vec<Application<'_>> = of(Kind::Application)
        .map(|file| Application { file: &file.name, bytes: &file.bytes })
        .collect();
    if !applications.is_empty() {
        place::put_behind(&mut firmware, &applications, &board)?;
    }
    let inputs = match only(of(Kind::Inputs), "files of inputs")? {
        Some(file) => Some(Script::parse(file.text()?, &board).with_context(|| file.name.clone())?),
        None => None,
    };
    // Only ELF files have facts.
    let facts = facts::read(&first.bytes).ok().flatten();
    Ok(Opened { firmware, facts, board, inputs })
}

fn load(file: &File, board: &Board) -> anyhow::Result<Firmware> {
    let path = Path::new(&file.name);
    Firmware::of_bytes(path, &file.bytes, None, &board.target()).map_err(|error| {
        match error.downcast_ref::<ImageError>() {
            Some(ImageError::Unknown { .. }) => anyhow!(
                "{error:#} (the page takes files that say where they are loaded; `quintet run \
                 --load ADDRESS` runs a raw image)"
            ),
            _ => error,
        }
    })
}

/// The one file, if there is one.
fn only<'a>(
    mut files: impl Iterator<Item = &'a File>,
    what: &str,
) -> anyhow::Result<Option<&'a File>> {
    let first = files.next();
    if let (Some(first), Some(second)) = (first, files.next()) {
        bail!("{} and {} are both {what}: drop one of them", first.name, second.name);
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tests::hello;

    fn file(name: &str, bytes: &[u8]) -> File {
        File { name: name.to_owned(), bytes: bytes.to_vec() }
    }

    fn refusal(files: &[File], board: &str) -> String {
        let error = open(files, board).err().expect("it is refused");
        quintet_lab::output::in_words(&error)
    }

    const BOARD: &str = include_str!("../../quintet-sim/boards/stm32f103.toml");

    #[test]
    fn files_are_told_apart_by_what_is_in_them() {
        let inputs = b"[[input]]\nat_us = 10\npend = 16\n";
        let kinds = [
            (hello(), Kind::Firmware),
            (file("a.toml", BOARD.as_bytes()), Kind::Board),
            (file("b.TOML", inputs), Kind::Inputs),
            (file("anything", b"anything"), Kind::Firmware),
        ];
        for (file, kind) in kinds {
            assert_eq!(file.kind().unwrap(), kind, "{}", file.name);
        }
    }

    #[test]
    fn a_board_among_the_files_goes_before_the_chosen_one() {
        let board = file("mine.toml", BOARD.replace("stm32f103", "mine").as_bytes());
        let error = refusal(&[hello(), board.clone(), board], "lm3s6965");
        assert_eq!(error, "mine.toml and mine.toml are both board files: drop one of them");
        assert!(refusal(&[hello()], "mine").contains("mine"));
        let broken = file("mine.toml", b"core = \"cortex-m3\"\n");
        assert!(refusal(&[hello(), broken], "lm3s6965").contains("mine.toml"));
    }

    #[test]
    fn wrong_files_are_refused_by_name_with_a_way_out() {
        assert!(refusal(&[], "lm3s6965").contains("drop its ELF file too"));
        let text = refusal(&[file("a.txt", b"no firmware")], "lm3s6965");
        assert!(text.starts_with("cannot load a.txt: neither an ELF file"), "{text}");
        assert!(text.ends_with("`quintet run --load ADDRESS` runs a raw image)"), "{text}");
        let text = refusal(&[hello(), file("b.toml", b"\xff")], "lm3s6965");
        assert!(text.starts_with("b.toml is no text"), "{text}");
        let text = refusal(&[hello(), file("b.toml", b"x = ")], "lm3s6965");
        assert!(text.starts_with("b.toml: "), "{text}");
        let text = refusal(&[hello(), hello()], "lm3s6965");
        assert!(text.contains("both load"), "{text}");
    }
}
