//! Processes: what they print, what they must not do, and that nobody else notices.

#[path = "processes/alarms.rs"]
mod alarms;
#[path = "processes/built.rs"]
mod built;
#[path = "processes/cases.rs"]
mod cases;
#[path = "processes/known.rs"]
mod known;
#[path = "processes/life.rs"]
mod life;
#[path = "processes/listed.rs"]
mod listed;
#[path = "processes/permissions.rs"]
mod permissions;
#[path = "processes/ranks.rs"]
mod ranks;
mod support;

use built::{Built, CYCLES_MAX};
use quintet_lab::process::place;
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Stop, Until};

impl Built {
    /// The kernel `kernel` and all applications.
    fn new() -> Self {
        Self::on(support::TARGET, "kernel", Board::named(support::BOARD).expect("built in"))
    }

    /// The same, with these bytes where applications lie.
    fn run_flash(&self, bytes: &[u8]) -> String {
        let mut machine = self.machine(&[]);
        let flash = place::flash(&self.kernel).expect("it has processes");
        machine.load(&Image::raw(bytes, flash.0).expect("it is some")).expect("it is memory");
        machine.reset();
        Self::finish(machine)
    }
}

#[test]
fn a_process_prints_and_ends() {
    let built = Built::new();
    let printed = built.run(&[built.application("hello")]);
    assert!(printed.contains("Hello from a process\nand once more\n"), "{printed}");
    assert!(printed.contains("hello ends as Exited(7)"), "{printed}");
}

#[test]
fn one_that_trespasses_is_stopped_and_others_run() {
    let built = Built::new();
    let printed = built.run(&[built.application("trespass"), built.application("hello")]);
    assert!(printed.contains("accessed memory that isn't its own, at 0x20000000"), "{printed}");
    assert!(!printed.contains("not stopped"), "{printed}");
    assert!(printed.contains("trespass ends as Faulted"), "{printed}");
    assert!(printed.contains("hello ends as Exited(7)"), "{printed}");
}

#[test]
fn every_attack_stops_the_process_alone() {
    built::attack(&Built::new());
}

#[test]
fn what_must_be_refused_is() {
    built::refuse(&Built::new());
}

/// A driver's job may write to what a process has lent, and the frame of a call may lie there: what
/// the call then seems to return to is nothing that the kernel may read.
#[test]
fn a_frame_that_was_written_over_leads_the_kernel_nowhere() {
    let built = Built::new();
    let call = support::address(&built.kernel, "__quintet_call");
    let everywhere = [0, 1, 0x10, 0x2000_0010, 0x4000_c002, 0x6000_0000, 0xe000_ed26, u32::MAX];
    for behind in everywhere {
        let mut machine =
            built.machine(&[built.application("hello"), built.application("trespass")]);
        for _ in 0..2 {
            let at_call =
                Until { max_cycles: Some(CYCLES_MAX), addresses: vec![call], ..Until::default() };
            assert!(matches!(machine.run(&at_call), Stop::Address(_)));
        }
        let frame = machine.processor.registers.process_stack_pointer();
        machine.write_memory(frame + 24, &u32::to_le_bytes(behind)).expect("its stack");
        let printed = Built::finish(machine);
        let dump = "process 0 made a system call that there isn't (CFSR 0x00000000)";
        assert!(printed.contains(dump), "{behind:#x}: {printed}");
        assert!(printed.contains("hello ends as Faulted"), "{behind:#x}: {printed}");
        // Nothing is left of that in the next one's dump.
        let dump = "process 1 accessed memory that isn't its own, at 0x20000000 (CFSR 0x00000082)";
        assert!(printed.contains(dump), "{behind:#x}: {printed}");
    }
}

#[test]
fn upcalls_come_in_their_order_and_as_many_as_have_room() {
    let mut built = Built::new();
    let kernels = support::build("processes", support::TARGET, &["--bin", "bells"]);
    built.kernel = support::image(&kernels.join("bells"));
    let printed = built.run(&[built.application("upcalls")]);
    assert!(printed.contains("upcalls ends as Exited(0)"), "{printed}");
}

#[test]
fn an_upcall_without_a_function_ends_no_wait_for_any() {
    let built = Built::new();
    let printed = built.run(&[built.application("unheard")]);
    assert!(printed.contains("waits\nunheard ends as Alive"), "{printed}");
}

#[test]
fn processes_share_memory_for_as_long_as_both_want() {
    built::share(&Built::new());
}

#[test]
fn no_instruction_reaches_from_one_shared_buffer_to_the_next() {
    const MEMORY: usize = 28;
    // Ten instructions, each after the one or the other buffer was seen last.
    let crossings = 100..120;
    let built = Built::new();
    for crossing in crossings {
        // The memory of the first client ends where that of the other begins.
        let first = with_word(built.peer("client", 11), MEMORY, 0x1000);
        let applications = [built.peer("service", crossing), first, built.peer("other", 12)];
        let printed = built.run(&applications);
        let expected = "process 0 accessed memory that isn't its own, at 0x200090";
        assert!(printed.contains(expected), "crossing {crossing}: {printed}");
        let expected = "service ends as Faulted\nclient ends as Alive\nother ends as Alive\n";
        assert!(printed.contains(expected), "crossing {crossing}: {printed}");
    }
}

#[test]
fn drivers_of_pins_and_of_readable_buffers_do_as_tocks() {
    let built = Built::new();
    let printed = built.run(&[built.application("pins"), built.application("readable")]);
    assert!(printed.contains("pins work\n"), "{printed}");
    assert!(printed.contains("pins ends as Exited(0)"), "{printed}");
    assert!(printed.contains("readable\n"), "{printed}");
    assert!(printed.contains("readable ends as Exited(0)"), "{printed}");
}

#[test]
fn one_that_never_waits_leaves_others_their_turns() {
    let built = Built::new();
    let printed = built.run(&[built.peer("service", 3), built.application("pins")]);
    assert!(printed.contains("service ends as Alive"), "{printed}");
    assert!(printed.contains("pins ends as Exited(0)"), "{printed}");
}

#[test]
fn a_broken_header_leaves_one_application_out() {
    let built = Built::new();
    let mut broken = built.application("hello");
    broken[8] ^= 2;
    let printed = built.run(&[broken, built.application("trespass")]);
    assert!(
        printed.contains("at 0x00020000 can't run: the checksum of its header is"),
        "{printed}"
    );
    assert!(printed.contains("trespass ends as Faulted"), "{printed}");
}

#[test]
fn all_five_models_run_in_one_image() {
    let mut built = Built::new();
    let kernels = support::build("processes", support::TARGET, &["--bin", "five"]);
    built.kernel = support::image(&kernels.join("five"));
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

/// An application with a word of its header changed, and the checksum that it has then.
fn with_word(mut bytes: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    bytes[12..16].fill(0);
    let size = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
    let words = bytes[..size].chunks(4).map(|word| word.try_into().expect("four bytes"));
    let sum = words.fold(0, |sum, word| sum ^ u32::from_le_bytes(word));
    bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// An application that may lie anywhere, with this entry more in its header.
fn with_entry(kind: u16, content: &[u8]) -> Vec<u8> {
    const PROGRAM: u16 = 9;
    const NAME: u16 = 3;
    let mut header = vec![0; 16];
    let mut put = |kind: u16, content: &[u8]| {
        header.extend(kind.to_le_bytes());
        header.extend((content.len() as u16).to_le_bytes());
        header.extend(content);
        header.resize(header.len().next_multiple_of(4), 0);
    };
    if kind != NAME {
        put(NAME, b"wide");
    }
    put(kind, content);
    put(PROGRAM, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]);
    let size = header.len() as u16;
    header.resize(0x2000, 0xff);
    for (at, word) in [(0, 2 | u32::from(size) << 16), (4, 0x2000), (8, 1)] {
        header[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
    }
    with_word(header, 8, 1)
}

#[test]
fn a_header_beyond_a_limit_is_refused() {
    let built = Built::new();
    let permissions = |count: u16| [count.to_le_bytes().as_slice(), &vec![0; 16 * 17]].concat();
    let cases = [
        (0x7000, vec![0; 4096], "its header has 4148 bytes, and may have 4096"),
        (3, vec![b'n'; 65], "its name has 65 bytes, and may have 64: shorten it"),
        (6, permissions(17), "lists permissions in 17 entries, and may list 16"),
    ];
    for (kind, content, reason) in cases {
        let printed = built.run_flash(&with_entry(kind, &content));
        assert!(printed.contains(reason), "{reason}: {printed}");
        let name = if kind == 3 { "nnnn" } else { "the application wide at 0x00020000" };
        assert!(printed.contains(name), "{printed}");
    }
    let printed = built.run_flash(&with_entry(6, &permissions(16)));
    assert!(!printed.contains("can't run"), "{printed}");
}

#[test]
fn each_refusal_names_its_reason() {
    const TOTAL: usize = 4;
    const FLAGS: usize = 8;
    const MEMORY: usize = 28;
    const ANYWHERE: u32 = u32::MAX;
    let built = Built::new();
    let hello = built.application("hello");
    let header = usize::from(u16::from_le_bytes([hello[2], hello[3]]));
    let (fixed_memory, fixed_flash) = (header - 8, header - 4);
    let loose = with_word(with_word(hello.clone(), fixed_memory, ANYWHERE), fixed_flash, ANYWHERE);
    // No eighths of a region end 32 bytes behind a power of two.
    let odd_size = hello.len().next_power_of_two().max(512) + 32;
    let mut odd = with_word(hello.clone(), TOTAL, odd_size as u32);
    odd.resize(odd_size, 0xff);
    let fifth = 0x2_0000 + 4 * loose.len();
    let fifth = format!("at {fifth:#010x} can't run: there are as many processes as `count` says");
    let cases = [
        (with_word(hello.clone(), FLAGS, 0), "hello is not to run, as its header says"),
        (with_word(hello.clone(), fixed_flash, 0x3_0080), "it was linked for 0x00030080"),
        (odd, "no regions of the memory protection unit cover its flash alone"),
        (with_word(loose.clone(), MEMORY, 60_000), "it needs 60000 bytes of memory and 49152 are"),
        (
            with_word(hello, fixed_memory, 0x2000_0000),
            "linked for memory at 0x20000000, which isn't",
        ),
        (loose.repeat(5), fifth.as_str()),
    ];
    for (bytes, reason) in cases {
        let printed = built.run_flash(&bytes);
        assert!(printed.contains(reason), "{reason}: {printed}");
    }
}
