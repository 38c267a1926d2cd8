//! How many events wait for each actor, and how many jobs are ready at each level.
//!
//! The queue of an actor begins with a halfword: the number of events, and above that a mark of a
//! queue that admits none. Queues of actors of one name lie side by side.

use super::kernel::Kernel;
use super::units::{Application, Queue};
use crate::firmware::symbols::demangle;
use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::image::{Image, Symbol, SymbolKind};
use quintet_sim::machine::{Machine, Watch};
use std::collections::BTreeMap;

/// The halfword, and its bits that are the number.
const LENGTH: u32 = 2;
const NUMBER: u16 = 0xff;
/// More actors of one name are none.
const INSTANCES_MAX: u32 = 256;

/// What was counted last.
#[derive(Debug, Default)]
pub struct Fill {
    queues: Vec<(u32, String, u32)>,
    jobs: BTreeMap<u8, u32>,
}

impl Fill {
    /// The queues of an image.
    pub fn find(image: &Image, application: &Application) -> Self {
        let queues = application.queues.iter();
        let all = queues.filter_map(|queue| Some(each(queue, symbol(image, &queue.actor)?)));
        Self { queues: all.flatten().collect(), jobs: BTreeMap::new() }
    }

    /// Lets the machine watch the queues.
    pub fn watch(&self, machine: &mut Machine) {
        for (start, ..) in &self.queues {
            let kind = AccessKind::Write;
            machine.watch(Watch::Memory(WatchedRange { start: *start, length: LENGTH, kind }));
        }
    }

    /// The counters that have changed, with their values.
    pub fn look(&mut self, machine: &Machine, kernel: &Kernel) -> Vec<(String, u32)> {
        let mut changed = Vec::new();
        for (address, name, last) in &mut self.queues {
            let Some(word) = machine.read_halfword(*address) else { continue };
            let now = u32::from(word & NUMBER);
            if std::mem::replace(last, now) != now {
                changed.push((name.clone(), now));
            }
        }
        for (priority, jobs) in kernel.jobs() {
            if self.jobs.insert(priority, jobs).unwrap_or(0) != jobs {
                changed.push((format!("ready jobs at priority {priority}"), jobs));
            }
        }
        changed
    }
}

fn symbol<'a>(image: &'a Image, actor: &str) -> Option<&'a Symbol> {
    let name = format!("__quintet_{actor}_queue");
    let is_it = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Data
            && symbol.name.contains(&name)
            && demangle(&symbol.name).rsplit("::").next() == Some(&name)
    };
    image.symbols.iter().find(is_it)
}

/// The queue of each instance: where it is, what its counter is called, and that it is empty.
fn each(queue: &Queue, symbol: &Symbol) -> Vec<(u32, String, u32)> {
    let Queue { actor, places, instances } = queue;
    let count = instances.unwrap_or(1).clamp(1, INSTANCES_MAX);
    let size = symbol.size / count;
    let one = |index: u32| {
        let which = instances.map(|_| format!(" {index}")).unwrap_or_default();
        let name = format!("queue of {actor}{which} ({places} places)");
        (symbol.address.wrapping_add(index * size), name, 0)
    };
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_instance_has_a_queue() {
        let symbol = Symbol {
            name: "_ZN3app3app21__quintet_philo_queue17h0123456789abcdefE".into(),
            address: 0x2000_0180,
            size: 260,
            kind: SymbolKind::Data,
            absolute: false,
        };
        let image = Image { symbols: vec![symbol], ..Image::default() };
        let queue = |instances| Queue { actor: "philo".into(), places: 24, instances };
        let all = |instances| {
            let queues = vec![queue(instances), Queue { actor: "gone".into(), ..queue(None) }];
            Fill::find(&image, &Application { queues, ..Application::default() }).queues
        };
        assert_eq!(all(None), [(0x2000_0180, "queue of philo (24 places)".into(), 0)]);
        let five = all(Some(5));
        assert_eq!((five.len(), &*five[4].1), (5, "queue of philo 4 (24 places)"));
        assert_eq!(five[4].0, 0x2000_0180 + 4 * 52);
    }
}
