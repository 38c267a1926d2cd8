//! What processes are made to do, and what becomes of it: in the simulator, and under QEMU on
//! processors that the simulator doesn't have (`cargo proof emulate`).

/// What the application `attack` must not do, by its number, and what is said of it.
pub const ATTACKS: [(u32, &str); 38] = [
    (0, "accessed memory"),
    (1, "accessed memory"),
    (2, "accessed memory"),
    (3, "accessed memory"),
    (4, "accessed memory"),
    (5, "accessed"),
    (6, "accessed"),
    (7, "accessed memory"),
    (8, "accessed memory"),
    (9, "accessed memory"),
    (10, "jumped to where it may not"),
    (11, "jumped to where it may not"),
    (12, "jumped to where it may not"),
    (13, "executed an instruction that can't be"),
    (14, "has a stack pointer"),
    (15, "has a stack pointer"),
    (16, "has a stack pointer"),
    (17, "has a stack pointer"),
    (18, "has a stack pointer"),
    (19, "has a stack pointer"),
    (20, "made a system call that there isn't"),
    (21, "made a system call that there isn't"),
    (23, "executed an instruction that can't be"),
    (24, "came to a breakpoint"),
    (25, "has a stack pointer"),
    (26, "has a stack pointer"),
    (27, "accessed memory"),
    (28, "accessed memory"),
    (30, "accessed memory that isn't its own, at 0x20006"),
    (31, "accessed memory that isn't its own, at 0x20006"),
    (33, "again\nprocess 1 accessed memory that isn't its own, at 0x20006"),
    // The memory and the flash of its neighbour.
    (35, "accessed memory that isn't its own, at 0x20004000"),
    (36, "accessed memory that isn't its own, at"),
    (60, "has a stack pointer"),
    (61, "has a stack pointer"),
    (62, "has a stack pointer"),
    (63, "has a stack pointer"),
    (64, "has a stack pointer"),
];

/// What must be refused to it, or must come to nothing, which it sees itself.
pub const REFUSALS: [u32; 7] = [22, 29, 32, 34, 40, 41, 42];

/// What the service does, the clients with what each does, and what is printed.
pub type Sharing = (u32, &'static [(&'static str, u32)], &'static [&'static str]);

/// Processes that share memory for as long as both want.
pub const SHARING: [Sharing; 14] = [
    (0, &[("client", 0)], &["shared\n", "client ends as Exited(0)"]),
    (7, &[("client", 0)], &["shared\n", "client ends as Exited(0)"]),
    (
        1,
        &[("client", 1)],
        &[
            "reads\n",
            "takes it back\nprocess 0 accessed memory that isn't its own, at 0x20008",
            "client ends as Exited(0)",
        ],
    ),
    (1, &[("client", 2)], &["ends\nprocess 0 accessed memory that isn't its own, at 0x20008"]),
    (2, &[("client", 3)], &["service ends as Exited(0)", "client ends as Exited(0)"]),
    (3, &[("client", 4)], &["as often as it likes\n", "service ends as Alive"]),
    (0, &[("client", 5)], &["all was refused\n", "client ends as Exited(0)"]),
    (0, &[("client", 6)], &["service ends as Alive", "client ends as Faulted"]),
    (
        4,
        &[("client", 7), ("other", 7)],
        &["worked for two\n", "client ends as Exited(0)", "other ends as Exited(0)"],
    ),
    (5, &[("client", 8)], &["process 0 has a stack pointer", "client ends as Exited(0)"]),
    (3, &[("client", 9)], &["service ends as Alive", "client ends as Exited(0)"]),
    (6, &[("client", 8)], &["service ends as Exited(0)", "client ends as Exited(0)"]),
    (8, &[("client", 10)], &["unharmed\nunharmed\nunharmed\n", "client ends as Exited(0)"]),
    (9, &[("client", 13), ("other", 13)], &["by turns\n", "service ends as Exited(0)"]),
];
