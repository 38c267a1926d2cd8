//! Code that depends on the processor is in `arch`.

use super::Problem;
use super::tree::File;

/// The framework, and the macro that writes calls of it.
const CRATES: [&str; 2] = ["quintet/src/", "quintet-macros/src/"];
/// The directory of assembly and questions about the processor.
const ARCH: &str = "quintet/src/arch/";
/// Words of assembly, and of facts that only a processor's architecture decides.
const PROCESSOR: [&str; 9] = [
    "asm!",
    "global_asm",
    "naked_asm",
    "unsafe(naked)",
    "target_arch",
    "armv6m",
    "armv7m",
    "armv8m_base",
    "armv8m_main",
];
/// Checks one file. Comments may use the words.
pub fn check(file: &File, problems: &mut Vec<Problem>) {
    let path = file.path.as_str();
    let code = file.lines().filter(|(_, line)| !line.trim_start().starts_with("//"));
    if CRATES.iter().any(|one| path.starts_with(one)) && !path.starts_with(ARCH) {
        for (number, line) in code {
            if let Some(word) = PROCESSOR.iter().find(|word| has_word(line, word)) {
                let message = format!("{word} belongs into {ARCH}: give it a name there");
                problems.push(Problem::new(path, number, message));
            }
        }
    }
}

/// Returns `true` if the line has the word, and not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&line[..at], &line[at + word.len()..]);
        !before.ends_with(is_part) && !behind.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, line: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: format!("//! Title.\n{line}\n") };
        let mut problems = Vec::new();
        check(&file, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn the_processor_is_named_in_arch_only() {
        let line = "#[cfg(target_arch = \"arm\")]";
        let found = problems("quintet/src/export.rs", line);
        let message = "target_arch belongs into quintet/src/arch/: give it a name there";
        assert_eq!(found, [format!("quintet/src/export.rs:2: {message}")]);
        assert_eq!(problems("quintet/src/arch/mod.rs", line), [""; 0]);
        assert_eq!(problems("quintet-sim/src/lib.rs", line), [""; 0]);
        assert_eq!(problems("quintet-macros/src/emit/a.rs", "quote!(global_asm!(#text))").len(), 1);
        assert_eq!(problems("quintet/src/core/a.rs", "unsafe { asm!(\"nop\") }").len(), 1);
        assert_eq!(problems("quintet/src/core/a.rs", "// The asm! of armv7m.").len(), 0);
        assert_eq!(problems("quintet/src/core/a.rs", "plasm!(armv7me)").len(), 0);
    }
}
