//! Property: the clock is right to the tick over hours, over SysTick however often its counter was
//! started anew, over a tick, over the timers of chips, and no timer comes early.
//!
//! By default each run is as long as lets every counter overflow several times. With
//! `QUINTET_WHOLE_DAY=1` in the environment each is a day.
//!
//! The firmware in `firmware/time` runs in the simulator, whose cycle is the truth. Interrupts
//! above and at the kernel's ceiling come at random moments.

mod support;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use quintet_sim::board::{Board, MemoryKind};
use quintet_sim::image::Image;
use quintet_sim::machine::{EventFilter, Machine, Stop, Until};

use support::Random;

/// The seconds of a day.
const DAY: u64 = 86_400;
/// These seconds, or all of a day if that is asked for.
fn seconds(few: u64) -> u64 {
    if std::env::var_os("QUINTET_WHOLE_DAY").is_some() { DAY } else { few }
}

/// The exception SysTick.
const SYSTICK: u16 = 15;
/// The exceptions of the chips' timers.
const TIMER1A: u16 = 16 + 21;
const TIM2: u16 = 16 + 28;
/// The exception of the interrupt above the kernel's ceiling, which reads the clock.
const UP: u16 = 16;
/// The exception of the interrupt at the kernel's ceiling, which takes its time.
const KERNEL: u16 = 17;
/// The exception of an interrupt below it.
const LOW: u16 = 18;

/// A target without BASEPRI and exclusive accesses.
const ARMV6M: &str = "thumbv6m-none-eabi";

/// The board that the firmware with these features is for. Of the board with a Cortex-M0 the
/// memories matter: its clock is taken to be what the firmware says.
fn board(target: &str, features: &str) -> Board {
    if target == ARMV6M {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/microbit/microbit.toml");
        let board = Board::from_file(&file).expect("it is a board");
        return Board { clock_hz: 12_000_000, ..board };
    }
    let name = if features.contains("tim2") { "stm32f100" } else { "lm3s6965" };
    Board::named(name).expect("built in")
}

/// Builds the firmware with some of its features, and loads it.
fn machine(board: &Board, target: &str, program: &str, features: &str) -> (Machine, Image) {
    let image = {
        // One at a time: they end in the same place.
        static BUILDING: Mutex<()> = Mutex::new(());
        let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let narrowed = ["--bin", program, "--features", features];
        let programs = support::build("time", target, &narrowed);
        support::image(&programs.join(program))
    };
    (support::machine(board, &image), image)
}

/// The words that the firmware reports.
fn report<const WORDS: usize>(machine: &Machine, image: &Image) -> [u32; WORDS] {
    let address = support::address(image, "REPORT");
    std::array::from_fn(|word| machine.read_word(address + 4 * word as u32).expect("in RAM"))
}

/// Runs for `seconds`, reads the clock at about `samples` moments. Checks each reading against the
/// cycle of its beginning: the difference, in cycles, stays within a tick and `jitter`.
fn check(features: &str, tick_hz: u64, seconds: u64, samples: u64) {
    check_on(support::TARGET, "day", features, tick_hz, seconds, samples);
}

/// The same on a target, for a program.
fn check_on(target: &str, program: &str, features: &str, tick_hz: u64, seconds: u64, samples: u64) {
    check_over(0, target, program, features, tick_hz, seconds, samples);
}

/// The same over a flash with these wait states.
fn check_over(
    wait_states: u8,
    target: &str,
    program: &str,
    features: &str,
    tick_hz: u64,
    seconds: u64,
    samples: u64,
) {
    let mut board = board(target, features);
    for memory in board.memories.iter_mut().filter(|memory| memory.kind == MemoryKind::Flash) {
        memory.read_wait_states = wait_states;
    }
    let clock_hz = board.clock_hz;
    let cycles = seconds * clock_hz;
    let (mut machine, image) = machine(&board, target, program, features);
    let read_clock = support::address(&image, "read_clock");
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut lowest, mut highest) = (i128::MAX, i128::MIN);
    // The start: SysTick, and the first waits.
    let mut next = 100_000;
    while next < cycles {
        let until = Until { max_cycles: Some(next), ..Until::default() };
        assert_eq!(machine.run(&until), Stop::CycleLimit);
        if random.next().is_multiple_of(4) {
            machine.pend(KERNEL);
        }
        machine.pend(UP);
        let until = Until { addresses: vec![read_clock], ..Until::default() };
        assert_eq!(machine.run(&until), Stop::Address(read_clock));
        let cycle = machine.cycle();
        let until = Until { max_cycles: Some(cycle + 1000), ..Until::default() };
        assert_eq!(machine.run(&until), Stop::CycleLimit);
        let [low, high, back, _, early, _] = report(&machine, &image);
        assert_eq!((back, early), (0, 0), "the clock went back, or a timer came early");
        let ticks = u128::from(high) << 32 | u128::from(low);
        // The tick shown began at this cycle, if the clock is right.
        let begun = (ticks * u128::from(clock_hz)).div_ceil(u128::from(tick_hz));
        let since = i128::from(cycle) - begun as i128;
        (lowest, highest) = (lowest.min(since), highest.max(since));
        next = machine.cycle() + random.next() % (2 * cycles / samples);
    }
    let [_, _, _, timers, _, late] = report(&machine, &image);
    println!(
        "{features}: {timers} timers, {late} ticks late at most, {lowest} to {highest} cycles"
    );
    let tick = i128::from(clock_hz.div_ceil(tick_hz));
    // A tick is seen when its handler has run, which others hold off. Where the kernel's lock holds
    // all off, the handler comes before who reads the clock.
    let held_off = if features.contains("ticking") || target == ARMV6M { 1100 } else { 0 };
    assert!(
        highest - lowest < tick + 16 + held_off,
        "the clock drifts: {lowest} to {highest} cycles"
    );
    assert!(u64::from(timers) > seconds, "only {timers} timers came");
}

/// The low word of the time overflows every six minutes.
#[test]
fn hours_are_right_to_the_cycle() {
    check("tick-12m", 12_000_000, seconds(DAY / 48), 2000);
}

/// The counter overflows every six minutes.
#[test]
fn hours_are_right_over_the_chips_timers() {
    check("tick-12m,gptm", 12_000_000, seconds(DAY / 48), 2000);
}

/// The low word of the time overflows every 72 minutes.
#[test]
fn hours_are_right_over_a_timer_of_16_bits() {
    check("tick-1m,tim2", 1_000_000, seconds(DAY / 16), 2000);
}

#[test]
fn hours_are_right_to_the_microsecond() {
    check("tick-1m", 1_000_000, seconds(DAY / 16), 2000);
}

#[test]
fn hours_are_right_to_a_tick_that_is_no_whole_number_of_cycles() {
    check("tick-32k", 32_768, seconds(DAY / 48), 2000);
}

#[test]
fn minutes_are_right_to_the_tick_where_each_is_counted() {
    check("tick-1k,ticking", 1000, seconds(DAY / 1440), 1000);
    check("tick-10k,ticking", 10_000, seconds(DAY / 8640), 1000);
}

#[test]
fn minutes_are_right_on_an_armv6m_where_each_tick_is_counted() {
    check_on(ARMV6M, "day", "tick-1k,ticking", 1000, seconds(DAY / 2880), 1000);
    check_on(ARMV6M, "day", "tick-10k,ticking", 10_000, seconds(DAY / 8640), 1000);
}

/// However long the handler has more to do than in time: half a round of SysTick's counter is less
/// than a second.
#[test]
fn seconds_in_which_a_timer_falls_behind_are_right() {
    for (features, tick_hz) in [("tick-12m", 12_000_000), ("tick-1m", 1_000_000)] {
        check_on(support::TARGET, "behind", features, tick_hz, seconds(5), 200);
    }
}

#[test]
fn so_it_is_over_the_chips_timers_and_over_a_timer_of_16_bits() {
    check_on(support::TARGET, "behind", "tick-12m,gptm", 12_000_000, seconds(4), 150);
    for (features, tick_hz) in [("tick-1m,tim2", 1_000_000), ("tick-32k,tim2", 32_768)] {
        check_on(support::TARGET, "behind", features, tick_hz, seconds(4), 150);
    }
}

/// However few cycles are left of a leg of SysTick's when another one is to begin, or of that until
/// it ends, and however slowly the instructions in between come.
#[test]
fn seconds_of_legs_that_begin_and_end_at_their_edges_are_right() {
    for (target, wait_states) in [(support::TARGET, 0..=5), (ARMV6M, 0..=3)] {
        for wait_states in wait_states {
            check_over(wait_states, target, "edge", "tick-12m", 12_000_000, seconds(1), 10);
        }
    }
}

/// What is armed before the clock's start waits for that, if it is due at once, too.
#[test]
fn nothing_comes_before_the_start_and_what_is_due_behind_it() {
    for features in ["tick-10k,ticking", "tick-1m", "tick-1m,gptm", "tick-1m,tim2"] {
        let board = board(support::TARGET, features);
        let (mut machine, _) = machine(&board, support::TARGET, "early", features);
        let stop = machine.run(&Until { max_cycles: Some(1_000_000), ..Until::default() });
        assert_eq!(stop, Stop::Exit { code: 10 }, "{features}: a call before, ten times behind it");
    }
}

/// Arming, cancelling and expiry with 1, 8 and 64 armed: constant, and what masks is short.
#[test]
fn costs_do_not_grow_with_the_number_of_timers() {
    costs("tick-1m", SYSTICK, 54);
}

#[test]
fn costs_over_the_chips_timers() {
    costs("tick-1m,gptm", TIMER1A, 28);
}

#[test]
fn costs_over_a_timer_of_16_bits() {
    costs("tick-1m,tim2", TIM2, 26);
}

/// Checks the costs over a source, whose exception is `source`, and that the kernel's lock is held
/// for `mask` cycles at most.
fn costs(features: &str, source: u16, mask: u64) {
    let board = board(support::TARGET, features);
    let (mut machine, image) = machine(&board, support::TARGET, "costs", features);
    let address = |name: &str| support::address(&image, name);
    let run = |machine: &mut Machine, stop: u32| {
        let until = Until { addresses: vec![stop], ..Until::default() };
        assert_eq!(machine.run(&until), Stop::Address(stop));
        machine.cycle()
    };
    let event = |machine: &mut Machine, filter: EventFilter| {
        let until = Until { events: vec![filter], ..Until::default() };
        assert!(matches!(machine.run(&until), Stop::Event(_)));
        machine.cycle()
    };
    let mut expiries = Vec::new();
    for _ in 0..3 {
        run(&mut machine, address("armed"));
        let entered = event(&mut machine, EventFilter::Enter(Some(source)));
        let woken = run(&mut machine, address("woken")) - entered;
        expiries.push([woken, event(&mut machine, EventFilter::Exit(Some(source))) - entered]);
    }
    run(&mut machine, address("done"));
    let words: [u32; 24] = report(&machine, &image);
    let rows: Vec<&[u32]> = words.chunks(8).collect();
    println!(
        "{features}: arm (earliest), drop, arm (later), drop, now | entry to waker, to return"
    );
    for (row, expiry) in rows.iter().zip(&expiries) {
        println!("{:?} | {expiry:?}", &row[..5]);
    }
    let masked = machine.masked_time();
    println!("longest masks: {} and {}", masked.basepri.longest, masked.primask.longest);
    for (column, (more, fewer)) in rows[2].iter().zip(rows[1]).enumerate() {
        assert!(*more <= fewer + 8, "column {column} grows");
    }
    for (more, fewer) in expiries[2].iter().zip(&expiries[1]) {
        assert!(*more <= fewer + 8, "expiries grow: {expiries:?}");
    }
    assert!(masked.basepri.longest <= mask, "{masked:?}");
}

/// Every timer has its one outcome, whichever of three interrupts comes before whichever
/// instruction; and a second one a while later. The full campaign is `quintet inject` on the
/// program `storm`, from `window_begin` to `window_end`, with `--without output`.
fn storm(features: &str) {
    let board = board(support::TARGET, features);
    let (mut machine, image) = machine(&board, support::TARGET, "storm", features);
    let address = |name: &str| support::address(&image, name);
    let until = Until { addresses: vec![address("window_begin")], ..Until::default() };
    assert!(matches!(machine.run(&until), Stop::Address(_)));
    let mut random = Random(0x7473_6574);
    let (mut instructions, mut runs) = (0, 0);
    while machine.pc() != address("window_end") {
        let before = machine.snapshot();
        for first in [UP, KERNEL, LOW] {
            let second = [UP, KERNEL, LOW][random.next() as usize % 3];
            let distance = random.next() % 500;
            machine.pend(first);
            let limit = Some(machine.instructions() + distance);
            machine.run(&Until { max_instructions: limit, ..Until::default() });
            machine.pend(second);
            let stop = machine
                .run(&Until { max_cycles: Some(machine.cycle() + 100_000), ..Until::default() });
            let how = format!("{first} before instruction {instructions}, {second} {distance} on");
            assert_eq!(stop, Stop::Exit { code: 0 }, "{how}");
            machine.restore(&before);
            runs += 1;
        }
        // Most of the program waits: where it does, a few instructions stand for all.
        for _ in 0..1 + random.next() % 4 {
            if machine.pc() != address("window_end") {
                assert_eq!(machine.step(), None);
                instructions += 1;
            }
        }
    }
    println!("{features}: {runs} runs over {instructions} instructions");
    assert!(runs > 2000, "{runs}");
}

#[test]
fn no_timer_is_lost_whenever_interrupts_come() {
    storm("tick-1m");
}

#[test]
fn no_timer_over_a_tick_is_lost_whenever_interrupts_come() {
    storm("tick-10k,ticking");
}

#[test]
fn no_timer_of_the_chip_is_lost_whenever_interrupts_come() {
    storm("tick-1m,gptm");
}

#[test]
fn no_timer_over_16_bits_is_lost_whenever_interrupts_come() {
    storm("tick-1m,tim2");
}
