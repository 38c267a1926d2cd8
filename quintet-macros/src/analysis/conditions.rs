//! Which conditions can't hold together.
//!
//! The macro doesn't know which conditions hold, but some exclude each other whatever they are:
//! `feature = "a"` and `not(feature = "a")`. Each name, with its value, is a variable here. All
//! values of the variables are tried, if there aren't too many.

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, LitBool, LitStr, Path, Token, parenthesized};

/// With more variables, nothing is proved: 2 to the power of this number is the number of values to
/// try.
const VARIABLES_MAX: usize = 12;

/// Names that have one value at a time: two values exclude each other.
const SINGLE: [&str; 7] = [
    "panic",
    "target_abi",
    "target_endian",
    "target_env",
    "target_os",
    "target_pointer_width",
    "target_vendor",
];

/// Returns `true` if an item with the conditions `one` surely doesn't exist together with an item
/// with the conditions `other`. A list holds if all its conditions hold.
pub fn exclude(one: &[Attribute], other: &[Attribute]) -> bool {
    let conditions = one.iter().chain(other).map(Condition::of).collect::<Vec<_>>();
    let mut variables = Vec::new();
    for condition in &conditions {
        condition.collect(&mut variables);
    }
    if variables.len() > VARIABLES_MAX {
        return false;
    }
    let mut values = 0_u32..1 << variables.len();
    !values.any(|values| {
        let holds = |variable: &Variable| {
            let place = variables.iter().position(|one| one == variable);
            place.is_some_and(|place| values & (1 << place) != 0)
        };
        let set = variables.iter().filter(|one| holds(one)).collect::<Vec<_>>();
        is_possible(&set) && conditions.iter().all(|condition| condition.holds(&holds))
    })
}

/// Returns `true` if the variables can be set together.
fn is_possible(set: &[&Variable]) -> bool {
    set.iter().enumerate().all(|(index, one)| {
        let has_one_value = one.value.is_some() && SINGLE.contains(&one.name.as_str());
        let is_other = |other: &&&Variable| other.name == one.name && other.value.is_some();
        !(has_one_value && set.iter().take(index).any(|other| is_other(&other)))
    })
}

/// A name, or a name with a value. A build sets the variable or doesn't.
#[derive(Clone, PartialEq, Eq)]
struct Variable {
    name: String,
    value: Option<String>,
}

/// A condition.
enum Condition {
    /// All of the conditions hold.
    All(Vec<Self>),
    /// One of the conditions holds.
    Any(Vec<Self>),
    /// The condition doesn't hold.
    Not(Box<Self>),
    /// The condition holds, or doesn't hold, whatever the variables are.
    Fixed(bool),
    /// The variable is set.
    Set(Variable),
}

impl Condition {
    /// Returns the condition of an attribute `#[cfg(..)]`. An unreadable condition may hold or not:
    /// its text becomes a variable.
    fn of(attribute: &Attribute) -> Self {
        attribute.parse_args().unwrap_or_else(|_| {
            let text = attribute.meta.to_token_stream().to_string();
            Self::Set(Variable { name: text, value: None })
        })
    }

    /// Adds the condition's variables that the list lacks.
    fn collect(&self, variables: &mut Vec<Variable>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.collect(variables));
            }
            Self::Not(condition) => condition.collect(variables),
            Self::Fixed(_) => {}
            Self::Set(variable) if variables.contains(variable) => {}
            Self::Set(variable) => variables.push(variable.clone()),
        }
    }

    /// Returns `true` if the condition holds. `is_set` says of each variable whether the variable
    /// is set.
    fn holds(&self, is_set: &impl Fn(&Variable) -> bool) -> bool {
        match self {
            Self::All(conditions) => conditions.iter().all(|condition| condition.holds(is_set)),
            Self::Any(conditions) => conditions.iter().any(|condition| condition.holds(is_set)),
            Self::Not(condition) => !condition.holds(is_set),
            Self::Fixed(holds) => *holds,
            Self::Set(variable) => is_set(variable),
        }
    }
}

impl Parse for Condition {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if let Ok(fixed) = input.parse::<LitBool>() {
            return Ok(Self::Fixed(fixed.value));
        }
        let name = input.call(Path::parse_mod_style)?;
        if !input.peek(syn::token::Paren) {
            // Compares values, not tokens: one text may be written in several ways, as `"a"` and
            // `r"a"`.
            let value = match input.parse::<Option<Token![=]>>()? {
                Some(_) => Some(input.parse::<LitStr>()?.value()),
                None => None,
            };
            let name = name.to_token_stream().to_string();
            return Ok(Self::Set(Variable { name, value }));
        }
        let content;
        parenthesized!(content in input);
        let list = Punctuated::<Self, Token![,]>::parse_terminated(&content)?;
        let mut list = list.into_iter().collect::<Vec<_>>();
        match (name.get_ident().map(Ident::to_string).as_deref(), list.len()) {
            (Some("all"), _) => Ok(Self::All(list)),
            (Some("any"), _) => Ok(Self::Any(list)),
            (Some("not"), 1) => Ok(Self::Not(Box::new(list.remove(0)))),
            _ => {
                Err(syn::Error::new_spanned(name, "a condition is `all`, `any` or `not` of others"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::{Attribute, parse_quote};

    use super::exclude;

    /// Returns `true` if two conditions exclude each other, in whichever order.
    fn are_exclusive(one: Attribute, other: Attribute) -> bool {
        let (one, other) = ([one], [other]);
        let result = exclude(&one, &other);
        assert_eq!(exclude(&other, &one), result);
        result
    }

    #[test]
    fn opposites_exclude_each_other() {
        for (one, other) in [
            (parse_quote!(#[cfg(feature = "a")]), parse_quote!(#[cfg(not(feature = "a"))])),
            (parse_quote!(#[cfg(debug)]), parse_quote!(#[cfg(not(any(debug, test)))])),
            (
                parse_quote!(#[cfg(all(feature = "a", not(feature = "b")))]),
                parse_quote!(#[cfg(all(feature = "b", test,))]),
            ),
            (
                parse_quote!(#[cfg(any(feature = "a", feature = "b"))]),
                parse_quote!(#[cfg(all(not(feature = "a"), not(feature = "b")))]),
            ),
            (parse_quote!(#[cfg(false)]), parse_quote!(#[cfg(true)])),
            (parse_quote!(#[cfg(any())]), parse_quote!(#[cfg(all())])),
            (parse_quote!(#[cfg(target_os = "none")]), parse_quote!(#[cfg(target_os = "linux")])),
            (parse_quote!(#[cfg(feature = "a")]), parse_quote!(#[cfg(not(feature = r"a"))])),
        ] {
            assert!(are_exclusive(one, other));
        }
    }

    #[test]
    fn what_may_hold_together_does_not() {
        for (one, other) in [
            (parse_quote!(#[cfg(feature = "a")]), parse_quote!(#[cfg(feature = "b")])),
            (parse_quote!(#[cfg(feature = "a")]), parse_quote!(#[cfg(feature = "a")])),
            (parse_quote!(#[cfg(feature = "a")]), parse_quote!(#[cfg(not(feature = "b"))])),
            (
                parse_quote!(#[cfg(any(feature = "a", test))]),
                parse_quote!(#[cfg(any(not(feature = "a"), test))]),
            ),
            (
                parse_quote!(#[cfg(target_feature = "a")]),
                parse_quote!(#[cfg(target_feature = "b")]),
            ),
            // One value, written in two ways.
            (parse_quote!(#[cfg(target_os = "none")]), parse_quote!(#[cfg(target_os = r"none")])),
            (parse_quote!(#[cfg(target_os = "none")]), parse_quote!(#[cfg(target_os = "n\x6fne")])),
            // An unreadable condition may mean anything.
            (parse_quote!(#[cfg(version("1.9"))]), parse_quote!(#[cfg(not(a, b))])),
        ] {
            assert!(!are_exclusive(one, other));
        }
    }

    #[test]
    fn all_of_a_list_hold() {
        let several: [Attribute; 2] =
            [parse_quote!(#[cfg(feature = "a")]), parse_quote!(#[cfg(feature = "b")])];
        assert!(exclude(&several, &[parse_quote!(#[cfg(not(feature = "b"))])]));
        assert!(!exclude(&several, &[]));
        assert!(exclude(&[parse_quote!(#[cfg(false)])], &[]));
    }

    #[test]
    fn with_too_many_names_nothing_is_proved() {
        let names = (0..20).map(|number| quote::format_ident!("name_{number}"));
        let names = names.collect::<Vec<_>>();
        let (all, none) =
            (parse_quote!(#[cfg(all(#(#names),*))]), parse_quote!(#[cfg(not(any(#(#names),*)))]));
        assert!(!are_exclusive(all, none));
    }
}
