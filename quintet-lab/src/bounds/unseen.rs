//! Code of a function to which a branch may lead whose targets are not known.
//!
//! Such a branch goes to a function whose address is taken, or to code of its own function. Of the
//! blocks of that function nothing is known then, as another way may lead there. Some of the code
//! may not be followed at all; the functions that it calls are called with anything.

use std::collections::BTreeSet;

use quintet_sim::image::Image;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;
use quintet_sim::processor::instruction::Operation;

use super::graph::{Function, Obstacle};
use crate::firmware::code::{halfword, is_data};

/// Fillers between code: NOP, zeros, UDF.
fn is_filler(code: u16) -> bool {
    matches!(code, 0xbf00 | 0 | 0xde00..=0xdeff)
}

/// Returns `true` if a function has a branch whose targets are not known.
pub fn has_open_branch(function: &Function) -> bool {
    function.obstacles.iter().any(|(_, obstacle)| *obstacle == Obstacle::IndirectBranch)
}

/// The code of a function that nothing known leads to.
pub fn code(image: &Image, function: &Function) -> BTreeSet<u32> {
    let symbols = image.symbols.iter().filter(|one| one.address & !1 == function.entry);
    let size = symbols.map(|symbol| symbol.size).max().unwrap_or(0);
    let mut known = BTreeSet::new();
    for instruction in function.blocks.values().flat_map(|block| &block.instructions) {
        known.extend((instruction.address..instruction.behind()).step_by(2));
    }
    let end = function.entry.saturating_add(size);
    let all = (function.entry..end).step_by(2).filter(|&address| {
        let code = halfword(image, address);
        !known.contains(&address)
            && !is_data(image, address)
            && code.is_some_and(|code| !is_filler(code))
    });
    all.collect()
}

/// Where direct calls and branches lead that are in this code: wherever an instruction may begin,
/// one is taken to begin.
pub fn callees(image: &Image, function: &Function) -> BTreeSet<u32> {
    let called = code(image, function).into_iter().filter_map(|address| {
        let second = halfword(image, address.wrapping_add(2)).unwrap_or_default();
        let decoded = decode(halfword(image, address)?, second, Architecture::V7EM);
        match decoded.operation {
            Operation::Branch { offset, .. } | Operation::BranchLink { offset } => {
                Some(address.wrapping_add(4).wrapping_add_signed(offset))
            }
            _ => None,
        }
    });
    called.collect()
}
