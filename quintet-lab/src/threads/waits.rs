//! What a thread waits for, as far as its control block and the symbols tell.
//!
//! A control block says which list its thread is in, not what the list is part of: that is the
//! variable around it, and the part of that if it has several. What lies on a stack has no name,
//! only an address.

use crate::debug::variables::Variables;
use crate::firmware::symbols::demangle;
use quintet_sim::image::{Image, SymbolKind};

use super::layout::{About, Waiting};

/// In the address of a place: it is a pointer to the list, on the stack; the list is a mutex's.
const ELSEWHERE: u32 = 1;
const OF_MUTEX: u32 = 2;
/// In the first link: the thread waits for flags of its own, which are aligned to eight bytes.
const MARK: u32 = 1;
/// In the first link, beside the control block's own address: the thread awaits a wake.
const AWAITS: u32 = 2;
const FLAGS: u32 = !7;

/// What names objects.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The variables.
    pub image: &'a Image,
    /// Their parts, where that is known.
    pub variables: &'a Variables,
}

/// What the thread at `control` waits for, in words. `joins` is whose end that is, if it waits for
/// one.
pub fn in_words(
    names: Names<'_>,
    read: &impl Fn(u32) -> Option<u32>,
    (control, about): (u32, &About),
    waiting: Waiting,
    joins: Option<&str>,
) -> String {
    if let Some(name) = joins {
        return format!("the end of {name}");
    }
    if waiting.link == control {
        return "unpark".into();
    }
    let is_apart = waiting.place & ELSEWHERE != 0;
    // Whoever waits for a condition awaits a wake, with another waiter in its list.
    if waiting.link == control | AWAITS && !(waiting.has_place && is_apart) {
        return "a wake".into();
    }
    if waiting.link & MARK != 0 {
        return format!("its flags {}", object(Some(names), waiting.link & FLAGS));
    }
    let place = if is_apart {
        list_apart(read, about, waiting.place & !ELSEWHERE).unwrap_or(0)
    } else {
        waiting.place
    };
    match place & !OF_MUTEX {
        0 if is_apart => "an object".into(),
        // The links of a wait for nothing else are those of a timer, on the stack.
        0 => "a time".into(),
        list => {
            let mutex = if place & OF_MUTEX != 0 { "the mutex " } else { "" };
            let known = (!is_on_stack(about, list)).then_some(names);
            format!("{mutex}{}", object(known, list))
        }
    }
}

/// The list, where a pair says it: of list and waiter, the one that isn't on the thread's stack.
fn list_apart(read: &impl Fn(u32) -> Option<u32>, about: &About, pair: u32) -> Option<u32> {
    let words = [read(pair)?, read(pair.checked_add(4)?)?];
    words.into_iter().find(|word| !is_on_stack(about, *word)).or(Some(words[0]))
}

fn is_on_stack(about: &About, address: u32) -> bool {
    (about.stack..about.top()).contains(&address)
}

/// The smallest variable around the address, by its path, and the part of it; the distance from its
/// beginning if parts aren't known, the address where there is no variable.
fn object(names: Option<Names<'_>>, address: u32) -> String {
    let symbols = names.iter().flat_map(|names| &names.image.symbols);
    let around = symbols.filter(|symbol| {
        symbol.kind == SymbolKind::Data && address.wrapping_sub(symbol.address) < symbol.size
    });
    let Some((one, names)) = around.min_by_key(|symbol| symbol.size).zip(names) else {
        return format!("what is at {address:#010x}");
    };
    let part = match address - one.address {
        0 => names.variables.part(one.address, 0).unwrap_or_default(),
        offset => {
            let part = names.variables.part(one.address, offset);
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

    fn said(place: u32, link: u32, pair: [u32; 2], joins: Option<&str>) -> String {
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
        let names = Names { image: &image, variables: &Variables::default() };
        let waiting = Waiting { place, link, has_place: pair != [0; 2] };
        in_words(names, &read, (CONTROL, &about), waiting, joins)
    }

    #[test]
    fn an_object_is_named_by_the_variable_around_its_list() {
        let none = [0; 2];
        assert_eq!(said(EVENTS + 4, 0, none, None), "app::EVENTS+4");
        assert_eq!(said(EVENTS | OF_MUTEX, 0, none, None), "the mutex app::EVENTS");
        assert_eq!(said(0x2000_0020, 0, none, None), "what is at 0x20000020");
        // Who was behind it in another list may still be linked.
        assert_eq!(said(EVENTS, 0x2000_0900, none, None), "app::EVENTS");
        let waiter = STACK + 96;
        for pair in [[EVENTS + 8, waiter], [waiter, EVENTS + 8]] {
            let place = (STACK + 64) | ELSEWHERE;
            assert_eq!(said(place, 0, pair, None), "app::EVENTS+8");
            assert_eq!(said(place, WAKE, pair, None), "app::EVENTS+8", "a condition's");
            assert_eq!(said(EVENTS, WAKE, pair, None), "a wake");
        }
        let mutex = [EVENTS | OF_MUTEX, waiter];
        assert_eq!(said((STACK + 64) | ELSEWHERE, 0, mutex, None), "the mutex app::EVENTS");
    }

    #[test]
    fn what_is_no_object_is_said() {
        assert_eq!(said(0, 0, [0; 2], None), "a time");
        assert_eq!(said(0, 0, [0; 2], Some("worker")), "the end of worker");
        assert_eq!(said(EVENTS, CONTROL, [0; 2], None), "unpark");
        assert_eq!(said(EVENTS, WAKE, [0; 2], None), "a wake");
        assert_eq!(said((STACK + 64) | ELSEWHERE, WAKE, [0; 2], None), "a wake", "left over");
        assert_eq!(said(EVENTS, EVENTS | MARK | 4, [0; 2], None), "its flags app::EVENTS");
    }
}
