//! Where FreeRTOS keeps its tasks, what their control blocks say, and what each task waits for.
//!
//! The variables are found by their symbols, `pxCurrentTCB` and the lists. Where a control block
//! has its fields is told by debug information; without any, they are where the usual options
//! have them. A task is in a list by its state: ready, delayed or suspended. If it waits for an
//! object too, a second item of the control block is in a list of that object.

use std::collections::BTreeSet;

use quintet_sim::cores::Core;
use quintet_sim::image::{Image, Symbol, SymbolKind};

use crate::debug::types::Types;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;

/// The variables.
const CURRENT: &str = "pxCurrentTCB";
/// Whether that counts: whoever creates tasks notes one as running long before it does.
const STARTED: &str = "xSchedulerRunning";
const READY: &str = "pxReadyTasksLists";
/// Tasks that an interrupt has made ready while the scheduler was suspended.
const PENDING: &str = "xPendingReadyList";
/// Tasks that wait for a time, also if they wait for an object too.
const DELAYED: [&str; 2] = ["xDelayedTaskList1", "xDelayedTaskList2"];
const SUSPENDED: &str = "xSuspendedTaskList";
/// Tasks that have deleted themselves, until idle frees their memory.
const DELETED: &str = "xTasksWaitingTermination";
const REGISTRY: &str = "xQueueRegistry";

/// In a list: the last item, which is of the list itself, and in that the next one.
const LIST_SIZE: u32 = 20;
const LIST_END: u32 = 8;
const LIST_FIRST: u32 = 12;
/// What the list's own item has as its value, as has no other one of a waiting task.
const LIST_END_VALUE: u32 = u32::MAX;
/// In an item of a list.
const ITEM_NEXT: u32 = 4;
const ITEM_OWNER: u32 = 12;
const ITEM_LIST: u32 = 16;
/// More lists, and longer ones, are none.
const LISTS_MAX: u32 = 256;
const LIST_MAX: usize = 256;

/// In a queue: the first byte of its storage, 0 for a mutex; the lists of tasks that wait to send
/// and to receive; the size of an item, 0 for a semaphore.
const QUEUE_SENDERS: u32 = 16;
const QUEUE_RECEIVERS: u32 = 36;
const QUEUE_ITEM_SIZE: u32 = 64;
/// An element of the registry of queues: the name, and the queue. More are none.
const REGISTERED: u32 = 8;
const REGISTERED_MAX: u32 = 1024;

/// Longer names are no names.
const NAME_MAX: usize = 32;

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Freertos {
    current: u32,
    started: Option<u32>,
    /// The lists of tasks that are ready: the first, and how many.
    ready: Vec<(u32, u32)>,
    delayed: Vec<u32>,
    suspended: Option<u32>,
    deleted: Option<u32>,
    fields: Fields,
}

/// Where a control block has its fields.
#[derive(Clone, Debug)]
struct Fields {
    /// The items of the lists of states and of objects.
    state: u32,
    event: u32,
    priority: u32,
    /// Without debug information it is one of several.
    names: Vec<u32>,
    /// The lowest address of the stack.
    stack: u32,
    /// Whether the task waits for a notification: a byte, 1 if it does.
    notify: Option<u32>,
}

/// What a control block says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The name.
    pub name: String,
    /// The priority.
    pub priority: u32,
}

impl Freertos {
    /// The kernel of an image; none for other firmware.
    pub fn find(firmware: &Firmware) -> Option<Self> {
        let image = &firmware.image;
        let current = variable(image, CURRENT)?.address;
        let lists = [READY, PENDING].into_iter().filter_map(|name| variable(image, name));
        Some(Self {
            current,
            started: variable(image, STARTED).map(|started| started.address),
            ready: lists.map(|list| (list.address, LISTS_MAX.min(list.size / LIST_SIZE))).collect(),
            delayed: {
                let lists = DELAYED.into_iter().filter_map(|name| variable(image, name));
                lists.map(|list| list.address).collect()
            },
            suspended: variable(image, SUSPENDED).map(|list| list.address),
            deleted: variable(image, DELETED).map(|list| list.address),
            fields: Fields::find(firmware.debug.types()),
        })
    }

    /// The words that change whenever another task runs, or one gets ready or waits: the first
    /// address of each part, and how many bytes.
    pub fn watched(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let lists = self.ready.iter().map(|(start, count)| (*start, count * LIST_SIZE));
        let words = std::iter::once(self.current).chain(self.started);
        words.map(|word| (word, 4)).chain(lists.filter(|(_, length)| *length > 0))
    }

    /// The control block of the task that runs; none before there are tasks.
    pub fn running(&self, machine: &impl Core) -> Option<u32> {
        let is_started = self.started.is_none_or(|at| machine.read_word(at) != Some(0));
        machine.read_word(self.current).filter(|control| is_started && *control != 0)
    }

    /// What a control block says, if it is one.
    pub fn about(&self, machine: &impl Core, control: u32) -> Option<About> {
        let name = |offset: &u32| {
            let mut bytes = [0; NAME_MAX];
            machine.read_memory(control.checked_add(*offset)?, &mut bytes).ok()?;
            printable(&bytes)
        };
        let name = self.fields.names.iter().find_map(name)?;
        let priority = machine.read_word(control.checked_add(self.fields.priority)?)?;
        Some(About { name, priority })
    }

    /// The lowest address of a task's stack.
    pub fn stack(&self, machine: &impl Core, control: u32) -> Option<u32> {
        machine.read_word(control.checked_add(self.fields.stack)?).filter(|address| *address != 0)
    }

    /// The control blocks of the tasks that are ready, the running one included.
    pub fn ready(&self, machine: &impl Core) -> BTreeSet<u32> {
        let lists = self.ready.iter().flat_map(|(start, count)| {
            (0..*count).map(move |index| start.wrapping_add(index * LIST_SIZE))
        });
        lists.flat_map(|list| owners(machine, list)).collect()
    }

    /// The control blocks of all tasks that can run now or later: those that were deleted are in
    /// none of the lists, or in the one of what idle frees.
    pub fn living(&self, machine: &impl Core) -> BTreeSet<u32> {
        let others = self.delayed.iter().chain(&self.suspended);
        let others = others.flat_map(|list| owners(machine, *list));
        self.ready(machine).into_iter().chain(others).chain(self.running(machine)).collect()
    }

    /// Returns `true` if the task was deleted: it is in no list, or in that of what idle frees. Its
    /// memory may become another task's.
    pub fn is_deleted(&self, machine: &impl Core, control: u32) -> bool {
        let list = |item: u32| {
            machine.read_word(control.wrapping_add(item).wrapping_add(ITEM_LIST)).unwrap_or(0)
        };
        let state = list(self.fields.state);
        list(self.fields.event) == 0 && (state == 0 || Some(state) == self.deleted)
    }

    /// What a task does that is not ready, in words.
    pub fn waits(&self, firmware: &Firmware, machine: &impl Core, control: u32) -> String {
        let word = |offset: u32| machine.read_word(control.wrapping_add(offset)).unwrap_or(0);
        let event = word(self.fields.event + ITEM_LIST);
        if event != 0 {
            return object(&firmware.image, machine, event);
        }
        let notify = self.fields.notify.map(|notify| word(notify) & 0xff);
        match word(self.fields.state + ITEM_LIST) {
            _ if notify == Some(1) => "waits for a notification".into(),
            _ if self.is_deleted(machine, control) => "deleted".into(),
            // Without a limit, a task that waits for a notification is suspended too.
            list if Some(list) == self.suspended => match notify {
                Some(_) => "suspended".into(),
                None => "suspended, or waits for a notification".into(),
            },
            _ => "waits for a time".into(),
        }
    }
}

impl Fields {
    fn find(types: &Types) -> Self {
        let field = |name| types.offset("tskTaskControlBlock", name);
        Self {
            state: field("xStateListItem").unwrap_or(4),
            event: field("xEventListItem").unwrap_or(24),
            priority: field("uxPriority").unwrap_or(44),
            names: field("pcTaskName").map_or_else(|| vec![52, 56, 60], |name| vec![name]),
            stack: field("pxStack").unwrap_or(48),
            notify: field("ucNotifyState"),
        }
    }
}

/// A variable; the compiler may have put something behind its name.
fn variable<'a>(image: &'a Image, name: &str) -> Option<&'a Symbol> {
    let is_it = |symbol: &&Symbol| {
        symbol.name.strip_prefix(name).is_some_and(|end| end.is_empty() || end.starts_with('.'))
    };
    image.symbols.iter().find(is_it)
}

/// Whose items are in a list.
fn owners(machine: &impl Core, list: u32) -> Vec<u32> {
    let end = list.wrapping_add(LIST_END);
    let next = |item: &u32| machine.read_word(item.wrapping_add(ITEM_NEXT));
    let first = machine.read_word(list.wrapping_add(LIST_FIRST));
    let items = std::iter::successors(first, next).take(LIST_MAX);
    // Before the kernel has initialised it, a list has zeros.
    let items = items.take_while(|item| *item != end && *item != 0);
    items.filter_map(|item| machine.read_word(item.wrapping_add(ITEM_OWNER))).collect()
}

/// What a task waits for that is in a list of an object.
fn object(image: &Image, machine: &impl Core, list: u32) -> String {
    let word = |address: u32| machine.read_word(address);
    let is_list = |at: u32| word(at.wrapping_add(LIST_END)) == Some(LIST_END_VALUE);
    let of_queue = [QUEUE_SENDERS, QUEUE_RECEIVERS].into_iter().find_map(|offset| {
        let queue = list.wrapping_sub(offset);
        let lists = [QUEUE_SENDERS, QUEUE_RECEIVERS].map(|one| queue.wrapping_add(one));
        lists.into_iter().all(is_list).then_some((queue, offset))
    });
    let Some((queue, offset)) = of_queue else { return "waits for an object".into() };
    let name = queue_name(image, machine, queue);
    match offset {
        QUEUE_SENDERS => format!("waits to send to {name}"),
        _ if word(queue) == Some(0) => format!("waits for the mutex {name}"),
        _ if word(queue.wrapping_add(QUEUE_ITEM_SIZE)) == Some(0) => {
            format!("waits for the semaphore {name}")
        }
        _ => format!("waits to receive from {name}"),
    }
}

/// The name of a queue: as it is registered, or else the variable that holds its handle.
fn queue_name(image: &Image, machine: &impl Core, queue: u32) -> String {
    let registry = variable(image, REGISTRY).map_or((0, 0), |symbol| (symbol.address, symbol.size));
    let count = REGISTERED_MAX.min(registry.1 / REGISTERED);
    let elements = (0..count).map(|index| registry.0.wrapping_add(index * REGISTERED));
    let mut registered = elements.filter_map(|element| {
        let handle = machine.read_word(element.checked_add(4)?)?;
        let mut bytes = [0; NAME_MAX];
        let name = machine.read_word(element).filter(|_| handle == queue)?;
        machine.read_memory(name, &mut bytes).ok()?;
        printable(&bytes)
    });
    if let Some(name) = registered.next() {
        return name;
    }
    let holds = |symbol: &&Symbol| {
        let is_word = symbol.kind == SymbolKind::Data && symbol.size == 4;
        is_word && machine.read_word(symbol.address) == Some(queue)
    };
    let holder = image.symbols.iter().find(holds);
    holder.map_or_else(|| format!("the object at {queue:#010x}"), |one| demangle(&one.name))
}

/// A name that ends with a zero, if all of it can be printed.
fn printable(bytes: &[u8]) -> Option<String> {
    let length = bytes.iter().position(|byte| *byte == 0)?;
    let name = std::str::from_utf8(&bytes[..length]).ok()?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use quintet_sim::machine::Machine;

    use super::*;
    use crate::debug::DebugInfo;
    use quintet_sim::board::Board;

    const CONTROL: u32 = 0x2000_0200;
    const LISTS: u32 = 0x2000_0600;
    const QUEUE: u32 = 0x2000_0800;
    const HANDLE: u32 = 0x2000_0900;

    fn machine(words: &[(u32, u32)]) -> Machine {
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        for (address, word) in words {
            machine.write_memory(*address, &word.to_le_bytes()).unwrap();
        }
        machine
    }

    fn kernel() -> Freertos {
        Freertos {
            current: 0x2000_0100,
            started: Some(0x2000_0104),
            ready: vec![(LISTS, 2)],
            delayed: vec![LISTS + 40, LISTS + 60],
            suspended: Some(LISTS + 100),
            deleted: Some(LISTS + 120),
            fields: Fields::find(&Types::default()),
        }
    }

    /// A kernel in which a task is in no list, and a queue of words that `readings` refers to.
    fn firmware() -> Firmware {
        let symbol = |name: &str, address, size| Symbol {
            name: name.into(),
            address,
            size,
            kind: SymbolKind::Data,
            absolute: false,
        };
        let symbols = vec![symbol("other", HANDLE + 4, 4), symbol("readings", HANDLE, 4)];
        let image = Image { symbols, ..Image::default() };
        Firmware {
            path: "test.elf".into(),
            image,
            debug: DebugInfo::load(&[]),
            guests: Vec::new(),
            svd: None,
        }
    }

    #[test]
    fn a_task_has_its_name_in_its_control_block() {
        let mut machine = machine(&[(CONTROL + 44, 3), (CONTROL + 48, 0x2000_0400)]);
        machine.write_memory(CONTROL + 52, b"blinky\0\0").unwrap();
        let known = kernel().about(&machine, CONTROL).unwrap();
        assert_eq!((&*known.name, known.priority), ("blinky", 3));
        assert_eq!(kernel().about(&machine, CONTROL + 0x100), None);
    }

    #[test]
    fn no_task_runs_before_the_scheduler_does() {
        let started = |word| machine(&[(0x2000_0100, CONTROL), (0x2000_0104, word)]);
        let running = |word| kernel().running(&started(word));
        assert_eq!((running(0), running(1)), (None, Some(CONTROL)));
    }

    #[test]
    fn names_are_what_can_be_printed() {
        assert_eq!(printable(b"Tmr Svc\0\0"), Some("Tmr Svc".into()));
        assert_eq!(printable(b"\0"), None);
        assert_eq!(printable(b"a\x01\0"), None);
        assert_eq!(printable(b"without an end"), None);
    }

    #[test]
    fn ready_tasks_are_those_in_the_lists() {
        let (second, item) = (LISTS + 20, CONTROL + 4);
        let machine = machine(&[
            // An empty list, and one with the task's item.
            (LISTS + 12, LISTS + 8),
            (second + 12, item),
            (item + 4, second + 8),
            (item + 12, CONTROL),
        ]);
        assert_eq!(kernel().ready(&machine), BTreeSet::from([CONTROL]));
        assert_eq!(kernel().living(&machine), BTreeSet::from([CONTROL]));
        let zeros = self::machine(&[]);
        assert_eq!(kernel().ready(&zeros), BTreeSet::new(), "nothing is initialised");
    }

    #[test]
    fn a_deleted_task_does_not_live() {
        let item = CONTROL + 4;
        let living = |list: u32| {
            let words =
                [(list + 12, item), (item + 4, list + 8), (item + 12, CONTROL), (item + 16, list)];
            kernel().living(&machine(&words)).contains(&CONTROL)
        };
        assert!(living(LISTS) && living(LISTS + 40) && living(LISTS + 60) && living(LISTS + 100));
        assert!(!living(LISTS + 120), "idle will free it");
    }

    #[test]
    fn what_a_task_waits_for_is_told_by_the_lists_it_is_in() {
        let waits = |words: &[(u32, u32)]| {
            let mut all = vec![(QUEUE + 24, u32::MAX), (QUEUE + 44, u32::MAX), (HANDLE, QUEUE)];
            all.extend(words);
            kernel().waits(&firmware(), &machine(&all), CONTROL)
        };
        let (state, event) = (CONTROL + 20, CONTROL + 40);
        assert_eq!(waits(&[]), "deleted");
        assert_eq!(waits(&[(state, LISTS + 120)]), "deleted", "it has deleted itself");
        assert_eq!(waits(&[(state, LISTS + 200)]), "waits for a time");
        assert_eq!(waits(&[(state, LISTS + 100)]), "suspended, or waits for a notification");
        assert_eq!(waits(&[(event, 0x2000_0a00)]), "waits for an object");
        let of_queue =
            |list, head, size| waits(&[(event, QUEUE + list), (QUEUE, head), (QUEUE + 64, size)]);
        assert_eq!(of_queue(16, QUEUE, 4), "waits to send to readings");
        assert_eq!(of_queue(36, QUEUE, 4), "waits to receive from readings");
        assert_eq!(of_queue(36, QUEUE, 0), "waits for the semaphore readings");
        assert_eq!(of_queue(36, 0, 0), "waits for the mutex readings");
    }
}
