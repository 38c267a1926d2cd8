//! The table of RISC-V cores beside `quintet bench hardware`.

use std::path::Path;

use quintet_lab::bench::riscv;

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
