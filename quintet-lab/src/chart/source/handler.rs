//! A handler, followed to the places where it gives an outcome.

use super::{Reading, event_text, text, word};
use crate::chart::{Edge, Kind, Reaction};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Arm, Block, Expr, ExprIf, ExprMatch, ExprReturn, Pat, Stmt};

/// How many letters of an action are shown.
const ACTION_MAX: usize = 64;

/// What leads to a place of a handler.
#[derive(Clone, Default)]
struct Way {
    event: Option<String>,
    guards: Vec<String>,
    actions: Vec<String>,
}

impl Way {
    fn if_so(&self, guard: String) -> Self {
        let mut way = self.clone();
        way.guards.push(guard);
        way
    }

    fn reaction(&self) -> Reaction {
        let joined =
            |parts: &[String], between: &str| (!parts.is_empty()).then(|| parts.join(between));
        let action = joined(&self.actions, "; ").map(|text| shortened(&text));
        Reaction { event: self.event.clone(), guard: joined(&self.guards, " && "), action }
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= ACTION_MAX {
        return text.to_owned();
    }
    format!("{}...", text.chars().take(ACTION_MAX).collect::<String>().trim_end())
}

/// Adds what the body of a handler does to the drawing: of the handler of events, or of that which
/// is asked on completion.
pub fn follow(
    reading: &mut Reading<'_>,
    state: usize,
    body: &Block,
    events: bool,
) -> syn::Result<()> {
    let way = Way { event: events.then(|| "any event".to_owned()), ..Way::default() };
    Follower { reading, state }.block(body, way, true)
}

struct Follower<'a, 'b> {
    reading: &'a mut Reading<'b>,
    state: usize,
}

impl Follower<'_, '_> {
    /// The last expression of the handler's own blocks is its value.
    fn block(&mut self, block: &Block, mut way: Way, is_value: bool) -> syn::Result<()> {
        for (index, statement) in block.stmts.iter().enumerate() {
            let last = index + 1 == block.stmts.len();
            match statement {
                Stmt::Expr(expression, None) if last => {
                    self.expression(expression, way.clone(), is_value)?;
                }
                Stmt::Expr(expression, _) if gives(expression) => {
                    self.expression(expression, way.clone(), false)?;
                    if let Expr::If(choice) = expression
                        && is_early_return(choice)
                    {
                        way.guards.push("else".into());
                    }
                }
                Stmt::Expr(expression, _) => way.actions.push(text(expression)),
                Stmt::Macro(call) => {
                    way.actions.push(text(call).trim_end_matches(';').to_owned());
                }
                Stmt::Local(local) => {
                    let otherwise = local.init.as_ref().and_then(|init| init.diverge.as_ref());
                    if let Some((_, otherwise)) = otherwise {
                        self.expression(otherwise, way.if_so("else".into()), false)?;
                    }
                }
                Stmt::Item(_) => {}
            }
        }
        Ok(())
    }

    fn expression(&mut self, expression: &Expr, way: Way, is_value: bool) -> syn::Result<()> {
        match expression {
            Expr::Return(ExprReturn { expr: Some(value), .. }) => self.expression(value, way, true),
            Expr::Paren(inner) => self.expression(&inner.expr, way, is_value),
            Expr::Group(inner) => self.expression(&inner.expr, way, is_value),
            Expr::Block(inner) => self.block(&inner.block, way, is_value),
            Expr::Unsafe(inner) => self.block(&inner.block, way, is_value),
            Expr::Loop(inner) => self.block(&inner.body, way, false),
            Expr::While(inner) => self.block(&inner.body, way, false),
            Expr::ForLoop(inner) => self.block(&inner.body, way, false),
            Expr::If(choice) => self.choice(choice, &way, is_value),
            Expr::Match(choice) => {
                for arm in &choice.arms {
                    let way = matched(choice, arm, &way);
                    self.expression(&arm.body, way, is_value)?;
                }
                Ok(())
            }
            value if is_value => self.outcome(value, way),
            _ => Ok(()),
        }
    }

    fn choice(&mut self, choice: &ExprIf, way: &Way, is_value: bool) -> syn::Result<()> {
        let mut then = way.clone();
        match &*choice.cond {
            Expr::Let(condition) if is_event(&condition.expr) => {
                then.event = Some(event_text(&condition.pat));
            }
            condition => then.guards.push(text(condition)),
        }
        self.block(&choice.then_branch, then, is_value)?;
        let Some((_, otherwise)) = &choice.else_branch else { return Ok(()) };
        // The next condition says enough.
        let is_next = matches!(**otherwise, Expr::If(_));
        let otherwise_way = if is_next { way.clone() } else { way.if_so("else".into()) };
        self.expression(otherwise, otherwise_way, is_value)
    }

    fn outcome(&mut self, value: &Expr, mut way: Way) -> syn::Result<()> {
        if let Expr::Path(_) = value {
            match word(value).as_str() {
                "Handled" if way.event.is_some() => {
                    self.reading.drawing.states[self.state].internal.push(way.reaction());
                }
                "Deferred" => {
                    let reaction = Reaction { action: None, ..way.reaction() };
                    self.reading.drawing.states[self.state].defer.push(reaction.text());
                }
                _ => {}
            }
            return Ok(());
        }
        let Expr::Call(call) = value else { return Ok(()) };
        let kind = match word(&call.func).as_str() {
            "Transition" => Kind::External,
            "Local" => Kind::Local,
            "History" => Kind::History,
            "DeepHistory" => Kind::DeepHistory,
            _ => return Ok(()),
        };
        let Some(target) = call.args.first() else { return Ok(()) };
        match call.args.get(1) {
            Some(Expr::Closure(action)) => way.actions.push(inner_text(&action.body)),
            Some(action) => way.actions.push(text(action)),
            None => {}
        }
        let to = self.reading.state(target)?;
        let edge = Edge { from: self.state, to, kind, reaction: way.reaction() };
        self.reading.drawing.edges.push(edge);
        Ok(())
    }
}

/// The text of a block without its braces, and of anything else whole.
fn inner_text(body: &Expr) -> String {
    let whole = text(body);
    let inner = whole.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
    inner.map_or(whole.as_str(), str::trim).trim_end_matches(';').to_owned()
}

fn matched(choice: &ExprMatch, arm: &Arm, way: &Way) -> Way {
    let mut way = way.clone();
    if is_event(&choice.expr) {
        way.event = Some(match arm.pat {
            Pat::Wild(_) => "any other event".to_owned(),
            _ => event_text(&arm.pat),
        });
    } else {
        way.guards.push(match arm.pat {
            Pat::Wild(_) => "else".to_owned(),
            _ => format!("{} is {}", text(&*choice.expr), text(&arm.pat)),
        });
    }
    if let Some((_, guard)) = &arm.guard {
        way.guards.push(text(&**guard));
    }
    way
}

/// Whether an expression looks at the event: it has its name.
fn is_event(expression: &Expr) -> bool {
    let names = |tree: proc_macro2::TokenTree| tree.to_string() == "event";
    expression.to_token_stream().into_iter().any(names)
}

/// Whether what stands behind a condition only runs where it doesn't hold. Of an event's pattern
/// nothing is said: what is left are the other events.
fn is_early_return(choice: &ExprIf) -> bool {
    let is_pattern = matches!(&*choice.cond, Expr::Let(condition) if is_event(&condition.expr));
    let last = choice.then_branch.stmts.last();
    let returns = matches!(last, Some(Stmt::Expr(Expr::Return(_), _)));
    returns && choice.else_branch.is_none() && !is_pattern
}

/// Whether an expression may end the handler.
fn gives(expression: &Expr) -> bool {
    struct Returns(bool);
    impl<'a> Visit<'a> for Returns {
        fn visit_expr_return(&mut self, _: &'a ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'a syn::ExprClosure) {}
        fn visit_expr(&mut self, expression: &'a Expr) {
            visit::visit_expr(self, expression);
        }
    }
    let mut returns = Returns(false);
    returns.visit_expr(expression);
    returns.0
}
