//! A process that asks a task and a thread, and is stopped and begun anew meanwhile: each life has
//! its own answers, and servers find nothing of those that have ended.
#![no_std]
#![no_main]

use campaign::Count;
use campaign::processes::{Desk, Role};
use quintet::process::{Process, Request, Status};

static DESK: Desk = Desk::new([Role::Asks, Role::None, Role::None], say);
/// How many questions were answered.
static ANSWERED: Count = Count::new();
/// How many requests servers have had, and how many of these were stale.
static HAD: Count = Count::new();
static STALE: Count = Count::new();

const QUESTIONS: u32 = 4;

fn say(process: &Process, what: u32, word: u32) -> u32 {
    if what == 0 {
        return process.restarts();
    }
    if word > 0 {
        assert!(word == ANSWERED.add() + 1, "a question was answered twice");
    }
    let next = ANSWERED.get();
    if next < QUESTIONS { next } else { 99 }
}

/// Answers: what was asked, in which life, and the sum of what was lent.
fn answer(request: &Request) {
    HAD.add();
    let mut bytes = [0; 8];
    let count = request.read(0, 0, &mut bytes);
    let sum = bytes[..count].iter().map(|byte| u32::from(*byte)).sum::<u32>();
    if request.is_stale() {
        STALE.add();
    }
    let [question, life] = request.arguments;
    // Whose queue is full hears of it by none of these.
    let _no_room = request.answer(0, [question, life, sum]);
}

/// The end, behind all interrupts.
fn judge(process: &Process) {
    let status = process.status();
    assert!(status == Status::Exited(0), "the process ends as {status:?}");
    assert!(ANSWERED.get() == QUESTIONS, "an answer is lost");
    assert!(HAD.get() >= QUESTIONS, "a request is lost");
    assert!(STALE.get() <= process.restarts() * 2, "a request of a life is stale");
}

#[quintet::app(
    device = lm3s6965,
    peripherals = false,
    dispatchers = [SSI0],
    processes = [
        priority = 2,
        count = 3,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::DESK, &BY_TASK, &BY_THREAD],
    ],
)]
mod app {
    use super::{DESK, answer, judge};
    use campaign::threads::wait_until_over;
    use quintet::process::{Found, Process, Request, Served};
    use quintet::sync::{Channel, Semaphore};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    static OF_TASK: Channel<Request, 2> = Channel::new();
    static OF_THREAD: Channel<Request, 2> = Channel::new();
    /// The thread has a request, and may answer it.
    static HAS_ONE: Semaphore = Semaphore::new(0);
    static MAY_ANSWER: Semaphore = Semaphore::new(0);
    static BY_TASK: Served<0x8000_0011, 3, 1, 1> =
        Served::new(|request| OF_TASK.try_send(request).is_ok());
    static BY_THREAD: Served<0x8000_0013, 3, 1, 1> =
        Served::new(|request| OF_THREAD.try_send(request).is_ok());

    fn process() -> &'static Process {
        &PROCESSES.processes()[0]
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: the linker's arguments leave these places to the processes.
        unsafe { PROCESSES.start(|found| assert!(matches!(found, Found::Process(..)), "{found}")) };
        assert!(serves::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        wait_until_over(|| judge(process()), || ())
    }

    #[task(priority = 5)]
    async fn serves(_: serves::Context) {
        loop {
            answer(&OF_TASK.receive().await);
        }
    }

    /// Has a request for so long that a process may ask anew in another life.
    #[thread(priority = 3, stack = 1024)]
    fn thread(cx: thread::Context) {
        loop {
            let request = OF_THREAD.receive().block(&cx.thread);
            HAS_ONE.give();
            MAY_ANSWER.take().block(&cx.thread);
            answer(&request);
        }
    }

    /// Runs when the process waits.
    #[thread(priority = 1, stack = 512)]
    fn low(cx: low::Context) {
        loop {
            HAS_ONE.take().block(&cx.thread);
            MAY_ANSWER.give();
        }
    }

    /// Nothing is subscribed.
    #[task(binds = GPIOA, priority = 4)]
    fn four(_: four::Context) {
        DESK.ring(0, 0, 0);
    }

    #[task(binds = GPIOB, priority = 6)]
    fn six(_: six::Context) {
        if process().stop().is_ok() {
            // It may have begun anew in between.
            let _not_stopped = process().start();
        }
    }

    #[task(binds = GPIOD, priority = 6)]
    fn also_six(_: also_six::Context) {
        assert!(process().restart().is_ok());
    }

    #[task(binds = GPIOE, priority = 7)]
    fn seven(_: seven::Context) {
        if process().terminate().is_ok() {
            DESK.ring(0, 0, 0);
        }
        assert!(process().restart().is_ok());
    }
}
