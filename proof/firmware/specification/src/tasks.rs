//! Async tasks: of a thread's priority, which the thread hosts, and of a level of interrupts.
//!
//! What stands here an application's expansion writes: cells, jobs, wakers and the round.

use core::task::RawWaker;
use quintet::export::threads::host as host_in_thread;
use quintet::export::{Cell, Job, Level, Ready, Wake, align, size};

use super::actors::job_of_hosted;
use super::objects::act_in_task;
use super::{ACTOR, C, TASK, log, next};

/// The three slots of those that are hosted, and that of an actor.
static READY: Ready = Ready::new();
/// The two of those that are not, and that of an actor.
pub static READY_ABOVE: Ready = Ready::new();
/// The host's priority, and one above all threads.
static LEVELS: [Level; 2] = [
    Level::new(2, 0, false, clone::<0>, WAKE),
    Level::new(20, HOSTED as u16, false, clone::<1>, WAKE_ABOVE),
];
const WAKE: Wake = wake_slot;
const WAKE_ABOVE: Wake = wake_above;
/// The tasks that are hosted are the first.
const HOSTED: usize = 3;
/// Behind all tasks are the actors: one that is hosted, and one that is not.
const HOSTED_ACTOR: usize = ACTOR - TASK;

quintet::__wake_hosted!(wake_slot, READY, set(word), C);
// GPIOE.
quintet::__wake_interrupt!(wake_above, READY_ABOVE, 4);

unsafe fn clone<const LEVEL: usize>(word: *const ()) -> RawWaker {
    LEVELS[LEVEL].with_word(word)
}

/// The levels, for whoever is given a waker.
pub fn levels() -> &'static [Level] {
    &LEVELS
}

/// Does what a script says.
async fn task<const SLOT: usize>() {
    loop {
        let word = next(TASK + SLOT);
        if word == 0 {
            return log(TASK + SLOT, 0, 0);
        }
        let result = act_in_task(word).await;
        log(TASK + SLOT, word, result);
    }
}

/// The memory of a slot's task, its job, and its spawn: whether it is alive.
macro_rules! slot {
    ($slot:literal, $level:literal, $bit:expr, $cell:ident, $job:ident, $spawn:ident) => {
        static $cell: Cell<{ size(task::<$slot>) }, { align(task::<$slot>) }> = Cell::new();

        /// Polls the task of a slot.
        ///
        /// # Safety
        /// The level calls it.
        pub unsafe extern "C" fn $job() {
            // SAFETY: the caller's; the level has the slot.
            unsafe {
                let waker = LEVELS[$level].waker(Ready::bit($bit));
                $cell.poll(task::<$slot>, &waker);
            }
        }

        fn $spawn() -> bool {
            if !$cell.claim() {
                return true;
            }
            // SAFETY: the cell is claimed, and it is this task's.
            unsafe { $cell.fill(task::<$slot>, || task::<$slot>()) };
            wake($slot);
            false
        }
    };
}

slot!(0, 0, 0, CELL_0, job_0, spawn_0);
slot!(1, 0, 1, CELL_1, job_1, spawn_1);
slot!(2, 0, 2, CELL_2, job_2, spawn_2);
slot!(3, 1, 0, CELL_3, job_3, spawn_3);
slot!(4, 1, 1, CELL_4, job_4, spawn_4);

static JOBS: [Job; 4] = [job_0, job_1, job_2, job_of_hosted];

/// Spawns a task. Whether it is alive.
pub fn spawn(slot: usize) -> bool {
    [spawn_0, spawn_1, spawn_2, spawn_3, spawn_4][slot]()
}

/// Makes a slot ready.
pub fn wake(slot: usize) {
    let (wake, index): (unsafe extern "C" fn(*const ()), _) = match slot {
        0..HOSTED => (wake_slot, slot),
        HOSTED_ACTOR => (wake_slot, HOSTED),
        HOSTED..HOSTED_ACTOR => (wake_above, slot - HOSTED),
        _ => (wake_above, slot - HOSTED - 1),
    };
    let bit = Ready::bit(index as u32);
    // SAFETY: sound from every context.
    unsafe { wake(core::ptr::without_provenance(bit as usize)) };
}

/// Runs rounds for ever, in the thread C.
pub fn host() -> ! {
    // SAFETY: this is the tasks' only host.
    let round = || unsafe { READY.run_round(&JOBS) };
    // SAFETY: the thread C calls this, under no ceiling.
    unsafe { host_in_thread(round) }
}
