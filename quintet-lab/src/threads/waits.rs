//! The object for which a thread waits, by its control block and the symbols.
//!
//! A control block gives the thread's list, but not the object that contains the list. This object
//! is the variable around the list, or a part of the variable. An object on a stack has no name,
//! only an address. The thread for which another one waits is known in two cases: a mutex has an
//! owner, and the end of a thread belongs to this thread.

use crate::debug::types::Types;
use crate::firmware::symbols::demangle;
use quintet_sim::cores::Core;
use quintet_sim::image::{Image, SymbolKind};

use super::layout::{About, Layout, State, Waiting};

/// In the address of a place: the address is a pointer to the list, on the stack, and the list
/// belongs to a mutex.
const ELSEWHERE: u32 = 1;
const OF_MUTEX: u32 = 2;
/// In the first link: the thread waits for flags of its own, which are aligned to eight bytes.
const MARK: u32 = 1;
/// In the first link, beside the control block's own address: the thread awaits a wake.
const AWAITS: u32 = 2;
const FLAGS: u32 = !7;

/// The names of objects.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The variables.
    pub image: &'a Image,
    /// Their parts, where that is known.
    pub types: &'a Types,
}

/// The object of a wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// In words.
    pub what: String,
    /// The control block of the owner, if the object is a mutex.
    pub owner: Option<u32>,
    /// The control block of the thread, if the wait is for a thread's end.
    pub ends: Option<u32>,
}

impl Wait {
    /// The control block of the thread that has to do something before this wait is over.
    pub fn whom(&self) -> Option<u32> {
        self.owner.or(self.ends)
    }
}

/// Returns the object for which the thread at `control` waits. `threads` are the threads for which
/// it may wait.
pub fn find<'a>(
    names: Names<'_>,
    (layout, machine): (&Layout, &impl Core),
    mut threads: impl Iterator<Item = (u32, &'a About)>,
    (control, about): (u32, &About),
) -> Option<Wait> {
    if layout.state(machine, control)? != State::Waiting {
        return None;
    }
    if let Some((ends, of)) = threads.find(|one| layout.joiner(machine, one.0) == Some(control)) {
        let what = format!("the end of {}", of.name);
        return Some(Wait { what, owner: None, ends: Some(ends) });
    }
    let read = |address| machine.read_word(address);
    let (what, mutex) = in_words(names, &read, (control, about), layout.waiting(machine, control)?);
    let owner = mutex.and_then(|mutex| layout.owner(machine, mutex));
    Some(Wait { what, owner, ends: None })
}

/// Returns the object for which the thread at `control` waits, but for the end of another thread,
/// and the object's address if it is a mutex.
fn in_words(
    names: Names<'_>,
    read: &impl Fn(u32) -> Option<u32>,
    (control, about): (u32, &About),
    waiting: Waiting,
) -> (String, Option<u32>) {
    if waiting.link == control {
        return ("unpark".into(), None);
    }
    let is_apart = waiting.place & ELSEWHERE != 0;
    // A thread that waits for a condition awaits a wake, with another waiter in the condition's
    // list.
    if waiting.link == control | AWAITS && !(waiting.has_place && is_apart) {
        return ("a wake".into(), None);
    }
    if waiting.link & MARK != 0 {
        return (format!("its flags {}", object(Some(names), waiting.link & FLAGS)), None);
    }
    let place = if is_apart {
        list_apart(read, about, waiting.place & !ELSEWHERE).unwrap_or(0)
    } else {
        waiting.place
    };
    match place & !OF_MUTEX {
        0 if is_apart => ("an object".into(), None),
        // The links of a wait without an object belong to a timer, on the stack.
        0 => ("a time".into(), None),
        list => {
            let mutex = (place & OF_MUTEX != 0).then_some(list);
            let known = (!is_on_stack(about, list)).then_some(names);
            let which = if mutex.is_some() { "the mutex " } else { "" };
            (format!("{which}{}", object(known, list)), mutex)
        }
    }
}

/// Returns the list from a pair of list and waiter: the one that isn't on the thread's stack.
fn list_apart(read: &impl Fn(u32) -> Option<u32>, about: &About, pair: u32) -> Option<u32> {
    let words = [read(pair)?, read(pair.checked_add(4)?)?];
    words.into_iter().find(|word| !is_on_stack(about, *word)).or(Some(words[0]))
}

fn is_on_stack(about: &About, address: u32) -> bool {
    (about.stack..about.top()).contains(&address)
}

/// Returns the smallest variable around the address, by its path and its part. Without parts,
/// returns the distance from its beginning. Without a variable, returns the address.
fn object(names: Option<Names<'_>>, address: u32) -> String {
    let symbols = names.iter().flat_map(|names| &names.image.symbols);
    let around = symbols.filter(|symbol| {
        symbol.kind == SymbolKind::Data && address.wrapping_sub(symbol.address) < symbol.size
    });
    let Some((one, names)) = around.min_by_key(|symbol| symbol.size).zip(names) else {
        return format!("what is at {address:#010x}");
    };
    let part = match address - one.address {
        0 => names.types.part(one.address, 0).unwrap_or_default(),
        offset => {
            let part = names.types.part(one.address, offset);
            part.unwrap_or_else(|| format!("+{offset}"))
        }
    };
    format!("{}{part}", demangle(&one.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::image::Symbol;

    const CONTROL: u32 = 0x2000_0100;
    const WAKE: u32 = CONTROL | AWAITS;
    const EVENTS: u32 = 0x2000_0040;
    const STACK: u32 = 0x2000_0800;

    fn said(place: u32, link: u32, pair: [u32; 2]) -> (String, Option<u32>) {
        let symbol = |name: &str, address, size| Symbol {
            name: name.into(),
            address,
            size,
            kind: SymbolKind::Data,
            absolute: false,
        };
        let symbols = vec![
            symbol("_ZN3app6EVENTS17h0123456789abcdefE", EVENTS, 16),
            symbol("app_stack", STACK, 512),
        ];
        let image = Image { symbols, ..Image::default() };
        let read = |address: u32| Some(pair[usize::from(address != STACK + 64)]);
        let about = About { name: "it".into(), stack: STACK, stack_size: 512 };
        let names = Names { image: &image, types: &Types::default() };
        let waiting = Waiting { place, link, has_place: pair != [0; 2] };
        in_words(names, &read, (CONTROL, &about), waiting)
    }

    #[test]
    fn an_object_is_named_by_the_variable_around_its_list() {
        let none = [0; 2];
        let what = |place, link, pair| said(place, link, pair).0;
        assert_eq!(what(EVENTS + 4, 0, none), "app::EVENTS+4");
        assert_eq!(what(0x2000_0020, 0, none), "what is at 0x20000020");
        // A waiter that was behind it in another list may still be linked.
        assert_eq!(what(EVENTS, 0x2000_0900, none), "app::EVENTS");
        let waiter = STACK + 96;
        for pair in [[EVENTS + 8, waiter], [waiter, EVENTS + 8]] {
            let place = (STACK + 64) | ELSEWHERE;
            assert_eq!(what(place, 0, pair), "app::EVENTS+8");
            assert_eq!(what(place, WAKE, pair), "app::EVENTS+8", "a condition's");
            assert_eq!(what(EVENTS, WAKE, pair), "a wake");
        }
    }

    #[test]
    fn a_mutex_is_one_and_nothing_else_is() {
        let mutex = ("the mutex app::EVENTS".to_owned(), Some(EVENTS));
        assert_eq!(said(EVENTS | OF_MUTEX, 0, [0; 2]), mutex);
        let pair = [EVENTS | OF_MUTEX, STACK + 96];
        assert_eq!(said((STACK + 64) | ELSEWHERE, 0, pair), mutex);
        assert_eq!(said(EVENTS, 0, [0; 2]).1, None);
    }

    #[test]
    fn what_is_no_object_is_said() {
        let what = |place, link| said(place, link, [0; 2]);
        assert_eq!(what(0, 0), ("a time".into(), None));
        assert_eq!(what(EVENTS, CONTROL), ("unpark".into(), None));
        assert_eq!(what(EVENTS, WAKE), ("a wake".into(), None));
        assert_eq!(what((STACK + 64) | ELSEWHERE, WAKE), ("a wake".into(), None), "left over");
        assert_eq!(what(EVENTS, EVENTS | MARK | 4), ("its flags app::EVENTS".into(), None));
    }
}
