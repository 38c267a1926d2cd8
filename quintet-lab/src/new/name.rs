//! Checks names of crates: cargo must take the name, and the application must compile with it.

use anyhow::{Result, bail, ensure};

/// Keywords of Rust, which no crate can have as a name.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names of directories that cargo makes, and of crates and targets that are always there.
const TAKEN: [&str; 10] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
    "on_target",
];

/// The crates on which a new crate may depend. The new crate can't have the name of one.
const DEPENDENCIES: [&str; 27] = [
    "cortex_m",
    "cortex_m_rt",
    "defmt",
    "defmt_rtt",
    "efm32pg1b_pac",
    "embassy_nrf",
    "embassy_rp",
    "embassy_stm32",
    "embassy_time",
    "embedded_hal",
    "embedded_test",
    "lm3s6965",
    "nrf52840_hal",
    "nrf_pac",
    "panic_probe",
    "panic_rtt_target",
    "quintet",
    "riscv",
    "riscv_rt",
    "rp2040_boot2",
    "rp2040_hal",
    "rp_pac",
    "rtt_target",
    "semihosting",
    "stm32_metapac",
    "stm32f1xx_hal",
    "stm32f4xx_hal",
];

/// Checks the name of a package.
///
/// # Errors
/// The name can't be used. The error says why, and proposes a name.
pub fn check(name: &str) -> Result<()> {
    let crate_name = name.replace('-', "_");
    let begins = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic());
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ['-', '_'].contains(&letter);
    ensure!(
        begins && name.chars().all(is_part),
        "\"{name}\" is no name of a crate: it begins with a letter, and has letters, digits, - and \
         _ alone{}",
        better(name)
    );
    let crate_name = crate_name.as_str();
    if KEYWORDS.contains(&crate_name) {
        bail!(
            "\"{name}\" is a word of Rust, which no crate can have as its name: {name}-app would do"
        );
    }
    if TAKEN.contains(&crate_name) {
        bail!("the name \"{name}\" is taken by cargo or by the compiler: {name}-app would do");
    }
    if DEPENDENCIES.contains(&crate_name) {
        bail!("\"{name}\" is the name of a crate that new ones depend on: {name}-app would do");
    }
    Ok(())
}

/// Returns a proposal of a similar name that can be used; empty if there is none.
fn better(name: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ['-', '_'].contains(&letter);
    let letters = |letter: char| if is_part(letter) { letter } else { '-' };
    let better: String = name.chars().map(letters).collect();
    let better = better.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let better = better.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if better.is_empty() || !better.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return String::new();
    }
    format!("; {better} would do")
}
