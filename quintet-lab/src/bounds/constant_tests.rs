//! Branches through registers that hold constants, by more ways than one.

use std::collections::BTreeSet;

use super::annotations::Annotations;
use super::bound::{Bound, Cause};
use super::graph::Obstacle;
use super::tests::{FUNCTION, conditions, firmware, lm3s6965};
use super::verdict::Analysis;
use crate::firmware::Firmware;

/// The bound of a function.
fn bound(firmware: &Firmware, number: u32) -> Bound {
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(firmware, conditions(&board, &annotations)).unwrap();
    analysis.bounds()[&(FUNCTION + 0x80 * number)].clone()
}

fn causes(bound: &Bound) -> BTreeSet<Cause> {
    bound.open_cycles.iter().map(|open| open.cause).collect()
}

/// PUSH {R0 to R3}; POP {R0 to R3}: 16 bytes.
const DEEP: [u16; 2] = [0xb40f, 0xbc0f];

#[test]
fn a_call_has_the_targets_of_all_ways_to_it() {
    // MOVW R3, #0x101, and #0x181: the second and the third function.
    let (one, other) = ([0xf240, 0x1301], [0xf240, 0x1381]);
    for (first, second) in [(one, other), (other, one)] {
        // PUSH {LR}; CBZ R0, second; first; call: BLX R3; POP {PC}; second; B call.
        let code = [&[0xb500, 0xb118][..], &first, &[0x4798, 0xbd00], &second, &[0xe7fa]].concat();
        let deep = [&DEEP[..], &[0x4770]].concat();
        let bound = bound(&firmware(&[&code, &[0x4770], &deep]), 0);
        assert!(bound.is_bounded(), "{bound:?}");
        assert_eq!(bound.stack, Some(4 + 16));
    }
}

/// PUSH {LR}; AND R1, R1, #1; MOVW R0, #0x140; jump: LDR R3, [R0, R1, LSL #2]; MOV PC, R3;
/// a: MOVW R0, #0x148; B jump; b: POP {PC}; c: 16 bytes; POP {PC}. Of the tables, which are in the
/// second function, the first one leads to a and b.
fn gotos(second: [u16; 2]) -> Firmware {
    const TO_C: usize = 12;
    let mut code = vec![0xb500, 0xf001, 0x0101, 0xf240, 0x1040, 0xf850, 0x3021, 0x469f];
    code.extend([0xf240, 0x1048, 0xe7f9, 0xbd00]);
    assert_eq!(code.len(), TO_C);
    code.extend(DEEP);
    code.push(0xbd00);
    let mut tables = vec![0xbf00_u16; 0x20];
    tables.extend([0x0090, 0, 0x0096, 0, second[0], 0, second[1], 0]);
    firmware(&[&code, &tables])
}

#[test]
fn gotos_that_share_a_branch_have_the_targets_of_both() {
    // To b and c. A move to the program counter ignores the lowest bit of an address.
    for second in [[0x0096, 0x0098], [0x0097, 0x0099]] {
        let bound = bound(&gotos(second), 0);
        assert_eq!(bound.stack, Some(4 + 16), "{bound:?}");
        // The circle of the jumps has no count.
        assert_eq!(causes(&bound), BTreeSet::from([Cause::Loop]));
    }
    // To 0x08000096, where no code is: nothing is known of the branch any more.
    let mut nowhere = gotos([0x0096, 0]);
    let last = nowhere.image.segments[0].bytes.len() - 1;
    nowhere.image.segments[0].bytes[last] = 0x08;
    let bound = bound(&nowhere, 0);
    assert_eq!(bound.stack, None, "{bound:?}");
    assert!(causes(&bound).contains(&Cause::Obstacle(Obstacle::IndirectBranch)), "{bound:?}");
}

#[test]
fn a_branch_that_may_lead_anywhere_hides_what_is_known() {
    // NOP; back: SUBS R0, #1; BNE back; BX LR.
    let counts: [u16; 4] = [0xbf00, 0x3801, 0xd1fd, 0x4770];
    // PUSH {LR}; CBZ R1, known; MOV PC, R2; known: MOVS R0, #3; call: BL counts; POP {PC}.
    let code = [0xb500, 0xb101, 0x4697, 0x2003, 0xf000, 0xf83a, 0xbd00];
    // MOVS R0, #200, and B call, or BL counts.
    for unseen in [&[0x20c8, 0xe7fa][..], &[0x20c8, 0xf000, 0xf836, 0xbd00]] {
        let firmware = firmware(&[&[&code, unseen].concat(), &counts]);
        assert_eq!(causes(&bound(&firmware, 1)), BTreeSet::from([Cause::Loop]));
    }
    // NOP in place of the branch.
    let known = [&[0xb500, 0xb101, 0xbf00][..], &code[3..]].concat();
    assert!(bound(&firmware(&[&known, &counts]), 1).is_bounded());
}
