//! A compiled program executes the same instructions in the same order as under QEMU.

use proof::cross::machine;
use proof::firmware;
use proof::qemu::{self, Setup};

/// The addresses in QEMU's log of executed blocks, which are single instructions here.
fn addresses(log: &str) -> Vec<u32> {
    // Trace 0: 0x7f51a4000100 [00800400/00000c1e/00000110/ff000201] name
    let fields = log.lines().filter(|line| line.starts_with("Trace"));
    fields
        .filter_map(|line| line.split('/').nth(1))
        .filter_map(|field| u32::from_str_radix(field, 16).ok())
        .collect()
}

#[test]
fn a_program_takes_the_same_path_as_under_qemu() {
    let path = firmware::build("program", "thumbv7m-none-eabi").unwrap();
    let (ours, text) = machine::trace(&path, "mps2-an385", 10_000_000).unwrap();
    let (again, same) = machine::trace(&path, "lm3s6965", 10_000_000).unwrap();
    assert!(ours == again && text == same, "the boards differ");
    assert!(text.contains("\"god yzal eht revo spmuj xof nworb kciuq ehT\" b4a79714"), "{text}");
    if !qemu::is_installed() {
        println!("skipped: qemu-system-arm is not installed");
        return;
    }
    for board in ["mps2-an385", "lm3s6965evb"] {
        let log = firmware::output().join(format!("trace-{board}.log"));
        let log_name = log.to_str().expect("a readable path");
        let setup = Setup {
            arguments: &["-singlestep", "-d", "exec,nochain", "-D", log_name],
            ..Setup::new(board)
        };
        let output = setup.run(&path).unwrap();
        // QEMU's console of SYS_WRITE0 is its error stream, where it also says things of its own.
        let console = String::from_utf8_lossy(&output.stderr);
        assert!(console.ends_with(&text), "output on {board}: {console}");
        let theirs = addresses(&std::fs::read_to_string(&log).unwrap());
        std::fs::remove_file(&log).unwrap();
        let same = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
        assert!(
            same == ours.len() && same == theirs.len(),
            "on {board} instruction {same} of {} and {}: {:x?} here, {:x?} in QEMU",
            ours.len(),
            theirs.len(),
            ours.get(same),
            theirs.get(same)
        );
        println!("{same} instructions in the same order on {board}");
    }
}
