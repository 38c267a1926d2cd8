//! A program that differs, made as short as it can be.

use std::fmt::Write;

use anyhow::Result;
use quintet_sim::riscv::decode;

use super::programs::Program;
use super::simulated::{self, Trace};

/// Takes pieces of a program away while it still differs: first halves of it, then single ones.
/// Lines that need not rise go too.
///
/// # Errors
/// That of `differs`.
pub fn shorten(
    mut program: Program,
    mut differs: impl FnMut(&Program) -> Result<bool>,
) -> Result<Program> {
    let mut length = program.pieces.len().div_ceil(2);
    while length != 0 {
        let mut from = 0;
        while from < program.pieces.len() {
            let mut shorter = program.clone();
            let until = (from + length).min(shorter.pieces.len());
            shorter.pieces.drain(from..until);
            if differs(&shorter)? {
                program = shorter;
            } else {
                from += length;
            }
        }
        length /= 2;
    }
    let mut index = 0;
    while index < program.rises.len() {
        let mut shorter = program.clone();
        shorter.rises.remove(index);
        if differs(&shorter)? {
            program = shorter;
        } else {
            index += 1;
        }
    }
    for wait_states in 0..program.wait_states {
        let mut simpler = program.clone();
        simpler.wait_states = wait_states;
        if differs(&simpler)? {
            return Ok(simpler);
        }
    }
    Ok(program)
}

/// Returns the instructions that retire, with their cycles on both sides, from a few before the
/// first difference on.
pub fn describe(program: &Program, measured: &Trace) -> String {
    let simulated = program.simulate();
    let image = program.image();
    let base = simulated::base(program.model);
    let both = measured.retired.iter().zip(&simulated.retired);
    let same = both.take_while(|(measured, simulated)| measured == simulated).count();
    let mut text = format!("{} wait states; cycle measured, simulated:\n", program.wait_states);
    let last = measured.retired.len().max(simulated.retired.len());
    for index in same.saturating_sub(6)..last.min(same + 4) {
        let cell = |trace: &Trace| {
            trace.retired.get(index).map_or_else(|| "-".to_owned(), |(_, cycle)| cycle.to_string())
        };
        let at = measured.retired.get(index).or(simulated.retired.get(index)).map_or(0, |it| it.0);
        let bits = bits(&image, at.wrapping_sub(base) as usize);
        let name = decode::decode(bits, program.extensions())
            .map_or_else(|| "illegal".to_owned(), |it| it.text(at));
        let _ = writeln!(
            text,
            "  {at:#x} {bits:08x} {:>6} {:>6}  {name}",
            cell(measured),
            cell(&simulated)
        );
    }
    text
}

/// Returns the instruction at an offset of an image.
fn bits(image: &[u8], at: usize) -> u32 {
    let byte = |index| u32::from(image.get(at + index).copied().unwrap_or(0));
    let low = byte(0) | byte(1) << 8;
    if low & 3 == 3 { low | byte(2) << 16 | byte(3) << 24 } else { low }
}

#[cfg(test)]
mod tests {
    use quintet_sim::riscv::timing::Model;

    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let program = Program::random(Model::IbexSmall, 1, 1);
        let wanted = program.pieces[program.pieces.len() / 2].clone();
        let short = shorten(program, |one| Ok(one.pieces.contains(&wanted))).unwrap();
        assert_eq!(short.pieces, [wanted]);
        assert_eq!(short.wait_states, 0);
    }
}
