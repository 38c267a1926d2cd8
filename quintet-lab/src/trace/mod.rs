//! What a run did, as events in time: the pictures that people look at first.
//!
//! ```text
//!  Simulation ── each step ──> record::Recorder ──> Recording ──> page, svg, chrome, perfetto,
//!                               │                                 summary
//!                               └ follow::Follower
//!                               │  │  units, map: which task an address is of
//!                               │  │  frames: which of them have begun and not ended
//!                               │  └  kernel: threads, and which jobs are ready
//!                               ├ states: what threads wait for that don't run
//!                               ├ fill: how many events and jobs wait
//!                               │ machines: the states of state machines
//!                               └ registers: what is written to devices
//!
//!  the memory of a board ── ring::Dump, ring::Replay ──> Recording
//! ```
//!
//! A *track* is a line of the picture: an exception, a task, a thread, sleep, a mask. A *slice* is
//! a time on a track, from one cycle to another. Its *own* cycles are those in which nothing more
//! urgent ran. An *arrow* leads from who made something ready to where that begins to run. A
//! *mark* is a moment, as a line of output. A *sample* is the value of a counter from a moment on.

pub mod causes;
pub mod chrome;
pub mod fill;
pub mod follow;
pub mod foreign;
pub mod frames;
pub mod instructions;
pub mod kernel;
pub mod load;
pub mod machines;
pub mod map;
pub mod page;
pub mod perfetto;
pub mod record;
mod registers;
pub mod ring;
pub mod span;
pub mod states;
pub mod store;
pub mod summary;
pub mod svg;
pub mod units;

/// What a track shows. Pictures have them in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Sleep, and code of thread mode where there are no threads.
    Processor,
    /// Registers that hold interrupts off.
    Masks,
    /// Handlers.
    Exceptions,
    /// Tasks and actors.
    Tasks,
    /// The states of state machines.
    Machines,
    /// Threads and processes.
    Threads,
    /// How threads stand that don't run.
    States,
    /// Functions that the user has named.
    Functions,
    /// What firmware writes to the registers of devices.
    Registers,
    /// What firmware prints.
    Output,
}

impl Group {
    /// All of them, in order.
    pub const ALL: [Self; 10] = [
        Self::Processor,
        Self::Masks,
        Self::Exceptions,
        Self::Tasks,
        Self::Machines,
        Self::Threads,
        Self::States,
        Self::Functions,
        Self::Registers,
        Self::Output,
    ];

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Masks => "masks",
            Self::Exceptions => "exceptions",
            Self::Tasks => "tasks",
            Self::Machines => "machines",
            Self::Threads => "threads",
            Self::States => "states",
            Self::Functions => "functions",
            Self::Registers => "registers",
            Self::Output => "output",
        }
    }
}

/// A line of the picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Track {
    /// What it shows.
    pub group: Group,
    /// Its name.
    pub name: String,
    /// Where it stands in its group: the most urgent first.
    pub order: u32,
}

/// A time on a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// The track, by its number.
    pub track: u32,
    /// The name, by its number.
    pub name: u32,
    /// The first cycle.
    pub start: u64,
    /// The cycle behind the last.
    pub end: u64,
    /// How many of its cycles nothing more urgent took.
    pub own: u64,
}

/// A moment on a track.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The track, by its number.
    pub track: u32,
    /// When.
    pub cycle: u64,
    /// What happened.
    pub text: String,
}

/// From who made something ready to where it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// The track of who made it ready.
    pub from: u32,
    /// When.
    pub start: u64,
    /// The track that runs.
    pub to: u32,
    /// When it begins to.
    pub end: u64,
}

/// The value of a counter from a moment on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The counter, by its number.
    pub counter: u32,
    /// When.
    pub cycle: u64,
    /// The value.
    pub value: u32,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// Cycles of a second.
    pub clock_hz: u64,
    /// The first cycle that is shown, and the one behind the last.
    pub window: (u64, u64),
    /// The lines of the picture.
    pub tracks: Vec<Track>,
    /// The names of slices.
    pub names: Vec<String>,
    /// Times on tracks.
    pub slices: Vec<Slice>,
    /// Moments.
    pub marks: Vec<Mark>,
    /// Wakes.
    pub arrows: Vec<Arrow>,
    /// The names of counters.
    pub counters: Vec<String>,
    /// Their values.
    pub samples: Vec<Sample>,
    /// Why the end of the run is missing, if it is.
    pub cut: Option<String>,
}

impl Recording {
    /// How many events it has.
    pub fn events(&self) -> usize {
        self.slices.len() + self.marks.len() + self.arrows.len() + self.samples.len()
    }

    /// The numbers of the tracks that have something, in the order of pictures.
    pub fn ordered(&self) -> Vec<u32> {
        let mut used = vec![false; self.tracks.len()];
        let all = self.slices.iter().map(|slice| slice.track);
        for track in all.chain(self.marks.iter().map(|mark| mark.track)) {
            used[track as usize] = true;
        }
        let mut order: Vec<u32> =
            (0..self.tracks.len() as u32).filter(|track| used[*track as usize]).collect();
        order.sort_by_key(|track| {
            let track = &self.tracks[*track as usize];
            (track.group, track.order, track.name.clone())
        });
        order
    }

    /// Leaves out what is not in the window, and cuts what begins before it or ends behind it.
    pub fn keep_window(&mut self, from: u64, to: u64) {
        self.window = (from, to.max(from));
        self.slices.retain(|slice| slice.end >= from && slice.start < to);
        for slice in &mut self.slices {
            slice.start = slice.start.max(from);
            slice.end = slice.end.min(to);
            slice.own = slice.own.min(slice.end - slice.start);
        }
        self.slices.sort_by_key(|slice| (slice.start, std::cmp::Reverse(slice.end)));
        self.marks.retain(|mark| (from..=to).contains(&mark.cycle));
        self.marks.sort_by_key(|mark| mark.cycle);
        self.arrows.retain(|arrow| arrow.start >= from && arrow.end <= to);
        self.samples.retain(|sample| (from..=to).contains(&sample.cycle));
    }

    /// Notes that the run was cut at the end of the window, for all forms: a mark on a track of its
    /// own.
    pub fn cut_at_end(&mut self, why: &str) {
        let track = self.tracks.len() as u32;
        self.tracks.push(Track { group: Group::Processor, name: "end".to_owned(), order: 0 });
        self.marks.push(Mark { track, cycle: self.window.1, text: why.to_owned() });
        self.cut = Some(why.to_owned());
    }

    /// Leaves out the tracks that `keeps` refuses, with everything on them.
    pub fn keep_tracks(&mut self, keeps: impl Fn(&Track) -> bool) {
        let kept: Vec<bool> = self.tracks.iter().map(keeps).collect();
        let is_kept = |track: u32| kept[track as usize];
        self.slices.retain(|slice| is_kept(slice.track));
        self.marks.retain(|mark| is_kept(mark.track));
        self.arrows.retain(|arrow| is_kept(arrow.from) && is_kept(arrow.to));
    }

    /// A cycle in microseconds since the board got power.
    pub fn microseconds(&self, cycle: u64) -> f64 {
        cycle as f64 * 1e6 / self.clock_hz.max(1) as f64
    }
}

#[cfg(test)]
pub mod example {
    //! A recording for tests.

    use super::*;

    /// A task on an interrupt that a thread has made ready, and a line of output.
    pub fn recording() -> Recording {
        let track = |group, name: &str, order| Track { group, name: name.into(), order };
        let slice = |track, name, start, end, own| Slice { track, name, start, end, own };
        Recording {
            clock_hz: 12_000_000,
            window: (0, 1200),
            tracks: vec![
                track(Group::Threads, "worker", 0),
                track(Group::Exceptions, "UART0 (IRQ 5)", 21),
                track(Group::Output, "stdout", 0),
                track(Group::Tasks, "never", 0),
            ],
            names: vec!["worker".into(), "receive".into()],
            slices: vec![slice(0, 0, 0, 1200, 1000), slice(1, 1, 600, 800, 200)],
            marks: vec![Mark { track: 2, cycle: 700, text: "a \"line\" </script>".into() }],
            arrows: vec![Arrow { from: 0, start: 590, to: 1, end: 600 }],
            counters: vec!["ready threads".into()],
            samples: vec![Sample { counter: 0, cycle: 10, value: 1 }],
            cut: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_cuts_what_reaches_beyond_it() {
        let mut recording = example::recording();
        recording.keep_window(650, 900);
        let times: Vec<_> = recording.slices.iter().map(|one| (one.start, one.end)).collect();
        assert_eq!(times, [(650, 900), (650, 800)]);
        assert_eq!((recording.marks.len(), recording.arrows.len()), (1, 0));
        recording.keep_window(850, 900);
        assert_eq!((recording.slices.len(), recording.marks.len()), (1, 0));
    }

    #[test]
    fn empty_tracks_are_not_shown_and_others_in_order() {
        let mut recording = example::recording();
        assert_eq!(recording.ordered(), [1, 0, 2]);
        recording.keep_tracks(|track| track.group != Group::Exceptions);
        assert_eq!(recording.ordered(), [0, 2]);
        assert!(recording.arrows.is_empty());
    }

    #[test]
    fn a_cut_is_marked_for_all_forms() {
        let mut recording = example::recording();
        recording.cut_at_end("cut here");
        assert_eq!(recording.cut.as_deref(), Some("cut here"));
        assert!(page::text(&recording, "x").contains("cut here"));
        assert!(svg::text(&recording, "x").contains("cut here"));
        assert!(chrome::text(&recording).contains("cut here"));
        assert!(String::from_utf8_lossy(&perfetto::bytes(&recording)).contains("cut here"));
        recording.keep_window(0, 1200);
        assert!(recording.marks.iter().any(|mark| mark.text == "cut here" && mark.cycle == 1200));
    }
}
