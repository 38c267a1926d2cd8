//! The short version of `cargo proof specification`: some hundred random schedules, the same every
//! time, and interrupts before some instructions of short ones.

use proof::firmware::root;
use proof::specification::exhaustive::{self, Strides};
use proof::specification::interpreter::Interpreter;
use proof::specification::operation::Operation as Op;
use proof::specification::processes::interpreter::{self, Images};
use proof::specification::processes::{self, short};
use proof::specification::schedule::{CLOCK, IDLE, INTERRUPTS, Injection, Schedule};
use proof::specification::{Amount, build, random};

/// Primes, so that every operation comes at every place.
const SOME: Strides = Strides { schedules: 449, instructions: 347 };

#[test]
fn the_kernel_does_what_the_specification_allows() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut amount = Amount::default();
    for index in 0..400 {
        amount.add(&mut interpreter, &random(1, index)).unwrap();
    }
    for done in exhaustive::run(&interpreter, "", SOME).unwrap() {
        amount += done.short;
        amount += done.interrupted;
    }
    println!("{amount}");
    assert!(amount.schedules > 600 && amount.interrupts > 2000, "{amount}");
}

/// Some hundred random schedules of processes, at once and where a mask lets in later; and
/// interrupts before some instructions of each call.
#[test]
fn processes_do_what_the_specification_allows() {
    let images = Images::build(&root()).unwrap();
    for late in [0, 2] {
        let mut interpreter = interpreter::Interpreter::open(&images, late).unwrap();
        let mut amount = short::run(&interpreter, "", SOME.instructions).unwrap();
        for index in 0..250 {
            amount.add(&mut interpreter, &processes::random(late, index)).unwrap();
        }
        println!("{amount}");
        assert!(amount.schedules > 800 && amount.interrupts > 1500, "{amount}");
    }
}

/// The same where a mask that is lowered lets in what is pending a few instructions later.
#[test]
fn the_kernel_does_not_depend_on_when_exactly_a_mask_lets_in() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 2).unwrap();
    let mut amount = Amount::default();
    for index in 0..400 {
        amount.add(&mut interpreter, &random(2, index)).unwrap();
    }
    assert!(amount.interrupts > 1000, "{amount}");
}

/// B waits between C and A, so that its place has to be searched for, with the lock open between
/// two steps.
#[test]
fn who_is_made_more_urgent_while_it_looks_for_its_place_is_served_first() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut schedule = Schedule::default();
    let starts = [2, 0, 1].map(Op::Start);
    schedule.scripts[IDLE] = [starts, [Op::Give(0); 3]].concat();
    schedule.scripts[..3].fill(vec![Op::Take(0)]);
    schedule.scripts[INTERRUPTS + CLOCK] = vec![Op::SetPriority { thread: 1, priority: 5 }];
    interrupt_everywhere(&mut interpreter, &mut schedule);
}

/// E looks for its place behind B, which is the first and stays it, but is made less urgent than E
/// meanwhile.
#[test]
fn who_looks_for_its_place_notices_that_another_is_made_less_urgent() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut schedule = Schedule::default();
    schedule.scripts[IDLE] = [[1, 3, 0, 4].map(Op::Start), [Op::Give(0); 4]].concat();
    schedule.scripts[1] = vec![Op::SetPriority { thread: 1, priority: 4 }];
    for waiter in [0, 1, 3, 4] {
        schedule.scripts[waiter].push(Op::Take(0));
    }
    schedule.scripts[INTERRUPTS + CLOCK] = vec![Op::SetPriority { thread: 1, priority: 3 }];
    interrupt_everywhere(&mut interpreter, &mut schedule);
}

/// A leaves a section, and goes on as one that B preempts: also where its limit, at the section's
/// end, is that of a priority which it no longer has.
#[test]
fn who_is_made_less_urgent_while_its_section_ends_is_preempted() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut schedule = Schedule::default();
    schedule.scripts[IDLE] = vec![Op::Start(0)];
    let priority = |priority| Op::SetPriority { thread: 0, priority };
    schedule.scripts[0] = vec![priority(2), Op::Enter(0), Op::Exit, Op::Start(1)];
    schedule.scripts[INTERRUPTS + CLOCK] = vec![priority(1)];
    interrupt_everywhere(&mut interpreter, &mut schedule);
}

/// A waits for a flag of its own until a time, and goes on when that is up. Who sets the flag then
/// finds that it waits no longer, whenever that is: the flag stays.
#[test]
fn a_flag_that_is_set_behind_the_end_of_its_time_stays() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut schedule = Schedule::default();
    schedule.scripts[IDLE] = vec![Op::Start(0), Op::Tick(2)];
    let until = Op::WaitOwnUntil { mask: 2, all: true, take: true, ticks: 2 };
    schedule.scripts[0] = vec![until, Op::Yield];
    schedule.scripts[INTERRUPTS + CLOCK] = vec![Op::SetOwn { thread: 0, flags: 2 }];
    interrupt_everywhere(&mut interpreter, &mut schedule);
}

/// A writes until a time, behind C that reads, and B reads behind A. When the time is up A lets B
/// in, and nobody else does: also where A is suspended on the way, until it is resumed.
#[test]
fn who_reads_behind_a_writer_gets_in_when_that_has_given_up() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut schedule = Schedule::default();
    schedule.scripts[IDLE] =
        [[2, 0, 1].map(Op::Start), [Op::Tick(2), Op::GlanceRead, Op::Resume(0)]].concat();
    schedule.scripts[0] = vec![Op::WriteUntil(2), Op::Give(1)];
    schedule.scripts[1] = vec![Op::Read, Op::LeaveRw];
    schedule.scripts[2] = vec![Op::Read, Op::Take(1), Op::LeaveRw, Op::TryWrite];
    schedule.scripts[INTERRUPTS + CLOCK] = vec![Op::Suspend(0)];
    interrupt_everywhere(&mut interpreter, &mut schedule);
}

/// A wakes B by its waker, and is held on the way. Idle wakes B as well: B goes on, wherever A was.
#[test]
fn who_is_woken_goes_on_though_another_is_held_that_was_about_to_wake_it() {
    let mut interpreter = Interpreter::open(&build().unwrap(), 0).unwrap();
    let mut schedule = Schedule::default();
    schedule.scripts[IDLE] = vec![Op::Start(1), Op::Start(0), Op::Wake(1)];
    schedule.scripts[0] = vec![Op::Wake(1)];
    schedule.scripts[1] = vec![Op::Park, Op::Give(0)];
    schedule.scripts[INTERRUPTS + CLOCK] = vec![Op::Suspend(0)];
    interrupt_everywhere(&mut interpreter, &mut schedule);
}

/// Lets the clock's line interrupt before every instruction.
fn interrupt_everywhere(interpreter: &mut Interpreter, schedule: &mut Schedule) {
    let places = interpreter.open_to(schedule, CLOCK, 0..=usize::MAX).unwrap();
    assert!(places.len() > 200, "{} places", places.len());
    for at in places {
        schedule.injections = vec![Injection { at, line: CLOCK }];
        Amount::default().add(interpreter, schedule).unwrap();
    }
}
