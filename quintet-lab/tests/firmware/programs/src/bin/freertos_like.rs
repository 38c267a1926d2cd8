//! The variables of FreeRTOS, with tasks that take turns as its scheduler would note them: only the
//! notes are there, and one program runs through all of it.
#![no_std]
#![no_main]
#![allow(non_upper_case_globals, reason = "FreeRTOS calls its variables so")]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// As many words of zeros.
#[repr(C)]
struct Words<const N: usize>([AtomicU32; N]);

impl<const N: usize> Words<N> {
    const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; N])
    }

    fn at(&'static self, byte: u32) -> u32 {
        core::ptr::from_ref(self) as u32 + byte
    }
}

#[unsafe(no_mangle)]
static pxCurrentTCB: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)]
static xSchedulerRunning: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)]
static pxReadyTasksLists: Words<15> = Words::new();
#[unsafe(no_mangle)]
static xDelayedTaskList1: Words<5> = Words::new();
/// The variables that hold the handles of a queue and of a mutex.
#[unsafe(no_mangle)]
static readings: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)]
static console: AtomicU32 = AtomicU32::new(0);

static QUEUE: Words<17> = Words::new();
static MUTEX: Words<17> = Words::new();
static TASKS: [Words<16>; 3] = [const { Words::new() }; 3];

const LIST: u32 = 20;
const LIST_END: u32 = 8;
/// In a queue: who waits to send, and to receive.
const SENDERS: u32 = 16;
const RECEIVERS: u32 = 36;
/// In a control block: the items of lists, the priority, and the name.
const STATE: u32 = 4;
const EVENT: u32 = 24;
const PRIORITY: u32 = 44;
const NAME: u32 = 52;

fn load(address: u32) -> u32 {
    // SAFETY: all addresses are those of the variables above.
    unsafe { (address as *const u32).read_volatile() }
}

fn store(address: u32, word: u32) {
    // SAFETY: as for `load`.
    unsafe { (address as *mut u32).write_volatile(word) }
}

fn initialise(list: u32) {
    let end = list + LIST_END;
    store(list + 4, end);
    store(end, u32::MAX);
    store(end + 4, end);
    store(end + 8, end);
}

/// Puts an item at the end of a list, as `vListInsertEnd`.
fn insert(list: u32, item: u32) {
    let end = list + LIST_END;
    let last = load(end + 8);
    store(item + 4, end);
    store(item + 8, last);
    store(last + 4, item);
    store(end + 8, item);
    store(item + 16, list);
    store(list, load(list) + 1);
}

/// Takes an item out of its list, as `uxListRemove`.
fn remove(item: u32) {
    let (next, previous, list) = (load(item + 4), load(item + 8), load(item + 16));
    store(next + 8, previous);
    store(previous + 4, next);
    store(item + 16, 0);
    store(list, load(list) - 1);
}

fn ready_list(task: u32) -> u32 {
    pxReadyTasksLists.at(load(task + PRIORITY) * LIST)
}

fn create(index: usize, name: &[u8; 8], priority: u32) -> u32 {
    let task = TASKS[index].at(0);
    store(task + PRIORITY, priority);
    for (word, letters) in name.chunks(4).enumerate() {
        let letters = u32::from_le_bytes([letters[0], letters[1], letters[2], letters[3]]);
        store(task + NAME + 4 * word as u32, letters);
    }
    for item in [STATE, EVENT] {
        store(task + item + 12, task);
    }
    insert(ready_list(task), task + STATE);
    task
}

fn make_queue(queue: u32, head: u32, item_size: u32) -> u32 {
    store(queue, head);
    store(queue + 64, item_size);
    initialise(queue + SENDERS);
    initialise(queue + RECEIVERS);
    queue
}

/// A task runs, for so many rounds.
fn run(task: u32, rounds: u32) {
    pxCurrentTCB.store(task, Relaxed);
    for round in 0..rounds {
        black_box(round);
    }
}

/// A task gets out of the ready list, and waits for a time too.
fn wait(task: u32, list: Option<u32>) {
    if let Some(list) = list {
        insert(list, task + EVENT);
    }
    remove(task + STATE);
    insert(xDelayedTaskList1.at(0), task + STATE);
}

fn wake(task: u32) {
    remove(task + EVENT);
    remove(task + STATE);
    insert(ready_list(task), task + STATE);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    for priority in 0..3 {
        initialise(pxReadyTasksLists.at(priority * LIST));
    }
    initialise(xDelayedTaskList1.at(0));
    let queue = make_queue(QUEUE.at(0), QUEUE.at(0), 4);
    let mutex = make_queue(MUTEX.at(0), 0, 0);
    readings.store(queue, Relaxed);
    console.store(mutex, Relaxed);
    let sensor = create(0, b"sensor\0\0", 2);
    let logger = create(1, b"logger\0\0", 1);
    let idle = create(2, b"IDLE\0\0\0\0", 0);
    // FreeRTOS notes the most urgent task as the running one before it starts.
    run(sensor, 50);
    xSchedulerRunning.store(1, Relaxed);
    run(sensor, 100);
    wait(sensor, Some(queue + RECEIVERS));
    run(logger, 100);
    wake(sensor);
    run(sensor, 100);
    wait(sensor, None);
    run(logger, 100);
    wait(logger, Some(mutex + RECEIVERS));
    run(idle, 100);
    // Another task deletes the logger, and its memory becomes that of a new one.
    remove(logger + EVENT);
    remove(logger + STATE);
    run(idle, 10);
    run(sensor, 10);
    let worker = create(1, b"worker\0\0", 1);
    run(worker, 100);
    semihosting::process::exit(0)
}
