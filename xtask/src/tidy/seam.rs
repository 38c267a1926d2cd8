//! Code of the lab that observes any core names none.

use super::Problem;
use super::tree::File;

/// The files and directories of such code.
const GENERIC: [&str; 9] = [
    "quintet-lab/src/commands/coverage.rs",
    "quintet-lab/src/commands/masks.rs",
    "quintet-lab/src/commands/measure/",
    "quintet-lab/src/commands/profile.rs",
    "quintet-lab/src/coverage/",
    "quintet-lab/src/point.rs",
    "quintet-lab/src/profile/",
    "quintet-lab/src/simulated/mod.rs",
    "quintet-lab/src/window.rs",
];

/// What only one core has.
const OF_ONE_CORE: [&str; 9] = [
    "quintet_sim::processor",
    ".processor.",
    ".hart.",
    "ipsr",
    "primask",
    "basepri",
    "faultmask",
    "mstatus",
    "mcause",
];

/// Checks one file. Comments, and the tests at the end, may use the words.
pub fn check(file: &File, problems: &mut Vec<Problem>) {
    let path = file.path.as_str();
    if !GENERIC.iter().any(|one| path.starts_with(one)) {
        return;
    }
    let code = file.lines().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    for (number, line) in code.filter(|(_, line)| !line.trim_start().starts_with("//")) {
        if let Some(word) = OF_ONE_CORE.iter().find(|word| line.contains(**word)) {
            let message = format!(
                "{word} is of one core, and this file observes any: give it a name in \
                 quintet-sim/src/cores.rs or quintet-lab/src/simulated"
            );
            problems.push(Problem::new(path, number, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, line: &str) -> usize {
        let file = File { path: path.to_owned(), text: format!("//! Title.\n{line}\n") };
        let mut problems = Vec::new();
        check(&file, &mut problems);
        problems.len()
    }

    #[test]
    fn a_core_is_named_in_its_own_files_only() {
        let line = "let exception = machine.processor.registers.ipsr;";
        assert_eq!(problems("quintet-lab/src/profile/mod.rs", line), 1);
        assert_eq!(problems("quintet-lab/src/window.rs", "let pc = machine.hart.pc;"), 1);
        assert_eq!(problems("quintet-lab/src/simulated/cortex_m.rs", line), 0);
        assert_eq!(problems("quintet-lab/src/window.rs", "// The ipsr."), 0);
        let test = format!("#[cfg(test)]\n{line}");
        assert_eq!(problems("quintet-lab/src/coverage/mod.rs", &test), 0);
    }
}
