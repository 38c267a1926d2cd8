//! A bound on the nesting of a source file. The functions that read a file call themselves, and a
//! file could make them do so without end.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// The most tokens before a place since the last end of a statement or of an item, in all brackets
/// around it together.
const MAX: usize = 4_000;

/// The bytes of stack that a thread needs at most to read within this bound.
pub const STACK: usize = 256 << 20;

/// The inside of brackets during the walk.
struct Inside {
    tokens: std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    /// The tokens before the brackets.
    outside: usize,
    /// The same, with the tokens inside since the last end of a statement.
    before: usize,
    /// `true` if a `<` does, so that a comma may be in the middle of a type.
    has_angle: bool,
}

impl Inside {
    fn new(tokens: TokenStream, outside: usize) -> Self {
        let tokens = tokens.into_iter().peekable();
        Self { tokens, outside, before: outside, has_angle: false }
    }

    fn begin_anew(&mut self) {
        (self.before, self.has_angle) = (self.outside, false);
    }
}

/// The first place that is nested too deeply.
pub fn too_deep(tokens: TokenStream) -> Option<Span> {
    let mut open = vec![Inside::new(tokens, 0)];
    while let Some(inside) = open.last_mut() {
        let Some(token) = inside.tokens.next() else {
            open.pop();
            continue;
        };
        inside.before += 1;
        if inside.before > MAX {
            return Some(token.span());
        }
        match &token {
            TokenTree::Group(group) => {
                let depth = inside.before;
                let goes_on = match inside.tokens.peek() {
                    Some(TokenTree::Ident(word)) => word == "else",
                    Some(TokenTree::Punct(sign)) => sign.as_char() != '#',
                    _ => false,
                };
                if group.delimiter() == Delimiter::Brace && !goes_on {
                    inside.begin_anew();
                }
                open.push(Inside::new(group.stream(), depth));
            }
            TokenTree::Punct(sign) => match sign.as_char() {
                '<' => inside.has_angle = true,
                ';' => inside.begin_anew(),
                ',' if !inside.has_angle => inside.begin_anew(),
                _ => {}
            },
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        too_deep(text.parse().unwrap()).is_some()
    }

    #[test]
    fn long_files_pass_and_deep_ones_do_not() {
        assert!(!refused(
            &"#[a] fn f(x: A<B, C>) -> u8 { g(1, 2); if a { b } else { c } }".repeat(900)
        ));
        assert!(!refused(&format!("const A: [u8; 9000] = [{}];", "1, ".repeat(9000))));
        assert!(refused(&format!("fn f() {{ {}1{} }}", "(".repeat(5000), ")".repeat(5000))));
        assert!(refused(&format!("fn f() {{ {}1 }}", "!".repeat(5000))));
        assert!(refused(&format!("type A = {}B{};", "A<B, ".repeat(2000), ">".repeat(2000))));
        assert!(refused(&format!("fn f() {{ {} {{}} }}", "if a {} else ".repeat(2000))));
    }
}
