//! All changes of a file at once: at each changed place the copy asks whether the change counts.
//!
//! ```text
//! a < b     becomes     if on(17) { a <= b } else if on(18) { a >= b } else { a < b }
//! ```
//!
//! At most one change counts in a run, so that a changed expression has its parts as they were.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, Attribute, Block, Expr, ExprBlock, ExprIf, ExprMatch,
    ExprParen, ExprRepeat, ExprWhile, Generics, ImplItemFn, ItemConst, ItemEnum, ItemFn, ItemImpl,
    ItemMod, ItemStatic, ItemStruct, ItemTrait, LitInt, Local, Pat, ReturnType, Signature, Stmt,
    Type, parse_quote,
};

use super::changes;
use super::conditions::{Place, place};

/// The first number of a change.
pub const FIRST: u32 = 16;

/// A change.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its number in the build.
    pub number: u32,
    /// The file, from the tree's root.
    pub file: String,
    /// The line in the file.
    pub line: usize,
    /// The function, behind the type or trait that it belongs to.
    pub function: String,
    /// What stands there, and what the change makes of it.
    pub change: String,
}

impl Site {
    /// Returns the name of the change, which stays when other lines of the file change.
    pub fn name(&self) -> String {
        format!("{}: {}: {}", self.file, self.function, self.change)
    }
}

/// The changes of the files so far.
pub struct Schema<'a> {
    /// All changes that are in the copy.
    pub sites: Vec<Site>,
    /// The names of the changes that the compiler refuses.
    refused: &'a HashSet<String>,
    /// How often each name has come.
    names_seen: HashMap<String, usize>,
    file: String,
    /// The types, traits and functions around the present place.
    names: Vec<String>,
    /// The number of functions around the present place.
    functions: usize,
}

impl<'a> Schema<'a> {
    /// Makes a schema without changes.
    pub fn new(refused: &'a HashSet<String>) -> Self {
        let (sites, file, names) = (Vec::new(), String::new(), Vec::new());
        Self { sites, refused, names_seen: HashMap::new(), file, names, functions: 0 }
    }

    /// Puts all changes into a file. Returns its new text.
    pub fn add(&mut self, path: &str, text: &str) -> syn::Result<String> {
        path.clone_into(&mut self.file);
        let mut file = syn::parse_file(text)?;
        // Lints that the copy breaks.
        file.attrs.retain(|attribute| !attribute.path().is_ident("deny"));
        self.visit_file_mut(&mut file);
        Ok(file.into_token_stream().to_string())
    }

    /// Notes a change. Returns its number as the copy has it, unless the compiler refuses it.
    fn site(&mut self, span: Span, change: String) -> Option<LitInt> {
        let number = FIRST + self.sites.len() as u32;
        let (file, function) = (self.file.clone(), self.names.join("::"));
        let mut site = Site { number, file, line: span.start().line, function, change };
        // Places that read alike are told apart by their order.
        let count = self.names_seen.entry(site.name()).or_insert(0);
        *count += 1;
        if *count > 1 {
            site.change = format!("{} #{count}", site.change);
        }
        if self.refused.contains(&site.name()) {
            return None;
        }
        self.sites.push(site);
        Some(LitInt::new(&number.to_string(), Span::call_site()))
    }

    /// Puts an expression behind questions whether one of these is in its place.
    fn choose(&mut self, original: &Expr, expression: &mut Expr, others: Vec<Expr>) {
        let before = words(original);
        for other in others {
            let change = format!("{before} -> {}", words(&other));
            if let Some(number) = self.site(original.span(), change) {
                let original = std::mem::replace(expression, Expr::PLACEHOLDER);
                *expression = either(&number, other, original);
            }
        }
    }

    /// Puts the body of a function behind questions whether it answers something else.
    fn answer(&mut self, signature: &Signature, block: &mut Block) {
        // One call, without an answer, is left out as a statement.
        let is_short = block.stmts.len() < 2 && signature.output == ReturnType::Default;
        if block.stmts.is_empty() || is_short {
            return;
        }
        let mut first: Vec<Stmt> = Vec::new();
        for answer in changes::of_answer(&signature.output) {
            // The body may be this very answer.
            let is_same = matches!(block.stmts.as_slice(), [Stmt::Expr(only, None)]
                if words(only) == words(&answer));
            let change = format!("answers {}", words(&answer));
            if !is_same && let Some(number) = self.site(signature.ident.span(), change) {
                first.push(parse_quote!(if crate::__mutants::on(#number) { return #answer; }));
            }
        }
        block.stmts.splice(0..0, first);
    }

    /// Visits a function, whose name is put behind those around it.
    fn function(&mut self, signature: &Signature, block: &mut Block) {
        self.names.push(signature.ident.to_string());
        self.functions += 1;
        let last = block.stmts.last().cloned();
        self.visit_block_mut(block);
        if signature.output == ReturnType::Default
            && let Some(Stmt::Expr(last, None)) = last
            && changes::is_deletable(&last)
            && let Some(Stmt::Expr(built, None)) = block.stmts.last_mut()
        {
            self.delete(&last, built);
        }
        self.answer(signature, block);
        self.functions -= 1;
        self.names.pop();
    }

    /// Puts an expression whose value isn't used behind the question whether it is left out.
    fn delete(&mut self, original: &Expr, expression: &mut Expr) {
        let attributes = take_attributes(expression);
        let change = format!("without {}", words(original));
        let built = std::mem::replace(expression, Expr::PLACEHOLDER);
        let then_branch = block_of(Stmt::Expr(built, Some(Default::default())));
        *expression = match self.site(original.span(), change) {
            Some(number) => Expr::If(ExprIf {
                attrs: attributes,
                if_token: Default::default(),
                cond: parse_quote!(!crate::__mutants::on(#number)),
                then_branch,
                else_branch: None,
            }),
            None => Expr::Block(ExprBlock { attrs: attributes, label: None, block: then_branch }),
        };
    }

    /// Puts a condition behind the questions whether it is one of these.
    fn condition(&mut self, original: &Expr, condition: &mut Expr, others: &[bool]) {
        if !has_let(original) {
            self.choose(
                original,
                condition,
                others.iter().map(|value| parse_quote!(#value)).collect(),
            );
        }
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.names.push(name);
        visit(self);
        self.names.pop();
    }
}

/// Returns the choice of an expression, if the change with this number counts, or the original.
fn either(number: &LitInt, other: Expr, original: Expr) -> Expr {
    let original = Expr::Block(ExprBlock {
        attrs: Vec::new(),
        label: None,
        block: block_of(Stmt::Expr(original, None)),
    });
    let choice = Expr::If(ExprIf {
        attrs: Vec::new(),
        if_token: Default::default(),
        cond: parse_quote!(crate::__mutants::on(#number)),
        then_branch: block_of(Stmt::Expr(other, None)),
        else_branch: Some((Default::default(), Box::new(original))),
    });
    Expr::Paren(ExprParen {
        attrs: Vec::new(),
        paren_token: Default::default(),
        expr: Box::new(choice),
    })
}

fn block_of(statement: Stmt) -> Block {
    Block { brace_token: Default::default(), stmts: vec![statement] }
}

/// Lets the body of a loop count its steps.
fn count_steps(body: &mut Block) {
    body.stmts.insert(0, parse_quote!(crate::__mutants::step();));
}

/// Returns the text of a file in which only loops count their steps.
pub fn count(text: &str) -> syn::Result<String> {
    let mut file = syn::parse_file(text)?;
    Counter.visit_file_mut(&mut file);
    Ok(file.into_token_stream().to_string())
}

/// Lets all loops count their steps.
struct Counter;

impl VisitMut for Counter {
    fn visit_expr_while_mut(&mut self, node: &mut ExprWhile) {
        visit_mut::visit_expr_while_mut(self, node);
        count_steps(&mut node.body);
    }

    fn visit_expr_loop_mut(&mut self, node: &mut syn::ExprLoop) {
        visit_mut::visit_expr_loop_mut(self, node);
        count_steps(&mut node.body);
    }
}

/// The longest text of an expression in the name of a change.
const LONGEST: usize = 120;

/// Returns the text of an expression in one line.
fn words(expression: &impl ToTokens) -> String {
    let text = expression.to_token_stream().to_string();
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (loose, tight) in [
        (" . ", "."),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" :: ", "::"),
        (" ,", ","),
        (" ;", ";"),
        ("& ", "&"),
        (" [", "["),
        ("[ ", "["),
        (" ]", "]"),
        (" ?", "?"),
        ("! ", "!"),
    ] {
        text = text.replace(loose, tight);
    }
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// Returns `true` if an expression binds names, and so must stay where it is.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

/// Takes the attributes of an expression that is a statement.
fn take_attributes(expression: &mut Expr) -> Vec<Attribute> {
    match expression {
        Expr::Call(inner) => std::mem::take(&mut inner.attrs),
        Expr::MethodCall(inner) => std::mem::take(&mut inner.attrs),
        Expr::Assign(inner) => std::mem::take(&mut inner.attrs),
        Expr::Binary(inner) => std::mem::take(&mut inner.attrs),
        Expr::Try(inner) => std::mem::take(&mut inner.attrs),
        _ => Vec::new(),
    }
}

/// Returns the attributes of an expression that may have a condition.
fn attributes(expression: &Expr) -> &[Attribute] {
    match expression {
        Expr::Call(inner) => &inner.attrs,
        Expr::MethodCall(inner) => &inner.attrs,
        Expr::Assign(inner) => &inner.attrs,
        Expr::Binary(inner) => &inner.attrs,
        Expr::Block(inner) => &inner.attrs,
        Expr::If(inner) => &inner.attrs,
        Expr::Try(inner) => &inner.attrs,
        Expr::Unsafe(inner) => &inner.attrs,
        Expr::Return(inner) => &inner.attrs,
        Expr::Match(inner) => &inner.attrs,
        _ => &[],
    }
}

/// Returns `true` if the tests build what has these attributes, and a target has it too.
fn is_examined(attributes: &[Attribute]) -> bool {
    place(attributes) == Place::Both
        && !attributes.iter().any(|one| one.path().is_ident("test") || one.path().is_ident("naked"))
}

impl VisitMut for Schema<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if !is_examined(attributes(expression)) {
            return;
        }
        let original = expression.clone();
        visit_mut::visit_expr_mut(self, expression);
        let binds = has_let(&original);
        if self.functions > 0 && !binds && attributes(&original).is_empty() {
            self.choose(&original, expression, changes::of_expression(&original));
        }
    }

    fn visit_expr_if_mut(&mut self, node: &mut ExprIf) {
        let condition = node.cond.clone();
        visit_mut::visit_expr_if_mut(self, node);
        self.condition(&condition, &mut node.cond, &[true, false]);
    }

    fn visit_expr_while_mut(&mut self, node: &mut ExprWhile) {
        let condition = node.cond.clone();
        visit_mut::visit_expr_while_mut(self, node);
        self.condition(&condition, &mut node.cond, &[false]);
        count_steps(&mut node.body);
    }

    fn visit_expr_loop_mut(&mut self, node: &mut syn::ExprLoop) {
        visit_mut::visit_expr_loop_mut(self, node);
        count_steps(&mut node.body);
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut syn::ExprForLoop) {
        visit_mut::visit_expr_for_loop_mut(self, node);
        count_steps(&mut node.body);
    }

    fn visit_expr_match_mut(&mut self, node: &mut ExprMatch) {
        let original = node.clone();
        visit_mut::visit_expr_match_mut(self, node);
        let is_rest = |arm: &syn::Arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none();
        let has_rest = original.arms.last().is_some_and(is_rest);
        for (before, arm) in original.arms.iter().zip(&mut node.arms) {
            match (&before.guard, &mut arm.guard) {
                (Some((_, guard)), Some((_, built))) => {
                    self.condition(guard, built, &[true, false]);
                }
                (None, built) if has_rest && !is_rest(before) => {
                    let change = format!("without the arm {}", words(&before.pat));
                    if let Some(number) = self.site(before.pat.span(), change) {
                        let guard: Expr = parse_quote!(!crate::__mutants::on(#number));
                        *built = Some((Default::default(), Box::new(guard)));
                    }
                }
                _ => {}
            }
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in &mut block.stmts {
            let original = statement.clone();
            if let Stmt::Expr(expression, _) = &original
                && !is_examined(attributes(expression))
            {
                continue;
            }
            visit_mut::visit_stmt_mut(self, statement);
            if let Some(deleted) = changes::deletable(&original)
                && let Stmt::Expr(built, end) = statement
            {
                self.delete(deleted, built);
                *end = None;
            }
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if is_examined(&local.attrs) {
            visit_mut::visit_local_mut(self, local);
        }
    }

    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        if is_examined(&item.attrs) {
            self.function(&item.sig, &mut item.block);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        if is_examined(&item.attrs) {
            self.function(&item.sig, &mut item.block);
        }
    }

    fn visit_trait_item_fn_mut(&mut self, item: &mut syn::TraitItemFn) {
        if is_examined(&item.attrs)
            && let Some(block) = &mut item.default
        {
            self.function(&item.sig, block);
        }
    }

    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        let debugs = item.trait_.as_ref().is_some_and(|(_, path, _)| {
            path.segments.last().is_some_and(|last| last.ident == "Debug")
        });
        if debugs || !is_examined(&item.attrs) {
            return;
        }
        let name = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.within(name.unwrap_or_default(), |schema| {
            visit_mut::visit_item_impl_mut(schema, item);
        });
    }

    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        if is_examined(&item.attrs) {
            let name = item.ident.to_string();
            self.within(name, |schema| {
                visit_mut::visit_item_trait_mut(schema, item);
            });
        }
    }

    fn visit_item_mod_mut(&mut self, item: &mut ItemMod) {
        if is_examined(&item.attrs) {
            visit_mut::visit_item_mod_mut(self, item);
        }
    }

    // What is computed at compile time alone, or is no expression.
    fn visit_item_const_mut(&mut self, _: &mut ItemConst) {}
    fn visit_item_static_mut(&mut self, _: &mut ItemStatic) {}
    fn visit_item_enum_mut(&mut self, _: &mut ItemEnum) {}
    fn visit_item_struct_mut(&mut self, _: &mut ItemStruct) {}
    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}
    fn visit_trait_item_const_mut(&mut self, _: &mut syn::TraitItemConst) {}
    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_generics_mut(&mut self, _: &mut Generics) {}
    fn visit_attribute_mut(&mut self, _: &mut Attribute) {}
    fn visit_angle_bracketed_generic_arguments_mut(
        &mut self,
        _: &mut AngleBracketedGenericArguments,
    ) {
    }

    fn visit_expr_repeat_mut(&mut self, node: &mut ExprRepeat) {
        self.visit_expr_mut(&mut node.expr);
    }
}

#[cfg(test)]
mod tests;
