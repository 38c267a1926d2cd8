//! What a Rust file imports from its own crate: the paths of its `use` declarations, and those that
//! begin with `crate::` or `super::` anywhere else.
//!
//! The file is read as words and signs, as rustfmt has it. Comments, texts and modules of tests
//! don't count. A path that begins with `$crate` belongs to a macro, and is resolved at the macro's
//! use.

/// A path that a file names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The line, from 1.
    pub line: usize,
    /// The words from the root of the crate on, without `crate`.
    pub path: Vec<String>,
}

/// A word or a sign of the file, with its line.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    line: usize,
    text: &'a str,
}

/// All imports of the text of the module `module`, whose words these are.
pub fn imports(text: &str, module: &[&str]) -> Vec<Import> {
    let tokens = tokens(text);
    let children = children(&tokens);
    let mut reader = Reader { tokens: &tokens, at: 0, children, found: Vec::new() };
    let module = module.iter().map(|word| (*word).to_owned()).collect();
    reader.block(&module, true);
    reader.found
}

/// The words and signs outside of comments and texts. `::` is one sign.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => text_length(rest),
            '\'' => character_length(rest),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        if !first.is_whitespace() && !token.starts_with("//") && first != '"' && first != '\'' {
            found.push(Token { line, text: token });
        }
        line += token.matches('\n').count();
        rest = behind;
    }
    found
}

/// The bytes up to the end of the text that begins here.
fn text_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// Returns the bytes of a character's literal. For a lifetime, only its sign.
fn character_length(rest: &str) -> usize {
    if rest[1..].starts_with('\\') {
        return rest[3..].find('\'').map_or(rest.len(), |end| end + 4);
    }
    let mut characters = rest.char_indices().skip(2);
    characters.next().filter(|(_, third)| *third == '\'').map_or(1, |(at, _)| at + 1)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The modules that the file declares, and doesn't hold.
fn children(tokens: &[Token<'_>]) -> Vec<String> {
    let declarations = tokens.windows(3).filter(|three| three[0].text == "mod");
    let elsewhere = declarations.filter(|three| three[2].text == ";");
    elsewhere.map(|three| three[1].text.to_owned()).collect()
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    children: Vec<String>,
    found: Vec<Import>,
}

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// Returns `true` if the token there stands behind `#[cfg(test)]`.
    fn is_for_tests(&self, at: usize) -> bool {
        let words = ["#", "[", "cfg", "(", "test", ")", "]"];
        let at = if self.text(at.wrapping_sub(1)) == "pub" { at - 1 } else { at };
        at >= words.len() && (0..words.len()).all(|n| self.text(at - words.len() + n) == words[n])
    }

    /// Reads up to the brace that closes this block, or to the end of the file.
    fn block(&mut self, module: &Vec<String>, counts: bool) {
        while self.at < self.tokens.len() {
            match self.text(self.at) {
                "}" => return,
                "{" => self.nested(module, counts),
                "mod" if self.text(self.at + 2) == "{" => {
                    let name = self.text(self.at + 1).to_owned();
                    let counts = counts && name != "tests" && !self.is_for_tests(self.at);
                    let inner = module.iter().cloned().chain([name]).collect();
                    self.at += 2;
                    self.nested(&inner, counts);
                }
                "use" => {
                    let counts = counts && !self.is_for_tests(self.at);
                    self.at += 1;
                    self.tree(&[], module, counts);
                }
                "crate" | "super" if self.begins_a_path() => self.path(module, counts),
                _ => self.at += 1,
            }
        }
    }

    fn nested(&mut self, module: &Vec<String>, counts: bool) {
        self.at += 1;
        self.block(module, counts);
        self.at += 1;
    }

    /// Returns `true` if a path of this crate begins here. A macro's path and a visibility do not
    /// count.
    fn begins_a_path(&self) -> bool {
        let before = self.text(self.at.wrapping_sub(1));
        self.text(self.at + 1) == "::" && !matches!(before, "$" | "in" | "::")
    }

    /// Reads a path outside of a `use`.
    fn path(&mut self, module: &[String], counts: bool) {
        let line = self.tokens[self.at].line;
        let mut words = vec![self.text(self.at).to_owned()];
        self.at += 1;
        while self.text(self.at) == "::" && self.text(self.at + 1).starts_with(is_word) {
            words.push(self.text(self.at + 1).to_owned());
            self.at += 2;
        }
        // An exported macro is at the root, wherever it is defined.
        self.note(line, &words, module, counts && self.text(self.at) != "!");
    }

    /// Reads a tree of `use`, behind the words `before`.
    fn tree(&mut self, before: &[String], module: &[String], counts: bool) {
        let mut words = before.to_vec();
        let mut line = self.tokens.get(self.at).map_or(0, |token| token.line);
        while self.at < self.tokens.len() {
            let text = self.text(self.at).to_owned();
            match text.as_str() {
                ";" | "}" | "," => break,
                "{" => {
                    while matches!(self.text(self.at), "{" | ",") {
                        self.at += 1;
                        self.tree(&words, module, counts);
                    }
                    // The brace that closes the list. Nothing follows.
                    self.at += 1;
                    return;
                }
                // The import's local name has no meaning elsewhere.
                "as" => self.at += 2,
                "::" if words.is_empty() => {
                    words.push(String::new());
                    self.at += 1;
                }
                "::" => self.at += 1,
                _ => {
                    line = self.tokens[self.at].line;
                    words.push(text);
                    self.at += 1;
                }
            }
        }
        if words.len() > before.len() {
            self.note(line, &words, module, counts);
        }
    }

    /// Notes a path, if it belongs to this crate.
    fn note(&mut self, line: usize, words: &[String], module: &[String], counts: bool) {
        let Some(first) = words.first().filter(|_| counts) else { return };
        let mut path: Vec<String> = match first.as_str() {
            "crate" => Vec::new(),
            "super" | "self" => module.to_vec(),
            child if self.children.iter().any(|one| one == child) => module.to_vec(),
            _ => return,
        };
        for word in words {
            match word.as_str() {
                "crate" | "self" => {}
                "super" => drop(path.pop()),
                word => path.push(word.to_owned()),
            }
        }
        self.found.push(Import { line, path });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let one = |import: Import| format!("{} {}", import.line, import.path.join("::"));
        imports(text, &["core", "list"]).into_iter().map(one).collect()
    }

    #[test]
    fn a_tree_of_use_is_read_leaf_by_leaf() {
        let text = "use crate::core::{lock::{self, Kernel}, wake as other};\nuse super::park;\n";
        let paths = ["1 core::lock", "1 core::lock::Kernel", "1 core::wake", "2 core::park"];
        assert_eq!(found(text), paths);
        let groups = "use {\n    super::a::B,\n    ::core::cell::Cell,\n    crate::c::*,\n};";
        assert_eq!(found(groups), ["2 core::a::B", "4 c::*"]);
        assert_eq!(found("use {crate::a, {crate::b, crate::c}};"), ["1 a", "1 b", "1 c"]);
    }

    #[test]
    fn children_are_known_by_their_declaration() {
        let text = "mod link;\npub use link::Linked;\nuse other::Linked;\n";
        assert_eq!(found(text), ["2 core::list::link::Linked"]);
    }

    #[test]
    fn paths_outside_of_use_count_where_the_code_is() {
        let text = "fn a() {\n    crate::arch::pend();\n    $crate::export::b();\n}\n";
        assert_eq!(found(text), ["2 arch::pend"]);
        assert_eq!(found("crate::__fpu!(a, crate::b::c)"), ["1 b::c"]);
        assert_eq!(found("pub(in crate::core) fn a() {}\npub(super) fn b() {}"), [""; 0]);
        assert_eq!(found("// crate::arch::pend\nfn a() { \"crate::b::c\"; '\"'; }"), [""; 0]);
        assert_eq!(found("fn a<'a>() { b('\\'', super::c::d) }"), ["1 core::c::d"]);
    }

    #[test]
    fn a_module_within_the_file_is_one_step_further_in() {
        let text = "mod offset {\n    use super::Waiter;\n}\nuse super::park;";
        assert_eq!(found(text), ["2 core::list::Waiter", "4 core::park"]);
    }

    #[test]
    fn tests_may_import_what_they_want() {
        let text = "#[cfg(test)]\nmod tests {\n    use crate::thread::A;\n}\n\
                    #[cfg(test)]\npub use crate::a;\nuse crate::b;";
        assert_eq!(found(text), ["7 b"]);
    }
}
