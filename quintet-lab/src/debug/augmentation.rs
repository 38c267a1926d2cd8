//! Rules for unwinding that Arm Compiler 5 has written: the augmentation of their CIEs is `armcc+`,
//! which adds no data. A reader that doesn't know it must give such a CIE up.
//!
//! The string is taken out in place. The fields behind it move forward, and DW_CFA_nop fills the
//! end, so that no offset changes.

const ADDS_NOTHING: &[u8] = b"armcc+\0";
/// The identifier of a CIE in `.debug_frame`, with 32 bits.
const CIE: [u8; 4] = [0xff; 4];
/// A length that says that the real one, of 64 bits, follows.
const LONG: u32 = u32::MAX;
/// The bytes of a CIE before its augmentation: identifier and version.
const HEAD: usize = 5;

/// Removes the augmentation from the content of `.debug_frame`.
pub(super) fn remove(section: &mut [u8]) {
    let mut rest = section;
    while let Some((length, entry)) = rest.split_first_chunk_mut::<4>() {
        let length = u32::from_le_bytes(*length);
        let inside = usize::try_from(length).ok().filter(|length| *length <= entry.len());
        let Some(inside) = inside.filter(|_| length != LONG) else { return };
        let (entry, behind) = entry.split_at_mut(inside);
        if entry.starts_with(&CIE) && entry.get(HEAD..).is_some_and(is_armcc) {
            let removed = ADDS_NOTHING.len() - 1;
            entry.copy_within(HEAD + removed.., HEAD);
            let end = entry.len() - removed;
            entry[end..].fill(0);
        }
        rest = behind;
    }
}

fn is_armcc(behind_head: &[u8]) -> bool {
    behind_head.starts_with(ADDS_NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: [u8; 4], content: &[u8]) -> Vec<u8> {
        let length = (4 + content.len()) as u32;
        [&length.to_le_bytes()[..], &id, content].concat()
    }

    #[test]
    fn the_fields_move_into_the_place_of_the_string() {
        let cie = |augmentation: &[u8], end: &[u8]| {
            entry(CIE, &[&[3], augmentation, &[0, 2, 0x7c, 14, 12, 13, 0], end].concat())
        };
        let rules = entry([0; 4], b"\x03armcc+\0...");
        let mut section =
            [cie(b"armcc+", &[]), rules.clone(), cie(b"", &[]), cie(b"xx", &[])].concat();
        remove(&mut section);
        let plain = [cie(b"", &[0; 6]), rules, cie(b"", &[]), cie(b"xx", &[])].concat();
        assert_eq!(section, plain);
    }

    #[test]
    fn damaged_sections_stay_as_they_are() {
        let whole = entry(CIE, b"\x03armcc+\0\x02");
        for end in 0..whole.len() {
            let mut cut = whole[..end].to_vec();
            remove(&mut cut);
            assert_eq!(cut, whole[..end]);
        }
        let mut long = [&[0xff; 4][..], &whole].concat();
        let before = long.clone();
        remove(&mut long);
        assert_eq!(long, before);
    }
}
