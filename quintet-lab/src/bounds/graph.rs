//! The control flow of functions: basic blocks, by the simulator's own decoder.
//!
//! A function begins where a symbol says so or a call goes. Code is followed from there; what
//! cannot be followed is kept as an [`Obstacle`], never left out.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;
use quintet_sim::processor::instruction::{self, Condition, Operation, Register};
use quintet_sim::timing::Facts;

use super::masks;
use super::targets::{self, Targets};
use crate::firmware::code::{halfword, is_data};

/// The number of a BKPT that asks for semihosting.
const SEMIHOSTING: u8 = 0xab;

/// An instruction in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where it is.
    pub address: u32,
    /// What it is.
    pub decoded: instruction::Instruction,
    /// How it uses the pipeline.
    pub facts: Facts,
    /// It is in an IT block.
    pub conditional: bool,
}

impl Instruction {
    /// What it does.
    pub fn operation(&self) -> Operation {
        self.decoded.operation
    }

    /// The address behind it.
    pub fn behind(&self) -> u32 {
        self.address.wrapping_add(self.decoded.length.into())
    }
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Execution goes on behind it.
    Falls(u32),
    /// A branch to one of these blocks; `falls`: it may not be taken.
    Jumps { to: Vec<u32>, falls: Option<u32> },
    /// A call of one of these functions, none if they are not known. `falls`: it may not happen.
    Calls { callees: Vec<u32>, then: u32, falls: bool },
    /// A branch to another function, whose return is this one's.
    Leaves { callees: Vec<u32>, falls: Option<u32> },
    /// A supervisor call of this handler, `None` if it is not known.
    Traps { handler: Option<u32>, then: u32 },
    /// Another function lies behind it.
    FallsInto(u32),
    /// A return.
    Returns { falls: Option<u32> },
    /// A trap, or what nothing is known behind.
    Stops,
}

/// A run of instructions that is entered at its first and left at its last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The instructions, at least one.
    pub instructions: Vec<Instruction>,
    /// How it ends.
    pub exit: Exit,
}

/// Why no bound can be told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Obstacle {
    /// A call through a register whose value is not known.
    IndirectCall,
    /// A branch through a register, or a table, whose targets are not known.
    IndirectBranch,
    /// WFI or WFE.
    Waits,
    /// SVC in an image whose vector of it leads to no code.
    SupervisorCall,
    /// BKPT for a debugger.
    Breakpoint,
    /// BKPT for semihosting: the time of another computer.
    Semihosting,
    /// An instruction of a floating-point unit, which the board does not have.
    Float,
    /// An undefined instruction, or data.
    NoInstruction,
    /// No code is there.
    NoCode,
    /// The stack pointer is set to a value that is not known.
    StackPointer,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its first instruction.
    pub entry: u32,
    /// Its blocks by their first instructions.
    pub blocks: BTreeMap<u32, Block>,
    /// What is in the way, and where.
    pub obstacles: BTreeSet<(u32, Obstacle)>,
}

/// The functions of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// By their entries.
    pub functions: BTreeMap<u32, Function>,
}

impl Program {
    /// Follows the code of all functions that symbols name and that these call. `known` are targets
    /// of calls and branches through registers.
    pub fn new(image: &Image, architecture: Architecture, known: &Targets) -> Self {
        let mut entries = entries(image);
        entries.extend(&known.entries);
        let mut functions = BTreeMap::new();
        let mut left: Vec<u32> = entries.iter().copied().collect();
        while let Some(entry) = left.pop() {
            let walk = Walk { image, architecture, entries: &entries, entry };
            let function = walk.function(known);
            for callee in function.blocks.values().flat_map(|block| block.exit.callees()) {
                if entries.insert(*callee) {
                    left.push(*callee);
                }
            }
            functions.insert(entry, function);
        }
        Self { functions }
    }
}

impl Exit {
    /// The functions that run behind the block.
    pub fn callees(&self) -> &[u32] {
        match self {
            Self::Calls { callees, .. } | Self::Leaves { callees, .. } => callees,
            Self::FallsInto(callee) => std::slice::from_ref(callee),
            Self::Traps { handler, .. } => handler.as_slice(),
            _ => &[],
        }
    }

    /// The blocks of the same function that may follow, calls being over.
    pub fn successors(&self) -> Vec<u32> {
        match self {
            Self::Falls(next) => vec![*next],
            Self::Jumps { to, falls } => to.iter().copied().chain(*falls).collect(),
            Self::Calls { then, .. } | Self::Traps { then, .. } => vec![*then],
            Self::Leaves { falls, .. } | Self::Returns { falls } => falls.iter().copied().collect(),
            Self::FallsInto(_) | Self::Stops => Vec::new(),
        }
    }
}

/// Where functions begin, as symbols say.
fn entries(image: &Image) -> BTreeSet<u32> {
    let functions = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Function);
    let there = functions.filter(|symbol| halfword(image, symbol.address).is_some());
    there.map(|symbol| symbol.address & !1).collect()
}

/// One function being followed.
struct Walk<'a> {
    image: &'a Image,
    architecture: Architecture,
    entries: &'a BTreeSet<u32>,
    entry: u32,
}

/// What was found of a function.
#[derive(Default)]
struct Found {
    instructions: BTreeMap<u32, Instruction>,
    exits: BTreeMap<u32, Exit>,
    leaders: BTreeSet<u32>,
    obstacles: BTreeSet<(u32, Obstacle)>,
}

impl Walk<'_> {
    fn function(&self, known: &Targets) -> Function {
        let mut found = Found::default();
        let mut left = vec![self.entry];
        found.leaders.insert(self.entry);
        while let Some(address) = left.pop() {
            let ahead = self.run(address, known, &mut found);
            left.extend(ahead.into_iter().filter(|&target| found.leaders.insert(target)));
        }
        let blocks = blocks(&found.instructions, &found.exits, &found.leaders);
        let unsure = targets::unsure_tables(self.image, &blocks);
        let tables = unsure.into_iter().map(|address| (address, Obstacle::IndirectBranch));
        Function {
            entry: self.entry,
            blocks,
            obstacles: found.obstacles.into_iter().chain(tables).collect(),
        }
    }

    /// Follows code from a leader to where it does not go on by itself. Returns other leaders.
    fn run(&self, start: u32, known: &Targets, found: &mut Found) -> Vec<u32> {
        let mut ahead = Vec::new();
        let (mut address, mut in_block) = (start, 0);
        while !found.instructions.contains_key(&address) {
            let Some(instruction) = self.decode(address, in_block > 0) else {
                found.obstacles.insert((address, Obstacle::NoCode));
                break;
            };
            in_block = match instruction.operation() {
                Operation::IfThen { mask, .. } => 4 - mask.trailing_zeros(),
                _ => u32::saturating_sub(in_block, 1),
            };
            found.instructions.insert(address, instruction);
            let exit = self.exit(&instruction, known, found);
            let Some(exit) = exit else {
                address = instruction.behind();
                if self.entries.contains(&address) && address != self.entry {
                    found.exits.insert(instruction.address, Exit::FallsInto(address));
                    break;
                }
                // No block begins within an IT block.
                if known.cuts_at_masks && in_block == 0 && masks::may_change(&instruction) {
                    found.exits.insert(instruction.address, Exit::Falls(address));
                    ahead.push(address);
                    break;
                }
                continue;
            };
            ahead.extend(exit.successors());
            found.exits.insert(instruction.address, exit);
            break;
        }
        ahead
    }

    fn decode(&self, address: u32, conditional: bool) -> Option<Instruction> {
        let first = halfword(self.image, address)?;
        let second = halfword(self.image, address.wrapping_add(2)).unwrap_or_default();
        let decoded = decode(first, second, self.architecture);
        let facts = Facts::of(&decoded);
        let single_cycle = self.architecture == Architecture::V7EM;
        let facts = if single_cycle { facts.on_cortex_m4() } else { facts };
        Some(Instruction { address, decoded, facts, conditional })
    }

    /// How the block ends behind the instruction, if it does, and what is in the way.
    fn exit(&self, instruction: &Instruction, known: &Targets, found: &mut Found) -> Option<Exit> {
        let address = instruction.address;
        if is_data(self.image, address) {
            found.obstacles.insert((address, Obstacle::NoInstruction));
            return Some(Exit::Stops);
        }
        let (exit, obstacle) = self.flow(instruction, known, &found.instructions);
        found.obstacles.extend(obstacle.map(|obstacle| (address, obstacle)));
        exit
    }

    fn flow(
        &self,
        instruction: &Instruction,
        known: &Targets,
        before: &BTreeMap<u32, Instruction>,
    ) -> (Option<Exit>, Option<Obstacle>) {
        use Operation as O;
        let behind = instruction.behind();
        let falls = instruction.conditional.then_some(behind);
        let target = |offset: i32| instruction.address.wrapping_add(4).wrapping_add_signed(offset);
        let call =
            |callees: Vec<u32>| Exit::Calls { callees, then: behind, falls: falls.is_some() };
        match instruction.operation() {
            O::Branch { condition, offset } => {
                let falls = if condition.0 < Condition::AL.0 { Some(behind) } else { falls };
                (Some(self.branch(vec![target(offset)], falls)), None)
            }
            O::CompareBranch { offset, .. } => {
                (Some(self.branch(vec![target(offset)], Some(behind))), None)
            }
            O::BranchLink { offset } => (Some(call(vec![target(offset)])), None),
            O::BranchLinkExchange { .. } => {
                let callees = known.of(instruction.address);
                let obstacle = callees.is_empty().then_some(Obstacle::IndirectCall);
                (Some(call(callees)), obstacle)
            }
            O::TableBranch { .. } => {
                let to = targets::table(self.image, instruction, before);
                let obstacle = to.is_empty().then_some(Obstacle::IndirectBranch);
                (Some(Exit::Jumps { to, falls }), obstacle)
            }
            O::WaitForEvent | O::WaitForInterrupt => (None, Some(Obstacle::Waits)),
            O::SupervisorCall { .. } => {
                let handler = known.supervisor;
                let obstacle = handler.is_none().then_some(Obstacle::SupervisorCall);
                (Some(Exit::Traps { handler, then: behind }), obstacle)
            }
            O::Breakpoint { immediate: SEMIHOSTING } => (None, Some(Obstacle::Semihosting)),
            O::Breakpoint { .. } => (None, Some(Obstacle::Breakpoint)),
            O::Float(_) => (None, Some(Obstacle::Float)),
            O::Undefined | O::Coprocessor { .. } => (Some(Exit::Stops), None),
            _ if writes_pc(instruction) => self.register_branch(instruction, known, falls),
            _ => (None, None),
        }
    }

    /// A branch, within the function or out of it.
    fn branch(&self, to: Vec<u32>, falls: Option<u32>) -> Exit {
        let leaves = |target: &u32| *target != self.entry && self.entries.contains(target);
        if to.iter().all(leaves) {
            return Exit::Leaves { callees: to, falls };
        }
        Exit::Jumps { to, falls }
    }

    /// What writes the program counter from a register or from memory.
    fn register_branch(
        &self,
        instruction: &Instruction,
        known: &Targets,
        falls: Option<u32>,
    ) -> (Option<Exit>, Option<Obstacle>) {
        if is_return(instruction) {
            return (Some(Exit::Returns { falls }), None);
        }
        let to = known.of(instruction.address);
        if to.is_empty() {
            let exit = Exit::Leaves { callees: Vec::new(), falls };
            return (Some(exit), Some(Obstacle::IndirectBranch));
        }
        (Some(self.branch(to, falls)), None)
    }
}

/// A branch through LR, and a load of the program counter from the stack. What a load from
/// elsewhere leads to is not known.
fn is_return(instruction: &Instruction) -> bool {
    use Operation as O;
    match instruction.operation() {
        O::BranchExchange { rm } => rm == Register::LR,
        O::Move { operand: instruction::Operand::Register { rm, .. }, .. } => rm == Register::LR,
        O::LoadMultiple { base, .. } => base == Register::SP,
        O::Load { address, .. } => address.base == Register::SP,
        _ => false,
    }
}

fn writes_pc(instruction: &Instruction) -> bool {
    const PC: u16 = 1 << 15;
    let is_exchange = matches!(instruction.operation(), Operation::BranchExchange { .. });
    is_exchange || instruction.facts.results & PC != 0
}

fn blocks(
    instructions: &BTreeMap<u32, Instruction>,
    exits: &BTreeMap<u32, Exit>,
    leaders: &BTreeSet<u32>,
) -> BTreeMap<u32, Block> {
    let mut blocks = BTreeMap::new();
    for &leader in leaders {
        let mut block = Block { instructions: Vec::new(), exit: Exit::Stops };
        let mut address = leader;
        while let Some(instruction) = instructions.get(&address) {
            block.instructions.push(*instruction);
            if let Some(exit) = exits.get(&address) {
                block.exit = exit.clone();
                break;
            }
            address = instruction.behind();
            if leaders.contains(&address) {
                block.exit = Exit::Falls(address);
                break;
            }
        }
        if !block.instructions.is_empty() {
            blocks.insert(leader, block);
        }
    }
    blocks
}
