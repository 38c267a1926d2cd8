//! The table of RISC-V cores beside `quintet bench hardware`, system calls on such a core, and the
//! groups on boards with one.

use std::path::Path;

use quintet_lab::bench::{self, Options, riscv, riscv_calls, scenario};

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

/// Each with the cycles that it took at most on 2026-11-30, on an Ibex.
const ACCEPTED: [(&str, &str, f64); 8] = [
    ("async", "wake to resumed body", 115.0),
    ("async", "longest mask", 7.0),
    ("threads", "semaphore give to higher thread running", 196.0),
    ("threads", "semaphore take to lower thread running", 139.0),
    ("threads", "yield to an equal", 146.0),
    ("threads", "interrupt to thread running", 482.0),
    ("tasks", "latency", 148.0),
    ("models", "event to async task", 293.0),
];

#[test]
fn the_groups_are_not_slower_on_an_ibex_than_they_were() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the repository is there");
    let names = ["async", "threads", "tasks", "models"].map(str::to_owned);
    for scenario in scenario::load(&root, &names).expect("they are there") {
        let options = Options { board: Some("ibex-clint"), peers: false };
        let group = bench::run(&root, &scenario, options).expect("the firmware builds and ends");
        assert_eq!(group.board, "ibex-clint");
        // What isn't measured has no row, and no figure of a Cortex-M is beside ours.
        assert!(group.rows.iter().all(|row| row.cycles.is_some() && row.floor.is_none()));
        for (_, name, most) in ACCEPTED.iter().filter(|(of, ..)| *of == scenario.name) {
            let row = group.rows.iter().find(|row| row.name == *name);
            let cycles = row.and_then(|row| row.cycles).unwrap_or_else(|| panic!("no {name}"));
            assert!(cycles.0 > 0.0 && cycles.0 <= *most, "{name}: {cycles:?}, was {most}");
        }
    }
}

#[test]
fn what_there_is_not_on_riscv_is_refused() {
    for (group, option) in [("tock", "--check"), ("async", "--accept"), ("async", "--firmware")] {
        let expected =
            format!("{option} is not there for ibex, a board with a RISC-V core: leave it out");
        support::quintet(&["bench", group, "--board", "ibex", option]).fails(120, &[&expected]);
    }
}

#[test]
fn a_board_without_a_software_interrupt_and_a_group_without_rows_are_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the repository is there");
    let refused = |group: &str, board| {
        let scenarios = scenario::load(&root, &[group.to_owned()]).expect("it is there");
        let options = Options { board: Some(board), peers: false };
        bench::run(&root, &scenarios[0], options).expect_err("it is refused").to_string()
    };
    let said = refused("async", "ibex");
    assert!(said.starts_with("the board ibex has no core-local interruptor ([clint]"), "{said}");
    let said = refused("charts", "ibex-clint");
    let expected = "the group charts has no row on a board with a RISC-V core: its firmware is a \
                    Cortex-M's";
    assert_eq!(said, expected);
}
