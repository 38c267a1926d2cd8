//! The linker's data about a board with a RISC-V core.

use anyhow::{Context, Result, bail};
use quintet_sim::board::{MemoryDescription, MemoryKind};
use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::extensions::Extensions;

/// The regions that `riscv-rt` asks for, and whether each is of the code.
const ALIASES: [(&str, bool); 6] = [
    ("TEXT", true),
    ("RODATA", true),
    ("DATA", false),
    ("BSS", false),
    ("HEAP", false),
    ("STACK", false),
];

/// The memories of a program, each its first address and its size, and what else a build asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HartMemories {
    /// From the first instruction on.
    pub code: (u32, u32),
    /// `None` if the data is in the memory of the code.
    pub data: Option<(u32, u32)>,
    /// The address of the register by which the hart interrupts itself.
    pub msip: u32,
    /// The target of the compiler.
    pub target: &'static str,
}

impl HartMemories {
    /// Those of a board.
    ///
    /// # Errors
    /// The board has no core-local interruptor, no memory for code or data, or too few registers.
    pub fn of(board: &Board) -> Result<Self> {
        let Some(clint) = &board.clint else {
            bail!(
                "the board {} has no core-local interruptor ([clint] in its file), and by its \
                 `msip` an application interrupts itself; boards that have one: {}",
                board.name,
                with_interruptor()?.join(", ")
            )
        };
        let begin = board.reset_vector;
        let holds = |memory: &&MemoryDescription| begin.wrapping_sub(memory.start) < memory.size;
        let code = board.memories.iter().find(holds).with_context(|| {
            format!("the board {} has no memory at its first instruction, {begin:#x}", board.name)
        })?;
        let before = begin.wrapping_sub(code.start);
        let is_ram = |memory: &&MemoryDescription| memory.kind == MemoryKind::Ram;
        let data = if is_ram(&code) {
            None
        } else {
            let largest = board.memories.iter().filter(is_ram).max_by_key(|ram| ram.size);
            Some(largest.with_context(|| format!("the board {} has no RAM", board.name))?)
        };
        Ok(Self {
            code: (begin, code.size - before),
            data: data.map(|memory| (memory.start, memory.size)),
            msip: clint.base,
            target: target(board)?,
        })
    }

    /// The name of the memory with the code, beside `RAM`.
    pub const fn code_name(&self) -> &'static str {
        if self.data.is_some() { "ROM" } else { "RAM" }
    }

    /// The file `memory.x` for riscv-rt.
    pub fn script(&self) -> String {
        let region = |name, (origin, length): (u32, u32)| {
            format!("  {name} : ORIGIN = {origin:#010x}, LENGTH = {length:#x}\n")
        };
        let code = region(self.code_name(), self.code);
        let data = self.data.map(|data| region("RAM", data)).unwrap_or_default();
        let alias = |(name, is_code): (&str, bool)| {
            let memory = if is_code { self.code_name() } else { "RAM" };
            format!("REGION_ALIAS(\"REGION_{name}\", {memory});\n")
        };
        let aliases: String = ALIASES.into_iter().map(alias).collect();
        format!("MEMORY {{\n{code}{data}}}\n{aliases}")
    }
}

/// Returns the built-in boards with a core-local interruptor.
pub fn with_interruptor() -> Result<Vec<&'static str>> {
    let mut names = Vec::new();
    for name in board::names() {
        if Board::named(name)?.clint.is_some() {
            names.push(name);
        }
    }
    Ok(names)
}

/// Returns the target of the compiler for a board's core. A VexRiscv has no atomic operation but LR
/// and SC.
fn target(board: &Board) -> Result<&'static str> {
    let extensions = Extensions::parse(&board.core).map_err(anyhow::Error::msg)?;
    let has = |extension| extensions.has(extension);
    let has_atomics = has(Extensions::A) && !board.pipeline.model.is_vexriscv();
    if has(Extensions::E) {
        bail!("the core {} has 16 registers, for which the kernel isn't made", board.core);
    }
    Ok(match (has(Extensions::M), has(Extensions::C), has_atomics) {
        (true, true, true) => "riscv32imac-unknown-none-elf",
        (true, true, false) => "riscv32imc-unknown-none-elf",
        (true, false, _) => "riscv32im-unknown-none-elf",
        _ => "riscv32i-unknown-none-elf",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> HartMemories {
        HartMemories::of(&Board::named(name).unwrap()).unwrap()
    }

    fn refused(board: &Board) -> String {
        HartMemories::of(board).unwrap_err().to_string()
    }

    #[test]
    fn what_a_core_has_decides_the_target() {
        assert_eq!(of("virt-rv32").target, "riscv32imac-unknown-none-elf");
        assert_eq!(of("ibex-clint").target, "riscv32imc-unknown-none-elf");
        assert_eq!(of("litex-vexriscv-clint").target, "riscv32imc-unknown-none-elf");
        let virt = || Board::named("virt-rv32").unwrap();
        let with = |core: &str| Board { core: core.to_owned(), ..virt() };
        assert_eq!(target(&with("rv32im")).unwrap(), "riscv32im-unknown-none-elf");
        assert_eq!(target(&with("rv32i")).unwrap(), "riscv32i-unknown-none-elf");
        let said = "the core rv32emc has 16 registers, for which the kernel isn't made";
        assert_eq!(refused(&with("rv32emc")), said);
    }

    #[test]
    fn code_begins_with_the_first_instruction() {
        let ibex = of("ibex-clint");
        assert_eq!((ibex.code, ibex.data), ((0x0010_0080, 0x000f_ff80), None));
        assert!(ibex.script().contains("RAM : ORIGIN = 0x00100080, LENGTH = 0xfff80\n}"));
        assert!(ibex.script().contains("REGION_ALIAS(\"REGION_TEXT\", RAM);"));
        let litex = of("litex-vexriscv-clint");
        assert_eq!((litex.data, litex.msip), (Some((0x4000_0000, 0x0100_0000)), 0xf001_0000));
        assert!(litex.script().contains("REGION_ALIAS(\"REGION_RODATA\", ROM);"));
        assert!(litex.script().contains("REGION_ALIAS(\"REGION_STACK\", RAM);"));
    }

    #[test]
    fn boards_without_memory_or_interruptor_are_refused() {
        let litex = || Board::named("litex-vexriscv-clint").unwrap();
        let nowhere = Board { reset_vector: 0x2000_0000, ..litex() };
        let said = "has no memory at its first instruction, 0x20000000";
        assert_eq!(refused(&nowhere), format!("the board litex-vexriscv-clint {said}"));
        let mut without = litex();
        without.memories.truncate(1);
        assert_eq!(refused(&without), "the board litex-vexriscv-clint has no RAM");
        let said = refused(&Board::named("ibex").unwrap());
        assert!(
            said.starts_with("the board ibex has no core-local interruptor ([clint]"),
            "{said}"
        );
        assert!(said.ends_with("virt-rv32, ibex-clint, litex-vexriscv-clint"), "{said}");
    }
}
