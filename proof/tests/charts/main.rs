//! Random state machines with every feature do what the rules of UML say.
//!
//! `cargo proof charts --write` prints the charts, with events for each and a digest of what its
//! interpreter of the rules saw. `cargo proof charts` compares many more, step by step, and shows
//! where a machine differs.

mod generator;
mod support;

use support::{Driven, event, observe};

/// The steps that a digest is of.
const A_DIGEST: usize = 20;

macro_rules! charts {
    ($($name:ident)*) => {
        $(
            #[allow(dead_code, unused_variables, reason = "the charts are random")]
            mod $name;
        )*

        $(
            #[test]
            fn $name() {
                let mut driven = $name::Driver::NEW;
                check(&mut driven, $name::STEPS, $name::SEEN);
            }
        )*
    };
}

charts! {
    chart_00 chart_01 chart_02 chart_03
}

/// Takes the steps, and compares what is seen.
fn check(driven: &mut dyn Driven, steps: &str, expected: &[u32]) {
    let mut names = steps.bytes().peekable();
    let mut seen = Vec::new();
    let mut digest = 0;
    let mut step = 0;
    let mut actual = Vec::new();
    while let Some(name) = names.next() {
        let number = names.next_if(u8::is_ascii_digit).map_or(0, |digit| digit - b'0');
        let event = (name != b'.').then(|| event(name - b'A', number));
        observe(driven, step, event, &mut seen);
        digest = seen.iter().fold(digest, |digest, value| mix(digest, *value));
        step += 1;
        if step % A_DIGEST == 0 || names.peek().is_none() {
            let from = (step - 1) / A_DIGEST * A_DIGEST;
            assert_eq!(
                expected.get(actual.len()),
                Some(&digest),
                "differs from the rules in steps {from}..{step}: `cargo proof charts` shows how"
            );
            actual.push(digest);
            digest = 0;
        }
    }
    assert_eq!(actual.len(), expected.len());
    assert!(step >= 400);
}

fn mix(digest: u32, value: u16) -> u32 {
    (digest.rotate_left(5) ^ u32::from(value)).wrapping_mul(0x9e37_79b9)
}
