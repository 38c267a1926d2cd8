//! The switch of the mutants, in the copy of a crate: each changed place asks here whether its
//! change counts. Not a part of this program: the copy includes it.

use core::intrinsics::const_eval_select;
use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The first number of a change. Lower ones are not numbers of changes.
const FIRST: u32 = 16;
/// The environment has not been read.
const UNREAD: u32 = 0;
/// The places that are reached are recorded.
const RECORDS: u32 = 1;
/// No change counts.
const NONE: u32 = 2;

/// The number of the change that counts.
static ACTIVE: AtomicU32 = AtomicU32::new(UNREAD);
/// The most steps of a thread.
static STEPS_MAX: AtomicU64 = AtomicU64::new(u64::MAX);
/// The numbers that are recorded.
static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
/// The record.
static RECORD: Mutex<Option<File>> = Mutex::new(None);

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Returns whether the change with this number counts. At compile time, none does.
#[inline(always)]
pub const fn on(number: u32) -> bool {
    const_eval_select((number,), never, asked)
}

/// Counts a step of a loop.
#[inline(always)]
pub const fn step() {
    const_eval_select((), nothing, counted);
}

const fn never(_: u32) -> bool {
    false
}

const fn nothing() {}

fn asked(number: u32) -> bool {
    counted();
    let active = ACTIVE.load(Relaxed);
    if active < NONE { slow(active, number) } else { active == number }
}

fn counted() {
    let steps = STEPS.try_with(|steps| {
        steps.set(steps.get() + 1);
        steps.get()
    });
    let Ok(steps) = steps else { return };
    if steps > STEPS_MAX.load(Relaxed) {
        eprintln!("so many steps that it is an endless loop");
        std::process::abort();
    }
    if steps.is_power_of_two() && ACTIVE.load(Relaxed) == RECORDS {
        write(0x8000_0000 | steps.trailing_zeros());
    }
}

#[cold]
fn slow(active: u32, number: u32) -> bool {
    if active == UNREAD {
        read();
        return ACTIVE.load(Relaxed) == number;
    }
    if !REACHED[number as usize].swap(true, Relaxed) {
        write(number);
    }
    false
}

/// Reads the environment.
fn read() {
    let value = |name| std::env::var(name).ok();
    if let Some(path) = value("QUINTET_MUTANTS_RECORD") {
        *RECORD.lock().unwrap() = File::create(path).ok();
        ACTIVE.store(RECORDS, Relaxed);
        return;
    }
    let steps = value("QUINTET_MUTANTS_STEPS").and_then(|steps| steps.parse().ok());
    STEPS_MAX.store(steps.unwrap_or(u64::MAX), Relaxed);
    let number = value("QUINTET_MUTANT").and_then(|number| number.parse().ok());
    ACTIVE.store(number.filter(|&number| number >= FIRST).unwrap_or(NONE), Relaxed);
}

fn write(word: u32) {
    if let Some(file) = RECORD.lock().unwrap().as_mut() {
        let _ = file.write_all(&word.to_le_bytes());
    }
}
