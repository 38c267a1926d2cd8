//! Conditions of compilation: whether an item is built in the tests on the host, and whether a
//! target has it too.

use syn::{Attribute, Meta, Token, punctuated::Punctuated};

/// Who builds the code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    /// The tests on the host, with all features.
    Host,
    /// Some firmware.
    Target,
}

/// Where an item is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the host and on targets: its logic can be tested here.
    Both,
    /// Only on targets.
    Target,
    /// Only on the host: tests, and what stands for the processor there.
    Host,
}

/// Returns where an item with these attributes is built.
pub fn place(attributes: &[Attribute]) -> Place {
    let holds = |build| {
        let mut all = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        all.all(|attribute| {
            let condition: Option<Meta> = attribute.parse_args().ok();
            condition.and_then(|condition| value(&condition, build)) != Some(false)
        })
    };
    match (holds(Build::Host), holds(Build::Target)) {
        (true, true) => Place::Both,
        (false, _) => Place::Target,
        (true, false) => Place::Host,
    }
}

/// Returns whether a condition holds; `None` if that depends on more than the kind of build.
fn value(condition: &Meta, build: Build) -> Option<bool> {
    let is_host = build == Build::Host;
    match condition {
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            let parts: Vec<_> = parts.ok()?.iter().map(|part| value(part, build)).collect();
            let all = |wanted: bool| match () {
                () if parts.contains(&Some(!wanted)) => Some(!wanted),
                () if parts.contains(&None) => None,
                () => Some(wanted),
            };
            match list.path.get_ident()?.to_string().as_str() {
                "all" => all(true),
                "any" => all(false),
                "not" => parts.first().copied().flatten().map(|value| !value),
                _ => None,
            }
        }
        Meta::NameValue(pair) => match pair.path.get_ident()?.to_string().as_str() {
            "target_arch" | "target_os" => Some(!is_host),
            "feature" if is_host => Some(true),
            _ => None,
        },
        Meta::Path(path) => match path.get_ident()?.to_string().as_str() {
            "test" | "threads" if is_host => Some(true),
            "test" | "miri" => Some(false),
            "debug_assertions" => is_host.then_some(true),
            _ if is_host => Some(false),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_where_follows_from_the_condition() {
        let place_of = |text: &str| {
            let item: syn::ItemFn = syn::parse_str(&format!("{text} fn it() {{}}")).unwrap();
            place(&item.attrs)
        };
        for (text, expected) in [
            ("", Place::Both),
            ("#[inline]", Place::Both),
            ("#[cfg(threads)]", Place::Both),
            ("#[cfg(feature = \"time\")]", Place::Both),
            ("#[cfg(all(threads, feature = \"time\"))]", Place::Both),
            ("#[cfg(test)]", Place::Host),
            ("#[cfg(not(target_arch = \"arm\"))]", Place::Host),
            ("#[cfg(target_os = \"none\")]", Place::Target),
            ("#[cfg(processes)]", Place::Target),
            ("#[cfg(not(threads))]", Place::Target),
            ("#[cfg(any(all(processes, region_bounds), test))]", Place::Both),
            ("#[cfg(any(processes, basepri))]", Place::Target),
            ("#[cfg(not(test))]", Place::Target),
        ] {
            assert_eq!(place_of(text), expected, "{text}");
        }
    }
}
