//! Vector tables: where the image has them, and where code moves them.

use quintet_sim::board::Board;

use super::annotations::Annotations;
use super::bound::{Cause, Conditions};
use super::tests::{FUNCTION, RESET, conditions, firmware, lm3s6965};
use super::verdict::Analysis;
use crate::firmware::Firmware;

/// Where the flash of an STM32 is, which the processor sees at 0, too.
const FLASH: u32 = 0x0800_0000;

/// The firmware linked for another address, with a handler of SysTick, its second function.
fn at(base: u32, functions: &[&[u16]]) -> Firmware {
    let mut firmware = firmware(functions);
    let image = &mut firmware.image;
    let segment = &mut image.segments[0];
    for (vector, address) in [(1, RESET), (15, FUNCTION + 0x80)] {
        let at = 4 * vector;
        segment.bytes[at..at + 4].copy_from_slice(&(base | address | 1).to_le_bytes());
    }
    (segment.address, segment.load_address) = (base, base);
    image.sections[0].address = base;
    image.sections[0].load_address = Some(base);
    image.symbols.iter_mut().for_each(|symbol| symbol.address |= base);
    image.mapping.iter_mut().for_each(|mapping| mapping.address |= base);
    firmware
}

/// The handlers' exceptions, and what is open of the vectors.
fn vectors(firmware: &Firmware, board: &Board) -> (Vec<u16>, Vec<Cause>, Option<u32>) {
    let annotations = Annotations::default();
    let analysis = Analysis::new(firmware, conditions(board, &annotations)).unwrap();
    let handlers = analysis.handlers().iter().map(|one| one.exception).collect();
    let open = analysis.open_vectors().iter().map(|one| one.cause).collect();
    (handlers, open, analysis.main_stack())
}

/// SysTick's handler: PUSH {R4, LR}; POP {R4, PC}.
const HANDLER: [u16; 2] = [0xb510, 0xbd10];
/// MOVW R1, #0xed08; MOVT R1, #0xe000: VTOR.
const REGISTER: [u16; 4] = [0xf64e, 0x5108, 0xf2ce, 0x0100];

#[test]
fn the_table_is_where_the_image_has_it() {
    let stm32 = Board::named("stm32f103").unwrap();
    let firmware = at(FLASH, &[&[0x4770], &HANDLER]);
    let (handlers, open, stack) = vectors(&firmware, &stm32);
    assert_eq!((handlers, open), (vec![1, 15], vec![]));
    assert_eq!(stack, Some(8 + 36), "the handler's, and its frame");
    // Without symbols of its own, a handler is one all the same.
    let mut nameless = firmware;
    nameless.image.symbols.truncate(1);
    assert_eq!(vectors(&nameless, &stm32).0, [1, 15]);
    let (_, open, stack) = vectors(&at(0x1_0000, &[&[0x4770], &HANDLER]), &lm3s6965());
    assert_eq!((open, stack), (vec![Cause::NoVectors], None), "there is none at 0");
}

#[test]
fn a_table_that_code_moves_is_open() {
    let stm32 = Board::named("stm32f103").unwrap();
    let moved = |code: &[u16]| {
        let code = [&REGISTER[..], code, &[0x4770]].concat();
        vectors(&at(FLASH, &[&code, &HANDLER]), &stm32).1
    };
    // MOV R0, #0x08000000; STR R0, [R1]: the same table at its other address.
    assert_eq!(moved(&[0xf04f, 0x6000, 0x6008]), []);
    // MOV R0, #0x20000000; STR R0, [R1].
    assert_eq!(moved(&[0xf04f, 0x5000, 0x6008]), [Cause::VectorsMove]);
    // STR R2, [R1], with anything.
    assert_eq!(moved(&[0x600a]), [Cause::VectorsMove]);
    // LDR R2, [R1].
    assert_eq!(moved(&[0x680a]), []);
    // SUBS R1, #8; STR R2, [R1, R3]: any register of the core.
    assert_eq!(moved(&[0x3908, 0x50ca]), [Cause::VectorsMove]);
}

#[test]
fn a_table_in_memory_that_code_writes_is_open() {
    let annotations = Annotations::default();
    let board = lm3s6965();
    let firmware = at(0x2000_0000, &[&[0x4770], &HANDLER]);
    let conditions = Conditions { vector_table: 0x2000_0000, ..conditions(&board, &annotations) };
    let analysis = Analysis::new(&firmware, conditions).unwrap();
    assert_eq!(analysis.handlers().len(), 2);
    let open: Vec<Cause> = analysis.open_vectors().iter().map(|one| one.cause).collect();
    assert_eq!((open, analysis.main_stack()), (vec![Cause::VectorsMove], None));
    let said = super::report::vectors(&firmware, &analysis);
    assert_eq!(said, ["a vector table that code moves or may change, at 0x20000000"]);
}
