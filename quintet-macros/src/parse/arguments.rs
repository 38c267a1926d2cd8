//! The arguments of `#[quintet::app(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, LitStr, Path, Token};

use crate::errors::Errors;
use crate::grammar::list::{self, Argument};
use crate::model::{Arguments, Dispatcher, Scheduler};
use crate::parse::processes;

/// The arguments of an application.
const ARGUMENTS: [&str; 10] = [
    "device",
    "core",
    "peripherals",
    "dispatchers",
    "scheduler",
    "host_stack",
    "stack_guard",
    "processes",
    "on_level_begin",
    "on_level_end",
];

/// The list that a message shows for a wrong `dispatchers`.
const DISPATCHERS_EXAMPLE: &str = "dispatchers = [UART0, UART1]";

/// Reads the arguments. An unreadable argument gets its default.
pub fn read(tokens: TokenStream, errors: &mut Errors) -> Arguments {
    let mut device = None;
    let mut device_given = false;
    let mut core = true;
    let mut peripherals = true;
    let mut dispatchers = Vec::new();
    let mut scheduler = Scheduler::default();
    let (mut host_stack, mut stack_guard, mut processes) = (None, true, None);
    let (mut on_level_begin, mut on_level_end) = (None, None);
    let before = errors.count();
    let list = list::read(tokens, errors);
    // An unreadable argument may have been the device.
    let mut is_readable = errors.count() == before;
    for argument in list {
        match argument.name.to_string().as_str() {
            "device" => {
                device_given = true;
                device = errors.ok(read_device(&argument));
            }
            "core" => core = errors.ok(argument.boolean()).unwrap_or(core),
            "peripherals" => peripherals = errors.ok(argument.boolean()).unwrap_or(peripherals),
            "dispatchers" => {
                dispatchers = errors.ok(read_dispatchers(&argument)).unwrap_or_default();
            }
            "scheduler" => scheduler = errors.ok(read_scheduler(&argument)).unwrap_or_default(),
            "stack_guard" => stack_guard = errors.ok(argument.boolean()).unwrap_or(true),
            "processes" => {
                let read = processes::read(&argument, errors);
                processes = errors.ok(read).flatten();
            }
            "on_level_begin" => on_level_begin = errors.ok(read_hook(&argument)),
            "on_level_end" => on_level_end = errors.ok(read_hook(&argument)),
            "host_stack" => host_stack = errors.ok(read_host_stack(&argument)),
            _ => {
                is_readable = false;
                errors.push(unknown(&argument));
            }
        }
    }
    if !device_given && is_readable {
        let message = "the application names no device: add the crate that describes its \
                       interrupts and peripherals, as in `#[quintet::app(device = lm3s6965)]`";
        errors.at(Span::call_site(), message);
    }
    Arguments {
        device,
        core,
        peripherals,
        dispatchers,
        scheduler,
        host_stack,
        stack_guard,
        processes,
        on_level_begin,
        on_level_end,
    }
}

/// `on_level_begin = path` or `on_level_end = path`.
fn read_hook(argument: &Argument) -> syn::Result<Path> {
    let name = &argument.name;
    let example = format!("{name} = light");
    let message = format!(
        "`{name}` is the path of a function `fn(u8)`, as in `{example}`: it is called with the \
         priority of the level"
    );
    argument.parse_with(Path::parse_mod_style, &example, &message)
}

/// `scheduler = "preemptive"` or `"cooperative"`.
fn read_scheduler(argument: &Argument) -> syn::Result<Scheduler> {
    let message = "`scheduler` is \"preemptive\", where the more urgent preempts the less, or \
                   \"cooperative\", where software tasks and threads run until they end or wait";
    let word = argument.parse::<LitStr>("scheduler = \"cooperative\"", message)?;
    match word.value().as_str() {
        "preemptive" => Ok(Scheduler::Preemptive),
        "cooperative" => Ok(Scheduler::Cooperative),
        _ => Err(Error::new_spanned(word, message)),
    }
}

/// `host_stack = EXPR`.
fn read_host_stack(argument: &Argument) -> syn::Result<Expr> {
    let message = "`host_stack` is how many bytes of stack each thread has that runs software \
                   tasks, as in `host_stack = 1024`";
    argument.parse("host_stack = 1024", message)
}

/// `device = path`.
fn read_device(argument: &Argument) -> syn::Result<Path> {
    let example = "device = lm3s6965";
    let message = format!("`device` is the path of a crate or module, as in `{example}`");
    argument.parse_with(Path::parse_mod_style, example, &message)
}

/// `dispatchers = [A, #[attribute] B]`.
fn read_dispatchers(argument: &Argument) -> syn::Result<Vec<Dispatcher>> {
    let content = argument.list(DISPATCHERS_EXAMPLE)?;
    let read = |input: ParseStream<'_>| {
        input.parse_terminated(dispatcher, Token![,]).map(|list| list.into_iter().collect())
    };
    read.parse2(content)
}

/// One entry of the list.
fn dispatcher(input: ParseStream<'_>) -> syn::Result<Dispatcher> {
    let attributes = input.call(Attribute::parse_outer)?;
    let refusal = format!(
        "a dispatcher is an interrupt of the device by its bare name, as in `{DISPATCHERS_EXAMPLE}`"
    );
    if !input.peek(syn::Ident) && !input.peek(Token![::]) {
        return Err(input.error(refusal));
    }
    let path = input.call(Path::parse_mod_style)?;
    let name = path.get_ident().ok_or_else(|| Error::new_spanned(&path, refusal))?;
    Ok(Dispatcher { name: name.clone(), attributes })
}

/// The refusal of any other argument.
fn unknown(argument: &Argument) -> Error {
    let name = &argument.name;
    let message = match name.to_string().as_str() {
        "backend" => "the application has no argument `backend`: on Cortex-M the target decides, \
                      so leave it out"
            .to_owned(),
        "monotonic" => "the application has no argument `monotonic`: time is a library, not part \
                        of the grammar, so leave it out"
            .to_owned(),
        _ => {
            let all = "`device`, `core`, `peripherals`, `dispatchers`, `scheduler`, `host_stack`, \
                       `stack_guard`, `processes`, `on_level_begin` and `on_level_end`";
            let advice = list::advice(name, &ARGUMENTS, all);
            format!("the application has no argument `{name}`; {advice}")
        }
    };
    Error::new(name.span(), message)
}
