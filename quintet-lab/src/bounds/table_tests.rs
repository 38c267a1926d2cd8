//! Calls through tables of functions.

use quintet_sim::image::{Symbol, SymbolKind};

use super::annotations::Annotations;
use super::bound::{Bound, Cause};
use super::graph::Obstacle;
use super::tests::{FUNCTION, conditions, firmware, lm3s6965};
use super::verdict::Analysis;
use crate::firmware::Firmware;

/// MRS R1, APSR, which the analysis does not know.
const UNKNOWN: [u16; 2] = [0xf3ef, 0x8100];
/// MOVW R0, #0x140; LDR R3, [R0, R1, LSL #2]; BLX R3; POP {PC}. The table is in the second
/// function.
const CALL: [u16; 6] = [0xf240, 0x1040, 0xf850, 0x3021, 0x4798, 0xbd00];

/// A table at 0x140 of the third function, which returns, and of the fourth one, which divides.
fn image(code: &[u16], words: [u16; 4]) -> Firmware {
    let mut table = vec![0xbf00_u16; 0x20];
    table.extend(words);
    firmware(&[code, &table, &[0x4770], &[0xfbb0, 0xf0f1, 0x4770]])
}

fn bound(firmware: &Firmware) -> Bound {
    let (board, annotations) = (lm3s6965(), Annotations::default());
    let analysis = Analysis::new(firmware, conditions(&board, &annotations)).unwrap();
    analysis.bounds()[&FUNCTION].clone()
}

fn is_open(bound: &Bound) -> bool {
    let mut causes = bound.open_cycles.iter().map(|open| open.cause);
    causes.any(|cause| cause == Cause::Obstacle(Obstacle::IndirectCall))
}

#[test]
fn a_call_through_a_table_goes_to_its_entries() {
    let words = [0x0181, 0, 0x0201, 0];
    // PUSH {LR}; AND R1, R1, #1.
    let masked = [&[0xb500][..], &UNKNOWN, &[0xf001, 0x0101], &CALL].concat();
    let both = bound(&image(&masked, words));
    assert!(both.is_bounded(), "{both:?}");
    // Of the first entry alone, as the other one is no function: a null pointer.
    let first = bound(&image(&masked, [0x0181, 0, 0, 0]));
    assert!(first.is_bounded() && first.cycles < both.cycles, "{first:?}, {both:?}");
    // CMP R1, #1; BHI over the call.
    let compared = [&[0xb500][..], &UNKNOWN, &[0x2901, 0xd804], &CALL].concat();
    assert!(bound(&image(&compared, words)).is_bounded());
}

#[test]
fn an_index_without_a_limit_needs_the_size_of_a_table() {
    let open = [&[0xb500][..], &UNKNOWN, &CALL].concat();
    let mut firmware = image(&open, [0x0181, 0, 0x0201, 0]);
    assert!(is_open(&bound(&firmware)));
    let table = Symbol {
        name: "table".into(),
        address: 0x140,
        size: 8,
        kind: SymbolKind::Data,
        absolute: false,
    };
    firmware.image.symbols.push(table);
    firmware.image.symbols.sort_by_key(|symbol| symbol.address);
    let sized = bound(&firmware);
    assert!(sized.is_bounded(), "{sized:?}");
}

#[test]
fn an_index_of_leading_zeros_is_limited_by_the_number_that_has_them() {
    // MRS R2, APSR; CLZ R1, R2; CMP.W R2, #0x8000_0000; BLO over the call.
    let unknown = [0xf3ef, 0x8200];
    let (zeros, compared) = ([0xfab2, 0xf182], [0xf1b2, 0x4f00, 0xd304]);
    // Without leading zeros, the index is that of the first entry. The second one leads elsewhere.
    let words = [0x0181, 0, 0x0201, 0x0800];
    let with = |between: &[u16]| {
        let code = [&[0xb500][..], &unknown, &zeros, between, &compared, &CALL].concat();
        bound(&image(&code, words))
    };
    let limited = with(&[]);
    assert!(limited.is_bounded(), "{limited:?}");
    // ADDS R2, #1 or ADDS R1, #1 in between, or CLZ of another register.
    assert!(is_open(&with(&[0x3201])));
    assert!(is_open(&with(&[0x3101])));
    assert!(is_open(&with(&[0xfab3, 0xf183])));
    // IT EQ; CLZEQ R1, R3.
    assert!(is_open(&with(&[0xbf08, 0xfab3, 0xf183])));
    // BLX R3, which may change both.
    assert!(is_open(&with(&[0x4798])));
    // BHS instead: the number has at least one zero, and up to 32.
    let higher = [&[0xb500][..], &unknown, &zeros, &compared[..2], &[0xd204], &CALL].concat();
    assert!(is_open(&bound(&image(&higher, words))));
}

#[test]
fn a_table_that_may_change_or_leads_elsewhere_is_open() {
    let masked = [&[0xb500][..], &UNKNOWN, &[0xf001, 0x0101], &CALL].concat();
    let mut written = image(&masked, [0x0181, 0, 0x0201, 0]);
    written.image.sections[0].writable = true;
    assert!(is_open(&bound(&written)));
    // To 0x08000200, where the image has no code.
    assert!(is_open(&bound(&image(&masked, [0x0181, 0, 0x0201, 0x0800]))));
}
