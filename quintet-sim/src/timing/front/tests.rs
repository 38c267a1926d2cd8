//! Front ends beside models that are simple enough to be right.

use super::lines::{Lines, NO_LINE};
use super::{Asks, Front};
use crate::processor::bus::{Buffer, CacheShape, DataCache, FrontSettings, FrontTiming};

/// A small generator of pseudo-random numbers (xorshift), so that a test is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32 % limit
    }
}

/// A cache as a list of lines with the time of their last use.
struct Reference {
    shape: CacheShape,
    held: Vec<(u32, u64)>,
    time: u64,
}

impl Reference {
    fn new(shape: CacheShape) -> Self {
        Self { shape, held: Vec::new(), time: 0 }
    }

    fn find(&mut self, line: u32) -> bool {
        self.time += 1;
        let found = self.held.iter_mut().find(|(held, _)| *held == line);
        found.map(|entry| entry.1 = self.time).is_some()
    }

    fn insert(&mut self, line: u32) {
        if self.shape.lines == 0 {
            return;
        }
        self.time += 1;
        let sets = u32::from(self.shape.lines / self.shape.ways);
        let in_set = |held: &(u32, u64)| held.0 % sets == line % sets;
        if self.held.iter().filter(|held| in_set(held)).count() == usize::from(self.shape.ways) {
            let oldest = self.held.iter().filter(|held| in_set(held)).map(|held| held.1).min();
            self.held.retain(|held| Some(held.1) != oldest);
        }
        self.held.push((line, self.time));
    }
}

#[test]
fn the_line_used_least_recently_goes() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for (lines, ways) in [(1, 1), (8, 8), (64, 64), (64, 2), (16, 4), (12, 3)] {
        let shape = CacheShape { lines, ways };
        let (mut cache, mut reference) = (Lines::new(shape), Reference::new(shape));
        for _ in 0..4000 {
            let line = random.below(3 * u32::from(lines));
            let found = reference.find(line);
            assert_eq!(cache.has(line), found, "{shape:?}");
            assert_eq!(cache.find(line), found, "{shape:?}");
            if !found {
                cache.insert(line);
                reference.insert(line);
            }
        }
    }
}

#[test]
fn no_cache_holds_nothing() {
    let mut none = Lines::new(CacheShape::default());
    none.insert(3);
    assert!(!none.find(3) && !none.has(3));
}

/// A front end that looks at every cycle.
struct Ticked {
    timing: FrontTiming,
    current: u32,
    /// The prefetched line, the cycle from which on its read may begin, and the cycle in which it
    /// is complete.
    ahead: Option<(u32, u64, Option<u64>)>,
    instructions: Reference,
    data: Reference,
    free: u64,
    /// The first cycle that is not looked at.
    time: u64,
}

impl Ticked {
    fn new(timing: FrontTiming) -> Self {
        let data = match timing.data {
            DataCache::Own(shape) => shape,
            _ => CacheShape::default(),
        };
        Self {
            timing,
            current: NO_LINE,
            ahead: None,
            instructions: Reference::new(timing.instructions),
            data: Reference::new(data),
            free: 0,
            time: 0,
        }
    }

    /// Runs the array through the cycles before `cycle`, with the requests of each.
    fn tick(&mut self, cycle: u64) {
        while self.time < cycle {
            if let Some((_, from, complete @ None)) = &mut self.ahead
                && *from <= self.time
                && self.free <= self.time
            {
                *complete = Some(self.time + u64::from(self.timing.settings.wait_states));
                self.free = self.time + u64::from(self.timing.settings.wait_states) + 1;
            }
            self.time += 1;
        }
    }

    fn cache(&mut self, asks: Asks) -> Option<&mut Reference> {
        let settings = self.timing.settings;
        match (asks, self.timing.data) {
            (Asks::Fetch, _) | (_, DataCache::Shared) => {
                settings.instructions.then_some(&mut self.instructions)
            }
            (_, DataCache::Own(_)) => settings.data.then_some(&mut self.data),
            (_, DataCache::None) => None,
        }
    }

    fn read(&mut self, address: u32, cycle: u64, asks: Asks) -> u64 {
        self.tick(cycle);
        let settings = self.timing.settings;
        let line = address / u32::from(self.timing.line_bytes);
        let kept = match self.timing.buffer {
            Buffer::None => false,
            Buffer::Fetches => asks == Asks::Fetch,
            Buffer::All => true,
        };
        if settings.buffer && kept && line == self.current {
            return 0;
        }
        let ahead = if asks == Asks::Fetch { self.ahead.take() } else { None };
        let mut complete = cycle;
        if !self.cache(asks).is_some_and(|cache| cache.find(line)) {
            complete = match ahead {
                Some((wanted, _, Some(complete))) if wanted == line => complete.max(cycle),
                _ => {
                    let begins = self.free.max(cycle);
                    self.free = begins + u64::from(settings.wait_states) + 1;
                    begins + u64::from(settings.wait_states)
                }
            };
            if let Some(cache) = self.cache(asks) {
                cache.insert(line);
            }
        }
        if settings.buffer && kept {
            self.current = line;
        }
        if settings.prefetch && asks == Asks::Fetch {
            let cached = settings.instructions
                && self.instructions.held.iter().any(|held| held.0 == line + 1);
            self.ahead = (!cached).then_some((line + 1, complete + 1, None));
        }
        complete - cycle
    }
}

/// Code that goes on and sometimes jumps, with loads between. Each access comes after the one
/// before.
fn compare(timing: FrontTiming, seed: u64) {
    let mut random = Random(seed);
    let (mut front, mut reference) = (Front::new(&timing), Ticked::new(timing));
    let (mut pc, mut cycle) = (0, 1);
    for step in 0..3000 {
        let asks = if random.below(5) == 0 { Asks::Data } else { Asks::Fetch };
        let address = match asks {
            Asks::Data => 0x400 + 4 * random.below(100),
            Asks::Fetch if random.below(12) == 0 => 4 * random.below(0x180),
            Asks::Fetch => pc + 4,
        };
        if asks == Asks::Fetch {
            pc = address;
        }
        let wait = front.read(address, cycle, asks);
        assert_eq!(wait, reference.read(address, cycle, asks), "step {step} of {timing:?}");
        cycle += 1 + wait + u64::from(random.below(3) * random.below(4));
    }
}

fn settings(wait_states: u8, on: [bool; 4]) -> FrontSettings {
    let [buffer, prefetch, instructions, data] = on;
    FrontSettings { wait_states, buffer, prefetch, instructions, data, flush: false }
}

#[test]
fn each_kind_of_front_end_is_as_if_every_cycle_were_looked_at() {
    let whole = |lines| CacheShape { lines, ways: lines };
    let none = CacheShape::default();
    let kinds = [
        // One line for all, as in CC2652.
        (16, Buffer::All, none, DataCache::None),
        // An accelerator, as in STM32F4.
        (16, Buffer::Fetches, whole(64), DataCache::Own(whole(8))),
        // Two words, as in STM32F1.
        (8, Buffer::Fetches, none, DataCache::None),
        // A cache of everything, as in RP2040, and of fetches, as in nRF52.
        (8, Buffer::None, CacheShape { lines: 64, ways: 2 }, DataCache::Shared),
        (16, Buffer::None, CacheShape { lines: 32, ways: 2 }, DataCache::None),
    ];
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for (line_bytes, buffer, instructions, data) in kinds {
        for wait_states in [0, 1, 2, 5, 11] {
            for switches in 0..16_u8 {
                let on = [0, 1, 2, 3].map(|bit| switches >> bit & 1 != 0);
                let on = [on[0], on[1] && buffer != Buffer::None, on[2], on[3]];
                let settings = settings(wait_states, on);
                compare(FrontTiming { line_bytes, buffer, instructions, data, settings }, seed);
                seed = seed.wrapping_mul(0xd129_0d2f_9b4c_6b21) | 1;
            }
        }
    }
}

#[test]
fn a_flush_empties_the_caches_and_a_buffer_that_is_off_keeps_nothing() {
    let shape = CacheShape { lines: 4, ways: 4 };
    let timing = FrontTiming {
        line_bytes: 16,
        buffer: Buffer::Fetches,
        instructions: shape,
        data: DataCache::Own(shape),
        settings: settings(5, [true, false, true, true]),
    };
    let mut front = Front::new(&timing);
    assert_eq!(front.read(0x100, 10, Asks::Fetch), 5);
    assert_eq!(front.read(0x104, 20, Asks::Fetch), 0);
    assert_eq!(front.read(0x200, 30, Asks::Fetch), 5);
    assert_eq!(front.read(0x108, 40, Asks::Fetch), 0, "from the cache");
    front.set(FrontSettings { flush: true, ..timing.settings });
    assert_eq!(front.read(0x204, 50, Asks::Fetch), 5, "the cache is empty");
    front.set(settings(5, [false, false, false, false]));
    assert_eq!(front.read(0x204, 60, Asks::Fetch), 5);
    assert_eq!(front.read(0x208, 70, Asks::Fetch), 5);
    front.set(settings(0, [false, false, false, false]));
    assert_eq!(front.read(0x20c, 80, Asks::Fetch), 0);
}
