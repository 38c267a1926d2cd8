//! Random instruction sequences leave the same registers, flags and memory as under QEMU.
//!
//! The same generator with other seeds and more cases is `cargo proof cross`.

use std::collections::BTreeSet;

use proof::cross::differential::{Plan, run};
use proof::cross::{Subset, data, generate};
use proof::qemu;

/// Runs the cases and expects agreement, or says that there is nothing to compare with.
fn agree(subset: Subset, cases: u64) {
    if !qemu::is_installed() {
        println!("skipped: qemu-system-arm is not installed");
        return;
    }
    let plan = Plan { seed: 2, first: 0, cases, subset };
    match run(&plan, |_| {}) {
        Ok(summary) => {
            println!("{} cases agree, {} ended by a fault", summary.cases, summary.faults);
            // A generator that only makes faulting cases would find nothing.
            assert!(summary.faults < summary.cases / 2);
        }
        Err(error) => panic!("{error:#}"),
    }
}

#[test]
fn armv7m_sequences_agree_with_qemu() {
    agree(Subset::V7M, 6144);
}

#[test]
fn armv6m_sequences_agree_with_qemu() {
    agree(Subset::V6M, 4096);
}

#[test]
fn armv7em_sequences_agree_with_qemu() {
    agree(Subset::V7EM, 6144);
}

#[test]
fn every_encoding_occurs() {
    let mut seen = BTreeSet::new();
    for index in 0..4000 {
        let case = generate::case(3, index, 0, Subset::V7M);
        seen.extend(case.units.into_iter().map(|unit| unit.name));
    }
    let tables = [data::NARROW, data::WIDE, data::SPECIAL, data::SPECIAL_WIDE];
    for template in tables.into_iter().flatten() {
        assert!(seen.contains(template.name), "{} never occurs", template.name);
    }
    let mut seen = BTreeSet::new();
    for index in 0..4000 {
        let case = generate::case(3, index, 0, Subset::V7EM);
        seen.extend(case.units.into_iter().map(|unit| unit.name));
    }
    for template in data::DSP.iter().chain(data::FLOAT) {
        assert!(seen.contains(template.name), "{} never occurs", template.name);
    }
    for name in ["vldr", "vldr.64 literal", "vstm.64", "vldmdb"] {
        assert!(seen.contains(name), "{name} never occurs");
    }
}

#[test]
fn stacks_and_control_flow_occur() {
    let mut seen = BTreeSet::new();
    for index in 0..4000 {
        let case = generate::case(3, index, 0, Subset::V7M);
        seen.extend(case.units.into_iter().map(|unit| unit.name));
    }
    for name in ["it block", "loop", "call", "tbb", "tbh", "exclusive", "pop pc", "ldrex", "stmdb"]
    {
        assert!(seen.contains(name), "{name} never occurs");
    }
}

#[test]
fn cases_are_the_same_every_time() {
    let once = generate::case(9, 1234, 5, Subset::V7M);
    let again = generate::case(9, 1234, 5, Subset::V7M);
    assert_eq!(once.code, again.code);
    assert_eq!(once.registers, again.registers);
}
