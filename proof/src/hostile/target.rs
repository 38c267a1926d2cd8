//! The target of the attack, and the attacker: a kernel and two applications, built.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_lab::process::pack::{Wishes, pack};
use quintet_lab::process::place::{self, Application};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::Machine;

use crate::campaign::{Processor, SMALL, TARGET};
use crate::firmware::{build_in, root};
use crate::random::Random;
use crate::random_code;

/// The random code of the hostile process, and whether it has floating-point registers; both in its
/// flash.
const JUNK: &str = "JUNK";
const FLOATS: &str = "FLOATS";
/// No instruction of it does this: the call of a debugger's host, which no processor has.
const SEMIHOSTING: u16 = 0xbeab;

/// The target of the attack, and the attacker.
pub struct Target {
    /// The kernel.
    pub kernel: Image,
    /// What runs it.
    pub processor: Processor,
    steady: Image,
    hostile: Image,
}

impl Target {
    /// Builds them for a processor.
    pub fn build(processor: Processor) -> Result<Self> {
        Self::of(&root(), processor)
    }

    /// The same, with the kernel of a tree. The applications use floating-point registers only by
    /// instructions that are written as such, which any target takes.
    pub fn of(tree: &Path, processor: Processor) -> Result<Self> {
        let kernels = tree.join("proof/firmware/processes");
        let features = if processor.floats { "floats" } else { "" };
        let arguments = ["--bin", "besieged", "--features", features];
        let kernels = build_in(&kernels, &arguments, processor.target)?;
        let kernel = read(&kernels.join("besieged"))?;
        let applications = root().join("proof/firmware/process-apps");
        let bins = ["--bin", "steady", "--bin", "hostile"];
        let target = if processor.target == SMALL.target { SMALL.target } else { TARGET };
        let applications = build_in(&applications, &bins, target)?;
        let [steady, hostile] = ["steady", "hostile"].map(|name| read(&applications.join(name)));
        Ok(Self { kernel, processor, steady: steady?, hostile: hostile? })
    }

    /// Returns the machine with all parts, after reset. The random code comes from `random`.
    pub fn machine(&self, random: &mut Random) -> Result<Machine> {
        let mut hostile = self.hostile.clone();
        fill(words_of(&mut hostile, JUNK)?, self.processor.floats, random);
        let floats = u32::from(self.processor.floats);
        words_of(&mut hostile, FLOATS)?.copy_from_slice(&floats.to_le_bytes());
        let applications = [
            pack(&self.steady, &Wishes { name: "steady", heap: 0, sha256: false })?,
            pack(&hostile, &Wishes { name: "hostile", heap: 1024, sha256: false })?,
        ];
        let named: Vec<_> =
            applications.iter().map(|bytes| Application { file: "it", bytes }).collect();
        let flash = place::flash(&self.kernel)?;
        let placed = place::place(flash, &named)?;
        let mut machine = Machine::new(&Board::find(self.processor.board)?);
        machine.load(&self.kernel)?;
        machine.load(&Image::raw(&placed, flash.0)?)?;
        // A breakpoint is the process's fault, and does not reach the host.
        machine.processor.semihosting = false;
        machine.reset();
        Ok(machine)
    }

    /// The first functions of the applications.
    pub fn entries(&self) -> Result<[u32; 2]> {
        let entry = |image: &Image| image.entry.context("an application has no entry");
        Ok([entry(&self.steady)? & !1, entry(&self.hostile)? & !1])
    }

    /// Returns the address of a symbol of the kernel.
    pub fn address(&self, name: &str) -> Result<u32> {
        let symbol = self.kernel.symbol(name);
        Ok(symbol.with_context(|| format!("the kernel has no {name}"))?.address & !1)
    }

    /// Returns the address at which the kernel keeps the running process.
    pub fn running(&self) -> Result<u32> {
        let mut symbols = self.kernel.symbols.iter();
        let scheduler = symbols.find(|symbol| symbol.name.contains("9scheduler9SCHEDULER"));
        Ok(scheduler.context("the kernel has no scheduler")?.address + 4)
    }
}

/// What an application has in flash at a symbol.
fn words_of<'a>(image: &'a mut Image, name: &str) -> Result<&'a mut [u8]> {
    let symbol = image.symbol(name).with_context(|| format!("an application has no {name}"))?;
    let (begin, size) = (symbol.address, symbol.size as usize);
    let segment = image
        .segments
        .iter_mut()
        .find(|segment| begin.wrapping_sub(segment.load_address) < segment.bytes.len() as u32)
        .with_context(|| format!("{name} of an application isn't in flash"))?;
    let at = (begin - segment.load_address) as usize;
    Ok(&mut segment.bytes[at..at + size])
}

/// Fills this with random code; of the floating-point unit too, if there is one.
fn fill(bytes: &mut [u8], floats: bool, random: &mut Random) {
    let mut halves = std::iter::repeat_with(|| random_code::instruction(floats, random))
        .flatten()
        .filter(|&half| half != SEMIHOSTING);
    for place in bytes.chunks_exact_mut(2) {
        let half = halves.next().expect("it has no end");
        place.copy_from_slice(&half.to_le_bytes());
    }
}

/// Reads a program.
fn read(path: &Path) -> Result<Image> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let image = Image::parse_elf(&bytes)?;
    ensure!(!image.segments.is_empty(), "{} is empty", path.display());
    Ok(image)
}
