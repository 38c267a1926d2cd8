//! The code of a case as text, for reports.

use std::fmt::Write;
use std::process::Command;

use super::Subset;
use super::generate::Case;
use crate::firmware;

/// Returns the units with their halfwords and the decoded instructions of the simulator, and of a
/// disassembler too if one is installed.
pub fn of(case: &Case, address: u32, subset: Subset) -> String {
    let mut text = String::new();
    for (index, unit) in case.units.iter().enumerate().filter(|(_, unit)| unit.name != "-") {
        let end = case.units.get(index + 1).map_or(case.code.len(), |next| next.start);
        let at = address + 2 * unit.start as u32;
        let code = &case.code[unit.start..end];
        let hex: Vec<String> = code.iter().map(|half| format!("{half:04x}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{at:8x}: {} ({})", hex.join(" "), unit.name);
        text += &disassembled(code, at).unwrap_or_else(|| decoded(code, at, subset));
    }
    text
}

/// Disassembles with GNU binutils; `None` if they are not installed.
fn disassembled(code: &[u16], address: u32) -> Option<String> {
    let path = firmware::output().join(format!("listing-{}.bin", std::process::id()));
    let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    std::fs::write(&path, bytes).ok()?;
    let output = Command::new("arm-none-eabi-objdump")
        .args(["-D", "-b", "binary", "-m", "arm", "-M", "force-thumb"])
        .arg(format!("--adjust-vma={address:#x}"))
        .arg(&path)
        .output();
    std::fs::remove_file(&path).ok()?;
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let lines = text.lines().filter(|line| line.contains(":\t"));
    Some(lines.fold(String::new(), |all, line| all + "          " + line.trim() + "\n"))
}

/// By the simulator's decoder.
fn decoded(code: &[u16], address: u32, subset: Subset) -> String {
    let mut text = String::new();
    let mut index = 0;
    while index < code.len() {
        let second = code.get(index + 1).copied().unwrap_or(0);
        let (length, operation) = super::simulated::decode(code[index], second, subset);
        let at = address + 2 * index as u32;
        let _ = writeln!(text, "          {at:8x}: {operation}");
        index += length;
    }
    text
}
