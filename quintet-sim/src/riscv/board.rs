//! Boards with a RISC-V core, as data.
//!
//! ```toml
//! name = "example"               # letters, digits, '-' and '_'
//! description = "what it is"
//! not_modelled = "what it lacks" # optional
//! core = "rv32imac_zba"          # the base and the extensions
//! user_mode = true               # optional, as all of these; false without it
//! protection = true              # physical memory protection: 16 regions
//! misaligned = true              # loads and stores at any address; otherwise they trap
//! reset_vector = 0x8000_0000     # the address of the first instruction
//! clock_hz = 10_000_000          # cycles a second
//!
//! [pipeline]                     # optional: the core whose time is modelled
//! model = "ibex-small"           # or "ibex-maxperf", "hazard3",
//!                                # "vexriscv-imac", "vexriscv-secure"
//! wait_states = 0                # optional: those of every access
//!
//! [clint]                        # optional: the core-local interruptor
//! base = 0x0200_0000
//! timer_hz = 10_000_000          # ticks of mtime a second
//!
//! [plic]                         # optional: the platform-level interrupt controller
//! base = 0x0c00_0000
//! sources = 96                   # source 0, which is none, included
//! contexts = 2                   # the first is machine mode
//!
//! [finisher]                     # optional: SiFive's test finisher
//! base = 0x0010_0000
//!
//! [xh3irq]                       # optional: Hazard3's own controller of external interrupts
//! irqs = 52
//! priority_bits = 4
//!
//! [rp2350_timer]                 # optional: the timer of RP2350's SIO
//! base = 0xd000_01a0
//! timer_hz = 1_000_000
//!
//! [simple_system]                # optional: the devices of Ibex's simple system
//! control = 0x0002_0000
//! timer = 0x0003_0000
//!
//! [litex]                        # optional: the control, UART and timer of a LiteX system
//! base = 0xf000_0000
//! ```
//!
//! `[[memory]]` and `[[device]]` are those of [other boards](crate::board).

use serde::Deserialize;

use super::extensions::Extensions;
use super::hart::Configuration;
use super::plic;
use super::timing::Model;
use crate::board::{BoardError, DeviceDescription, Interrupts, MemoryDescription, Parts};

/// The interrupts of machine mode that a script can make pending, by their numbers in `mcause`:
/// software, timer and external.
const INTERRUPTS: [u16; 3] = [3, 7, 11];

/// The boards that are built in: name and text.
const BUILT_IN: [(&str, &str); 7] = [
    ("virt-rv32", include_str!("../../boards/riscv/virt-rv32.toml")),
    ("ibex", include_str!("../../boards/riscv/ibex.toml")),
    ("litex-vexriscv", include_str!("../../boards/riscv/litex-vexriscv.toml")),
    ("rp2350-riscv", include_str!("../../boards/riscv/rp2350-riscv.toml")),
    ("ibex-maxperf", include_str!("../../boards/riscv/ibex-maxperf.toml")),
    ("ibex-clint", include_str!("../../boards/riscv/ibex-clint.toml")),
    ("litex-vexriscv-clint", include_str!("../../boards/riscv/litex-vexriscv-clint.toml")),
];

/// A microcontroller with a RISC-V core.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The name under which a tool finds the board.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// The parts of the chip that a program does not find.
    #[serde(default)]
    pub not_modelled: Option<String>,
    /// The base and the extensions of the core.
    pub core: String,
    /// Whether there is a user mode.
    #[serde(default)]
    pub user_mode: bool,
    /// Whether there is physical memory protection.
    #[serde(default)]
    pub protection: bool,
    /// Whether misaligned loads and stores are done.
    #[serde(default)]
    pub misaligned: bool,
    /// The address of the first instruction.
    pub reset_vector: u32,
    /// Core cycles a second.
    pub clock_hz: u64,
    /// The core whose time is modelled.
    #[serde(default)]
    pub pipeline: PipelineDescription,
    /// The core-local interruptor.
    #[serde(default)]
    pub clint: Option<ClintDescription>,
    /// The platform-level interrupt controller. Without one, every line of a device is the
    /// external interrupt.
    #[serde(default)]
    pub plic: Option<PlicDescription>,
    /// Hazard3's controller of external interrupts.
    #[serde(default)]
    pub xh3irq: Option<Xh3irqDescription>,
    /// The timer of RP2350's SIO.
    #[serde(default)]
    pub rp2350_timer: Option<ClintDescription>,
    /// The test finisher.
    #[serde(default)]
    pub finisher: Option<FinisherDescription>,
    /// The devices of Ibex's simple system.
    #[serde(default)]
    pub simple_system: Option<SimpleSystemDescription>,
    /// The devices of a LiteX system.
    #[serde(default)]
    pub litex: Option<LitexDescription>,
    /// The memories.
    #[serde(default, rename = "memory")]
    pub memories: Vec<MemoryDescription>,
    /// The devices.
    #[serde(default, rename = "device")]
    pub devices: Vec<DeviceDescription>,
}

/// A core whose time is modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineDescription {
    /// The core.
    pub model: Model,
    /// Cycles that the memories add to each access.
    #[serde(default)]
    pub wait_states: u8,
}

/// A core-local interruptor.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClintDescription {
    /// The address of its first register.
    pub base: u32,
    /// The ticks of its timer in a second.
    pub timer_hz: u64,
}

/// A platform-level interrupt controller.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlicDescription {
    /// The address of its first register.
    pub base: u32,
    /// The number of sources: 2 to 256, as there is no source 0.
    pub sources: u32,
    /// The number of contexts, 1 to 16; the first is the hart in machine mode.
    pub contexts: usize,
}

/// Hazard3's controller of external interrupts.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Xh3irqDescription {
    /// The number of interrupts, 1 to 256.
    pub irqs: u32,
    /// The bits of priority, 0 to 4.
    pub priority_bits: u32,
}

/// A test finisher.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinisherDescription {
    /// The address of its register.
    pub base: u32,
}

/// The devices of Ibex's simple system.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimpleSystemDescription {
    /// The address of the control's first register.
    pub control: u32,
    /// The address of the timer's first register.
    pub timer: u32,
}

/// The devices of a LiteX system.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LitexDescription {
    /// The address of their first register.
    pub base: u32,
}

/// The names of the built-in boards; the first is the default.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

impl Board {
    /// A built-in board.
    ///
    /// # Errors
    /// There is none with this name.
    pub fn named(name: &str) -> Result<Self, BoardError> {
        let found = BUILT_IN.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = found else {
            let known = names().collect::<Vec<_>>().join(", ");
            return Err(BoardError::Unknown { name: name.to_owned(), known });
        };
        Self::parse(text, name)
    }

    /// Reads a board from its text. `origin` names it in messages.
    ///
    /// # Errors
    /// The text is no board, or the simulator lacks an extension of the core.
    pub fn parse(text: &str, origin: &str) -> Result<Self, BoardError> {
        let board: Self = toml::from_str(text).map_err(|error| BoardError::Syntax {
            origin: origin.to_owned(),
            message: error.to_string(),
        })?;
        let refused =
            |(place, problem)| BoardError::Invalid { origin: origin.to_owned(), place, problem };
        board.check().map_err(refused)?;
        Ok(board)
    }

    fn check(&self) -> Result<(), (String, String)> {
        self.extensions().map_err(|problem| ("core".to_owned(), problem))?;
        if !(1_000..=1_000_000_000).contains(&self.clock_hz) {
            let problem = "must be between 1_000 and 1_000_000_000".to_owned();
            return Err(("clock_hz".to_owned(), problem));
        }
        if let Some(plic) = &self.plic {
            if !(2..=plic::SOURCES_MAX).contains(&plic.sources) {
                return Err(("plic, sources".to_owned(), "must be between 2 and 256".to_owned()));
            }
            if !(1..=plic::CONTEXTS_MAX).contains(&plic.contexts) {
                return Err(("plic, contexts".to_owned(), "must be between 1 and 16".to_owned()));
            }
        }
        if let Some(xh3irq) = &self.xh3irq {
            if !(1..=256).contains(&xh3irq.irqs) {
                return Err(("xh3irq, irqs".to_owned(), "must be between 1 and 256".to_owned()));
            }
            if xh3irq.priority_bits > 4 {
                let problem = "must be at most 4".to_owned();
                return Err(("xh3irq, priority_bits".to_owned(), problem));
            }
        }
        crate::board::check_parts(&self.parts())
    }

    fn extensions(&self) -> Result<Extensions, String> {
        Extensions::parse(&self.core)
    }

    /// Returns what is around the core.
    pub fn parts(&self) -> Parts<'_> {
        let (memories, devices) = (&self.memories[..], &self.devices[..]);
        let interrupts = Interrupts::These(&INTERRUPTS);
        let (name, clock_hz) = (&*self.name, self.clock_hz);
        Parts { name, interrupts, clock_hz, memories, bridges: &[], devices }
    }

    /// Returns the options of the core.
    pub fn configuration(&self) -> Configuration {
        Configuration {
            extensions: self.extensions().unwrap_or_default(),
            user_mode: self.user_mode,
            protection: self.protection,
            misaligned: self.misaligned,
            time: self.clint.is_some(),
            reset_vector: self.reset_vector,
            model: self.pipeline.model,
            wait_states: self.pipeline.wait_states,
        }
    }
}

impl<'a> From<&'a Board> for Parts<'a> {
    fn from(board: &'a Board) -> Self {
        board.parts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::TOOLS_FOR_RISC_V;

    #[test]
    fn every_built_in_board_is_read() {
        for name in names() {
            let board = Board::named(name).expect("built in");
            assert_eq!((board.name.as_str(), board.extensions().is_ok()), (name, true));
        }
    }

    #[test]
    fn a_wrong_board_is_refused_with_the_place() {
        let text = include_str!("../../boards/riscv/virt-rv32.toml");
        let refusal = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Board::parse(&text.replace(from, to), "x.toml").unwrap_err().to_string()
        };
        assert_eq!(
            refusal("rv32imac", "rv32imafc"),
            "x.toml: core: the extension \"f\" is not simulated"
        );
        assert_eq!(
            refusal("clock_hz = 10_000_000", "clock_hz = 1"),
            "x.toml: clock_hz: must be between 1_000 and 1_000_000_000"
        );
        assert_eq!(
            refusal("size = 0x0800_0000", "size = 3"),
            "x.toml: memory \"ram\", size: must be a multiple of 4 and not 0"
        );
        assert_eq!(
            refusal("sources = 96", "sources = 257"),
            "x.toml: plic, sources: must be between 2 and 256"
        );
        assert_eq!(
            refusal("contexts = 2", "contexts = 0"),
            "x.toml: plic, contexts: must be between 1 and 16"
        );
        let text = include_str!("../../boards/riscv/rp2350-riscv.toml");
        for (from, to, problem) in [
            ("irqs = 52", "irqs = 0", "xh3irq, irqs: must be between 1 and 256"),
            ("priority_bits = 4", "priority_bits = 5", "xh3irq, priority_bits: must be at most 4"),
        ] {
            assert!(text.contains(from), "{from}");
            let message = Board::parse(&text.replace(from, to), "x").unwrap_err().to_string();
            assert_eq!(message, format!("x: {problem}"));
        }
        assert!(Board::named("nothing").unwrap_err().to_string().contains("virt-rv32"));
    }

    #[test]
    fn other_tools_say_that_the_core_is_another() {
        let message = crate::board::Board::named("virt-rv32").unwrap_err().to_string();
        assert_eq!(
            message,
            format!(
                "the board virt-rv32 has a RISC-V core, which this command can't use yet: \
                 {TOOLS_FOR_RISC_V} can; choose a board with a Cortex-M for everything else (see \
                 `quintet boards`)"
            )
        );
    }
}
