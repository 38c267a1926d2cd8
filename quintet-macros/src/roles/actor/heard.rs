//! Calls of `publish` in the application. If nobody subscribes to the published topic, the call
//! gives a warning, and the topic is dropped.
//!
//! Only the compiler knows types. So the macro turns each call into the call of a method, of which
//! there are two. The application's method, for topics, is found first. The other method, for all
//! types, is deprecated. It takes a reference, so the compiler finds it only if there is no other.
//!
//! Some calls can't be seen, or their type isn't known yet. They stay calls of the application's
//! function, which drops the topic without a warning.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprMethodCall, GenericParam, Item, ItemFn, ItemImpl, ItemMod, ItemTrait, Pat,
    Signature, Type, UseTree, parse_quote_spanned,
};

use crate::model::{App, Body, Function};
use crate::write::framework;

/// The function that publishes.
pub const PUBLISH: &str = "publish";
/// The function that publishes, and says who had no room.
pub const TRY_PUBLISH: &str = "try_publish";

/// Rewrites the calls, if there is a function to publish with.
pub fn rewrite(app: &mut App) {
    if !app.actors().any(|(_, actor)| !actor.subscriptions.is_empty()) {
        return;
    }
    let tasks = app.tasks.iter_mut().map(|task| &mut task.function);
    let others = [
        app.init.as_mut().map(|init| &mut init.function),
        app.idle.as_mut().map(|idle| &mut idle.function),
    ];
    for function in tasks.chain(others.into_iter().flatten()) {
        rewrite_in(function);
    }
    for item in &mut app.items {
        if let Item::Fn(function) = item {
            Calls.visit_item_fn_mut(function);
        }
    }
}

/// Rewrites the calls in a function with a role.
fn rewrite_in(function: &mut Function) {
    let Body::Block(block) = &mut function.body else { return };
    let mut others = Others(false);
    others.visit_pat(&function.context.pattern);
    for argument in &function.arguments {
        others.visit_pat(&argument.pat);
    }
    others.visit_block(block);
    if !others.0 {
        Calls.visit_block_mut(block);
    }
}

struct Calls;

impl VisitMut for Calls {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let Expr::Call(call) = expr else { return };
        let (Expr::Path(path), Some(topic)) = (&*call.func, call.args.first()) else { return };
        if call.args.len() > 1 || !path.path.is_ident(PUBLISH) {
            return;
        }
        let Some(word) = path.path.get_ident() else { return };
        let quintet = framework();
        let mut method: ExprMethodCall = parse_quote_spanned! {word.span()=>
            #quintet::export::actor::Published(#topic).#word()
        };
        method.attrs.clone_from(&call.attrs);
        *expr = Expr::MethodCall(method);
    }

    /// In a generic function, the method would be found before the type is known.
    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        let mut others = Others(false);
        visit::visit_item_fn(&mut others, function);
        if !others.0 && !is_generic(&function.sig) {
            visit_mut::visit_item_fn_mut(self, function);
        }
    }

    /// Another module calls another function, or uses a path.
    fn visit_item_mod_mut(&mut self, _: &mut ItemMod) {}

    /// The functions of the block may be generic by the block.
    fn visit_item_impl_mut(&mut self, _: &mut ItemImpl) {}

    /// The functions of a trait are generic by `Self`.
    fn visit_item_trait_mut(&mut self, _: &mut ItemTrait) {}
}

/// Returns `true` if a function has type parameters.
fn is_generic(signature: &Signature) -> bool {
    struct Impls(bool);
    impl Visit<'_> for Impls {
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut impls = Impls(false);
    for input in &signature.inputs {
        impls.visit_fn_arg(input);
    }
    let mut parameters = signature.generics.params.iter();
    impls.0 || parameters.any(|one| !matches!(one, GenericParam::Lifetime(_)))
}

/// `true` if a function gives the name to an item of its own, or may do so by an import with `*`.
struct Others(bool);

impl Visit<'_> for Others {
    fn visit_pat(&mut self, pattern: &Pat) {
        if let Pat::Ident(one) = pattern {
            self.0 |= one.ident == PUBLISH;
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_block(&mut self, block: &Block) {
        for statement in &block.stmts {
            let syn::Stmt::Item(item) = statement else { continue };
            self.0 |= match item {
                Item::Use(import) => imports(&import.tree),
                Item::Fn(item) => item.sig.ident == PUBLISH,
                Item::Const(item) => item.ident == PUBLISH,
                Item::Static(item) => item.ident == PUBLISH,
                _ => false,
            };
        }
        visit::visit_block(self, block);
    }

    fn visit_type(&mut self, _: &Type) {}
}

/// Returns `true` if an import may bring in the name.
fn imports(tree: &UseTree) -> bool {
    match tree {
        UseTree::Path(path) => imports(&path.tree),
        UseTree::Name(name) => name.ident == PUBLISH,
        UseTree::Rename(rename) => rename.rename == PUBLISH,
        UseTree::Glob(_) => true,
        UseTree::Group(group) => group.items.iter().any(imports),
    }
}
