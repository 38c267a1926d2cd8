//! Exceptions that come late behind a mask, where that is asked for.

use super::*;

const CPSID: u16 = 0xb672;
const CPSIE: u16 = 0xb662;
const ISB: [u16; 2] = [0xf3bf, 0x8f6f];

/// Returns the number of steps after a CPSIE, up to five, until a held-off interrupt comes.
/// `behind` is the code behind the CPSIE.
fn comes_after(late: u64, behind: &[u16]) -> Option<usize> {
    let mut core = firmware(&[&[CPSID, CPSIE], behind, &[NOP; 5]].concat());
    core.set_late_unmasking(late);
    core.enable(16, 0x80);
    core.steps(1);
    core.pend(16);
    core.steps(1);
    (1..=5).find(|_| {
        core.steps(1);
        core.registers.ipsr == 16
    })
}

#[test]
fn an_exception_comes_so_many_instructions_later() {
    assert_eq!([0, 1, 2, 3].map(|late| comes_after(late, &[])), [1, 2, 3, 4].map(Some));
}

#[test]
fn an_isb_lets_it_in() {
    assert_eq!(comes_after(3, &ISB), Some(2));
    assert_eq!(comes_after(3, &[&[NOP], &ISB[..]].concat()), Some(3));
}

#[test]
fn an_instruction_that_is_abandoned_for_it_lets_it_in() {
    const UDIV: [u16; 2] = [0xfbb1, 0xf0f2];
    assert_eq!(comes_after(3, &UDIV), Some(2));
}

#[test]
fn a_mask_that_comes_first_holds_it_off_again() {
    assert_eq!(comes_after(0, &[CPSID]), Some(1));
    assert_eq!(comes_after(1, &[CPSID]), None);
    assert_eq!(comes_after(1, &[ISB[0], ISB[1], CPSID]), Some(2));
}

#[test]
fn a_supervisor_call_is_never_late() {
    const SVC: u16 = 0xdf00;
    let mut core = firmware(&[CPSID, CPSIE, SVC, NOP]);
    core.set_late_unmasking(3);
    core.steps(4);
    assert_eq!(core.registers.ipsr, 11);
}
