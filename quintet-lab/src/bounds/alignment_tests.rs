//! Accesses that are not aligned, those that are proven to be, and bits by their aliases.

use super::annotations::Annotations;
use super::tests::{FUNCTION, bounds, conditions, firmware, lm3s6965, taken};
use super::verdict::Analysis;

/// MRS R1, PRIMASK: 0, and the analysis does not know that.
const UNKNOWN: [u16; 2] = [0xf3ef, 0x8110];
/// MOVW R0, #0x0100; MOVT R0, #0x2000; ADD R0, R1.
const POINTER: [u16; 5] = [0xf240, 0x1000, 0xf2c2, 0x0000, 0x4408];
/// The same with 0x0101 for 0x0100.
const ODD_POINTER: [u16; 5] = [0xf240, 0x1001, 0xf2c2, 0x0000, 0x4408];

/// The bound of the first function, and the cycles that it took.
fn figures(functions: &[&[u16]]) -> (u64, u64) {
    let (bound, _, observed) = bounds(functions, &Annotations::default());
    assert!(bound.is_bounded(), "{bound:?}");
    (bound.cycles.unwrap(), taken(&observed))
}

fn code(parts: &[&[u16]]) -> Vec<u16> {
    parts.concat()
}

#[test]
fn an_access_through_a_pointer_may_be_unaligned() {
    // LDR R2, [R0]; LDRH R2, [R0]; STR R2, [R0]; STRH R2, [R0]; BX LR.
    let accesses = [0x6802, 0x8802, 0x6002, 0x8002, 0x4770];
    let (bound, odd) = figures(&[&code(&[&UNKNOWN, &ODD_POINTER, &accesses])]);
    let (same_bound, even) = figures(&[&code(&[&UNKNOWN, &POINTER, &accesses])]);
    assert_eq!(bound, same_bound, "the code is alike");
    assert!(odd > even && bound >= odd, "{bound}, {odd}, {even}");
}

#[test]
fn what_is_proven_to_be_aligned_has_no_parts() {
    let tight = |functions: &[&[u16]]| {
        let (bound, taken) = figures(functions);
        assert_eq!(bound, taken, "{functions:x?}");
    };
    // BIC R0, R1, #3 behind an unknown R1; then LDR R2, [R0].
    tight(&[&code(&[&UNKNOWN, &[0xf021, 0x0003, 0x6802, 0x4770]])]);
    // LSLS R0, R1, #2; LDR R2, [R0, #8].
    tight(&[&code(&[&UNKNOWN, &[0x0088, 0x6882, 0x4770]])]);
    // LDRD R2, R3, [R0], which is never unaligned; LDR R2, [R0, #4].
    let (unaligned, _) = figures(&[&code(&[&UNKNOWN, &POINTER, &[0x6842, 0x4770]])]);
    let (aligned, _) = figures(&[&code(&[&UNKNOWN, &POINTER, &[0xe9d0, 0x2300, 0x6842, 0x4770]])]);
    let (alone, _) = figures(&[&code(&[&UNKNOWN, &POINTER, &[0xe9d0, 0x2300, 0x4770]])]);
    assert!(aligned - alone < 3 && unaligned >= 3, "{aligned}, {alone}");
    // ANDS R2, R1, #7; LDR R0, =; LDR R3, [R0, R2, LSL #2].
    let index = [0xf011, 0x0207, 0xf240, 0x1000, 0xf2c2, 0x0000, 0xf850, 0x3022, 0x4770];
    tight(&[&code(&[&UNKNOWN, &index])]);
}

/// The bound of `f1`, which `f0` calls with a constant in R0: LDR R2, [R0]; BX LR.
fn bound_of_callee(more: &[u16]) -> u64 {
    // PUSH {LR}; MOVW R0, #0x204; MOVT R0, #0x2000; BL f1; POP {PC}.
    let caller = [0xb500, 0xf240, 0x2004, 0xf2c2, 0x0000, 0xf000, 0xf839, 0xbd00];
    let firmware = firmware(&[&caller, &[0x6802, 0x4770], more]);
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(&firmware, conditions(&board, &annotations)).unwrap();
    analysis.bounds()[&(FUNCTION + 0x80)].cycles.unwrap()
}

#[test]
fn an_argument_is_aligned_if_all_callers_are_known() {
    let known = bound_of_callee(&[0x4770]);
    // MOVW R3, #0x101 loads the address of the callee: anybody may call it.
    let taken = bound_of_callee(&[0xf240, 0x1301, 0x4770]);
    assert!(taken > known, "{taken}, {known}");
    // Another caller passes what it was passed: B f1.
    let called = bound_of_callee(&[0xe7be]);
    assert!(called > known, "{called}, {known}");
    // The address as a word of the image.
    let word = bound_of_callee(&[0x4770, 0x0101, 0x0000]);
    assert!(word > known, "{word}, {known}");
}

#[test]
fn a_store_through_a_pointer_may_go_to_an_alias_of_a_bit() {
    // MOVW R0, #0x2000; MOVT R0, #0x2200; ADD R0, R1; STR R2, [R0]; STR R2, [R0]; BX LR.
    let alias = [0xf242, 0x0000, 0xf2c2, 0x2000, 0x4408, 0x6002, 0x6002, 0x4770];
    let (bound, taken) = figures(&[&code(&[&UNKNOWN, &alias])]);
    assert!(bound >= taken, "{bound}, {taken}");
    // STR R2, [R0] alone, where another function has the constant.
    let store = code(&[&UNKNOWN, &POINTER, &[0x6002, 0x6802, 0x4770]]);
    let (without, _) = figures(&[&store]);
    let (with, _) = figures(&[&store, &[0xf2c2, 0x2000, 0x4770]]);
    assert!(with > without, "{with}, {without}");
}
