//! Tells the code which architecture profile the target has.
//!
//! The compiler knows it, but has no stable `cfg` for it: the target's name says it.

use std::env;

/// The profiles that decide how masks are written and words are updated.
const PROFILES: [&str; 5] = ["armv6m", "armv7m", "armv8m_base", "armv8m_main", "riscv32"];

/// What follows from the target: a mask by priority, SysTick or RISC-V's timer, threads, pauses of
/// their switches that a word notes as no mask holds off a switch alone, whether their switch
/// leaves all decisions to the scheduler, guards or limits of their stacks, a floating-point unit,
/// regions of its memory protection unit that have a first and a last address, or at least 256
/// bytes. From features
/// follows whether a switch moves the one guard there is, whether main's stack has one, whether
/// there can be processes, and whether these may use floating-point registers. Only `arch` asks for
/// profiles; what depends on an ability may ask for that.
const ABILITIES: [&str; 15] = [
    "basepri",
    "systick",
    "machine_timer",
    "threads",
    "noted_pauses",
    "plain_switch",
    "stack_guard",
    "stack_guard_moves",
    "stack_limit",
    "main_guard",
    "fpu",
    "region_bounds",
    "large_regions",
    "processes",
    "processes_float",
];

/// The variable of the environment with the address of `msip`, and the address without it: that of
/// SiFive's core-local interruptor.
const MSIP: &str = "QUINTET_MSIP";
const CLINT: &str = "0x0200_0000";

/// The features of what RISC-V doesn't have yet.
const NOT_ON_RISCV: [(&str, &str); 4] = [
    ("GUARD_EVERY_STACK", "guard that moves to the stack in use"),
    ("RECORDER", "recorder"),
    ("STATISTICS", "counts of threads"),
    ("GUARD_MAIN_STACK", "guard of main's stack"),
];

/// The compiler's names of processors that it takes to have floating-point registers.
const FLOATING_POINT: [&str; 8] = [
    "cortex-m4",
    "cortex-m7",
    "cortex-m33",
    "cortex-m35p",
    "cortex-m52",
    "cortex-m55",
    "cortex-m85",
    "star-mc1",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for profile in PROFILES {
        println!("cargo:rustc-check-cfg=cfg({profile})");
    }
    for ability in ABILITIES {
        println!("cargo:rustc-check-cfg=cfg({ability})");
    }
    say_small();
    let target = env::var("TARGET").unwrap_or_default();
    let profile = match target.split('-').next() {
        Some("thumbv6m") => "armv6m",
        Some("thumbv7m" | "thumbv7em") => "armv7m",
        Some("thumbv8m.base") => "armv8m_base",
        Some("thumbv8m.main") => "armv8m_main",
        Some(architecture) if architecture.starts_with("riscv32i") => {
            refuse_on_riscv(architecture);
            "riscv32"
        }
        // A processor on which nothing of `arch` runs.
        _ if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") => {
            println!(
                "cargo::error=Quintet runs on Cortex-M and on RISC-V with 32 bits, but the target \
                 is {target}: build for one such as thumbv7m-none-eabi or \
                 riscv32imac-unknown-none-elf"
            );
            return;
        }
        // The host, which has everything.
        _ => {
            println!("cargo:rustc-cfg=threads");
            println!("cargo:rustc-cfg=systick");
            return;
        }
    };
    println!("cargo:rustc-cfg={profile}");
    if profile == "riscv32" {
        say_msip();
        // Entries of PMP can be locked, which then hold for threads.
        for ability in ["machine_timer", "threads", "plain_switch", "stack_guard"] {
            println!("cargo:rustc-cfg={ability}");
        }
        if feature("PROCESSES") {
            // Entries of PMP, whose ranges have a first and a last address.
            println!("cargo:rustc-cfg=processes\ncargo:rustc-cfg=region_bounds");
        }
    } else {
        println!("cargo:rustc-cfg=systick");
        have_on_cortex_m(profile, &target);
    }
}

/// Tells whether the crate is optimised for size. State machines are compact then, by default.
fn say_small() {
    println!("cargo:rustc-check-cfg=cfg(small)");
    if matches!(env::var("OPT_LEVEL").as_deref(), Ok("s" | "z")) {
        println!("cargo:rustc-cfg=small");
    }
}

/// Tells the address of the register by which a hart of RISC-V interrupts itself.
fn say_msip() {
    println!("cargo:rerun-if-env-changed={MSIP}");
    let said = env::var(MSIP).unwrap_or_else(|_| CLINT.to_owned());
    let digits = said.strip_prefix("0x").unwrap_or_default().replace('_', "");
    match u32::from_str_radix(&digits, 16) {
        Ok(address) if address % 4 == 0 => println!("cargo:rustc-env={MSIP}={address:x}"),
        _ => println!(
            "cargo::error={MSIP} is \"{said}\", which is no address of a register: write it as \
             {CLINT}, or leave it out where `msip` is there"
        ),
    }
}

/// Tells the abilities of a Cortex-M beside SysTick.
fn have_on_cortex_m(profile: &str, target: &str) {
    let has_floating_point = target.ends_with("eabihf") || flags_name_floating_point();
    if has_floating_point {
        // Compiled code may use the floating-point registers anywhere.
        println!("cargo:rustc-cfg=fpu");
    }
    if profile == "armv7m" {
        // The regions of its memory protection unit.
        println!("cargo:rustc-cfg=stack_guard");
        if feature("GUARD_EVERY_STACK") {
            println!("cargo:rustc-cfg=stack_guard_moves");
        }
    }
    if profile == "armv8m_main" {
        // The register PSPLIM.
        println!("cargo:rustc-cfg=stack_limit");
        println!("cargo:rustc-cfg=region_bounds");
    }
    refuse_the_recorder(profile, target);
    if profile == "armv7m" || profile == "armv8m_main" {
        if feature("PROCESSES") {
            // Regions that the switch writes.
            println!("cargo:rustc-cfg=processes");
            if profile == "armv7m" && has_floating_point {
                // On ARMv8-M a process could move its registers past its frame, by VLSTM.
                println!("cargo:rustc-cfg=processes_float");
            }
        }
        println!("cargo:rustc-cfg=basepri");
        if feature("GUARD_MAIN_STACK") {
            println!("cargo:rustc-cfg=main_guard");
        }
        println!("cargo:rustc-cfg=threads");
    }
    if profile == "armv6m" {
        println!("cargo:rustc-cfg=noted_pauses\ncargo:rustc-cfg=threads");
        if feature("PROCESSES") {
            println!("cargo:rustc-cfg=processes");
            println!("cargo:rustc-cfg=large_regions");
        }
    }
}

/// Refuses the recorder where nothing counts cycles.
fn refuse_the_recorder(profile: &str, target: &str) {
    if matches!(profile, "armv6m" | "armv8m_base") && feature("RECORDER") {
        println!(
            "cargo::error=the feature recorder is on, but processors for {target} have no cycle \
             counter: remove the feature"
        );
    }
}

/// Refuses what the kernel doesn't have on RISC-V: some features, and floating-point registers.
/// The compiler's stable `cfg`s don't name the registers: the target or the compiler's flags do.
fn refuse_on_riscv(architecture: &str) {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let by_flags = flags.split(['\u{1f}', '=', ',']).any(|flag| flag == "+f" || flag == "+d");
    if by_flags || architecture.contains(['f', 'd', 'g']) {
        println!(
            "cargo::error=the target has floating-point registers, which no trap saves on RISC-V: \
             build for one without them, such as riscv32imac-unknown-none-elf"
        );
    }
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if feature("PROCESSES") && !features.split(',').any(|feature| feature == "m") {
        println!(
            "cargo::error=the feature processes is on, but the target has no multiplication, by \
             which a system call finds its driver: build for one with it, such as \
             riscv32imc-unknown-none-elf"
        );
    }
    for (name, what) in NOT_ON_RISCV.iter().filter(|(name, _)| feature(name)) {
        let name = name.to_lowercase().replace('_', "-");
        println!(
            "cargo::error=the feature {name} is on, but on RISC-V Quintet has no {what} yet: \
             remove the feature"
        );
    }
}

/// Whether a feature is on, by the name that cargo gives it.
fn feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// Whether the compiler's flags name a processor or a feature by which compiled code uses
/// floating-point registers, though no function is called with arguments in them. The compiler's
/// stable `cfg`s don't say it. One that is found for nothing makes switches longer, and no more.
fn flags_name_floating_point() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    flags.split('\u{1f}').any(|flag| {
        let (_, option) = flag.split_once("target-").unwrap_or_default();
        match option.split_once('=') {
            Some(("cpu", processor)) => FLOATING_POINT.contains(&processor),
            Some(("feature", features)) => features.split(',').any(|feature| {
                ["+vfp", "+fp", "+fullfp16", "+mve"].iter().any(|name| feature.starts_with(name))
            }),
            _ => false,
        }
    })
}
