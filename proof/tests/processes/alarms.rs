//! However many alarms of processes expire on one tick: whoever is more urgent isn't late.

use quintet_lab::process::place::{self, Application};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

use super::{CYCLES_MAX, support};

/// The interrupt GPIOC.
const EXCEPTION: u16 = 16 + 2;
/// Where the flash of processes begins.
const PROCESSES: u32 = 0x2_0000;

/// A process anywhere that waits for each multiple of 5 ms, with all others.
const CODE: [u16; 17] = [
    // The time, in r1.
    0x2000, 0x2102, 0xdf02, // movs r0, #0; movs r1, #2; svc 2
    // The last multiple of 5 ms, in r2; 5 ms, in r3.
    0xf241, 0x3388, // movw r3, #5000
    0xfbb1, 0xf5f3, // udiv r5, r1, r3
    0xfb05, 0xf203, // mul r2, r5, r3
    // An alarm so much behind it.
    0x2000, 0x2106, 0xdf02, // movs r0, #0; movs r1, #6; svc 2
    // Yield-wait-for.
    0x2002, 0x2100, 0x2200, 0xdf00, // movs r0, #2; movs r1, #0; movs r2, #0; svc 0
    0xe7ee, // b the beginning
];

/// The application of that process.
fn application() -> Vec<u8> {
    const SIZE: u32 = 512;
    let main = [1 | 12 << 16, 0, 0, 128];
    let kernel = [8 | 4 << 16, 2];
    let header_size = 4 * (4 + main.len() + kernel.len()) as u32;
    let mut words = vec![2 | header_size << 16, SIZE, 1, 0];
    words.extend(main);
    words.extend(kernel);
    words[3] = words.iter().fold(0, |sum, word| sum ^ word);
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(CODE.into_iter().flat_map(u16::to_le_bytes));
    bytes.resize(SIZE as usize, 0xff);
    bytes
}

/// The machine where the clock's interrupt begins at which the alarms of so many processes expire.
fn at_expiry(kernel: &Image, count: usize, priority: u8) -> Machine {
    let mut machine = support::machine(&Board::named(support::BOARD).expect("built in"), kernel);
    let application = application();
    let all: Vec<_> = (0..count).map(|_| Application { file: "it", bytes: &application }).collect();
    let flash = place::flash(kernel).expect("it has processes");
    let placed = place::place(flash, &all).expect("they fit");
    machine.load(&Image::raw(&placed, flash.0).expect("it is some")).expect("it is memory");
    machine.reset();
    machine.set_command_line(&format!("alarms {priority}"));
    // All wait for the first 5 ms to be over.
    let until = Until { max_cycles: Some(12_000 * 9 / 2), ..Until::default() };
    assert!(matches!(machine.run(&until), Stop::CycleLimit), "{}", support::printed(&mut machine));
    let clock = support::address(kernel, "SysTick");
    run_to(&mut machine, clock);
    machine
}

fn run_to(machine: &mut Machine, address: u32) {
    let max_cycles = Some(machine.cycle() + CYCLES_MAX);
    let until = Until { max_cycles, addresses: vec![address], ..Until::default() };
    let stop = machine.run(&until);
    assert_eq!(stop, Stop::Address(address), "{}", support::printed(machine));
}

/// How late the interrupt and the thread are at most, in cycles, if the interrupt comes before
/// whichever instruction until a process runs.
fn latest(kernel: &Image, count: usize, priority: u8) -> (u64, u64) {
    let mut machine = at_expiry(kernel, count, priority);
    let handler = support::address(kernel, "GPIOC");
    let thread = support::address(kernel, "ran");
    let mut latest = (0, 0);
    let mut instructions = 0;
    while machine.pc() < PROCESSES {
        let at = machine.snapshot();
        let begin = machine.cycle();
        machine.pend(EXCEPTION);
        run_to(&mut machine, handler);
        latest.0 = latest.0.max(machine.cycle() - begin);
        run_to(&mut machine, thread);
        latest.1 = latest.1.max(machine.cycle() - begin);
        machine.restore(&at);
        machine.step();
        instructions += 1;
        assert!(instructions < 20_000, "no process runs");
    }
    // The alarms have expired.
    assert!(instructions > 100, "{instructions}");
    latest
}

/// How late an interrupt above the clock's may be: the longest section of the kernel's lock, and
/// the entry.
const ABOVE: u64 = 60;
/// How late an interrupt of the clock's own priority may be: what the clock's interrupt takes with
/// one timer.
const BESIDE: u64 = 360;
/// How late a more urgent thread may be: behind the clock's interrupt and the alarm that expires
/// just then, and with the next look at the alarms, however many there are.
const THREAD: [u64; 2] = [1055, 600];

#[test]
fn alarms_of_processes_delay_an_interrupt_by_one_timer_however_many_expire() {
    let kernels = support::build("processes", support::TARGET, &["--bin", "alarms"]);
    let kernel = support::image(&kernels.join("alarms"));
    for (priority, interrupt_max) in [(0x20, BESIDE), (0x60, ABOVE)] {
        for count in [1, 4, 16] {
            let (interrupt, thread) = latest(&kernel, count, priority);
            let told = format!("{count} alarms, clock {priority:#x}: {interrupt}, {thread}");
            eprintln!("{told}");
            assert!(interrupt <= interrupt_max, "{told}");
            let others = if count > 1 { THREAD[1] } else { 0 };
            assert!(thread <= THREAD[0] + others, "{told}");
        }
    }
}
