//! The small changes that are made to an expression, a function's answer or a statement.

use proc_macro2::Span;
use syn::{
    BinOp, Expr, ExprBinary, ExprLit, ExprMethodCall, ExprUnary, GenericArgument, Ident, Lit,
    LitInt, PathArguments, ReturnType, Stmt, Type, UnOp, parse_quote,
};

/// Calls whose effect no test on the host can see, so that they are left in place: orders of
/// accesses that only a processor or its compiler could change, and hints.
const WITHOUT_EFFECT: [&str; 6] =
    ["compiler_fence", "fence", "spin_loop", "rarely", "signal_event", "black_box"];

/// Methods, and the method in the place of each.
const METHODS: [(&str, &str); 16] = [
    ("min", "max"),
    ("max", "min"),
    ("is_some", "is_none"),
    ("is_none", "is_some"),
    ("is_ok", "is_err"),
    ("is_err", "is_ok"),
    ("any", "all"),
    ("all", "any"),
    ("wrapping_add", "wrapping_sub"),
    ("wrapping_sub", "wrapping_add"),
    ("saturating_add", "saturating_sub"),
    ("saturating_sub", "saturating_add"),
    ("leading_zeros", "trailing_zeros"),
    ("trailing_zeros", "leading_zeros"),
    ("first", "last"),
    ("last", "first"),
];

/// Returns the expressions in the place of one.
pub fn of_expression(expression: &Expr) -> Vec<Expr> {
    match expression {
        Expr::Binary(binary) => of_binary(binary),
        Expr::Unary(ExprUnary { op: UnOp::Not(_) | UnOp::Neg(_), expr, .. }) => {
            vec![Expr::clone(expr)]
        }
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => of_number(number),
        Expr::MethodCall(call) => of_method(call),
        _ => Vec::new(),
    }
}

fn of_binary(binary: &ExprBinary) -> Vec<Expr> {
    let mut found: Vec<Expr> = operators(&binary.op)
        .into_iter()
        .map(|op| Expr::Binary(ExprBinary { op, ..binary.clone() }))
        .collect();
    // A constant beside an operator, one more and one less.
    for (is_left, side) in [(true, &binary.left), (false, &binary.right)] {
        if is_constant(side) {
            let near: [Expr; 2] = [parse_quote!((#side + 1)), parse_quote!((#side - 1))];
            found.extend(near.map(|near| {
                let mut changed = binary.clone();
                **if is_left { &mut changed.left } else { &mut changed.right } = near;
                Expr::Binary(changed)
            }));
        }
    }
    found
}

/// Returns the operators in the place of one.
fn operators(operator: &BinOp) -> Vec<BinOp> {
    match operator {
        BinOp::Lt(_) => vec![parse_quote!(<=), parse_quote!(>=)],
        BinOp::Le(_) => vec![parse_quote!(<), parse_quote!(>)],
        BinOp::Gt(_) => vec![parse_quote!(>=), parse_quote!(<=)],
        BinOp::Ge(_) => vec![parse_quote!(>), parse_quote!(<)],
        BinOp::Eq(_) => vec![parse_quote!(!=)],
        BinOp::Ne(_) => vec![parse_quote!(==)],
        BinOp::Add(_) => vec![parse_quote!(-)],
        BinOp::Sub(_) => vec![parse_quote!(+)],
        BinOp::Mul(_) => vec![parse_quote!(+)],
        BinOp::Div(_) => vec![parse_quote!(*)],
        BinOp::Rem(_) => vec![parse_quote!(/)],
        BinOp::Shl(_) => vec![parse_quote!(>>)],
        BinOp::Shr(_) => vec![parse_quote!(<<)],
        BinOp::BitAnd(_) => vec![parse_quote!(|)],
        BinOp::BitOr(_) => vec![parse_quote!(&)],
        BinOp::BitXor(_) => vec![parse_quote!(|)],
        BinOp::And(_) => vec![parse_quote!(||)],
        BinOp::Or(_) => vec![parse_quote!(&&)],
        BinOp::AddAssign(_) => vec![parse_quote!(-=)],
        BinOp::SubAssign(_) => vec![parse_quote!(+=)],
        BinOp::BitAndAssign(_) => vec![parse_quote!(|=)],
        BinOp::BitOrAssign(_) => vec![parse_quote!(&=)],
        BinOp::ShlAssign(_) => vec![parse_quote!(>>=)],
        BinOp::ShrAssign(_) => vec![parse_quote!(<<=)],
        _ => Vec::new(),
    }
}

/// Returns `true` if an expression is the name of a constant.
fn is_constant(expression: &Expr) -> bool {
    let Expr::Path(path) = expression else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    name.len() > 1
        && last.arguments.is_none()
        && name.chars().all(|letter| letter.is_ascii_uppercase() || "_0123456789".contains(letter))
}

/// Returns the numbers beside one.
fn of_number(number: &LitInt) -> Vec<Expr> {
    let Ok(value) = number.base10_parse::<u128>() else { return Vec::new() };
    let near = [Some(value + 1), value.checked_sub(1)];
    let literal = |value: u128| {
        let text = format!("{value}{}", number.suffix());
        Expr::Lit(ExprLit { attrs: Vec::new(), lit: LitInt::new(&text, Span::call_site()).into() })
    };
    near.into_iter().flatten().map(literal).collect()
}

fn of_method(call: &ExprMethodCall) -> Vec<Expr> {
    let name = call.method.to_string();
    let Some((_, other)) = METHODS.iter().find(|(method, _)| *method == name) else {
        return Vec::new();
    };
    let method = Ident::new(other, Span::call_site());
    let mut found = vec![Expr::MethodCall(ExprMethodCall { method, ..call.clone() })];
    if let ("min" | "max", Some(argument)) = (name.as_str(), call.args.first()) {
        found.extend([Expr::clone(&call.receiver), argument.clone()]);
    }
    found
}

/// Returns the answers in the place of all that a function does. `()` is an early end.
pub fn of_answer(output: &ReturnType) -> Vec<Expr> {
    let ReturnType::Type(_, output) = output else { return vec![parse_quote!(())] };
    let Type::Path(path) = &**output else { return Vec::new() };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let first = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.first(),
        _ => None,
    };
    let is_unit = matches!(first, Some(GenericArgument::Type(Type::Tuple(tuple)))
        if tuple.elems.is_empty());
    match last.ident.to_string().as_str() {
        "bool" => vec![parse_quote!(true), parse_quote!(false)],
        "u8" | "u16" | "u32" | "u64" | "usize" => vec![parse_quote!(0), parse_quote!(1)],
        "Option" => vec![parse_quote!(None)],
        "Result" if first.is_none() || is_unit => vec![parse_quote!(Ok(()))],
        "Poll" if is_unit => {
            vec![parse_quote!(::core::task::Poll::Ready(())), pending()]
        }
        "Poll" => vec![pending()],
        _ => Vec::new(),
    }
}

fn pending() -> Expr {
    parse_quote!(::core::task::Poll::Pending)
}

/// Returns the statement's expression, if leaving the statement out is a change.
pub fn deletable(statement: &Stmt) -> Option<&Expr> {
    let Stmt::Expr(expression, Some(_)) = statement else { return None };
    is_deletable(expression).then_some(expression)
}

/// Returns `true` if leaving an expression out, whose value isn't used, is a change.
pub fn is_deletable(expression: &Expr) -> bool {
    match expression {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path
                .path
                .segments
                .last()
                .is_none_or(|last| !WITHOUT_EFFECT.iter().any(|name| last.ident == name)),
            _ => true,
        },
        Expr::MethodCall(_) | Expr::Assign(_) | Expr::Try(_) => true,
        Expr::Binary(binary) => matches!(
            binary.op,
            BinOp::AddAssign(_)
                | BinOp::SubAssign(_)
                | BinOp::BitAndAssign(_)
                | BinOp::BitOrAssign(_)
                | BinOp::BitXorAssign(_)
                | BinOp::ShlAssign(_)
                | BinOp::ShrAssign(_)
                | BinOp::MulAssign(_)
                | BinOp::DivAssign(_)
        ),
        _ => false,
    }
}
