//! What to do about an instruction that the core may not have, as the image was built for another.

use quintet_sim::board::{Board, Core};
use quintet_sim::image::{BuiltFor, Image};

use super::fault::FaultStatus;

/// In CFSR: an undefined instruction, or one for a coprocessor that isn't there.
const UNKNOWN: u32 = 1 << 16 | 1 << 19;

/// The advice, where the image was built for more than the board's core has and the fault may come
/// of that. A core of ARMv6-M doesn't tell its faults apart.
pub fn advice(image: &Image, board: &Board, fault: FaultStatus) -> Option<String> {
    let (has, target) = match board.core {
        Core::CortexM0 | Core::CortexM0Plus => (BuiltFor::V6M, "thumbv6m-none-eabi"),
        Core::CortexM3 => (BuiltFor::V7M, "thumbv7m-none-eabi"),
    };
    let may_be = fault.cfsr & UNKNOWN != 0 || has == BuiltFor::V6M;
    let built_for = image.built_for.filter(|built_for| may_be && *built_for > has)?;
    Some(format!(
        "the firmware is built for {}, and the board's core is of {}, which lacks some \
         instructions: build it for that, in Rust by --target {target}",
        built_for.name(),
        has.name(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(cfsr: u32, built_for: Option<BuiltFor>, core: Core) -> String {
        let image = Image { built_for, ..Image::default() };
        let board = Board { core, ..Board::named("lm3s6965").expect("built in") };
        advice(&image, &board, FaultStatus { cfsr, ..FaultStatus::default() }).unwrap_or_default()
    }

    #[test]
    fn what_the_core_lacks_is_said() {
        for cfsr in [1 << 16, 1 << 19] {
            let text = said(cfsr, Some(BuiltFor::V7EM), Core::CortexM3);
            assert!(text.contains("ARMv7E-M") && text.contains("thumbv7m-none-eabi"), "{text}");
            assert_eq!(said(cfsr, Some(BuiltFor::V7M), Core::CortexM3), "");
            assert_eq!(said(cfsr, None, Core::CortexM3), "");
        }
        assert_eq!(said(1 << 25, Some(BuiltFor::V7EM), Core::CortexM3), "", "a division by zero");
        let text = said(0, Some(BuiltFor::V7M), Core::CortexM0);
        assert!(text.contains("ARMv7-M") && text.contains("thumbv6m-none-eabi"), "{text}");
    }
}
