//! Hands the linker script of applications to the linker, with a place for each.

/// The applications, each with its place: flash in steps of 8 KiB, memory in steps of 4 KiB.
const PLACES: [(&str, u32); 21] = [
    ("campaign0", 0),
    ("campaign1", 1),
    ("campaign2", 2),
    ("script0", 0),
    ("script1", 1),
    ("script2", 2),
    ("hello", 0),
    ("trespass", 1),
    ("attack", 2),
    ("upcalls", 0),
    ("lives", 3),
    ("service", 3),
    ("client", 4),
    ("other", 5),
    ("pins", 6),
    ("readable", 7),
    ("steady", 8),
    ("hostile", 10),
    ("floats", 9),
    ("drifts", 11),
    ("unheard", 9),
];

fn main() {
    println!("cargo::rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rustc-link-arg=-Tapp.x");
    // Without pages, and so without the ELF header in what is loaded.
    println!("cargo::rustc-link-arg=--nmagic");
    println!("cargo::rerun-if-changed=app.x");
    let (flash, memory) = match std::env::var_os("CARGO_FEATURE_AN505") {
        Some(_) => (0x1002_0000, 0x3800_4000),
        None => (0x0002_0000, 0x2000_4000),
    };
    let floats = std::env::var("CARGO_CFG_TARGET_ABI").as_deref() == Ok("eabihf");
    for (name, place) in PLACES {
        // With floating-point registers, those of the campaign are larger, and nothing is beside.
        let step = if floats { 0x4000 } else { 0x2000 };
        let (flash, memory) = (flash + step * place, memory + 0x1000 * place);
        // What the kernel makes zero is interrupted before every instruction in the campaign.
        let stack = match name {
            _ if name.starts_with("campaign") && floats => 896,
            _ if name.starts_with("campaign") => 384,
            // Upcalls within upcalls.
            _ if name.starts_with("script") => 2048,
            _ => 1024,
        };
        println!("cargo::rustc-link-arg-bin={name}=--defsym=APP_FLASH={flash:#x}");
        println!("cargo::rustc-link-arg-bin={name}=--defsym=APP_MEMORY={memory:#x}");
        println!("cargo::rustc-link-arg-bin={name}=--defsym=APP_STACK={stack}");
    }
}
