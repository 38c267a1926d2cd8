//! The table of RISC-V cores beside `quintet bench hardware`, and system calls on such a core.

use std::path::Path;

use quintet_lab::bench::{riscv, riscv_calls};

mod support;

#[test]
fn each_core_has_its_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the repository is there");
    let table = riscv::run(&root).expect("the firmware builds and ends");
    assert_eq!(table.boards, ["ibex", "ibex-maxperf", "litex-vexriscv"]);
    let of = |name: &str, board: &str| {
        let row = table.rows.iter().find(|row| row.name.starts_with(name));
        row.unwrap_or_else(|| panic!("no row {name}")).cycles.get(board).copied()
    };
    for board in &table.boards {
        assert_eq!(of("one ADDI", board), Some(1), "{board}");
        for row in ["read a CSR", "trap in", "trap out", "interrupt in", "interrupt out"] {
            assert!(of(row, board) >= Some(1), "{board}, {row}: {table:?}");
        }
        // A trap fetches anew, as no ADDI does.
        assert!(of("trap in", board) > Some(2), "{board}: {table:?}");
        let is_there = of("add to a word by LR.W", board).is_some();
        assert_eq!(is_there, board == "litex-vexriscv", "only it has the extension A");
    }
    // Three stages and a branch-target adder are not slower than two.
    assert!(of("trap in", "ibex-maxperf") <= of("trap in", "ibex"), "{table:?}");
    let text = table.text();
    assert!(text.contains("add to a word by LR.W and SC.W") && text.contains("none"), "{text}");
}

#[test]
fn a_command_comes_to_its_driver_before_most_of_tock_s_instructions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the repository is there");
    for board in ["ibex-maxperf", "litex-vexriscv"] {
        let table = riscv_calls::run(&root, board).expect("the firmware builds and ends");
        let of = |name: &str| {
            let row = table.rows.iter().find(|row| row.name.starts_with(name));
            row.unwrap_or_else(|| panic!("no row {name}"))
        };
        let (driver, whole) = (of("call to driver"), of("null command"));
        assert!(driver.ours.instructions <= 45, "{board}: {driver:?}");
        assert!(whole.ours.instructions <= 80, "{board}: {whole:?}");
        for row in [driver, whole] {
            let floor = row.floor.expect("it has one");
            assert!(floor.cycles < row.ours.cycles, "{board}: {row:?}");
            assert!(2 * row.ours.cycles <= 3 * floor.cycles, "{board}: {row:?}");
            assert!(floor.instructions < row.ours.instructions, "{board}: {row:?}");
        }
        let text = table.text();
        assert!(text.contains(" 242 ") && text.contains(" 233 "), "{text}");
        let adds = text.contains("the model adds both");
        assert_eq!(adds, board == "litex-vexriscv", "{text}");
    }
}

#[test]
fn what_there_is_not_on_riscv_is_refused() {
    support::quintet(&["bench", "threads", "--board", "ibex"])
        .fails(120, &["ibex has a RISC-V core, for which there is the group tock alone"]);
    support::quintet(&["bench", "tock", "--board", "ibex", "--check"])
        .fails(120, &["are not there for a board with a RISC-V core: leave them out"]);
}
