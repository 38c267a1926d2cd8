//! Applications on cores of the field: an Ibex and a VexRiscv, cycle by cycle.
//!
//! Both differ from QEMU's `virt` in what a kernel notices. An Ibex takes traps by a table alone,
//! and a VexRiscv knows of an interrupt some cycles late, has its `msip` elsewhere, and no atomic
//! instruction but LR and SC. The programs must print what they print everywhere.

mod support;

use std::path::{Path, PathBuf};

use quintet_lab::process::build::{Crate, pack_all};
use quintet_lab::process::pack::Extras;
use quintet_lab::process::place::{self, Application};
use quintet_sim::image::Image;
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::{Limits, Machine, Stop};

/// Neither core has the atomic operations of the A extension.
const TARGET: &str = "riscv32imc-unknown-none-elf";
/// An example with four models, and programs of each of them: of levels, threads, time, actors.
const PROGRAMS: [&str; 7] = [
    "all_models",
    "actors",
    "condvar_order",
    "futures_yield",
    "mutex_inheritance",
    "order",
    "threads",
];
/// The examples with processes that build without atomic instructions.
const WITH_PROCESSES: [&str; 2] = ["five_models", "one_process"];
/// A program takes some of them.
const CYCLES_MAX: u64 = 400_000_000;

/// A board's programs are built with its feature; the directory of the build, and its variables.
struct Built {
    board: &'static str,
    feature: &'static str,
    directory: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const IBEX: Built =
    Built { board: "ibex-clint", feature: "ibex", directory: "firmware", variables: &[] };
const LITEX: Built = Built {
    board: "litex-vexriscv-clint",
    feature: "litex",
    directory: "firmware-litex",
    variables: &[("QUINTET_MSIP", "0xf001_0000")],
};

impl Built {
    /// Builds programs; returns their directory.
    fn programs(&self, workspace: &str, names: &[&str]) -> PathBuf {
        let bins = names.iter().flat_map(|name| ["--bin", name]);
        let arguments: Vec<&str> = ["--features", self.feature].into_iter().chain(bins).collect();
        support::try_build_in(self.directory, self.variables, workspace, TARGET, &arguments)
            .unwrap_or_else(|message| panic!("{workspace} does not build:\n{message}"))
    }

    /// The board with a program in it.
    fn machine(&self, image: &Image) -> Machine {
        let mut machine = Machine::new(&Board::named(self.board).expect("built in"));
        machine.load(image).expect("it is linked for the board");
        machine.reset();
        machine
    }

    fn assert_prints_the_same(&self) {
        let built = self.programs("riscv-behaviours", &PROGRAMS);
        for name in PROGRAMS {
            let printed = finish(&mut self.machine(&image(&built.join(name))), name);
            assert_eq!(printed, support::written(name), "{name} on {}", self.board);
        }
    }
}

fn image(path: &Path) -> Image {
    let bytes = std::fs::read(path).expect("it was built");
    Image::parse_riscv_elf(&bytes).expect("it is for RISC-V")
}

/// Runs a program to its end, which must be success; returns what it has printed.
#[track_caller]
fn finish(machine: &mut Machine, name: &str) -> String {
    let stop = machine.run(&Limits { cycles: Some(CYCLES_MAX), instructions: None });
    let bytes = machine.take_output().into_iter().flat_map(|piece| piece.bytes).collect();
    let printed = String::from_utf8(bytes).expect("programs print text");
    assert_eq!(stop, Stop::Exit { code: 0 }, "{name}, {}: {printed}", machine.whereabouts());
    printed
}

/// The applications of an example, as they lie in the kernel's flash.
fn applications(kernel: &Image, name: &str, target_directory: &Path) -> (u32, Vec<u8>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes/apps");
    let wanted = Crate {
        directory: root.join(name),
        bins: Vec::new(),
        examples: Vec::new(),
        profile: "release".to_owned(),
        target_directory: Some(target_directory.to_owned()),
        target: TARGET.to_owned(),
    };
    let built = wanted.build().expect("they build");
    let room = place::room(kernel).expect("it has processes");
    let packed = pack_all(&built, &room, Extras::default()).expect("there is room");
    let all: Vec<_> = packed.iter().map(|(file, bytes)| Application { file, bytes }).collect();
    (room.flash.0, place::place(room.flash, &all).expect("they fit"))
}

#[test]
fn programs_print_the_same_on_an_ibex() {
    IBEX.assert_prints_the_same();
}

#[test]
fn programs_print_the_same_on_a_vexriscv() {
    LITEX.assert_prints_the_same();
}

#[test]
fn all_five_models_print_the_same_on_an_ibex() {
    let kernels = IBEX.programs("riscv-processes", &WITH_PROCESSES);
    let target_directory = kernels.ancestors().nth(2).expect("cargo has made it");
    for name in WITH_PROCESSES {
        let kernel = image(&kernels.join(name));
        let (address, flash) = applications(&kernel, name, target_directory);
        let mut machine = IBEX.machine(&kernel);
        machine.load(&Image::raw(&flash, address).expect("it is short")).expect("it fits");
        assert_eq!(finish(&mut machine, name), support::written(name), "{name}");
    }
}

#[test]
fn an_address_of_msip_that_is_none_is_refused() {
    for said in ["f0010000", "0xf001_0002", "here"] {
        let variables = [("QUINTET_MSIP", said)];
        let (directory, workspace) = (LITEX.directory, "riscv-behaviours");
        let arguments = ["--features", LITEX.feature, "--bin", "order"];
        let built = support::try_build_in(directory, &variables, workspace, TARGET, &arguments);
        let message = built.expect_err("it is no address of a register");
        let expected = format!(
            "QUINTET_MSIP is \"{said}\", which is no address of a register: write it as \
             0x0200_0000, or leave it out where `msip` is there"
        );
        assert!(message.contains(&expected), "{message}");
    }
}
