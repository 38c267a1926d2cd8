//! The arguments of the attributes.

use proc_macro2::{Ident, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitInt, Meta, Pat, Path, Token, Visibility};

use super::pattern;
use crate::model::After;

/// The content of an attribute.
#[derive(Default)]
pub struct Arguments {
    pub initial: Option<Expr>,
    pub initial_action: Option<Ident>,
    pub superstate: Option<Ident>,
    pub entry: Option<Ident>,
    pub exit: Option<Ident>,
    pub completion: Option<Ident>,
    pub completes: Option<Ident>,
    pub after: Option<After>,
    pub defer: Vec<Pat>,
    pub state_name: Option<Ident>,
    pub derives: Vec<Path>,
    pub visibility: Option<Visibility>,
    pub compact: Option<bool>,
    pub deferred: Option<LitInt>,
    pub unhandled: Option<Path>,
    pub around_dispatch: [Option<Path>; 2],
    pub around_transition: [Option<Path>; 2],
}

/// The longest text in quotation marks that is read as code, in bytes. Nested code makes the parser
/// call itself, so the nesting must be bounded.
const QUOTED_MAX: usize = 256;

type List = Punctuated<Meta, Token![,]>;

const OF_MACHINE: &str = "`initial`, `initial_action`, `state`, `visibility`, `compact`, \
    `deferred`, `unhandled`, `before_dispatch`, `after_dispatch`, `before_transition`, \
    `after_transition`";
const OF_STATE: &str = "`superstate`, `entry_action`, `exit_action`, `after`, `on_completion`, \
    `completes`, `defer`";
const OF_SUPERSTATE: &str = "`superstate`, `initial`, `initial_action`, `entry_action`, \
    `exit_action`, `after`, `on_completion`, `defer`";

impl Arguments {
    /// Reads the arguments of the machine.
    pub fn of_machine(tokens: TokenStream) -> syn::Result<Self> {
        let mut all = Self::default();
        for meta in List::parse_terminated.parse2(tokens)? {
            if meta.path().is_ident("state") {
                all.state(&meta)?;
                continue;
            }
            let (name, value) = valued(&meta, "a state machine", OF_MACHINE)?;
            match name.to_string().as_str() {
                "initial" => all.initial = Some(unquoted(value)?),
                "initial_action" => all.initial_action = Some(word(&value)?),
                "visibility" => all.visibility = Some(text(&value)?.parse()?),
                "compact" => all.compact = Some(yes_or_no(&value)?),
                "deferred" => all.deferred = Some(number(&value)?),
                "unhandled" => all.unhandled = Some(path(&value)?),
                "before_dispatch" => all.around_dispatch[0] = Some(path(&value)?),
                "after_dispatch" => all.around_dispatch[1] = Some(path(&value)?),
                "before_transition" => all.around_transition[0] = Some(path(&value)?),
                "after_transition" => all.around_transition[1] = Some(path(&value)?),
                _ => return Err(unknown(&name, "a state machine", OF_MACHINE)),
            }
        }
        Ok(all)
    }

    /// Reads the arguments of a state.
    pub fn of_state(attribute: &Attribute, is_composite: bool) -> syn::Result<Self> {
        let mut all = Self::default();
        let list = match &attribute.meta {
            Meta::Path(_) => return Ok(all),
            _ => attribute.parse_args_with(List::parse_terminated)?,
        };
        let (of, known) = match is_composite {
            true => ("a superstate", OF_SUPERSTATE),
            false => ("a state", OF_STATE),
        };
        for meta in list {
            let (name, value) = valued(&meta, of, known)?;
            match name.to_string().as_str() {
                "superstate" => all.superstate = Some(word(&value)?),
                "entry_action" => all.entry = Some(word(&value)?),
                "exit_action" => all.exit = Some(word(&value)?),
                "initial" if is_composite => all.initial = Some(unquoted(value)?),
                "initial_action" if is_composite => all.initial_action = Some(word(&value)?),
                "on_completion" => all.completion = Some(word(&value)?),
                "completes" if !is_composite => all.completes = Some(word(&value)?),
                "after" => all.after = Some(timer(value)?),
                "defer" => {
                    let Expr::Array(list) = &value else {
                        return Err(syn::Error::new_spanned(
                            value,
                            "`defer` takes a list: \
                            `defer = [Event::A, Event::B(..)]`",
                        ));
                    };
                    all.defer = list.elems.iter().map(pattern).collect::<syn::Result<_>>()?;
                }
                _ => return Err(unknown(&name, of, known)),
            }
        }
        all.refuse_two_ends()?;
        Ok(all)
    }

    /// Refuses arguments of which one state has only one.
    fn refuse_two_ends(&self) -> syn::Result<()> {
        let Some(completes) = &self.completes else { return Ok(()) };
        let message = if self.superstate.is_some() {
            format!("`completes = {completes}` says the superstate, too: leave out `superstate`")
        } else if self.completion.is_some() {
            format!(
                "this state completes `{completes}`, whose `on_completion` is asked when the state \
                 is entered: leave out `on_completion` here, or write `superstate` in place of \
                 `completes`"
            )
        } else {
            return Ok(());
        };
        Err(syn::Error::new(completes.span(), message))
    }

    /// `state(name = "S", derive(Debug))`.
    fn state(&mut self, meta: &Meta) -> syn::Result<()> {
        for inner in meta.require_list()?.parse_args_with(List::parse_terminated)? {
            if inner.path().is_ident("derive") {
                let paths = Punctuated::<Path, Token![,]>::parse_terminated;
                self.derives.extend(inner.require_list()?.parse_args_with(paths)?);
            } else if inner.path().is_ident("name") {
                let (_, value) = named(&inner)?;
                let name = word(&value)?;
                if name == "Self" {
                    let message = "the states are an `enum` of their own, which can't be `Self`: \
                                   give it a name, as in `state(name = \"DoorState\")`";
                    return Err(syn::Error::new_spanned(value, message));
                }
                self.state_name = Some(name);
            } else {
                return Err(syn::Error::new_spanned(
                    inner,
                    "`state` takes `name = \"Name\"` and \
                    `derive(..)`",
                ));
            }
        }
        Ok(())
    }
}

fn unknown(name: &Ident, of: &str, known: &str) -> syn::Error {
    let message = match name.to_string().as_str() {
        "event_identifier" | "context_identifier" => {
            let word = name.to_string().replace("_identifier", "");
            format!(
                "a parameter is known by its name, which is `{word}`: call it so in all functions, \
                 and remove this argument"
            )
        }
        "local_storage" => "a state's variables are parameters of its function: write `fn \
                            name(left: &mut u8, ..)`, give the value where the state is entered, \
                            `State::name(3)`, and remove this argument"
            .to_owned(),
        _ => format!("{of} has no argument `{name}`: there are {known}"),
    };
    syn::Error::new(name.span(), message)
}

/// An argument with a value. An unknown one is refused, whether it has a value or not.
fn valued(meta: &Meta, of: &str, known: &str) -> syn::Result<(Ident, Expr)> {
    let name = meta.path().require_ident()?;
    if matches!(meta, Meta::NameValue(_)) {
        return named(meta);
    }
    if !known.contains(&format!("`{name}`")) {
        return Err(unknown(name, of, known));
    }
    let message = format!("`{name}` takes a value: write `{name} = ..`");
    Err(syn::Error::new(name.span(), message))
}

/// Returns the refusal of an argument that stands as an attribute of its own, `#[entry_action(f)]`.
pub fn misplaced(attribute: &Attribute, role: &str) -> Option<syn::Error> {
    let name = attribute.path().get_ident().filter(|name| is_argument(name))?;
    let message = format!("`{name}` is an argument of `#[{role}]`: write `#[{role}({name} = ..)]`");
    Some(syn::Error::new(name.span(), message))
}

/// Returns `true` if a word is an argument of a state or a superstate, and no attribute.
pub fn is_argument(word: &Ident) -> bool {
    let quoted = format!("`{word}`");
    word != "superstate" && [OF_STATE, OF_SUPERSTATE].iter().any(|all| all.contains(&quoted))
}

fn named(meta: &Meta) -> syn::Result<(Ident, Expr)> {
    let value = meta.require_name_value()?;
    let name = value.path.require_ident()?.clone();
    let mut expr = &value.value;
    while let Expr::Group(inner) = expr {
        expr = &inner.expr;
    }
    Ok((name, expr.clone()))
}

/// An expression. Older code has quotation marks around it, which are accepted.
fn unquoted(expr: Expr) -> syn::Result<Expr> {
    if let Expr::Lit(literal) = &expr
        && let Lit::Str(text) = &literal.lit
    {
        if text.value().len() > QUOTED_MAX {
            let message = format!(
                "this text has more than {QUOTED_MAX} bytes: write it without quotation marks"
            );
            return Err(syn::Error::new_spanned(text, message));
        }
        return text.parse();
    }
    Ok(expr)
}

fn word(expr: &Expr) -> syn::Result<Ident> {
    let refused = || syn::Error::new_spanned(expr, "a name is expected here");
    let path = path(expr).map_err(|_| refused())?;
    path.segments.last().map(|last| last.ident.clone()).ok_or_else(refused)
}

fn path(expr: &Expr) -> syn::Result<Path> {
    match unquoted(expr.clone())? {
        Expr::Path(path) => Ok(path.path),
        other => Err(syn::Error::new_spanned(other, "a function is expected here: `Self::name`")),
    }
}

/// `(TIMER, delay)`.
fn timer(expr: Expr) -> syn::Result<After> {
    let Expr::Tuple(tuple) = &expr else { return Err(no_timer(expr)) };
    let mut parts = tuple.elems.iter().cloned();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(timer), Some(delay), None) => Ok(After { timer, delay }),
        _ => Err(no_timer(expr)),
    }
}

fn no_timer(expr: Expr) -> syn::Error {
    let message = "`after` takes a timer and a time: `after = (TIMEOUT, Duration::from_secs(3))`, \
                   where `TIMEOUT` is a `TimeEvent` of the machine's actor, or anything else with \
                   `arm(time)` and `disarm()`";
    syn::Error::new_spanned(expr, message)
}

fn text(expr: &Expr) -> syn::Result<syn::LitStr> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(syn::Error::new_spanned(
            other,
            "a text is expected here, as in \
            `visibility = \"pub(crate)\"`",
        )),
    }
}

fn yes_or_no(expr: &Expr) -> syn::Result<bool> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: Lit::Bool(value), .. }) => Ok(value.value),
        other => Err(syn::Error::new_spanned(
            other,
            "`compact` is `true`, for code that takes few bytes, or `false`, for code that takes \
            few cycles. Without it, the code is compact if the crate `quintet` is optimised for \
            size",
        )),
    }
}

fn number(expr: &Expr) -> syn::Result<LitInt> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. })
            if number.base10_parse::<u16>().is_ok_and(|number| number > 0) =>
        {
            Ok(number.clone())
        }
        other => Err(syn::Error::new_spanned(
            other,
            "`deferred` is how many events can be kept: \
            a number from 1 to 65535",
        )),
    }
}
