//! `processes = [..]` of an application.
//!
//! Their priority is a literal, as a thread's is: it decides who runs where. The rest is handed on.

use proc_macro2::TokenStream;
use syn::{Error, Expr, Ident};

use crate::errors::Errors;
use crate::grammar::list::{self, Argument};
use crate::line::PRIORITY_MAX;
use crate::model::{Priority, Processes};

/// The list shown where it is written wrongly.
const EXAMPLE: &str = "processes = [priority = 1, count = 4, flash = 0x2_0000..0x4_0000, memory = \
                       0x2000_4000..0x2000_8000, drivers = [&CONSOLE]]";

/// What stands in the list.
const ARGUMENTS: [&str; 6] = ["priority", "count", "flash", "memory", "drivers", "on_fault"];

/// Reads the list.
pub fn read(argument: &Argument, errors: &mut Errors) -> syn::Result<Option<Processes>> {
    let content = argument.list(EXAMPLE)?;
    let before = errors.count();
    let (mut priority, mut count, mut flash, mut memory) = (None, None, None, None);
    let (mut drivers, mut on_fault) = (None, None);
    for argument in list::read(content, errors) {
        match argument.name.to_string().as_str() {
            "priority" => priority = errors.ok(read_priority(&argument)),
            "count" => count = errors.ok(expression(&argument, "count = 4")),
            "flash" => flash = errors.ok(expression(&argument, "flash = 0x2_0000..0x4_0000")),
            "memory" => {
                memory = errors.ok(expression(&argument, "memory = 0x2000_4000..0x2000_8000"));
            }
            "drivers" => drivers = errors.ok(argument.list("drivers = [&CONSOLE, &ALARM]")),
            "on_fault" => on_fault = errors.ok(expression(&argument, "on_fault = restart")),
            _ => errors.push(unknown(&argument.name)),
        }
    }
    let (Some(priority), Some(count), Some(flash), Some(memory), Some(drivers)) =
        (priority, count, flash, memory, drivers)
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
    Ok(Some(Processes { priority, count, flash, memory, drivers, on_fault }))
}

fn read_priority(argument: &Argument) -> syn::Result<Priority> {
    let reason = "who may preempt whom is decided before constants have values";
    let (value, literal) = argument.number(&(1..=PRIORITY_MAX), "priority = 1", reason)?;
    if value == 0 {
        let message =
            format!("priority 0 is that of idle: give the processes one from 1 to {PRIORITY_MAX}");
        return Err(Error::new_spanned(literal, message));
    }
    if value > PRIORITY_MAX {
        let message = format!(
            "the processes have the priority {value}, but theirs is from 1 to {PRIORITY_MAX}, as \
             that of threads is"
        );
        return Err(Error::new_spanned(literal, message));
    }
    Ok(Priority::written(value, &literal))
}

/// A value that is handed on.
fn expression(argument: &Argument, example: &str) -> syn::Result<TokenStream> {
    let message = format!("this is no value; it is written `{example}`");
    let expression = argument.parse::<Expr>(example, &message)?;
    Ok(quote::ToTokens::into_token_stream(expression))
}

/// The refusal of anything else.
fn unknown(name: &Ident) -> Error {
    let all = "`priority`, `count`, `flash`, `memory`, `drivers` and `on_fault`";
    let advice = list::advice(name, &ARGUMENTS, all);
    Error::new(name.span(), format!("processes have no argument `{name}`; {advice}"))
}
