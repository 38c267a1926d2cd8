//! The outcomes in the body of a handler. An outcome stands in tail position or behind `return`,
//! and becomes a variant of an `enum` of the handler's own.

mod macros;
mod mistakes;
mod place;

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprCall, ExprClosure, ExprIf, ExprMatch, Local, Path, Stmt, Type, parse_quote,
    parse_quote_spanned,
};

use self::place::{Branches, Place, joined};
use crate::errors::Errors;
use crate::model::{Arm, Kind, Outcome, What};
use crate::text::text;

/// Reads a body.
pub struct Reader<'a> {
    /// The name of the `enum`.
    pub outcome: &'a Ident,
    /// The type of the context.
    pub context: Option<&'a Type>,
    /// The parameter that is an event by value.
    pub event: Option<&'a Ident>,
    /// The name of the `enum` of states, if it is known.
    pub state_name: Option<&'a Ident>,
    /// Finds a state by name.
    pub state: &'a dyn Fn(&Ident) -> syn::Result<usize>,
    /// The outcomes that were found.
    pub found: Vec<Outcome>,
    /// Where each outcome stands, and under which conditions.
    pub arms: Vec<Arm>,
    /// The errors so far.
    pub errors: &'a mut Errors,
}

impl Reader<'_> {
    /// Reads a body, and rewrites it.
    pub fn body(&mut self, block: &mut Block) {
        mistakes::refuse(block, self.state_name, self.errors);
        self.block(block, Place::default(), true);
        Stray { reader: self }.visit_block_mut(block);
    }

    /// Follows a block, whose last expression may be the handler's value. Returns the place behind
    /// the block, if control reaches the block's end.
    fn block(&mut self, block: &mut Block, mut place: Place, is_value: bool) -> Option<Place> {
        let last = block.stmts.len().saturating_sub(1);
        let mut goes_on = true;
        for (index, statement) in block.stmts.iter_mut().enumerate() {
            let before = self.arms.len();
            match statement {
                Stmt::Expr(expr, None) if is_value && index == last => {
                    self.tail(expr, &place);
                    return None;
                }
                Stmt::Expr(expr, _) => {
                    let behind = self.passing(expr, &place);
                    goes_on &= behind.is_some();
                    match behind {
                        Some(behind) if self.arms.len() > before => place = behind,
                        _ => place.does(text(expr)),
                    }
                }
                Stmt::Macro(one) if is_value && index == last && one.semi_token.is_none() => {
                    self.macro_as_a_value(&one.mac);
                    return None;
                }
                Stmt::Local(local) => place = self.local(local, &place),
                Stmt::Macro(one) => place.does(text(one).trim_end_matches(';').to_owned()),
                Stmt::Item(_) => {}
            }
        }
        goes_on.then_some(place)
    }

    fn local(&mut self, local: &mut Local, place: &Place) -> Place {
        let Some(init) = &mut local.init else { return place.clone() };
        let before = self.arms.len();
        let behind = self.passing(&mut init.expr, place);
        let behind = behind.filter(|_| self.arms.len() > before).unwrap_or_else(|| place.clone());
        let Some((_, other)) = &mut init.diverge else { return behind };
        self.passing(other, &behind.unmatched(&init.expr, &local.pat));
        behind.bound(&init.expr, &local.pat)
    }

    /// Follows an expression that is not the handler's value, but may contain `return`. Returns the
    /// place behind the expression, if control reaches its end.
    fn passing(&mut self, expr: &mut Expr, place: &Place) -> Option<Place> {
        match expr {
            Expr::Return(one) => {
                if let Some(value) = &mut one.expr {
                    self.tail(value, place);
                }
                None
            }
            Expr::Paren(inner) => self.passing(&mut inner.expr, place),
            Expr::Group(inner) => self.passing(&mut inner.expr, place),
            Expr::Block(block) if block.label.is_none() => {
                self.block(&mut block.block, place.clone(), false)
            }
            Expr::Unsafe(block) => self.block(&mut block.block, place.clone(), false),
            Expr::If(one) => self.condition(one, place, false),
            Expr::Match(one) => self.choice(one, place, false),
            _ => {
                self.returns(expr, place);
                Some(place.clone())
            }
        }
    }

    /// Follows `return` in code that gives no condition. The picture says `at times`.
    fn returns(&mut self, expr: &mut Expr, place: &Place) {
        let place = place.if_so("at times".into());
        Returns { reader: self, place: &place }.visit_expr_mut(expr);
    }

    fn either(&mut self, expr: &mut Expr, place: &Place, is_value: bool) -> Option<Place> {
        if !is_value {
            return self.passing(expr, place);
        }
        self.tail(expr, place);
        None
    }

    fn condition(&mut self, one: &mut ExprIf, place: &Place, is_value: bool) -> Option<Place> {
        self.returns(&mut one.cond, place);
        let Branches { then, other, next } = place.asked(&one.cond);
        let then = self.block(&mut one.then_branch, then, is_value);
        let other = match &mut one.else_branch {
            None => Some(other),
            Some((_, branch)) => {
                let is_next = matches!(**branch, Expr::If(_));
                self.either(branch, if is_next { &next } else { &other }, is_value)
            }
        };
        joined(place, vec![then, other])
    }

    fn choice(&mut self, one: &mut ExprMatch, place: &Place, is_value: bool) -> Option<Place> {
        self.returns(&mut one.expr, place);
        let mut ends = Vec::new();
        for arm in &mut one.arms {
            let mut inner = place.matched(&one.expr, &arm.pat);
            if let Some((_, guard)) = &mut arm.guard {
                self.returns(guard, &inner);
                inner = inner.asked(guard).then;
            }
            ends.push(self.either(&mut arm.body, &inner, is_value));
        }
        joined(place, ends)
    }

    /// An expression that is the handler's value.
    fn tail(&mut self, expr: &mut Expr, place: &Place) {
        match expr {
            Expr::Block(block) if block.label.is_none() => {
                self.block(&mut block.block, place.clone(), true);
            }
            Expr::Unsafe(block) => {
                self.block(&mut block.block, place.clone(), true);
            }
            Expr::Paren(inner) => self.tail(&mut inner.expr, place),
            Expr::Group(inner) => self.tail(&mut inner.expr, place),
            Expr::If(one) => {
                self.condition(one, place, true);
            }
            Expr::Match(one) => {
                self.choice(one, place, true);
            }
            Expr::Return(one) => {
                if let Some(value) = &mut one.expr {
                    self.tail(value, place);
                }
            }
            Expr::Loop(_) => self.returns(expr, place),
            Expr::Macro(one) => self.macro_as_a_value(&one.mac),
            Expr::Path(path) => match word(&path.path) {
                Some((word, what @ (What::Handled | What::Super | What::Deferred))) => {
                    let outcome =
                        Outcome { what, word: word.clone(), values: 0, has_action: false };
                    self.say(outcome, place);
                    let own = self.outcome;
                    // If the event was moved before, the compiler points at the outcome's word.
                    let event = self.event.filter(|_| what != What::Handled).map(|event| {
                        let event = Ident::new(&event.to_string(), word.span());
                        quote!((#event))
                    });
                    *expr = parse_quote!(#own::#word #event);
                }
                _ => self.computed(expr),
            },
            Expr::Call(call) => match path_of(call).and_then(word) {
                Some((word, What::To(kind, _))) => {
                    for argument in &mut call.args {
                        self.returns(argument, place);
                    }
                    if let Some(new) = self.transition(call, &word, kind, place) {
                        *expr = new;
                    }
                }
                _ => self.computed(expr),
            },
            _ => self.computed(expr),
        }
    }

    /// Remembers an outcome, and returns its place. The same outcome again is no new one.
    fn say(&mut self, outcome: Outcome, place: &Place) -> usize {
        let same = |one: &Outcome| {
            one.what == outcome.what && one.values == outcome.values && !one.has_action
        };
        let known = self.found.iter().position(same).filter(|_| !outcome.has_action);
        let index = known.unwrap_or(self.found.len());
        if known.is_none() {
            self.found.push(outcome);
        }
        self.arms.push(place.arm(index));
        index
    }

    /// `Transition(State::x(values), action)`.
    fn transition(
        &mut self,
        call: &ExprCall,
        word: &Ident,
        kind: Kind,
        place: &Place,
    ) -> Option<Expr> {
        let mut arguments = call.args.iter();
        let Some(target) = arguments.next() else {
            let message = format!("`{word}` needs a target, as in `{word}(State::name())`");
            self.errors.at(word.span(), message);
            return None;
        };
        let read = target_of(target, self.state_name)
            .and_then(|(name, values)| Ok(((self.state)(&name)?, name, values)));
        let (index, name, values) = self.errors.ok(read)?;
        let action = arguments.next().map(|action| self.action(action));
        if let Some(extra) = arguments.next() {
            let message = format!("`{word}` takes a target and an action: remove this argument");
            self.errors.at(extra.span(), message);
        }
        let outcome = Outcome {
            what: What::To(kind, index),
            word: name,
            values: values.len(),
            has_action: action.is_some(),
        };
        let mut place = place.clone();
        if let Some(written) = call.args.get(1) {
            place.does(match written {
                Expr::Closure(closure) => inner_text(&closure.body),
                other => text(other),
            });
        }
        let (mut variant, mut own) = (variant(self.say(outcome, &place)), self.outcome.clone());
        let values = values.into_iter().chain(action).collect::<Vec<_>>();
        // In the user's place: the compiler may suggest another arm behind this one.
        let span = call.span();
        variant.set_span(call.paren_token.span.close());
        own.set_span(span);
        Some(match values.is_empty() {
            true => parse_quote_spanned!(span=> #own::#variant),
            false => parse_quote_spanned!(span=> #own::#variant(#(#values),*)),
        })
    }

    /// A closure whose parameters get the types of its arguments.
    fn action(&mut self, action: &Expr) -> Expr {
        let Expr::Closure(ExprClosure { inputs, body, .. }) = action else {
            return action.clone();
        };
        let context = self.context.map(|context| parse_quote!(#context));
        let types = [Some(parse_quote!(&mut Self)), context].into_iter().flatten();
        let types: Vec<Type> = types.collect();
        if inputs.len() != types.len() {
            let names = if types.len() == 1 { "|this|" } else { "|this, context|" };
            let message = format!("an action of this machine begins with `{names}`");
            self.errors.at(action.span(), message);
            return action.clone();
        }
        let names = inputs.iter().map(|input| match input {
            syn::Pat::Type(typed) => (*typed.pat).clone(),
            other => other.clone(),
        });
        parse_quote!(move |#(#names: #types),*| { #body; })
    }

    fn macro_as_a_value(&mut self, one: &syn::Macro) {
        macros::as_a_value(one).into_iter().for_each(|error| self.errors.push(error));
    }

    fn computed(&mut self, expr: &Expr) {
        let message = "a handler's value is named where it ends: `Handled`, `Super`, `Deferred`, \
                       `Transition(State::name())`, `Local(..)`, `History(..)` or \
                       `DeepHistory(..)`. What is computed elsewhere can't be resolved at compile \
                       time: use `if` or `match` with an outcome in each branch";
        self.errors.at(expr.span(), message);
    }
}

/// The text of a block without its braces. Any other expression keeps its whole text.
fn inner_text(body: &Expr) -> String {
    let whole = text(body);
    let inner = whole.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
    inner.map_or(whole.as_str(), str::trim).trim_end_matches(';').to_owned()
}

/// The name of the variant of a transition.
pub fn variant(index: usize) -> Ident {
    format_ident!("To{index}")
}

/// A state's name and the values of its storage, of `State::name(values)`.
pub fn target_of(expr: &Expr, state_name: Option<&Ident>) -> syn::Result<(Ident, Vec<Expr>)> {
    let refused = || {
        let message = "a target is named, as in `State::name()`, with the values of its storage \
                       in brackets. A target that is computed can't be resolved at compile time: \
                       use `if` or `match` with an outcome in each branch";
        syn::Error::new(expr.span(), message)
    };
    let (path, values) = match expr {
        Expr::Call(call) => (path_of(call), call.args.iter().cloned().collect()),
        Expr::Path(path) => (Some(&path.path), Vec::new()),
        Expr::Group(inner) => return target_of(&inner.expr, state_name),
        _ => (None, Vec::new()),
    };
    let path = path.filter(|path| path.segments.len() == 2).ok_or_else(refused)?;
    let (of, name) = (&path.segments[0].ident, &path.segments[1].ident);
    // The types of handlers may say `State`, even if the `enum` has another name.
    if let Some(state_name) = state_name.filter(|known| of != "State" && of != *known) {
        let message = format!(
            "`{of}::{name}` is no target: states are named `{state_name}::name()`. What a function \
             returns can't be resolved at compile time: use `if` or `match` with an outcome in \
             each branch"
        );
        return Err(syn::Error::new_spanned(path, message));
    }
    Ok((name.clone(), values))
}

fn path_of(call: &ExprCall) -> Option<&Path> {
    match &*call.func {
        Expr::Path(path) => Some(&path.path),
        _ => None,
    }
}

/// An outcome's word, alone or behind the path of a module. A word behind another type is no
/// outcome.
fn word(path: &Path) -> Option<(Ident, What)> {
    let last = &path.segments.last()?.ident;
    let is_type = |one: &Ident| {
        one != "Outcome" && one.to_string().starts_with(|first: char| first.is_uppercase())
    };
    if path.segments.iter().rev().nth(1).is_some_and(|outer| is_type(&outer.ident)) {
        return None;
    }
    Some((last.clone(), of_word(last)?))
}

fn of_word(word: &Ident) -> Option<What> {
    Some(match word.to_string().as_str() {
        "Handled" => What::Handled,
        "Super" => What::Super,
        "Deferred" => What::Deferred,
        "Transition" => What::To(Kind::External, 0),
        "Local" => What::To(Kind::Local, 0),
        "History" => What::To(Kind::History, 0),
        "DeepHistory" => What::To(Kind::DeepHistory, 0),
        _ => return None,
    })
}

/// Reads the expressions behind `return`.
struct Returns<'a, 'b> {
    reader: &'a mut Reader<'b>,
    place: &'a Place,
}

impl VisitMut for Returns<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Return(one) => {
                if let Some(value) = &mut one.expr {
                    self.reader.tail(value, self.place);
                }
            }
            // A `return` in a closure is not the handler's.
            Expr::Closure(_) | Expr::Async(_) => {}
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Refuses outcomes that are not the value of a handler.
struct Stray<'a, 'b> {
    reader: &'a mut Reader<'b>,
}

impl Stray<'_, '_> {
    fn refuse(&mut self, span: Span, word: &Ident) {
        let message = format!(
            "`{word}` is the value of a handler: write it where the handler ends, or behind \
             `return`"
        );
        self.reader.errors.at(span, message);
    }
}

impl VisitMut for Stray<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Call(call) = expr
            && let Some((word, What::To(..))) =
                path_of(call).filter(|path| path.segments.len() == 1).and_then(word)
            && self.reader.errors.is_empty()
        {
            self.refuse(word.span(), &word);
        }
        // A word alone: a handler's value would be rewritten by now.
        if let Expr::Break(one) = expr
            && let Some(Expr::Path(path)) = one.expr.as_deref()
            && let Some((word, _)) = word(&path.path).filter(|_| path.path.segments.len() == 1)
            && self.reader.errors.is_empty()
        {
            self.refuse(word.span(), &word);
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, one: &mut syn::Macro) {
        macros::with_a_return(one).into_iter().for_each(|error| self.reader.errors.push(error));
    }
}
