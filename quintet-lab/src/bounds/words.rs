//! Words of an image that never change.

use quintet_sim::image::Image;

use crate::firmware::code::bytes_at;

/// The word at an address that nothing writes: code, literals, constants.
pub fn constant_word(image: &Image, address: u32) -> Option<u32> {
    let is_written = image
        .sections
        .iter()
        .any(|section| section.writable && address.wrapping_sub(section.address) < section.size);
    let bytes = bytes_at::<4>(image, address)?;
    (!is_written).then(|| u32::from_le_bytes(bytes))
}

/// The word at an address, as the image is loaded.
pub fn any_word(image: &Image, address: u32) -> Option<u32> {
    bytes_at::<4>(image, address).map(u32::from_le_bytes)
}

/// The same of a byte, or of a halfword.
pub fn constant_part(image: &Image, address: u32, half: bool) -> Option<u32> {
    let word = constant_word(image, address & !3)?;
    let part = word >> (8 * (address & 3));
    Some(if half { part & 0xffff } else { part & 0xff })
}
