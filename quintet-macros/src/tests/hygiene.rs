//! The expansion names nothing of the prelude and no primitive type by its bare name. So it
//! compiles beside an item of the user that is called `FnOnce` or `u8`.

use proc_macro2::{TokenStream, TokenTree};

use super::Input;

/// Each kind of task, with everything that makes code of its own; the user's words are paths.
const APPLICATION: &str = "
#[quintet::app(device = lm3s6965, dispatchers = [SSI0, UART0, UART1])]
mod app {
    #[shared] struct Shared { a: Number, b: Number }
    #[local] struct Local {}
    #[init] fn init(cx: init::Context) -> (Shared, Local) { start() }
    #[task(binds = GPIOA, priority = 2, shared = [a, &b], local = [z: Number = ZERO])]
    fn hardware(cx: hardware::Context) {}
    #[task(priority = 1, shared = [a, &b])]
    async fn software(cx: software::Context, x: Number) {}
    #[task(priority = 3, capacity = 3)]
    fn plain(cx: plain::Context, x: Number) {}
    #[task(priority = 3, instances = 2)]
    async fn several(cx: several::Context, x: Number) {}
    #[task(priority = 3, joinable)]
    async fn joinable(cx: joinable::Context) {}
    #[task(priority = 3, local_task)]
    async fn local(cx: local::Context, p: Pointer) {}
    #[actor(priority = 3, queue = 2, first = ZERO, shared = [a])]
    fn actor(cx: actor::Context, e: Number) {}
    #[actor(priority = 3, queue = 2, instances = 2, subscribe = [Topic])]
    async fn actors(cx: actors::Context, e: Topic) {}
    #[thread(priority = 1, stack = SIZE, shared = [a], slice_us = 100)]
    fn thread(cx: thread::Context) {}
    #[thread(priority = 1, stack = SIZE, instances = 2)]
    fn threads(cx: threads::Context, x: Number) {}
}
";

/// Names that a user may give to something else.
const BARE: [&str; 38] = [
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "isize",
    "bool",
    "char",
    "str",
    "f32",
    "f64",
    "Some",
    "None",
    "Ok",
    "Err",
    "Option",
    "Result",
    "FnOnce",
    "FnMut",
    "Fn",
    "Future",
    "Send",
    "Sync",
    "Drop",
    "drop",
    "Clone",
    "Copy",
    "Default",
    "From",
    "Into",
    "Iterator",
    "assert",
    "panic",
    "unreachable",
];

/// The bare names in a stream, each with what stands behind it.
fn bare(stream: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                // A derive and other attributes are paths of the compiler's own.
                let is_attribute = at > 0 && is_sign(&tokens[at - 1], '#');
                if !is_attribute {
                    bare(group.stream(), found);
                }
            }
            TokenTree::Ident(name) if BARE.contains(&name.to_string().as_str()) => {
                // Behind `::`, behind a dot, as a function's or a field's own name: no use of it.
                let before = at.checked_sub(1).map(|before| &tokens[before]);
                let is_path = before.is_some_and(|one| is_sign(one, ':') || is_sign(one, '.'));
                let is_path = is_path && !is_type(&tokens, at);
                let is_own = before.is_some_and(|one| one.to_string() == "fn");
                if !is_path && !is_own {
                    let near = &tokens[at.saturating_sub(4)..tokens.len().min(at + 4)];
                    found.push(near.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
                }
            }
            _ => {}
        }
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Returns `true` behind a single colon, as in `name: u8`.
fn is_type(tokens: &[TokenTree], at: usize) -> bool {
    is_sign(&tokens[at - 1], ':') && !(at > 1 && is_sign(&tokens[at - 2], ':'))
}

#[test]
fn the_expansion_has_no_bare_names() {
    let refused = Input::of_file(APPLICATION).analyse().err();
    let refused = refused.map(|error| error.into_iter().map(|one| one.to_string()).collect());
    assert_eq!(refused, None::<Vec<String>>);
    let input = Input::of_file(APPLICATION);
    let mut found = Vec::new();
    bare(crate::expand(input.arguments, input.item), &mut found);
    assert!(found.is_empty(), "{} bare names:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_bare_name_would_be_found() {
    let found = |text: &str| {
        let mut found = Vec::new();
        bare(text.parse().expect("tokens"), &mut found);
        found.len()
    };
    let bare = "fn f(a: u8, g: impl FnOnce(bool)) { let x = Some(b as u16); drop(x); assert!(x) }";
    assert_eq!(found(bare), 7);
    let paths = "#[derive(Clone)] fn drop(a: ::core::primitive::u8) { a.drop(); \
                 ::core::option::Option::Some(1_u8) }";
    assert_eq!(found(paths), 0);
}
