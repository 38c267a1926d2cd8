//! Debug information about functions that the linker threw away, made harmless.
//!
//! Linkers leave the debug information of discarded functions in the file with the address 0. On a
//! desktop nothing lies there; on a Cortex-M the first kilobytes of flash do, so that a real
//! function would be taken for a discarded one. No function can begin at address 0, where the
//! vector table or its alias is. So every function and line sequence with the address 0 is moved to
//! the end of the address space, where no code may be (B3.1: 0xE0000000 and above never holds
//! instructions).

use gimli::{AttributeValue, DebugAbbrev, DebugInfo, EndianSlice, LittleEndian};

/// The address for discarded code. Its end must not wrap around to 0.
const NOWHERE: [u8; 4] = 0xf000_0000_u32.to_le_bytes();

/// Moves the functions and scopes in `.debug_info` whose address is 0.
pub(super) fn banish_functions(info: &mut [u8], abbreviations: &[u8]) {
    let places = find_functions(info, abbreviations);
    for place in places {
        if let Some(bytes) = info.get_mut(place..place + 4) {
            bytes.copy_from_slice(&NOWHERE);
        }
    }
}

/// The positions of the addresses that are 0. Damaged information ends the search.
fn find_functions(info: &[u8], abbreviations: &[u8]) -> Vec<usize> {
    let section = DebugInfo::new(info, LittleEndian);
    let abbreviations = DebugAbbrev::from(EndianSlice::new(abbreviations, LittleEndian));
    let mut places = Vec::new();
    let mut units = section.units();
    while let Ok(Some(unit)) = units.next() {
        let _ = find_in_unit(&unit, &abbreviations, &mut places);
    }
    places
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

fn find_in_unit(
    unit: &gimli::UnitHeader<Slice<'_>>,
    abbreviations: &DebugAbbrev<Slice<'_>>,
    places: &mut Vec<usize>,
) -> gimli::Result<()> {
    let abbreviations = unit.abbreviations(abbreviations)?;
    let mut entries = unit.entries_raw(&abbreviations, None)?;
    while !entries.is_empty() {
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        // A unit of several functions has the base address 0 for its ranges. That address is no
        // function's.
        let has_ranges = abbreviation
            .attributes()
            .iter()
            .any(|attribute| attribute.name() == gimli::DW_AT_ranges);
        for specification in abbreviation.attributes() {
            let at = entries.next_offset();
            let attribute = entries.read_attribute(*specification)?;
            let claims = attribute.name() == gimli::DW_AT_low_pc && !has_ranges;
            if claims && attribute.value() == AttributeValue::Addr(0) {
                places.extend(at.to_debug_info_offset(unit).map(|offset| offset.0));
            }
        }
    }
    Ok(())
}

/// Moves the line sequences in `.debug_line` that begin at address 0.
///
/// The bytes are those of the extended opcode DW_LNE_set_address with the operand 0. The search
/// doesn't interpret the programs. If the pattern ever occurs inside a table, a file's name is
/// spoilt.
pub(super) fn banish_lines(lines: &mut [u8]) {
    const SET_ADDRESS_0: [u8; 7] = [0, 5, 2, 0, 0, 0, 0];
    let mut from = 0;
    while let Some(found) = lines
        .get(from..)
        .and_then(|rest| rest.windows(SET_ADDRESS_0.len()).position(|bytes| bytes == SET_ADDRESS_0))
    {
        let operand = from + found + 3;
        if let Some(bytes) = lines.get_mut(operand..operand + 4) {
            bytes.copy_from_slice(&NOWHERE);
        }
        from = operand + 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit with a function at `low`, 16 bytes long; and its abbreviations.
    fn unit(low: u32) -> (Vec<u8>, Vec<u8>) {
        let abbreviations = vec![
            1, 0x11, 1, 0x11, 0x01, 0x55, 0x17, 0, 0, // unit: low_pc, ranges
            2, 0x2e, 0, 0x11, 0x01, 0x12, 0x06, 0, 0, // function: low_pc, high_pc
            0,
        ];
        let mut entries = vec![1];
        entries.extend(0u32.to_le_bytes());
        entries.extend(0u32.to_le_bytes());
        entries.push(2);
        entries.extend(low.to_le_bytes());
        entries.extend(16u32.to_le_bytes());
        entries.push(0);
        let mut info = (entries.len() as u32 + 7).to_le_bytes().to_vec();
        info.extend([4, 0, 0, 0, 0, 0, 4]);
        info.extend(entries);
        (info, abbreviations)
    }

    #[test]
    fn a_function_at_0_goes_and_the_units_base_stays() {
        let (mut info, abbreviations) = unit(0);
        let before = info.clone();
        banish_functions(&mut info, &abbreviations);
        let function = 11 + 9 + 1;
        assert_eq!(info[function..function + 4], NOWHERE);
        assert_eq!(info[..function], before[..function]);
        assert_eq!(info[function + 4..], before[function + 4..]);
    }

    #[test]
    fn a_function_elsewhere_stays() {
        let (mut info, abbreviations) = unit(0x400);
        let before = info.clone();
        banish_functions(&mut info, &abbreviations);
        assert_eq!(info, before);
    }

    #[test]
    fn line_sequences_at_0_go() {
        let mut lines = vec![9, 0, 5, 2, 0, 0, 0, 0, 7, 0, 5, 2, 0, 4, 0, 0, 0, 5, 2, 0, 0, 0, 0];
        banish_lines(&mut lines);
        assert_eq!(lines[4..8], NOWHERE);
        assert_eq!(lines[12..16], [0, 4, 0, 0]);
        assert_eq!(lines[19..23], NOWHERE);
        banish_lines(&mut []);
    }
}
