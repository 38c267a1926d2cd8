//! The names of code in a file without symbols, as far as the vector table gives them: reset's, and
//! those of handlers.

use crate::report::fault::exception_name;
use quintet_sim::image::Image;

/// The exceptions of the core (B1.5.2): reset is 1, and from 16 on come interrupts.
const RESET: u16 = 1;
const INTERRUPTS: u16 = 16;
/// A table has no more vectors.
const VECTORS_MAX: u16 = INTERRUPTS + 240;
/// Code that so many vectors lead to is for all exceptions that nobody handles.
const SHARED: usize = 3;

/// Returns the name of code that a vector leads to, of an image that has no functions.
pub fn name(image: &Image, address: u32) -> Option<String> {
    if has_functions(image) || !is_inside(image, address) {
        return None;
    }
    handler(image, address)
}

/// Returns `true` if the file says where functions are.
pub fn has_functions(image: &Image) -> bool {
    image.symbols.iter().any(|symbol| image.function_at(symbol.address).is_some())
}

/// Returns the name of code that a vector of an image without functions leads to.
pub fn handler(image: &Image, address: u32) -> Option<String> {
    let loaded = image.segments.iter().filter(|segment| !segment.bytes.is_empty());
    let mut starts: Vec<u32> = loaded.map(|segment| segment.load_address).collect();
    starts.sort_unstable();
    let named = image.tables_by_name_and_entry().into_iter().map(|table| table.address);
    named.chain(starts).take(2).find_map(|table| by_table(image, table, address))
}

fn by_table(image: &Image, table: u32, address: u32) -> Option<String> {
    let vector = |number: u16| image.initial_word(table.wrapping_add(4 * u32::from(number)));
    let is_code = |vector: u32| vector & 1 == 1 && is_inside(image, vector & !1);
    // Reserved vectors may be 0. The first word that is no vector is behind the table.
    let is_vector = |number: &u16| {
        let word = vector(*number);
        word.is_some_and(|word| is_code(word) || word == 0 || *number < INTERRUPTS)
    };
    let leads_there = |number: &u16| vector(*number) == Some(address | 1);
    let numbers: Vec<u16> =
        (RESET..VECTORS_MAX).take_while(is_vector).filter(leads_there).collect();
    let first = *numbers.first()?;
    Some(match first {
        RESET => "reset handler".into(),
        _ if numbers.len() >= SHARED => {
            format!("default handler, of {} and others", exception_name(first))
        }
        _ => {
            let names: Vec<_> = numbers.iter().map(|number| exception_name(*number)).collect();
            format!("handler of {}", names.join(" and "))
        }
    })
}

/// Returns `true` if the image has content at the address.
fn is_inside(image: &Image, address: u32) -> bool {
    image
        .segments
        .iter()
        .any(|segment| (address.wrapping_sub(segment.load_address) as usize) < segment.bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image for an address, with a stack pointer, vectors, and room for code.
    fn image(start: u32, vectors: &[u32]) -> Image {
        let mut bytes = 0x2000_1000_u32.to_le_bytes().to_vec();
        bytes.extend(vectors.iter().flat_map(|vector| vector.to_le_bytes()));
        bytes.extend([0xff; 0x100]);
        Image::raw(&bytes, start).unwrap()
    }

    #[test]
    fn code_has_the_names_of_its_vectors() {
        let mut vectors = vec![0x161, 0x171, 0x171, 0x181];
        vectors.extend([0x171; 11]);
        vectors.extend([0x191, 0x1a1]);
        let image = image(0x100, &vectors);
        let names = [
            (0x160, "reset handler"),
            (0x170, "default handler, of NMI and others"),
            (0x180, "handler of MemManage"),
            (0x190, "handler of IRQ 0"),
            (0x1a0, "handler of IRQ 1"),
        ];
        for (address, expected) in names {
            assert_eq!(name(&image, address).as_deref(), Some(expected), "{address:#x}");
        }
        assert_eq!(name(&image, 0x1b0), None, "no vector leads there");
        assert_eq!(name(&image, 0x2000_0000), None);
    }
}
