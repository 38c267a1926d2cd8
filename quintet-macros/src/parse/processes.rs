//! `processes = [..]` of an application.
//!
//! The priorities are literals, as a thread's priority is, because they decide what runs where. All
//! other values are passed on as they are.

use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, LitInt, Token};

use crate::errors::Errors;
use crate::grammar::list::{self, Argument};
use crate::line::PRIORITY_MAX;
use crate::model::{Priority, Processes};

/// The list that a message shows for a wrong `processes`.
const EXAMPLE: &str = "processes = [priority = 1, count = 4, flash = 0x2_0000..0x4_0000, memory = \
                       0x2000_4000..0x2000_8000, drivers = [&CONSOLE]]";

/// The arguments in the list.
const ARGUMENTS: [&str; 7] =
    ["priority", "count", "flash", "memory", "drivers", "upcalls", "on_fault"];

/// Reads the list.
pub fn read(argument: &Argument, errors: &mut Errors) -> syn::Result<Option<Processes>> {
    let content = argument.list(EXAMPLE)?;
    let before = errors.count();
    let (mut priorities, mut count, mut flash, mut memory) = (None, None, None, None);
    let (mut drivers, mut upcalls, mut on_fault) = (None, None, None);
    for argument in list::read(content, errors) {
        match argument.name.to_string().as_str() {
            "priority" => priorities = errors.ok(read_priorities(&argument)),
            "count" => count = errors.ok(expression(&argument, "count = 4")),
            "flash" => flash = errors.ok(expression(&argument, "flash = 0x2_0000..0x4_0000")),
            "memory" => {
                memory = errors.ok(expression(&argument, "memory = 0x2000_4000..0x2000_8000"));
            }
            "drivers" => drivers = errors.ok(argument.list("drivers = [&CONSOLE, &ALARM]")),
            "upcalls" => upcalls = errors.ok(expression(&argument, "upcalls = 4")),
            "on_fault" => on_fault = errors.ok(expression(&argument, "on_fault = restart")),
            _ => errors.push(unknown(&argument.name)),
        }
    }
    let (Some(priorities), Some(count), Some(flash), Some(memory), Some(drivers)) =
        (priorities, count, flash, memory, drivers)
    else {
        if errors.count() > before {
            return Ok(None);
        }
        let message = format!(
            "`processes` needs `priority`, `count`, `flash`, `memory` and `drivers`, as in \
             `{EXAMPLE}`"
        );
        return Err(Error::new(argument.name.span(), message));
    };
    let (priority, priorities) = priorities;
    Ok(Some(Processes { priority, priorities, count, flash, memory, drivers, upcalls, on_fault }))
}

/// Returns the highest priority, and all: one for all processes, or a list with one for each.
fn read_priorities(argument: &Argument) -> syn::Result<(Priority, Vec<u8>)> {
    let reason = "who may preempt whom is decided before constants have values; or a list of \
                  numbers, one for each process";
    let each = Punctuated::<LitInt, Token![,]>::parse_terminated;
    let list = argument.list("priority = [1, 3]").and_then(|list| each.parse2(list));
    let literals = match list {
        Ok(literals) => literals.into_iter().collect(),
        Err(_) => vec![argument.number(&(1..=PRIORITY_MAX), "priority = 1", reason)?.1],
    };
    let mut highest: Option<Priority> = None;
    let mut all = Vec::new();
    for literal in literals {
        let priority = read_priority(&literal)?;
        all.push(priority.value);
        if highest.as_ref().is_none_or(|highest| highest.value < priority.value) {
            highest = Some(priority);
        }
    }
    let message = "`priority` is a list of nothing: give the processes one number for all, or one \
                   for each";
    Ok((highest.ok_or_else(|| Error::new(argument.name.span(), message))?, all))
}

fn read_priority(literal: &LitInt) -> syn::Result<Priority> {
    let value = literal.base10_parse::<u8>().unwrap_or(u8::MAX);
    if value == 0 {
        let message =
            format!("priority 0 is that of idle: give the processes one from 1 to {PRIORITY_MAX}");
        return Err(Error::new_spanned(literal, message));
    }
    if value > PRIORITY_MAX {
        let message = format!(
            "the processes have the priority {}, but theirs is from 1 to {PRIORITY_MAX}, as that \
             of threads is",
            literal.base10_digits()
        );
        return Err(Error::new_spanned(literal, message));
    }
    Ok(Priority::written(value, literal))
}

/// Returns a value that is passed on.
fn expression(argument: &Argument, example: &str) -> syn::Result<TokenStream> {
    let message = format!("this is no value; it is written `{example}`");
    let expression = argument.parse::<Expr>(example, &message)?;
    Ok(quote::ToTokens::into_token_stream(expression))
}

/// The refusal of any other argument.
fn unknown(name: &Ident) -> Error {
    let all = "`priority`, `count`, `flash`, `memory`, `drivers`, `upcalls` and `on_fault`";
    let advice = list::advice(name, &ARGUMENTS, all);
    Error::new(name.span(), format!("processes have no argument `{name}`; {advice}"))
}
