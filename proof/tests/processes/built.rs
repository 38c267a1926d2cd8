//! A kernel with processes, and applications for it.

use quintet_lab::process::pack::{Wishes, pack};
use quintet_lab::process::place::{self, Application};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

use super::{cases, support};

/// A second of the processor's, and some.
pub const CYCLES_MAX: u64 = 20_000_000;

/// The kernel, and a directory of applications.
pub struct Built {
    pub kernel: Image,
    pub applications: std::path::PathBuf,
    board: Board,
}

impl Built {
    /// One kernel and all applications, for a target and a board.
    pub fn on(target: &str, kernel: &str, board: Board) -> Self {
        let kernels = support::build("processes", target, &["--bin", kernel]);
        let kernel = support::image(&kernels.join(kernel));
        let applications = support::build("process-apps", target, &[]);
        Self { kernel, applications, board }
    }

    /// An application, packed.
    pub fn application(&self, name: &str) -> Vec<u8> {
        let image = support::image(&self.applications.join(name));
        pack(&image, &Wishes { name, heap: 0, sha256: false }).expect("it is linked for its place")
    }

    /// The application that does what it must not, with the number of what.
    pub fn attack(&self, number: u32) -> Vec<u8> {
        self.with_number("attack", "ATTACK", number)
    }

    /// One of those that notify each other, with the number of what it does.
    pub fn peer(&self, name: &str, number: u32) -> Vec<u8> {
        self.with_number(name, "WHAT", number)
    }

    /// An application with another number in its flash, where this name is.
    pub fn with_number(&self, name: &str, place: &str, number: u32) -> Vec<u8> {
        let mut image = support::image(&self.applications.join(name));
        let place = support::address(&image, place);
        let segment = image
            .segments
            .iter_mut()
            .find(|segment| place.wrapping_sub(segment.load_address) < segment.bytes.len() as u32);
        let segment = segment.expect("it is in flash");
        let at = (place - segment.load_address) as usize;
        segment.bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        pack(&image, &Wishes { name, heap: 1024, sha256: false })
            .expect("it is linked for its place")
    }

    /// The machine with these applications, at the beginning.
    pub fn machine(&self, applications: &[Vec<u8>]) -> Machine {
        let mut machine = support::machine(&self.board, &self.kernel);
        let flash = place::flash(&self.kernel).expect("it has processes");
        let named: Vec<_> =
            applications.iter().map(|bytes| Application { file: "it", bytes }).collect();
        let placed = place::place(flash, &named).expect("they fit");
        if placed.is_empty() {
            return machine;
        }
        machine.load(&Image::raw(&placed, flash.0).expect("it is some")).expect("it is memory");
        machine.reset();
        machine
    }

    /// Runs to the end; what was printed.
    pub fn run(&self, applications: &[Vec<u8>]) -> String {
        Self::finish(self.machine(applications))
    }

    pub fn finish(mut machine: Machine) -> String {
        let stop = machine.run(&Until { max_cycles: Some(CYCLES_MAX), ..Until::default() });
        let printed = support::printed(&mut machine);
        assert!(matches!(stop, Stop::Exit { code: 0 }), "{stop:?}\n{printed}");
        printed
    }
}

/// Each attack stops its process, for its cause, and no other.
pub fn attack(built: &Built) {
    for (number, cause) in cases::ATTACKS {
        let printed = built.run(&[built.attack(number), built.application("hello")]);
        assert!(printed.contains(cause), "attack {number}: {printed}");
        assert!(!printed.contains("not stopped"), "attack {number}: {printed}");
        assert!(printed.contains("attack ends as Faulted"), "attack {number}: {printed}");
        assert!(printed.contains("hello ends as Exited(7)"), "attack {number}: {printed}");
    }
}

/// Each is refused by an answer.
pub fn refuse(built: &Built) {
    for number in cases::REFUSALS {
        let printed = built.run(&[built.attack(number)]);
        assert!(printed.contains("attack ends as Exited(0)"), "attack {number}: {printed}");
    }
}

/// Processes share memory for as long as both want.
pub fn share(built: &Built) {
    for (service, clients, expected) in cases::SHARING {
        let mut applications = vec![built.peer("service", service)];
        applications.extend(clients.iter().map(|&(name, what)| built.peer(name, what)));
        let printed = built.run(&applications);
        for &text in expected {
            assert!(printed.contains(text), "service {service}, {clients:?}: {printed}");
        }
        assert!(!printed.contains("not stopped"), "service {service}, {clients:?}: {printed}");
    }
}
