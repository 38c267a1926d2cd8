//! Where objects lie in an image: long ones take no room in flash.

mod support;

use quintet_sim::image::Image;

/// Statics of `begins_as_zeros` that are longer than 128 bytes, or have large messages.
const ZEROS: [&str; 6] = [
    "SMALL_MESSAGES",
    "NO_POWER_OF_TWO",
    "LARGE_MESSAGES",
    "ONE_LARGE_MESSAGE",
    "BLOCKS",
    "LONG_VALUE",
];

/// The section in which the static of that name lies.
fn section_of<'a>(image: &'a Image, name: &str) -> &'a str {
    let mangled = format!("{}{name}", name.len());
    let mut symbols = image.symbols.iter().filter(|symbol| symbol.name.contains(&mangled));
    let symbol = symbols.next().unwrap_or_else(|| panic!("there is no {name}"));
    let holds = |address: u32, size: u32| (address..address + size).contains(&symbol.address);
    let mut sections = image.sections.iter().filter(|section| holds(section.address, section.size));
    &sections.next().unwrap_or_else(|| panic!("{name} lies in no section")).name
}

#[test]
fn long_objects_take_no_flash() {
    let programs = support::build("behaviours", support::TARGET, &["--bin", "begins_as_zeros"]);
    let image = support::image(&programs.join("begins_as_zeros"));
    for name in ZEROS {
        assert_eq!(section_of(&image, name), ".bss", "{name}");
    }
    assert_eq!(section_of(&image, "SHORT"), ".data", "it is what the documentation says");
}
