//! Makes a program smaller that breaks a bound.
//!
//! Functions that nothing calls go first, then one statement after the other, as long as the same
//! input still breaks a bound. Each attempt is a build.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;

use super::examine::{Broken, Examined};
use super::program::{Expr, Program, Stmt, TABLE};
use super::target::{Target, scratch};

/// The most builds.
const BUILDS: usize = 80;

/// The smallest program that was found, with its input and its code.
pub fn report(program: &Program, target: &Target, broken: &Broken) -> Result<String> {
    let name = format!("f{}", broken.called);
    let mut builds = 0;
    let mut best = program.clone();
    let mut still = |candidate: &Program| -> Result<bool> {
        builds += 1;
        let run = (broken.called, &broken.input, &broken.arrivals[..]);
        Ok(builds <= BUILDS && super::breaks(candidate, target, &name, run)?.is_some())
    };
    eprintln!("{}; looking for a smaller program", broken.what);
    let mut alone = only_needed(program, broken.called);
    if still(&alone)? {
        best = alone.clone();
    }
    let functions = alone.functions.iter_mut().flatten().chain(&mut alone.handlers);
    functions.for_each(|one| one.result = Expr::Variable(0));
    if still(&alone)? {
        best = alone.clone();
    }
    alone.handlers.iter_mut().for_each(|one| one.body.clear());
    if still(&alone)? {
        best = alone;
    }
    let mut place = 0;
    while let Some(candidates) = at(&best, place) {
        let mut is_smaller = false;
        for candidate in candidates {
            let candidate = only_needed(&candidate, broken.called);
            if candidate != best && still(&candidate)? {
                (best, is_smaller) = (candidate, true);
                break;
            }
        }
        // What stands there now may go as well.
        place += usize::from(!is_smaller);
    }
    let run = (broken.called, &broken.input, &broken.arrivals[..]);
    let found = super::breaks(&best, target, &name, run)?;
    let (broken, listing) = match &found {
        Some((broken, examined)) => (broken, listing(examined, broken.entry)),
        None => (broken, String::new()),
    };
    let input = &broken.input;
    Ok(format!(
        "The smallest program found: {}\n{}\nin {}\nx {:#x}, y {:#x}, p DATA + {}, q DATA + {}\n\
         STATE {:x?}\nDATA {:x?}\ninterrupts {:?}\n{listing}",
        broken.what,
        target.source(&best),
        scratch("smaller").display(),
        input.numbers[0],
        input.numbers[1],
        input.offsets[0],
        input.offsets[1],
        input.state,
        input.data,
        broken.arrivals,
    ))
}

/// The instructions of a function, up to the next symbol.
fn listing(examined: &Examined, entry: u32) -> String {
    let symbols = examined.firmware.image.symbols.iter().map(|symbol| symbol.address & !1);
    let end = symbols.filter(|address| *address > entry).min().unwrap_or(entry).min(entry + 800);
    let half =
        |address: u32| quintet_lab::firmware::code::halfword(&examined.firmware.image, address);
    let mut text = String::new();
    let mut address = entry;
    while address < end
        && let Some(first) = half(address)
    {
        let second = half(address + 2).unwrap_or_default();
        let one = decode(first, second, Architecture::V7EM);
        let code = if one.length == 2 {
            format!("{first:04x}")
        } else {
            format!("{first:04x} {second:04x}")
        };
        // Writing to a string doesn't fail.
        let _ = writeln!(text, "{address:8x}: {code:10} {:?}", one.operation);
        address += u32::from(one.length);
    }
    text
}

/// The program without the functions that a function doesn't need.
fn only_needed(program: &Program, called: usize) -> Program {
    let mut needed = BTreeSet::from([called as u32]);
    let mut left = vec![called as u32];
    while let Some(number) = left.pop() {
        let Some(Some(function)) = program.functions.get(number as usize) else { continue };
        let mut callees = BTreeSet::new();
        function.body.iter().for_each(|one| of_statement(one, &mut callees));
        of_value(&function.result, &mut callees);
        left.extend(callees.into_iter().filter(|callee| needed.insert(*callee)));
    }
    let mut smaller = program.clone();
    for (number, function) in smaller.functions.iter_mut().enumerate() {
        if !needed.contains(&(number as u32)) {
            *function = None;
        }
    }
    smaller
}

/// The functions that a statement calls.
fn of_statement(one: &Stmt, callees: &mut BTreeSet<u32>) {
    values(one).into_iter().for_each(|value| of_value(value, callees));
    inner(one).into_iter().flatten().for_each(|one| of_statement(one, callees));
}

fn of_value(one: &Expr, callees: &mut BTreeSet<u32>) {
    match one {
        Expr::Call(number, both) => {
            callees.insert(*number);
            both.iter().for_each(|one| of_value(one, callees));
        }
        Expr::Table { arguments, .. } => {
            callees.extend(0..TABLE);
            arguments.iter().for_each(|one| of_value(one, callees));
        }
        Expr::Load(_, _, Some(of))
        | Expr::Field(of, ..)
        | Expr::LeadingZeros(of)
        | Expr::SwapBytes(of) => of_value(of, callees),
        Expr::Binary(_, both)
        | Expr::Compare(_, both)
        | Expr::Single(_, both)
        | Expr::Double(_, both)
        | Expr::Method(both) => both.iter().for_each(|one| of_value(one, callees)),
        Expr::Select(all) | Expr::Wide(_, all) => all.iter().for_each(|one| of_value(one, callees)),
        _ => {}
    }
}

/// The values of a statement itself.
fn values(one: &Stmt) -> Vec<&Expr> {
    use super::program::{Mask, Rounds};
    match one {
        Stmt::Assign(_, value)
        | Stmt::State(_, value)
        | Stmt::If(value, ..)
        | Stmt::Switch { of: value, .. }
        | Stmt::Goto { of: value, .. }
        | Stmt::Break(value)
        | Stmt::Continue(value)
        | Stmt::Device(value)
        | Stmt::Bit { value, .. }
        | Stmt::Masked(Mask::Value(value), _)
        | Stmt::Atomic(_, _, value) => vec![value],
        Stmt::Store(_, _, index, value) => index.iter().chain([value]).collect(),
        Stmt::Return(condition, value) => vec![condition, value],
        Stmt::Copy { value, .. } | Stmt::Fill { value, .. } => value.iter().collect(),
        Stmt::Loop {
            rounds:
                Rounds::Clamped(value, _)
                | Rounds::Bits(value)
                | Rounds::Shifts(value, _)
                | Rounds::Skips(_, value)
                | Rounds::Resets(_, value, _)
                | Rounds::Steps(_, value, _),
            ..
        } => vec![value],
        _ => Vec::new(),
    }
}

/// The statements within a statement.
fn inner(one: &Stmt) -> Vec<&Vec<Stmt>> {
    match one {
        Stmt::If(_, then, other) => vec![then, other],
        Stmt::Loop { body, .. } | Stmt::Masked(_, body) => vec![body],
        Stmt::Switch { arms, .. } | Stmt::Goto { arms, .. } => arms.iter().collect(),
        _ => Vec::new(),
    }
}

fn inner_mut(one: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match one {
        Stmt::If(_, then, other) => vec![then, other],
        Stmt::Loop { body, .. } | Stmt::Masked(_, body) => vec![body],
        Stmt::Switch { arms, .. } | Stmt::Goto { arms, .. } => arms.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// The programs with less at a place; none behind the last place. Places are those of all
/// statements, and then the results of functions and the handlers.
fn at(program: &Program, place: usize) -> Option<Vec<Program>> {
    let mut all = Vec::new();
    for edit in [remove, unwrap, simplify] {
        let mut smaller = program.clone();
        let mut left = place;
        let functions = smaller.functions.iter_mut().flatten();
        let bodies = functions.map(|one| &mut one.body);
        let mut bodies = bodies.chain(smaller.handlers.iter_mut().map(|one| &mut one.body));
        let is_there = bodies.any(|body| within(body, &mut left, edit));
        if !is_there {
            return None;
        }
        all.push(smaller);
    }
    Some(all)
}

/// Edits the statement of a number among all in a body, those within others behind these.
fn within(body: &mut Vec<Stmt>, left: &mut usize, edit: fn(&mut Vec<Stmt>, usize)) -> bool {
    for index in 0..body.len() {
        if *left == 0 {
            edit(body, index);
            return true;
        }
        *left -= 1;
        if inner_mut(&mut body[index]).into_iter().any(|inner| within(inner, left, edit)) {
            return true;
        }
    }
    false
}

fn remove(body: &mut Vec<Stmt>, index: usize) {
    body.remove(index);
}

/// Puts what is within a statement in its place.
fn unwrap(body: &mut Vec<Stmt>, index: usize) {
    let is_loop = matches!(body[index], Stmt::Loop { .. });
    let inner: Vec<Stmt> = inner(&body[index]).into_iter().flatten().cloned().collect();
    if !inner.is_empty() && !is_loop {
        body.splice(index..=index, inner);
    }
}

/// Puts a variable in the place of what a statement assigns.
#[allow(clippy::ptr_arg, reason = "edits have one type, and others change the length")]
fn simplify(body: &mut Vec<Stmt>, index: usize) {
    match &mut body[index] {
        Stmt::Assign(_, value) | Stmt::State(_, value) => match value {
            Expr::Binary(_, both) => *value = both[0].clone(),
            _ => *value = Expr::Variable(0),
        },
        Stmt::If(_, _, other) => other.clear(),
        Stmt::Switch { arms, .. } | Stmt::Goto { arms, .. } => arms.truncate(4),
        _ => {}
    }
}
