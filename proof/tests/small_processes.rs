//! Processes on a Cortex-M0+, whose one fault tells no cause, with the board's memories and
//! devices. A core of ARMv6-M without a memory protection unit refuses them.

#[path = "processes/built.rs"]
mod built;
#[path = "processes/cases.rs"]
mod cases;
mod support;

use built::{Built, CYCLES_MAX};
use quintet_sim::board::{Board, Core};
use quintet_sim::machine::{Stop, Until};

const TARGET: &str = "thumbv6m-none-eabi";

/// The board with another core.
fn board(core: Core, mpu_regions: u8) -> Board {
    let board = Board::named(support::BOARD).expect("built in");
    let common = Board { core_revision: None, priority_bits: 2, bit_banding: false, ..board };
    Board { core, mpu_regions, ..common }
}

fn built(kernel: &str) -> Built {
    Built::on(TARGET, kernel, board(Core::CortexM0Plus, 8))
}

#[test]
fn every_attack_stops_the_process_alone() {
    built::attack(&built("kernel"));
}

#[test]
fn what_must_be_refused_is() {
    built::refuse(&built("kernel"));
}

#[test]
fn processes_share_memory_for_as_long_as_both_want() {
    built::share(&built("kernel"));
}

/// The address to continue at, in the frame of a call, may have been written over.
#[test]
fn a_frame_that_was_written_over_leads_the_kernel_nowhere() {
    let built = built("kernel");
    let call = support::address(&built.kernel, "__quintet_call");
    for behind in [0, 1, 0x10, 0x2000_0010, 0x4000_c002, 0x6000_0000, 0xe000_ed26, u32::MAX] {
        let mut machine = built.machine(&[built.application("hello")]);
        for _ in 0..2 {
            let at_call =
                Until { max_cycles: Some(CYCLES_MAX), addresses: vec![call], ..Until::default() };
            assert!(matches!(machine.run(&at_call), Stop::Address(_)));
        }
        let frame = machine.processor.registers.process_stack_pointer();
        machine.write_memory(frame + 24, &u32::to_le_bytes(behind)).expect("its stack");
        let printed = Built::finish(machine);
        let dump = "process 0 made a system call that there isn't (by its instruction)";
        assert!(printed.contains(dump), "{behind:#x}: {printed}");
        assert!(printed.contains("hello ends as Faulted"), "{behind:#x}: {printed}");
    }
}

#[test]
fn upcalls_come_in_their_order_and_as_many_as_have_room() {
    let built = built("bells");
    let printed = built.run(&[built.application("upcalls")]);
    assert!(printed.contains("upcalls ends as Exited(0)"), "{printed}");
}

#[test]
fn drivers_work_and_others_have_their_turns() {
    let built = built("kernel");
    let printed = built.run(&[built.application("pins"), built.application("readable")]);
    assert!(printed.contains("pins ends as Exited(0)"), "{printed}");
    assert!(printed.contains("readable ends as Exited(0)"), "{printed}");
    let printed = built.run(&[built.peer("service", 3), built.application("pins")]);
    assert!(printed.contains("service ends as Alive"), "{printed}");
    assert!(printed.contains("pins ends as Exited(0)"), "{printed}");
}

#[test]
fn all_five_models_run_in_one_image() {
    let built = built("five");
    let printed = built.run(&[built.application("hello"), built.application("trespass")]);
    let expected = "\
Hello from a process
(line 1, byte 21)
and once more
(line 2, byte 35)
about to trespass
(line 3, byte 53)
process 1 accessed memory that isn't its own, at 0x20000000";
    assert!(printed.contains(expected), "{printed}");
    assert!(printed.contains("a thread runs\nhello ends as Exited(7)"), "{printed}");
}

#[test]
fn a_core_without_a_protection_unit_refuses_them() {
    for (core, regions) in [(Core::CortexM0, 0), (Core::CortexM0Plus, 0)] {
        let built = Built::on(TARGET, "kernel", board(core, regions));
        let mut machine = built.machine(&[built.application("hello")]);
        let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
        let printed = support::printed(&mut machine);
        assert!(!matches!(stop, Stop::Exit { code: 0 }), "{stop:?}");
        assert!(printed.contains("8 regions"), "{printed}");
    }
}
