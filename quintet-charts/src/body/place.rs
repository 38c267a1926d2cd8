//! A place in a handler: the event, the conditions that lead there, and the actions before.

use syn::parse::{ParseStream, Parser};
use syn::{BinOp, Expr, Pat, Token, UnOp, parse_quote};

use crate::model::Arm;
use crate::text::text;

/// How many letters of actions, or of conditions, are kept: no picture shows more.
const LETTERS_MAX: usize = 400;

/// The condition of the other branch.
const ELSE: &str = "else";

/// The place in the code.
#[derive(Clone, Default)]
pub struct Place {
    event: Option<Pat>,
    /// The pattern of all other events, after some patterns of the event did not match.
    other: Option<Pat>,
    guards: Vec<String>,
    actions: Vec<String>,
}

/// The places of the branches of a condition.
pub struct Branches {
    /// The branch where the condition holds.
    pub then: Place,
    /// The branch where the condition doesn't hold.
    pub other: Place,
    /// The same branch, if another condition stands behind `else`: then the text `else` is not
    /// needed.
    pub next: Place,
}

impl Place {
    /// Returns the arm of an outcome at this place, for a picture.
    pub fn arm(&self, outcome: usize) -> Arm {
        Arm {
            event: self.event.clone().or_else(|| self.other.clone()),
            guards: self.guards.clone(),
            actions: self.actions.clone(),
            outcome,
        }
    }

    /// Adds an action.
    pub fn does(&mut self, action: String) {
        push(&mut self.actions, action);
    }

    /// Returns the place with another condition.
    pub fn if_so(&self, guard: String) -> Self {
        let mut place = self.clone();
        if guard != ELSE || place.guards.last().is_none_or(|last| last != ELSE) {
            push(&mut place.guards, guard);
        }
        place
    }

    /// Behind the arm of a `match`.
    pub fn matched(&self, what: &Expr, pattern: &Pat) -> Self {
        if is_event(what) && self.event.is_none() {
            // Another pattern may still follow.
            return match pattern {
                Pat::Wild(_) => Self { other: Some(pattern.clone()), ..self.clone() },
                _ => Self { event: Some(pattern.clone()), ..self.clone() },
            };
        }
        self.if_so(match pattern {
            Pat::Wild(_) => ELSE.to_owned(),
            _ => format!("{} is {}", text(what), text(pattern)),
        })
    }

    /// Behind the `else` of `let`.
    pub fn unmatched(&self, what: &Expr, pattern: &Pat) -> Self {
        if is_event(what) && self.event.is_none() {
            return self.of_other();
        }
        self.if_so(format!("{} is not {}", text(what), text(pattern)))
    }

    /// Behind `let` with an `else`. From here on, its condition always holds, so the place doesn't
    /// keep it.
    pub fn bound(&self, what: &Expr, pattern: &Pat) -> Self {
        if is_event(what) { self.matched(what, pattern) } else { self.clone() }
    }

    /// Behind `if`, and behind its `else`.
    pub fn asked(&self, condition: &Expr) -> Branches {
        let mut then = self.clone();
        for part in parts(condition) {
            then = then.part(part);
        }
        let asks_event = then.event.is_some() && self.event.is_none();
        let (other, next) = match (asks_event, then.guards.len() > self.guards.len()) {
            (true, false) => {
                let other = self.of_other();
                (other.clone(), other)
            }
            // The event of this pattern, if the rest of the condition doesn't hold, and all other
            // events.
            (true, true) => (self.clone(), self.clone()),
            (false, _) => (self.if_so(ELSE.to_owned()), self.clone()),
        };
        Branches { then, other, next }
    }

    /// Returns the place for all events that no pattern matched.
    fn of_other(&self) -> Self {
        Self { other: Some(parse_quote!(_)), ..self.clone() }
    }

    /// Adds a part of a condition.
    fn part(&self, part: &Expr) -> Self {
        match part {
            Expr::Let(one) => self.matched(&one.expr, &one.pat),
            Expr::Macro(one) if one.mac.path.is_ident("matches") => {
                match pattern_of.parse2(one.mac.tokens.clone()) {
                    Ok((what, pattern, guard)) if is_event(&what) => {
                        let place = self.matched(&what, &pattern);
                        guard.iter().fold(place, |place, guard| place.asked(guard).then)
                    }
                    _ => self.if_so(text(part)),
                }
            }
            _ => self.if_so(text(part)),
        }
    }
}

/// Adds a text, if the texts together are short enough.
fn push(texts: &mut Vec<String>, more: String) {
    if texts.iter().map(String::len).sum::<usize>() <= LETTERS_MAX {
        texts.push(more);
    }
}

/// The place behind an expression: behind its only branch that has an end, or behind all.
pub fn joined(before: &Place, ends: Vec<Option<Place>>) -> Option<Place> {
    let mut ends = ends.into_iter().flatten();
    let first = ends.next()?;
    Some(if ends.next().is_some() { before.clone() } else { first })
}

/// Returns `true` if an expression is the event.
fn is_event(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path.path.is_ident("event") || path.path.is_ident("_event"),
        Expr::Reference(inner) => is_event(&inner.expr),
        Expr::Unary(inner) => matches!(inner.op, UnOp::Deref(_)) && is_event(&inner.expr),
        Expr::Paren(inner) => is_event(&inner.expr),
        Expr::Group(inner) => is_event(&inner.expr),
        _ => false,
    }
}

/// The parts between the `&&` of a condition.
fn parts(condition: &Expr) -> Vec<&Expr> {
    let (mut parts, mut rest) = (Vec::new(), condition);
    while let Expr::Binary(both) = rest
        && matches!(both.op, BinOp::And(_))
    {
        parts.push(&*both.right);
        rest = &both.left;
    }
    parts.push(rest);
    parts.reverse();
    parts
}

/// The arguments of `matches!`.
fn pattern_of(input: ParseStream<'_>) -> syn::Result<(Expr, Pat, Option<Expr>)> {
    let what = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Pat::parse_multi_with_leading_vert(input)?;
    let guard = input.peek(Token![if]).then(|| {
        input.parse::<Token![if]>()?;
        input.parse()
    });
    input.parse::<Option<Token![,]>>()?;
    Ok((what, pattern, guard.transpose()?))
}
