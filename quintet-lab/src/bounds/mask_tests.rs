//! Sections whose mask is a value that was read before, or one that nobody knows.

use super::annotations::Annotations;
use super::bound::{Cause, Conditions};
use super::sections::{Finder, Mask, Section};
use super::tests::{FUNCTION, conditions, firmware, lm3s6965};
use super::verdict::Analysis;

/// The sections of the first function and of what it calls.
fn sections(functions: &[&[u16]]) -> Vec<Section> {
    let firmware = firmware(functions);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    let finder = Finder::new(&analysis);
    finder.sections(&analysis.reached(FUNCTION), None)
}

/// Those of them that are open because a mask is not known.
fn unclear(functions: &[&[u16]]) -> usize {
    let all = sections(functions).into_iter();
    let is_unclear = |one: &Section| one.open.iter().any(|open| open.cause == Cause::Unclear);
    let unclear: Vec<Section> = all.filter(is_unclear).collect();
    assert!(unclear.iter().all(|one| one.mask == Mask::All && one.cycles.is_none()));
    unclear.len()
}

/// MOVS R0, #0x40; MSR BASEPRI, R0, and the same with 0.
const RAISE: [u16; 3] = [0x2040, 0xf380, 0x8811];
const LOWER: [u16; 3] = [0x2000, 0xf380, 0x8811];
/// MRS R1, BASEPRI and MSR BASEPRI, R1.
const READ: [u16; 2] = [0xf3ef, 0x8111];
const RESTORE: [u16; 2] = [0xf381, 0x8811];

#[test]
fn a_value_that_was_read_before_lowers_a_mask() {
    assert_eq!(unclear(&[&[&READ[..], &RAISE, &RESTORE, &[0x4770]].concat()]), 0);
    // It may lie on the stack: SUB SP, #8; STR R1, [SP, #4]; LDR R1, [SP, #4]; ADD SP, #8.
    let (spill, back) = ([0xb082, 0x9101], [0x9901]);
    let code = [&READ[..], &spill, &RAISE, &back, &RESTORE, &[0xb002, 0x4770]].concat();
    assert_eq!(unclear(&[&code]), 0);
    // STRB.W R1, [SP, #4]; LDRB.W R1, [SP, #4].
    let code = [&READ[..], &[0xb082, 0xf88d, 0x1004], &RAISE, &[0xf89d, 0x1004], &RESTORE];
    assert_eq!(unclear(&[&[&code.concat()[..], &[0xb002, 0x4770]].concat()]), 0);
    // Something else was written there: STR R2, [SP, #4].
    let code = [&READ[..], &spill, &RAISE, &[0x9201], &back, &RESTORE, &[0xb002, 0x4770]].concat();
    assert_eq!(unclear(&[&code]), 1);
}

#[test]
fn a_mask_of_a_computed_value_is_open() {
    // MSR BASEPRI, R2; MSR PRIMASK, R2; MSR FAULTMASK, R2, each alone.
    for special in [0x8811, 0x8810, 0x8813] {
        assert_eq!(unclear(&[&[0xf382, special, 0x4770]]), 1, "{special:#x}");
    }
    // What was read while the mask was raised raises it.
    let code = [&RAISE[..], &READ, &LOWER, &RESTORE, &[0x4770]].concat();
    assert_eq!(unclear(&[&code]), 1);
    // Nor does the value of one mask lower another: MRS R1, PRIMASK.
    let code = [&[0xf3ef, 0x8110], &RAISE[..], &RESTORE, &[0x4770]].concat();
    assert_eq!(unclear(&[&code]), 1);
}

#[test]
fn a_value_goes_with_calls_and_returns() {
    // PUSH {R4, LR}; BL f1; MOV R4, R0; MOV R0, R4; BL f2; POP {R4, PC}.
    let caller = [0xb510, 0xf000, 0xf83d, 0x4604, 0x4620, 0xf000, 0xf879, 0xbd10];
    // f1: MRS R0, BASEPRI; MOVS R1, #0x40; MSR BASEPRI_MAX, R1; BX LR. f2: MSR BASEPRI, R0; BX LR.
    let acquire = [0xf3ef, 0x8011, 0x2140, 0xf381, 0x8812, 0x4770];
    let release = [0xf380, 0x8811, 0x4770];
    assert_eq!(unclear(&[&caller, &acquire, &release]), 0);
    // MOVS R0, #0x80 in place of MOV R0, R4: a constant raises, and is no end.
    let other = [0xb510, 0xf000, 0xf83d, 0x4604, 0x2080, 0xf000, 0xf879, 0xbd10];
    let all = sections(&[&other, &acquire, &release]);
    assert!(all.iter().any(|one| one.mask == Mask::Basepri(0x80)), "{all:?}");
}

#[test]
fn a_section_that_may_begin_in_a_callee_goes_on_in_its_caller() {
    // PUSH {LR}; BL f1; MOVS R2, #100; loop: SUBS R2, #1; BNE loop; CPSIE I; POP {PC}.
    let caller = [0xb500, 0xf000, 0xf83d, 0x2264, 0x3a01, 0xd1fd, 0xb662, 0xbd00];
    // f1: CBZ R3, out; CPSID I; out: BX LR.
    let callee = [0xb103, 0xb672, 0x4770];
    let all = sections(&[&caller, &callee]);
    let longest = all.iter().filter_map(|one| one.cycles).max();
    assert!(longest > Some(300), "{all:?}");
}

#[test]
fn a_section_is_followed_to_its_end_in_a_callee() {
    // MOVS R2, #100; loop: SUBS R2, #1; BNE loop.
    const LONG: [u16; 3] = [0x2264, 0x3a01, 0xd1fd];
    let held = |functions: &[&[u16]]| {
        let firmware = firmware(functions);
        let (board, annotations) = (lm3s6965(), Annotations::default());
        let conditions = Conditions { cuts_at_masks: true, ..conditions(&board, &annotations) };
        let analysis = Analysis::new(&firmware, conditions).unwrap();
        Finder::new(&analysis).held()
    };
    // Before and behind the section it may take long: LONG; CPSID I; NOP; CPSIE I; LONG; BX LR.
    let code = [&LONG[..], &[0xb672, 0xbf00, 0xb662], &LONG, &[0x4770]].concat();
    let [one] = &held(&[&code])[..] else { panic!("it is one section") };
    assert!(one.cycles.is_some_and(|cycles| cycles < 10), "{one:?}");
    // PUSH {LR}; CPSID I; BL f1; POP {PC}. f1: CPSIE I; LONG; BX LR.
    let caller = [0xb500, 0xb672, 0xf000, 0xf83c, 0xbd00];
    let callee = [&[0xb662][..], &LONG, &[0x4770]].concat();
    let [one] = &held(&[&caller, &callee])[..] else { panic!("it is one section") };
    assert!(one.cycles.is_some_and(|cycles| cycles < 20), "{one:?}");
    // f1: LONG; CPSIE I; BX LR.
    let callee = [&LONG[..], &[0xb662, 0x4770]].concat();
    let [one] = &held(&[&caller, &callee])[..] else { panic!("it is one section") };
    assert!(one.cycles.is_some_and(|cycles| cycles > 200), "{one:?}");
    // CPSID I; BX LR: it goes on in a caller, and is open.
    let [one] = &held(&[&[0xb672, 0x4770]])[..] else { panic!("it is one section") };
    assert_eq!((one.cycles, one.open.len()), (None, 1));
}

#[test]
fn a_value_that_holds_off_nothing_that_counts_ends_a_section() {
    let firmware = firmware(&[&[&RAISE[..], &[0x20e0, 0xf380, 0x8811, 0x4770]].concat()]);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    assert_eq!(Finder::new(&analysis).held().len(), 2);
    let held = Finder::without(&analysis, |value| value == 0xe0).held();
    assert!(held.len() == 1 && held[0].cycles.is_some(), "{held:?}");
}
