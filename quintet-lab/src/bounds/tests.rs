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
pub(super) const RESET: u32 = 0x40;
pub(super) const FUNCTION: u32 = 0x80;

/// Functions behind the vectors and Reset, which calls the first one and then stops. Each is its
/// code, 0x80 bytes behind the one before.
pub(super) fn firmware(functions: &[&[u16]]) -> Firmware {
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
    Firmware {
        path: PathBuf::from("test.elf"),
        image,
        debug: DebugInfo::load(&[]),
        guests: Vec::new(),
        svd: None,
    }
}

pub(super) fn lm3s6965() -> Board {
    Board::named("lm3s6965").unwrap()
}

pub(super) fn conditions<'a>(board: &'a Board, annotations: &'a Annotations) -> Conditions<'a> {
    Conditions {
        board,
        vector_table: 0,
        annotations,
        observed: None,
        wait_states: None,
        breakpoints_are_free: false,
        cuts_at_masks: false,
    }
}

/// The bounds of the first function, and what a run has shown.
pub(super) fn bounds(
    functions: &[&[u16]],
    annotations: &Annotations,
) -> (Bound, Vec<Compared>, Observed) {
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
pub(super) fn taken(observed: &Observed) -> u64 {
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
    // SVC 0; BX LR, and no handler.
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
    let stripped = Firmware {
        path: PathBuf::from("stripped.elf"),
        image: Image { symbols: Vec::new(), ..firmware.image },
        debug: DebugInfo::load(&[]),
        guests: Vec::new(),
        svd: None,
    };
    let said = refused("lm3s6965", &stripped);
    assert!(said.starts_with("no bounds for stripped.elf: it has no symbols"), "{said}");
}

/// The analysis of functions on a board, and what a run of so many steps shows.
fn observed(firmware: &Firmware, board: &Board, analysis: &Analysis<'_>, steps: usize) -> Observed {
    let mut machine = Machine::new(board);
    machine.load(&firmware.image).unwrap();
    machine.reset();
    let mut recorder = Recorder::new(analysis, &machine);
    for _ in 0..steps {
        let from = machine.pc();
        if from == RESET + 4 || machine.step().is_some() {
            break;
        }
        recorder.look(&machine, from);
    }
    recorder.into_observed(&machine)
}

#[test]
fn a_sleep_ends_no_bound_and_is_told() {
    // WFI; BX LR. And a loop that sleeps for ever.
    let firmware = firmware(&[&[0xbf30, 0x4770], &[0xbf30, 0xe7fd]]);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let (once, idle) = (&analysis.bounds()[&FUNCTION], &analysis.bounds()[&(FUNCTION + 0x80)]);
    assert!(once.cycles.is_some() && once.open_cycles.is_empty() && !once.is_bounded());
    assert_eq!((once.waits.len(), idle.returns, idle.stack), (1, false, Some(0)));
    let entries = [FUNCTION, FUNCTION + 0x80].into();
    let text = super::report::text(&super::report::rows(&firmware, &analysis, &entries));
    for said in [
        "WAITS",
        "f0 sleeps, and its bound is of the time awake:",
        "f1 sleeps in its endless loop, which has no bound of cycles:",
        "a wait for an interrupt or event",
    ] {
        assert!(text.contains(said), "no \"{said}\" in {text}");
    }
}

#[test]
fn a_supervisor_call_adds_its_handler_with_entry_and_return() {
    // SVC 0; BX LR. The handler: MOVS R0, #1; BX LR.
    let mut firmware = firmware(&[&[0xdf00, 0x4770], &[0x2001, 0x4770]]);
    let handler = FUNCTION + 0x80;
    let vector = 4 * 11;
    firmware.image.segments[0].bytes[vector..vector + 4]
        .copy_from_slice(&(handler | 1).to_le_bytes());
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let bound = &analysis.bounds()[&FUNCTION];
    assert!(bound.is_bounded(), "{bound:?}");
    assert_eq!(bound.stack, Some(36), "the frame, and the word that aligns it");
    // From the call of the function to behind it.
    let mut machine = Machine::new(&board);
    machine.load(&firmware.image).unwrap();
    machine.reset();
    while machine.pc() != FUNCTION {
        machine.step();
    }
    let began = machine.cycle();
    while machine.pc() != RESET + 4 {
        machine.step();
    }
    let (cycles, taken) = (bound.cycles.unwrap(), machine.cycle() - began);
    assert!((taken..taken + 30).contains(&cycles), "{cycles}, {taken}");
}

#[test]
fn instructions_of_a_floating_point_unit_have_their_cycles() {
    // The unit is switched on first: LDR R1, =CPACR; MOV R0, #0xf00000; STR R0, [R1]; DSB; ISB;
    // VMOV.F32 S0, #1.0; VADD; VDIV.F32 S0, S0, S0; VPUSH {S0-S3}; VPOP {S0-S3}; BX LR.
    let code = [
        0xf64e, 0x5188, 0xf2ce, 0x0100, 0xf44f, 0x0070, 0x6008, 0xf3bf, 0x8f4f, 0xf3bf, 0x8f6f,
        0xeeb7, 0x0a00, 0xee30, 0x0a00, 0xee80, 0x0a00, 0xed2d, 0x0a04, 0xecbd, 0x0a04, 0x4770,
    ];
    let firmware = firmware(&[&code]);
    let annotations = Annotations::default();
    let board = Board::named("mps2-an386").unwrap();
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let bound = &analysis.bounds()[&FUNCTION];
    assert!(bound.is_bounded(), "{bound:?}");
    assert_eq!(bound.stack, Some(16));
    let seen = observed(&firmware, &board, &analysis, 100).functions[&FUNCTION];
    let cycles = bound.cycles.unwrap();
    assert!(seen.times == 1 && cycles >= seen.cycles, "{cycles}, {seen:?}");
    assert_eq!(seen.stack, 16);
    // A Cortex-M3 has no such unit.
    let lm3s = lm3s6965();
    let analysis = Analysis::new(&firmware, conditions(&lm3s, &annotations)).unwrap();
    assert_eq!(analysis.bounds()[&FUNCTION].cycles, None);
}

#[test]
fn a_loop_with_two_entries_needs_the_counts_of_both() {
    // CBZ R0, b; a: SUBS R1, #1; b: SUBS R0, #1; BNE a; BX LR. It is entered at a and at b.
    let code = [0xb100, 0x3901, 0x3801, 0xd1fc, 0x4770];
    let firmware = firmware(&[&code]);
    let board = lm3s6965();
    let open = Annotations::default();
    let analysis = Analysis::new(&firmware, conditions(&board, &open)).unwrap();
    let bound = &analysis.bounds()[&FUNCTION];
    let heads: Vec<u32> = bound.open_cycles.iter().map(|one| one.address).collect();
    assert_eq!(heads.len(), 2, "{bound:?}");
    let text = super::report::text(&super::report::rows(&firmware, &analysis, &[FUNCTION].into()));
    assert!(text.contains("a loop with several entries") && text.contains("f0"), "{text}");
    let one = |at: u32, iterations| LoopCount {
        function: "f0".into(),
        at: Some(format!("{at:#x}")),
        iterations,
    };
    let said = Annotations {
        loops: heads.iter().map(|at| one(*at, 6)).collect(),
        ..Annotations::default()
    };
    let analysis = Analysis::new(&firmware, conditions(&board, &said)).unwrap();
    assert!(analysis.bounds()[&FUNCTION].is_bounded());
    let half = Annotations { loops: vec![one(heads[0], 6)], ..Annotations::default() };
    let analysis = Analysis::new(&firmware, conditions(&board, &half)).unwrap();
    assert_eq!(analysis.bounds()[&FUNCTION].open_cycles.len(), 1);
}

#[test]
fn behind_a_cache_each_access_counts_as_missed() {
    // MOVS R0, #10; loop: SUBS R0, #1; BNE loop; BX LR.
    let firmware = firmware(&[&[0x200a, 0x3801, 0xd1fd, 0x4770]]);
    let annotations = Annotations::default();
    let board = Board::named("stm32f446").unwrap();
    let bound = |wait_states| {
        let conditions = Conditions { wait_states, ..conditions(&board, &annotations) };
        let analysis = Analysis::new(&firmware, conditions).unwrap();
        let seen = observed(&firmware, &board, &analysis, 200).functions[&FUNCTION];
        (analysis.bounds()[&FUNCTION].cycles.unwrap(), seen.cycles)
    };
    // After reset there are no wait states, so the least bound holds.
    let (least, seen) = bound(Some(0));
    assert!((seen..4 * seen).contains(&least), "{least}, {seen}");
    assert!(least < bound(Some(5)).0 && bound(Some(5)).0 < bound(None).0);
}

#[test]
fn a_store_exclusive_fails_only_for_an_interruption() {
    // loop: LDREX R1, [SP]; ADDS R1, #1; STREX R2, R1, [SP]; CMP R2, #0; BNE loop; BX LR.
    let code = [0xe85d, 0x1f00, 0x3101, 0xe84d, 0x1200, 0x2a00, 0xd1f8, 0x4770];
    let firmware = firmware(&[&code]);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let bound = &analysis.bounds()[&FUNCTION];
    assert!(bound.is_bounded(), "{bound:?}");
    let refill = analysis.interruption().refill;
    assert!(refill >= 8 && refill < bound.cycles.unwrap() + 8, "{refill}");
}

#[test]
fn what_is_said_of_a_function_takes_the_place_of_its_code() {
    // PUSH {LR}; BL f1; POP {PC}. f1: BLX R3; BX LR.
    let firmware = firmware(&[&[0xb500, 0xf000, 0xf83d, 0xbd00], &[0x4798, 0x4770]]);
    let board = lm3s6965();
    let bound = |cycles, stack| {
        let one = super::annotations::Whole { function: "f1".into(), cycles, stack };
        let annotations = Annotations { bounds: vec![one], ..Annotations::default() };
        let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
        analysis.bounds()[&FUNCTION].clone()
    };
    let said = bound(Some(100), Some(20));
    assert!(said.is_bounded() && said.cycles.unwrap() > 100, "{said:?}");
    assert_eq!(said.stack, Some(24));
    let half = bound(Some(100), None);
    assert_eq!((half.cycles.is_some(), half.stack), (true, None));
}

#[test]
fn sections_are_bounded_from_the_mask_to_its_end() {
    use super::sections::{Finder, Mask};
    // MOVS R0, #0x40; MRS R1, BASEPRI; MSR BASEPRI_MAX, R0; MOVS R2, #8; loop: SUBS R2, #1;
    // BNE loop; MSR BASEPRI, R1; MOVS R2, #20; then: SUBS R2, #1; BNE then; BX LR.
    let code = [
        0x2040, 0xf3ef, 0x8111, 0xf380, 0x8812, 0x2208, 0x3a01, 0xd1fd, 0xf381, 0x8811, 0x2214,
        0x3a01, 0xd1fd, 0x4770,
    ];
    // CPSID I; CPSID I; CPSIE I; MOVS R2, #8; loop: SUBS R2, #1; BNE loop; CPSIE I; BX LR.
    let nested = [0xb672, 0xb672, 0xb662, 0x2208, 0x3a01, 0xd1fd, 0xb662, 0x4770];
    let never = [0xb672, 0x4770];
    let firmware = firmware(&[&code, &nested, &never]);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let finder = Finder::new(&analysis);
    let of = |function: u32| finder.sections(&analysis.reached(FUNCTION + 0x80 * function), None);
    let [one] = &of(0)[..] else { panic!("{:?}", of(0)) };
    let whole = analysis.bounds()[&FUNCTION].cycles.unwrap();
    assert_eq!((one.mask, one.open.len()), (Mask::Basepri(0x40), 0));
    let cycles = one.cycles.unwrap();
    assert!(cycles > 8 * 3 && cycles < whole - 20 * 3, "{cycles} of {whole}");
    // The outer one goes on behind the end of the inner one.
    let all: Vec<u64> = of(1).iter().map(|one| one.cycles.unwrap()).collect();
    assert_eq!(all.len(), 2);
    assert!(all.iter().any(|cycles| *cycles > 8 * 3), "{all:?}");
    // One that goes on in the caller ends there.
    let kept = of(2);
    assert!(kept.len() == 1, "{kept:?}");
}
