//! Builds the benchmark's firmware with the compiler that this workspace pins.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use quintet_sim::image::Image;

/// The image of `work.rs` for a Cortex-M3, compiled on first use.
pub fn work() -> Image {
    static IMAGE: OnceLock<Image> = OnceLock::new();
    IMAGE.get_or_init(compile).clone()
}

fn compile() -> Image {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/firmware");
    let name = format!("work-{}.elf", std::process::id());
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let script = directory.join("link.ld");
    let status = Command::new("rustc")
        .args(["--edition", "2024", "--target", "thumbv7m-none-eabi", "--crate-type", "bin"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=none"])
        .args(["-A", "warnings"])
        .arg("-C")
        .arg(format!("link-arg=-T{}", script.display()))
        .arg("-o")
        .arg(&output)
        .arg(directory.join("work.rs"))
        .status()
        .expect("rustc is on the path, as cargo is");
    assert!(
        status.success(),
        "the firmware does not compile; is the target thumbv7m-none-eabi installed?"
    );
    let bytes = std::fs::read(&output).expect("the compiler wrote it");
    // It is small and made anew each time.
    let _ = std::fs::remove_file(&output);
    Image::parse_elf(&bytes).expect("the linker made an image")
}
