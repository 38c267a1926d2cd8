//! `quintet run` on firmware for RISC-V, and what commands that can't use it say.

mod support;

use std::path::Path;
use std::sync::OnceLock;

use support::riscv::built;
use support::{program, quintet};

/// The firmware, built on the first call.
fn riscv_program() -> String {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| built("riscv-program")).clone()
}

/// The firmware for Ibex's simple system, built on the first call.
fn simple_system() -> String {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| built("riscv-simple-system")).clone()
}

/// The firmware for LiteX, built on the first call.
fn litex() -> String {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| built("riscv-litex")).clone()
}

/// The order is that of the program, whatever it prints by.
const PRINTED: &str = "\
hello by the UART
hello by semihosting
one tick of the timer
and one without sleep
user mode calls with 41
user mode calls with 42
";

#[test]
fn firmware_prints_takes_interrupts_and_calls_from_user_mode() {
    for more in [&[][..], &["--board", "virt-rv32"]] {
        let elf = riscv_program();
        let run = quintet(&[&["run", &elf], more].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        let rest = run.stdout.strip_prefix(PRINTED).unwrap_or_else(|| panic!("{}", run.stdout));
        assert!(rest.starts_with("user mode may not write at 0x8000"), "{rest}");
        assert!(rest.ends_with("bye\n"), "{rest}");
    }
}

/// The cycles are those of the pipelines: a turn is an addition and a branch, which takes three
/// cycles with two stages and two with three stages; the last turn's branch takes one.
#[test]
fn an_ibex_takes_the_cycles_of_its_pipeline() {
    for (board, cycles) in [("ibex", 39), ("ibex-maxperf", 30)] {
        let run = quintet(&["run", &simple_system(), "--board", board]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        let expected = format!(
            "hello by the control\na loop of 10 turns takes {cycles} cycles\n\
             1 tick while asleep\n"
        );
        assert_eq!(run.stdout, expected, "{board}");
    }
}

/// It prints by the UART, and its timer calls by VexRiscv's own mask. A turn of the loop takes
/// three cycles: the branch is predicted, and its target is fetched anew.
#[test]
fn a_vexriscv_on_litex_prints_and_takes_interrupts() {
    let run = quintet(&["run", &litex(), "--board", "litex-vexriscv"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let expected = "hello by the UART of LiteX\na loop of 10 turns takes 33 cycles\n\
                    3 ticks while asleep, 0 other interrupts\n";
    assert_eq!(run.stdout, expected);
}

/// A board file names the core. Hazard3 doesn't predict the branch of this loop: both instructions
/// are in one word, which is fetched by the jump itself.
#[test]
fn a_board_file_names_the_core() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hazard3.toml");
    let text = include_str!("../../quintet-sim/boards/riscv/ibex.toml");
    std::fs::write(&file, text.replace("ibex-small", "hazard3")).unwrap();
    let run = quintet(&["run", &simple_system(), "--board", file.to_str().unwrap()]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.contains("10 turns takes 30 cycles\n1 tick while asleep"), "{}", run.stdout);
    std::fs::write(&file, text.replace("ibex-small", "z80")).unwrap();
    quintet(&["run", &simple_system(), "--board", file.to_str().unwrap()])
        .fails(120, &["hazard3.toml", "unknown variant `z80`", "`hazard3`"]);
}

#[test]
fn a_limit_says_where_the_program_is() {
    let run = quintet(&["run", &riscv_program(), "--max-instructions", "10"]);
    run.fails(124, &["the limit of 10 instructions was reached, at 0x8000"]);
    let run = quintet(&["run", &riscv_program(), "--for", "1us"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn what_is_not_there_yet_says_so() {
    let elf = riscv_program();
    quintet(&["run", &elf, "--load", "0x100"])
        .fails(120, &["--load is not there yet for a board with a"]);
    quintet(&["run", &elf, "--board", "stm32f100"])
        .fails(120, &["is for RISC-V, and the core of stm32f100 is not", "--board virt-rv32"]);
    quintet(&["run", &program("hello"), "--board", "virt-rv32"])
        .fails(120, &["not firmware for a RISC-V core, which the board has: it is for ARM"]);
    let command = "deadlines";
    let refusal = ["it is for RISC-V, which this command can't use yet: quintet run, test,"];
    quintet(&[command, &elf]).fails(120, &refusal);
    let refusal = ["the board virt-rv32 has a RISC-V core, which this command can't use yet"];
    quintet(&[command, &elf, "--board", "virt-rv32"]).fails(120, &refusal);
}

/// The clocks start, the UART prints, and Hazard3's own controller lets a more urgent interrupt
/// preempt.
#[test]
fn an_rp2350_starts_its_clocks_and_takes_interrupts() {
    let run = quintet(&["run", &built("riscv-rp2350"), "--board", "rp2350-riscv"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let expected = "hello by the UART of an RP2350\nthe timer calls after 100 microseconds\n\
                    interrupt 33: the UART can send\ninterrupt 50 preempts\n\
                    interrupt 33 ends\nbye\n";
    assert_eq!(run.stdout, expected);
}
