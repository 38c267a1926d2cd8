//! The processes of an application, their policy, and their console.

// begin: processes
use lm3s6965::Interrupt;
use quintet::process::console::Console;
use quintet::process::ipc::Ipc;
use semihosting::println;

static CONSOLE: Console<4> = Console::new(|| quintet::pend(Interrupt::UART0));
static IPC: Ipc<4> = Ipc::new();

quintet::processes!(
    static PROCESSES,
    count = 4,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&CONSOLE, &IPC],
);

fn start() {
    // SAFETY: the linker script leaves this flash and this memory to the processes.
    unsafe { PROCESSES.start(|found| println!("{found}")) };
}
// end: processes

mod life {
    // begin: life
    use quintet::process::{LifeError, System};

    /// Restarts the process of an application, unless there is no such process.
    fn restart(processes: &System, name: &str) -> Result<(), LifeError> {
        let mut all = processes.processes().iter();
        let process = all.find(|process| process.name() == name).ok_or(LifeError::Empty)?;
        process.restart()
    }

    /// Returns how many processes run, or will run by themselves.
    fn active(processes: &System) -> usize {
        let all = processes.processes().iter();
        all.filter(|process| process.status().is_active()).count()
    }
    // end: life
}

mod policy {
    // begin: policy
    use quintet::process::{Cause, Fault, Policy, Process};

    /// Stands behind `on_fault =` of `processes!`. A process with a fault starts again, up to 3
    /// times. A process whose watchdog has expired is stopped at once.
    fn on_fault(process: &Process, fault: &Fault) -> Policy {
        if fault.cause == Cause::Watchdog || process.restarts() >= 3 {
            Policy::Stop
        } else {
            Policy::Restart
        }
    }
    // end: policy
}

mod shell {
    use super::PROCESSES;

    // begin: shell
    use quintet::process::shell::Shell;
    use quintet::process::{Fault, Policy, Process};

    static SHELL: Shell<4> = Shell::new(&PROCESSES);

    /// Stands behind `on_fault =` of `processes!`.
    fn on_fault(_: &Process, fault: &Fault) -> Policy {
        SHELL.note(fault);
        Policy::Restart
    }

    /// The task of the UART's interrupt calls this, and wakes the context that serves lines.
    fn received(byte: u8, wake: fn()) {
        if SHELL.receive(byte) {
            wake();
        }
    }

    /// A thread or a task with time to print calls this.
    fn serve(uart: &mut impl core::fmt::Write) -> core::fmt::Result {
        SHELL.serve(uart)
    }
    // end: shell
}
