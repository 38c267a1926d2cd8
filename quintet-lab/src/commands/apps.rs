//! `quintet apps`: the applications in a kernel's flash: lists, installs, enables and removes them,
//! in a flash dump, or in an image of the kernel with its applications.

use crate::commands::options::parse_range;
use crate::exit::Outcome;
use crate::firmware::symbols::parse_number;
use crate::input;
use crate::output;
use crate::process::credential::State;
use crate::process::flash::{Flash, Installed};
use crate::process::held::{self, Beside};
use crate::process::pack::image_of;
use crate::process::place;
use crate::process::tab::{Tab, is_tab};
use anyhow::{Context, bail, ensure};
use quintet_sim::image::Format;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quintet apps list dump.bin --at 0x40000
  quintet apps install dump.bin blink.tab hello.tbf --at 0x40000 --arch cortex-m4
  quintet apps disable dump.bin blink --at 0x40000
  quintet apps uninstall dump.bin blink --kernel kernel -o new.bin
  quintet apps list product.hex --at 0x40000      an image: HEX, ELF, UF2 or S-record
  quintet apps install product.uf2 blink.tab --kernel kernel -o product.hex

A dump is the raw content of flash, as tockloader, OpenOCD or probe-rs read it, from the
first application on; --at is the address of that, or --kernel the kernel that says it by
a symbol. A file that isn't there yet is made by `install`, as large as the kernel's
flash for applications. Applications come as .tbf or .tab; one with the name of another
replaces that. All others keep their addresses and their bytes. A result is raw flash,
or the whole image as Intel HEX where the name of -o, or of the image, ends in .hex.";

/// List, install, enable, disable and uninstall applications in a flash dump
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

/// The flash.
#[derive(clap::Args, Debug)]
struct Where {
    /// The dump: the raw content of flash from the first application on; or an image
    file: PathBuf,
    /// The address of the dump's first byte
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number, conflicts_with = "kernel")]
    at: Option<u32>,
    /// The flash for applications, as BEGIN..END, where the dump isn't all of it
    #[arg(
        long,
        value_name = "RANGE",
        value_parser = parse_range,
        conflicts_with_all = ["kernel", "at"]
    )]
    flash: Option<(u32, u32)>,
    /// The kernel whose applications these are: it says where its flash for them is
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,
}

/// Where the result is written.
#[derive(clap::Args, Debug)]
struct Destination {
    /// Write the result there, and leave the dump as it is
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The form of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The content of flash.
    Raw,
    /// The whole image, as Intel HEX.
    Hex,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List the applications
    List {
        #[command(flatten)]
        place: Where,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Install applications, or update those with the same names
    Install {
        #[command(flatten)]
        place: Where,
        /// The applications: .tbf or .tab files
        #[arg(required = true)]
        applications: Vec<PathBuf>,
        /// The processor, as bundles name it (cortex-m3, cortex-m4, ...): which file of a .tab
        #[arg(long, value_name = "NAME")]
        arch: Option<String>,
        #[command(flatten)]
        destination: Destination,
    },
    /// Let applications run from the next start on
    Enable(Named),
    /// Keep applications in flash, but don't run them
    Disable(Named),
    /// Remove applications
    Uninstall(Named),
}

/// Applications that are there.
#[derive(clap::Args, Debug)]
struct Named {
    #[command(flatten)]
    place: Where,
    /// Their names
    #[arg(required = true)]
    names: Vec<String>,
    #[command(flatten)]
    destination: Destination,
}

/// An application in the list.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    address: u32,
    bytes: u32,
    memory: u32,
    enabled: bool,
    linked_for_a_place: bool,
    credential: State,
}

impl Arguments {
    /// Does it.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match &self.action {
            Action::List { place, json } => list(&place.open(false)?.0, *json)?,
            Action::Install { place, applications, arch, destination } => {
                let (mut flash, beside) = place.open(true)?;
                let form = place.form(beside.as_ref(), destination)?;
                for file in applications {
                    let bytes = application(file, arch.as_deref(), flash.range())?;
                    let context = || format!("cannot install {}", file.display());
                    flash.install(&bytes).with_context(context)?;
                }
                place.store(flash, (form, beside), destination)?;
            }
            Action::Enable(named) => named.change(|flash, name| flash.enable(name, true))?,
            Action::Disable(named) => named.change(|flash, name| flash.enable(name, false))?,
            Action::Uninstall(named) => named.change(Flash::uninstall)?,
        }
        Ok(Outcome::Done)
    }
}

impl Named {
    /// Changes each of the applications, and stores the result if all went well.
    fn change(&self, one: impl Fn(&mut Flash, &str) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let (mut flash, beside) = self.place.open(false)?;
        let form = self.place.form(beside.as_ref(), &self.destination)?;
        for name in &self.names {
            one(&mut flash, name)
                .with_context(|| format!("cannot change {}", self.place.file.display()))?;
        }
        self.place.store(flash, (form, beside), &self.destination)
    }
}

impl Where {
    /// Reads the flash; that of a file that isn't there is erased, if it `may_be_new`. Of an image,
    /// returns also what lies beside.
    fn open(&self, may_be_new: bool) -> anyhow::Result<(Flash, Option<Beside>)> {
        let name = self.file.display();
        let range = match (&self.kernel, self.flash) {
            (Some(kernel), _) => {
                let context = || format!("cannot use the kernel {}", kernel.display());
                let image = image_of(&input::firmware(kernel)?).with_context(context)?;
                Some(place::flash(&image).with_context(context)?)
            }
            (None, range) => range,
        };
        let Some(begin) = range.map(|range| range.0).or(self.at) else {
            bail!(
                "nothing says where {name} lies: give the address of its first byte by --at, its \
                 range by --flash, or its kernel by --kernel"
            );
        };
        let size = range.map(|(begin, end)| (end - begin) as usize);
        let mut bytes = match size {
            Some(size) if may_be_new && !self.file.exists() => vec![0xff; size],
            _ => input::firmware(&self.file)?,
        };
        let mut beside = None;
        if let Some(format) = Format::of(&bytes) {
            let range = (begin, range.map(|range| range.1));
            let (flash, rest) =
                held::take(&bytes, format, range).with_context(|| format!("cannot read {name}"))?;
            (bytes, beside) = (flash, Some(rest));
        }
        if let Some(size) = size {
            ensure!(
                bytes.len() <= size,
                "{name} has {} bytes, and the flash for applications has {size}: cut it to that, \
                 or name its range by --flash",
                bytes.len()
            );
            bytes.resize(size, 0xff);
        }
        let flash = Flash::read(begin, bytes).with_context(|| format!("cannot read {name}"))?;
        Ok((flash, beside))
    }

    /// The form of the result. Refuses to write raw flash over an image.
    fn form(&self, image: Option<&Beside>, destination: &Destination) -> anyhow::Result<Form> {
        let file = destination.output.as_deref().unwrap_or(&self.file);
        let is_hex = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("hex"));
        match image {
            _ if is_hex => Ok(Form::Hex),
            Some(beside) if destination.output.is_none() && beside.format == Format::IntelHex => {
                Ok(Form::Hex)
            }
            Some(beside) if destination.output.is_none() => bail!(
                "{} is {}, which is read and not written: give -o FILE.hex for the whole image, or \
                 -o FILE.bin for the flash of applications alone",
                self.file.display(),
                beside.format.name()
            ),
            _ => Ok(Form::Raw),
        }
    }

    fn store(
        &self,
        flash: Flash,
        (form, beside): (Form, Option<Beside>),
        destination: &Destination,
    ) -> anyhow::Result<()> {
        let text = table(&flash)?;
        let file = destination.output.as_deref().unwrap_or(&self.file);
        let begin = flash.range().0;
        let used = flash.used();
        let mut bytes = flash.into_bytes();
        if form == Form::Hex {
            bytes = beside.unwrap_or_default().hex(begin, &bytes[..used]).into_bytes();
        }
        output::write(file, &bytes)?;
        output::print(&text)
    }
}

/// Returns the application in a file, which may be a bundle.
fn application(file: &Path, arch: Option<&str>, flash: (u32, u32)) -> anyhow::Result<Vec<u8>> {
    let bytes = input::firmware(file)?;
    if !is_tab(file) {
        return Ok(bytes);
    }
    let context = || format!("cannot use {}", file.display());
    let tab = Tab::read(&bytes).with_context(context)?;
    tab.choose(arch, flash).map(<[u8]>::to_vec).with_context(context)
}

fn list(flash: &Flash, json: bool) -> anyhow::Result<()> {
    if !json {
        return output::print(&table(flash)?);
    }
    let all = flash.applications.iter().map(|one| listed(flash, one));
    output::print_json(&all.collect::<anyhow::Result<Vec<_>>>()?)
}

fn listed<'a>(flash: &Flash, one: &'a Installed) -> anyhow::Result<Listed<'a>> {
    Ok(Listed {
        name: &one.header.name,
        address: one.address,
        bytes: one.header.total_size,
        memory: one.header.memory.unwrap_or_default(),
        enabled: one.header.is_enabled,
        linked_for_a_place: one.header.fixed_flash.is_some(),
        credential: flash.credential(one)?,
    })
}

/// The applications for people, a line each.
fn table(flash: &Flash) -> anyhow::Result<String> {
    if flash.applications.is_empty() {
        return Ok("no applications\n".into());
    }
    let line = |one: &Installed| {
        let header = &one.header;
        let disabled = if header.is_enabled { "" } else { ", disabled" };
        let credential = match flash.credential(one)? {
            State::None => "",
            State::Right => ", its SHA-256 is right",
            State::Wrong => ", its SHA-256 is wrong: install it again",
        };
        Ok(format!(
            "{:#010x}  {}: {} bytes, {} of memory{disabled}{credential}\n",
            one.address,
            header.name,
            header.total_size,
            header.memory.unwrap_or_default()
        ))
    };
    flash.applications.iter().map(line).collect()
}
