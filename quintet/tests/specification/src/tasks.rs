//! Async tasks of a thread's priority, which the thread hosts.
//!
//! What stands here an application's expansion writes: cells, jobs, wakers and the round.

use core::task::RawWaker;
use quintet::export::threads::{host as host_in_thread, wake_host};
use quintet::export::{Cell, Job, Level, Ready, Wake, align, size};

use super::objects::act_in_task;
use super::{C, TASK, log, next};

/// Three slots.
static READY: Ready = Ready::new(0);
/// The host's priority.
static LEVELS: [Level; 1] = [Level::new(2, 0, false, clone, WAKE)];
const WAKE: Wake = wake_slot;

quintet::__wake_hosted!(wake_slot, READY, set(word), C);

unsafe fn clone(word: *const ()) -> RawWaker {
    LEVELS[0].raw_waker(word.addr() as u32)
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
    ($slot:literal, $cell:ident, $job:ident, $spawn:ident) => {
        static $cell: Cell<{ size(task::<$slot>) }, { align(task::<$slot>) }> = Cell::new();

        unsafe extern "C" fn $job() {
            // SAFETY: the host runs it, when the slots say so; the word is the slot's.
            unsafe {
                let waker = LEVELS[0].waker(Ready::bit($slot));
                $cell.poll(task::<$slot>, &READY, &waker, Ready::bit($slot));
            }
        }

        fn $spawn() -> bool {
            if !$cell.claim() {
                return true;
            }
            // SAFETY: the cell is claimed, and it is this task's.
            unsafe { $cell.fill(task::<$slot>, &READY, Ready::bit($slot), || task::<$slot>()) };
            wake($slot);
            false
        }
    };
}

slot!(0, CELL_0, job_0, spawn_0);
slot!(1, CELL_1, job_1, spawn_1);
slot!(2, CELL_2, job_2, spawn_2);

static JOBS: [Job; 3] = [job_0, job_1, job_2];

/// Spawns a task. Whether it is alive.
pub fn spawn(slot: usize) -> bool {
    [spawn_0, spawn_1, spawn_2][slot]()
}

/// Makes a slot ready.
pub fn wake(slot: usize) {
    READY.set(Ready::bit(slot as u32));
    wake_host(&C);
}

/// Runs rounds for ever, in the thread C.
pub fn host() -> ! {
    // SAFETY: this is the tasks' only host.
    host_in_thread(|| unsafe { READY.run_round(&JOBS) }, || READY.is_empty())
}
