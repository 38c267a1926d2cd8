//! The generated code of locks, wake functions and entries, instruction by instruction.
//!
//! What a lock costs and whether it is sound hangs on a few instructions and their order, and the
//! compiler may change them with any release. So the firmware in `firmware/shapes` is built for
//! three architectures, as applications are, and each function must be exactly what is written
//! here. When a test fails after a change of the compiler, read the new code: is it still right,
//! and as fast? Then write it down.
//!
//! The first `push; mov` and the last `pop, return` of a function are the compiler's frame, which
//! it gives to every function on these targets.

mod listing;
mod support;

use std::sync::OnceLock;

use quintet_sim::image::Image;
use quintet_sim::processor::Architecture;

/// A firmware built for a target.
struct Shapes {
    image: Image,
    architecture: Architecture,
}

impl Shapes {
    /// Builds the firmware.
    fn build(target: &str, features: &[&str], architecture: Architecture) -> Self {
        let programs = support::build("shapes", target, features);
        Self { image: support::image(&programs.join("masks")), architecture }
    }

    /// What a function does.
    fn listing(&self, function: &str) -> String {
        listing::of(&self.image, function, self.architecture).join("; ")
    }

    /// Requires that a function is exactly this.
    #[track_caller]
    fn pinned(&self, function: &str, expected: &[&str]) {
        assert_eq!(self.listing(function), expected.join("; "), "{function}");
    }
}

/// For a Cortex-M3.
fn armv7m() -> &'static Shapes {
    static BUILT: OnceLock<Shapes> = OnceLock::new();
    BUILT.get_or_init(|| Shapes::build("thumbv7m-none-eabi", &[], Architecture::V7M))
}

/// For a Cortex-M0.
fn armv6m() -> &'static Shapes {
    static BUILT: OnceLock<Shapes> = OnceLock::new();
    BUILT.get_or_init(|| Shapes::build("thumbv6m-none-eabi", &[], Architecture::V6M))
}

/// For a Cortex-M7 r0p1.
fn cortex_m7_r0p1() -> &'static Shapes {
    static BUILT: OnceLock<Shapes> = OnceLock::new();
    let features = ["--features", "cortex-m7-r0p1"];
    BUILT.get_or_init(|| Shapes::build("thumbv7em-none-eabi", &features, Architecture::V7M))
}

/// `*resource += 1` on ARMv7-M: its address, and the access.
const COUNT: &str = "mov; mov; ldr data; add; str data, ..";
/// The same on ARMv6-M.
const COUNT_V6M: &str = "ldr constant; ldr data; add; str data, ..";
/// What follows in a function when PRIMASK was clear before, on ARMv7-M.
const OPEN_UNLESS_MASKED: &str = "it; pop, return; cpsie; pop, return";

#[test]
fn a_lock_where_nothing_can_be_held_writes_twice() {
    armv7m().pinned(
        "LINE0",
        &["push; mov; mov; msr BASEPRI_MAX, 0x80", COUNT, "mov; msr BASEPRI, 0x0; pop, return"],
    );
}

#[test]
fn any_other_lock_reads_and_writes_twice() {
    let begin = "push; mov; mrs BASEPRI; mov; msr BASEPRI_MAX, 0x40";
    armv7m().pinned("LINE2", &[begin, COUNT, "msr BASEPRI, ..; pop, return"]);
}

#[test]
fn a_ceiling_at_the_highest_priority_takes_primask() {
    // The compiler puts the address's first half ahead of the section, and the second into it.
    let section = "mov; mrs PRIMASK; cpsid; mov; mov; ldr data; add; str data, ..";
    armv7m().pinned("LINE4", &["push; mov", section, OPEN_UNLESS_MASKED]);
    cortex_m7_r0p1().pinned("LINE4", &["push; mov", section, OPEN_UNLESS_MASKED]);
    let section = "mrs PRIMASK; cpsid; ldr constant; ldr data; add; str data, ..; cmp; branch";
    armv6m().pinned("LINE4", &["push; add", section, "pop, return; cpsie; pop, return"]);
}

#[test]
fn a_cortex_m7_r0p1_raises_basepri_under_primask() {
    let (before, after) = ("mrs PRIMASK; cpsid", "isb; branch; cpsie");
    cortex_m7_r0p1().pinned(
        "LINE0",
        &[
            "push; mov",
            before,
            "mov; mov; msr BASEPRI_MAX, 0x80",
            after,
            COUNT,
            "mov; msr BASEPRI, 0x0; pop, return",
        ],
    );
    cortex_m7_r0p1().pinned(
        "LINE2",
        &[
            "push; mov; mrs BASEPRI; mov",
            before,
            "mov; msr BASEPRI_MAX, 0x40",
            after,
            COUNT,
            "msr BASEPRI, ..; pop, return",
        ],
    );
}

#[test]
fn a_cortex_m7_r0p1_takes_the_lock_under_primask_in_the_switch_too() {
    let features = ["--bin", "threads", "--features", "longest,cortex-m7-r0p1"];
    let programs = support::build("shapes", "thumbv7em-none-eabi", &features);
    let image = support::image(&programs.join("threads"));
    let switch = listing::of(&image, "PendSV", Architecture::V7M);
    let raises: Vec<_> = switch
        .iter()
        .enumerate()
        .filter(|(_, line)| *line == "msr BASEPRI, 0x40")
        .map(|(at, _)| switch[at - 1..at + 3].join("; "))
        .collect();
    assert_eq!(raises, ["cpsid; msr BASEPRI, 0x40; isb; cpsie"; 2]);
}

#[test]
fn armv6m_disables_the_users_and_waits_until_they_are() {
    // Lines 0, 1, 2, 4, 6 and 7 are the interrupts up to priority 2; lines 3 and 8 have priority 3.
    let read = "push; add; ldr constant; ldr ISER; ldr constant; mov";
    let end = "and; str ISER, ..; pop, return";
    armv6m().pinned("LINE0", &[read, "str ICER, 0xd7; dsb; isb", COUNT_V6M, end]);
    let read = "push; add; ldr constant; ldr ISER; mov; add; ldr constant";
    armv6m().pinned("LINE2", &[read, "str ICER, 0x1df; dsb; isb", COUNT_V6M, end]);
}

#[test]
fn a_lock_at_the_ceiling_is_nothing() {
    for shapes in [armv7m(), cortex_m7_r0p1(), armv6m()] {
        for function in ["LINE1", "LINE3"] {
            assert_eq!(shapes.listing(function), shapes.listing("bare"), "{function}");
        }
    }
}

#[test]
fn a_hardware_task_is_its_function_and_nothing_else() {
    armv7m().pinned("LINE5", &["push; mov", COUNT, "pop, return"]);
    armv6m().pinned("LINE5", &["push; add", COUNT_V6M, "pop, return"]);
    for shapes in [armv7m(), cortex_m7_r0p1(), armv6m()] {
        assert_eq!(shapes.listing("LINE5"), shapes.listing("bare"));
    }
}

#[test]
fn a_wake_sets_a_bit_or_a_flag_and_then_pends_the_level() {
    let set = "mov; mov; ldrex data; orr; strex data; branch";
    for shapes in [armv7m(), cortex_m7_r0p1()] {
        shapes.pinned("__quintet_wake_0", &[set, "sev; return; branch"]);
        shapes.pinned("__quintet_wake_1", &[set, "mov; mov; str ISPR, 0x40; return; branch"]);
        // A flag is nobody else's: its store needs no exclusive access.
        let flag = "mov; strb [..], 0x1; mov; mov; str ISPR, 0x100; return";
        shapes.pinned("__quintet_wake_3", &[flag]);
        // The only slot of a level has nothing to share a word with. One function for all such
        // levels, in Rust, with a frame, so that it can be inlined.
        let store = "push; mov; ldrh [..]; mov; ldr [..]; strb [..], 0x1";
        shapes.pinned("wake_one", &[store, "mov; str STIR, ..; pop, return"]);
    }
}

#[test]
fn a_wake_on_armv6m_sets_its_bit_under_primask() {
    let set = "mrs PRIMASK; cpsid; ldr constant; ldr data; orr; str data, ..; mov; branch; cpsie";
    armv6m().pinned("__quintet_wake_0", &["push; add", set, "sev; pop, return"]);
    let pend = "ldr constant; mov; str ISPR, 0x40; pop, return";
    armv6m().pinned("__quintet_wake_1", &["push; add", set, pend]);
    // A flag needs no mask.
    let flag = "push; add; mov; strb [..], 0x1; mov; ldr constant; str ISPR, 0x100; pop, return";
    armv6m().pinned("__quintet_wake_3", &[flag]);
    let store = "push; add; ldrh [..]; ldr [..]; mov; strb [..], 0x1";
    let pend = "mov; and; mov; mov; mov; ldr constant; str [..], ..; pop, return";
    armv6m().pinned("wake_one", &[store, pend]);
}
