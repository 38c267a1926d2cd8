//! Bounds of small functions, beside what they take in the simulator.

use std::path::PathBuf;

use quintet_sim::board::Board;
use quintet_sim::image::{Image, Mapping, Section, Segment, Symbol, SymbolKind};
use quintet_sim::machine::Machine;

use super::annotations::{Annotations, LoopCount};
use super::bound::{Bound, Cause, Conditions};
use super::check::{Compared, compare};
use super::graph::Obstacle;
use super::observe::{Observed, Recorder};
use super::verdict::Analysis;
use crate::debug::DebugInfo;
use crate::firmware::Firmware;

/// Where Reset is, which calls the function under test, and where that is.
const RESET: u32 = 0x40;
const FUNCTION: u32 = 0x80;

/// Functions behind the vectors and Reset, which calls the first one and then stops. Each is its
/// code, 0x80 bytes behind the one before.
fn firmware(functions: &[&[u16]]) -> Firmware {
    let mut halfwords = vec![0_u16; RESET as usize / 2];
    halfwords[..4].copy_from_slice(&[0x8000, 0x2000, RESET as u16 | 1, 0]);
    // BL FUNCTION; BKPT 0.
    let offset = FUNCTION - (RESET + 4);
    halfwords.extend([0xf000, 0xf800 | (offset / 2) as u16, 0xbe00]);
    let symbol = |name: String, address| Symbol {
        name,
        address,
        size: 0x40,
        kind: SymbolKind::Function,
        absolute: false,
    };
    let mut symbols = vec![symbol("Reset".into(), RESET)];
    for (index, code) in functions.iter().enumerate() {
        let address = FUNCTION + 0x80 * index as u32;
        halfwords.resize(address as usize / 2, 0xde00);
        halfwords.extend(*code);
        symbols.push(symbol(format!("f{index}"), address));
    }
    let bytes: Vec<u8> = halfwords.iter().flat_map(|half| half.to_le_bytes()).collect();
    let size = bytes.len() as u32;
    let section = Section {
        name: ".text".into(),
        address: 0,
        load_address: Some(0),
        size,
        executable: true,
        writable: false,
    };
    let segment = Segment { index: 0, load_address: 0, address: 0, bytes, memory_size: size };
    let image = Image {
        sections: vec![section],
        segments: vec![segment],
        mapping: vec![Mapping { address: RESET, code: true }],
        symbols,
        entry: Some(RESET),
        ..Image::default()
    };
    Firmware { path: PathBuf::from("test.elf"), image, debug: DebugInfo::load(&[]) }
}

fn lm3s6965() -> Board {
    Board::named("lm3s6965").unwrap()
}

fn conditions<'a>(board: &'a Board, annotations: &'a Annotations) -> Conditions<'a> {
    Conditions {
        board,
        vector_table: 0,
        annotations,
        observed: None,
        unaligned: false,
        breakpoints_are_free: false,
    }
}

/// The bounds of the first function, and what a run has shown.
fn bounds(functions: &[&[u16]], annotations: &Annotations) -> (Bound, Vec<Compared>, Observed) {
    let firmware = firmware(functions);
    let board = lm3s6965();
    let analysis = Analysis::new(&firmware, conditions(&board, annotations)).unwrap();
    let mut machine = Machine::new(&board);
    machine.load(&firmware.image).unwrap();
    machine.reset();
    let mut recorder = Recorder::new(&analysis, &machine);
    while machine.pc() != RESET + 4 {
        let from = machine.pc();
        assert_eq!(machine.step(), None, "at {from:#x}");
        recorder.look(&machine, from);
    }
    let observed = recorder.into_observed(&machine);
    let compared = compare(&firmware, &analysis, &observed);
    (analysis.bounds()[&FUNCTION].clone(), compared, observed)
}

/// The cycles that the first function took in the run.
fn taken(observed: &Observed) -> u64 {
    observed.functions[&FUNCTION].cycles
}

#[test]
fn straight_code_has_the_cycles_that_it_takes() {
    // ADDS, LDR [SP], MULS, BX LR.
    let (bound, _, observed) =
        bounds(&[&[0x3001, 0x9900, 0x4348, 0x4770]], &Annotations::default());
    assert!(bound.is_bounded());
    assert_eq!((bound.cycles, bound.stack), (Some(taken(&observed)), Some(0)));
}

#[test]
fn of_two_ways_the_longer_one_counts() {
    // CBZ R0, over UDIV; BX LR. R0 is 0 after reset: the run takes the short way.
    let code = [0xb108, 0xfbb0, 0xf0f1, 0x4770];
    let (bound, _, observed) = bounds(&[&code], &Annotations::default());
    let cycles = bound.cycles.unwrap();
    assert!(cycles > taken(&observed) + 5, "{cycles} {}", taken(&observed));
}

#[test]
fn counted_loops_have_their_rounds() {
    // MOVS R0, #10; loop: SUBS R0, #1; BNE loop; BX LR.
    let down = [0x200a, 0x3801, 0xd1fd, 0x4770];
    // MOVS R0, #0; loop: ADDS R0, #4; CMP R0, #40; BCC loop; BX LR.
    let up = [0x2000, 0x3004, 0x2828, 0xd3fc, 0x4770];
    for code in [&down[..], &up[..]] {
        let (bound, _, observed) = bounds(&[code], &Annotations::default());
        let cycles = bound.cycles.unwrap();
        let taken = taken(&observed);
        assert_eq!(observed.rounds.values().copied().collect::<Vec<_>>(), [10]);
        assert!((taken..=taken + 4).contains(&cycles), "{cycles}, {taken}");
    }
}

#[test]
fn a_loop_without_a_constant_is_open_and_closed_by_an_annotation() {
    // The rounds are in R1: 0 after reset, so as many as there are; here SUBS from 5 by R2.
    // MOVS R0, #5; MOVS R2, #1; loop: SUBS R0, R0, R2; BNE loop; BX LR.
    let code = [0x2005, 0x2201, 0x1a80, 0xd1fd, 0x4770];
    let (bound, _, _) = bounds(&[&code], &Annotations::default());
    assert_eq!((bound.cycles, bound.stack), (None, Some(0)));
    let causes: Vec<Cause> = bound.open_cycles.iter().map(|open| open.cause).collect();
    assert_eq!(causes, [Cause::Loop]);
    let said = |iterations| {
        let one = LoopCount { function: "f0".into(), at: Some("0x84".into()), iterations };
        Annotations { loops: vec![one], ..Annotations::default() }
    };
    let (bound, compared, observed) = bounds(&[&code], &said(5));
    assert!(bound.cycles.unwrap() >= taken(&observed) && bound.is_bounded());
    assert!(!compared.iter().any(Compared::is_broken));
    // What is wrong is found.
    let (_, compared, _) = bounds(&[&code], &said(2));
    assert!(compared.iter().any(Compared::is_broken));
}

#[test]
fn calls_add_their_cycles_and_their_stack() {
    // PUSH {R4, LR}; SUB SP, #8; BL f1; ADD SP, #8; POP {R4, PC}. f1: PUSH {R4-R7}; POP; BX LR.
    let caller = [0xb510, 0xb082, 0xf000, 0xf83c, 0xb002, 0xbd10];
    let callee = [0xb4f0, 0xbcf0, 0x4770];
    let (bound, compared, observed) = bounds(&[&caller, &callee], &Annotations::default());
    assert_eq!(bound.stack, Some(8 + 8 + 16));
    assert_eq!(observed.functions[&FUNCTION].stack, 32);
    let (cycles, taken) = (bound.cycles.unwrap(), taken(&observed));
    assert!((taken..=taken + 4).contains(&cycles), "{cycles}, {taken}");
    assert_eq!(compared.len(), 2);
}

#[test]
fn what_is_not_understood_is_open() {
    let open = |code: &[u16]| {
        let firmware = firmware(&[code]);
        let (board, annotations) = (lm3s6965(), Annotations::default());
        let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
        let bound = &analysis.bounds()[&FUNCTION];
        assert_eq!(bound.cycles, None);
        let causes = bound.open_cycles.iter().chain(&bound.open_stack).map(|open| open.cause);
        causes.collect::<std::collections::BTreeSet<Cause>>().into_iter().collect::<Vec<_>>()
    };
    let obstacle = |obstacle| vec![Cause::Obstacle(obstacle)];
    // BLX R3; BX LR.
    assert_eq!(open(&[0x4798, 0x4770]), obstacle(Obstacle::IndirectCall));
    // BX R3.
    assert_eq!(open(&[0x4718]), obstacle(Obstacle::IndirectBranch));
    // WFI; BX LR.
    assert_eq!(open(&[0xbf30, 0x4770]), obstacle(Obstacle::Waits));
    // SVC 0; BX LR.
    assert_eq!(open(&[0xdf00, 0x4770]), obstacle(Obstacle::SupervisorCall));
    // MOV SP, R3; BX LR.
    assert_eq!(open(&[0x469d, 0x4770]), obstacle(Obstacle::StackPointer));
    // MSR PSP, R0; BX LR.
    assert_eq!(open(&[0xf380, 0x8809, 0x4770]), obstacle(Obstacle::StackPointer));
    // PUSH {LR}; BL f0; POP {PC}.
    assert_eq!(open(&[0xb500, 0xf7ff, 0xfffd, 0xbd00]), [Cause::Recursion]);
    // TBB [PC, R0] without a comparison, nor data behind it.
    assert_eq!(open(&[0xe8df, 0xf000, 0x4770]), obstacle(Obstacle::IndirectBranch));
}

#[test]
fn a_call_through_a_constant_is_a_call() {
    // PUSH {LR}; MOVW R3, #0x101; BLX R3; POP {PC}. f1: BX LR.
    let caller = [0xb500, 0xf240, 0x1301, 0x4798, 0xbd00];
    let (bound, _, observed) = bounds(&[&caller, &[0x4770]], &Annotations::default());
    assert!(bound.is_bounded(), "{bound:?}");
    assert!(bound.cycles.unwrap() >= taken(&observed));
}

#[test]
fn a_table_compared_before_has_its_targets() {
    // CMP R0, #1; BHI out; TBB [PC, R0]; .byte 1, 2; UDIV; out: BX LR
    let code = [0x2801, 0xd804, 0xe8df, 0xf000, 0x0301, 0xfbb0, 0xf0f1, 0x4770];
    let (bound, _, observed) = bounds(&[&code], &Annotations::default());
    assert!(bound.is_bounded(), "{bound:?}");
    assert!(bound.cycles.unwrap() >= taken(&observed));
}

#[test]
fn a_return_in_an_it_block_leaves_the_stack_as_it_was() {
    // PUSH {R7, LR}; CMP R0, #1; IT EQ; POPEQ {R7, PC}; PUSH {R0}; POP {R1}; POP {R7, PC}.
    let code = [0xb580, 0x2801, 0xbf08, 0xbd80, 0xb401, 0xbc02, 0xbd80];
    let (bound, _, observed) = bounds(&[&code], &Annotations::default());
    assert!(bound.is_bounded(), "{bound:?}");
    assert_eq!((bound.stack, observed.functions[&FUNCTION].stack), (Some(12), 12));
    let taken = taken(&observed);
    assert!((taken..=taken + 2).contains(&bound.cycles.unwrap()), "{bound:?}, {taken}");
}

#[test]
fn what_never_returns_has_no_cycles() {
    // CBZ R0, 1f; B .; 1: BX LR, and the call of a function that never returns.
    let firmware = firmware(&[&[0xb100, 0xe7fe], &[0xe7fe]]);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let bound = &analysis.bounds()[&0x100];
    assert!(!bound.returns && bound.cycles.is_none());
    assert_eq!(bound.stack, Some(0));
}

#[test]
fn a_core_whose_timing_is_not_modelled_is_refused() {
    let firmware = firmware(&[&[0x4770]]);
    let refused = |board: &str, firmware: &Firmware| {
        let board = Board::named(board).unwrap();
        let annotations = Annotations::default();
        Analysis::new(firmware, conditions(&board, &annotations)).err().unwrap().to_string()
    };
    let said = refused("microbit", &firmware);
    assert!(
        said.starts_with("no bounds for microbit: the states of its core's pipeline are not"),
        "{said}"
    );
    let said = refused("stm32f446", &firmware);
    assert!(said.starts_with("no bounds for stm32f446: its flash has a cache"), "{said}");
    let stripped = Firmware {
        path: PathBuf::from("stripped.elf"),
        image: Image { symbols: Vec::new(), ..firmware.image },
        debug: DebugInfo::load(&[]),
    };
    let said = refused("lm3s6965", &stripped);
    assert!(said.starts_with("no bounds for stripped.elf: it has no symbols"), "{said}");
}
