//! The number of events that wait for each actor, and of ready jobs at each level.
//!
//! The queue of an actor begins with a halfword: the number of events, and above that a mark of a
//! queue that admits none. Queues of actors of one name lie side by side.
//!
//! With the types of statics (`debug = 2`), the event that an actor takes has its variant's name.

use super::kernel::Kernel;
use super::machines::read;
use super::units::{Application, Queue};
use crate::debug::types::{Key, Types};
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::simulated::Simulated;
use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::image::{Image, Symbol, SymbolKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The length of the halfword, and the bits of the number.
const LENGTH: u32 = 2;
const NUMBER: u16 = 0xff;
/// The byte behind it is the place of the first event. There, the number of places stands for 0.
const HEAD: u32 = 2;
/// After so many instructions, the firmware has stored the new place of the first event.
const SETTLED: u8 = 64;
/// The most actors of one name.
const INSTANCES_MAX: u32 = 256;

/// The last numbers.
#[derive(Debug, Default)]
pub struct Fill {
    queues: Vec<Mailbox>,
    jobs: BTreeMap<u8, u32>,
    types: Arc<Types>,
    /// The queue from which an event was taken, and for how many instructions to wait still.
    taking: Option<(usize, u8)>,
}

/// The queue of an actor, or of one of its instances.
#[derive(Debug)]
struct Mailbox {
    address: u32,
    counter: String,
    last: u32,
    actor: String,
    instance: usize,
    /// The address of the first place, the type of events, and the number of places.
    events: Option<(u32, Key, u32)>,
}

impl Fill {
    /// The queues of an image.
    pub fn find(firmware: &Firmware, application: &Application) -> Self {
        let mut fill = Self::of(&firmware.image, application);
        if !fill.queues.is_empty() {
            fill.types = Arc::clone(firmware.debug.types());
            fill.find_events();
        }
        fill
    }

    fn of(image: &Image, application: &Application) -> Self {
        let queues = application.queues.iter();
        let all = queues.filter_map(|queue| Some(each(queue, symbol(image, &queue.actor)?)));
        Self { queues: all.flatten().collect(), ..Self::default() }
    }

    /// Looks up the types of events.
    fn find_events(&mut self) {
        let rings = self.types.find(|shape| {
            shape.name.starts_with("Ring<") && shape.has_field("head") && shape.has_field("slots")
        });
        for mailbox in &mut self.queues {
            let ring = rings.iter().find(|ring| ring.address == mailbox.address);
            let slots = ring.and_then(|ring| self.types.field(ring, "slots"));
            mailbox.events = slots.and_then(|slots| {
                let (kind, count) = self.types.elements(slots.kind)?;
                Some((slots.address, kind, count))
            });
        }
    }

    /// Lets the machine watch the queues.
    pub fn watch(&self, machine: &mut impl Simulated) {
        for Mailbox { address, .. } in &self.queues {
            let (start, kind) = (*address, AccessKind::Write);
            machine.watch_memory(WatchedRange { start, length: LENGTH, kind });
        }
    }

    /// Returns the counters that have changed, with their values.
    pub fn look(&mut self, machine: &impl Simulated, kernel: &Kernel) -> Vec<(String, u32)> {
        let mut changed = Vec::new();
        for (index, mailbox) in self.queues.iter_mut().enumerate() {
            let Some(word) = machine.read_halfword(mailbox.address) else { continue };
            let now = u32::from(word & NUMBER);
            let before = std::mem::replace(&mut mailbox.last, now);
            if before != now {
                changed.push((mailbox.counter.clone(), now));
            }
            if now < before {
                self.taking = Some((index, SETTLED));
            }
        }
        for (priority, jobs) in kernel.jobs() {
            if self.jobs.insert(priority, jobs).unwrap_or(0) != jobs {
                changed.push((format!("ready jobs at priority {priority}"), jobs));
            }
        }
        changed
    }

    /// After a step: the event that an actor has taken, with the actor's name and instance. It is
    /// known when the kernel's lock is open again, or some instructions later.
    pub fn taken(&mut self, machine: &impl Simulated) -> Option<(String, usize, String)> {
        let (index, left) = self.taking?;
        if left > 0 && machine.is_masked() {
            self.taking = Some((index, left - 1));
            return None;
        }
        self.taking = None;
        let mailbox = &self.queues[index];
        let (first, kind, places) = mailbox.events?;
        let head = u32::try_from(read(machine, mailbox.address + HEAD, 1)?).ok()?;
        let place = (head + places).checked_sub(1)?.checked_rem(places)?;
        let address = first.wrapping_add(place * self.types.size(kind));
        let read = |address, size| read(machine, address, size);
        let (event, _) = self.types.active((address, kind), &read)?;
        Some((mailbox.actor.clone(), mailbox.instance, event.to_owned()))
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

/// The queue of each instance, which is empty.
fn each(queue: &Queue, symbol: &Symbol) -> Vec<Mailbox> {
    let Queue { actor, places, instances } = queue;
    let count = instances.unwrap_or(1).clamp(1, INSTANCES_MAX);
    let size = symbol.size / count;
    let one = |index: u32| {
        let which = instances.map(|_| format!(" {index}")).unwrap_or_default();
        Mailbox {
            address: symbol.address.wrapping_add(index * size),
            counter: format!("queue of {actor}{which} ({places} places)"),
            last: 0,
            actor: actor.clone(),
            instance: index as usize,
            events: None,
        }
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
            Fill::of(&image, &Application { queues, ..Application::default() }).queues
        };
        let one = all(None);
        assert_eq!((one.len(), one[0].address), (1, 0x2000_0180));
        assert_eq!(one[0].counter, "queue of philo (24 places)");
        let five = all(Some(5));
        assert_eq!((five.len(), &*five[4].counter), (5, "queue of philo 4 (24 places)"));
        assert_eq!((five[4].address, five[4].instance), (0x2000_0180 + 4 * 52, 4));
    }
}
