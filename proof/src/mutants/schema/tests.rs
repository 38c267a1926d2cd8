//! The changes of small texts, and the texts that ask for them.

use super::*;

/// Returns the changes of a text without those that are refused, and the new text.
fn schema_of(text: &str, refused: &[&str]) -> (Vec<Site>, String) {
    let refused = refused.iter().map(|name| (*name).to_owned()).collect();
    let mut schema = Schema::new(&refused);
    let text = schema.add("a.rs", text).expect("it is Rust");
    (schema.sites, text)
}

/// Returns the changes of a function's body, in words.
fn changes_of(text: &str) -> Vec<String> {
    schema_of(text, &[]).0.into_iter().map(|site| site.change).collect()
}

#[test]
fn comparisons_conditions_and_answers_are_changed() {
    let changes = changes_of("fn f(a: u8) -> bool { if a < MAX { return g(a); } true }");
    let expected = [
        "a < MAX -> a <= MAX",
        "a < MAX -> a >= MAX",
        "a < MAX -> a <(MAX + 1)",
        "a < MAX -> a <(MAX - 1)",
        "a < MAX -> true",
        "a < MAX -> false",
        "answers true",
        "answers false",
    ];
    assert_eq!(changes, expected);
}

#[test]
fn statements_and_arms_are_left_out() {
    let changes = changes_of("fn f(a: u8) { g(); match a { 0 if b => g(), 1 => h(), _ => {} } }");
    let expected = ["without g()", "b -> true", "b -> false", "without the arm 1", "answers ()"];
    assert_eq!(changes, expected);
    // The last call of a function without an answer; no fence, and nothing that is not called.
    assert_eq!(changes_of("fn f() { compiler_fence(x); let a = g(); a.h() }")[0], "without a.h()");
}

#[test]
fn numbers_operators_and_methods_are_changed() {
    let changes = changes_of("fn f(a: u8) -> u8 { (a.max(b) + 2) & !c }");
    let expected = [
        "a.max(b) -> a.min(b)",
        "a.max(b) -> a",
        "a.max(b) -> b",
        "2 -> 3",
        "2 -> 1",
        "a.max(b) + 2 -> a.max(b) - 2",
        "!c -> c",
        "(a.max(b) + 2) &!c -> (a.max(b) + 2) | !c",
        "answers 0",
        "answers 1",
    ];
    assert_eq!(changes, expected);
    assert_eq!(changes_of("fn f() { a && b; }"), ["a &&b -> a || b"]);
}

#[test]
fn only_code_that_is_tested_here_and_runs_on_targets_is_changed() {
    for text in [
        "const A: u8 = 1 + 2;",
        "static A: [u8; 2] = [1 + 2; 2];",
        "fn f(_: [u8; 1 + 2]) {}",
        "#[cfg(test)] fn f() { g(1); h(2); }",
        "#[cfg(processes)] fn f() { g(1); h(2); }",
        "#[cfg(test)] mod tests { fn f() { g(1); h(2); } }",
        "impl Debug for A { fn fmt(&self) -> fmt::Result { g(1) } }",
        "fn f() { #[cfg(target_os = \"none\")] g(1); }",
    ] {
        assert_eq!(changes_of(text), [""; 0], "{text}");
    }
    assert!(!changes_of("#[cfg(feature = \"time\")] fn f() { g(1); }").is_empty());
}

#[test]
fn the_text_asks_for_each_change_and_one_that_is_refused_keeps_the_others_names() {
    let text = "struct A; impl A { fn f(&self) { g(); h(); g(); } }";
    let names = |sites: &[Site]| sites.iter().map(Site::name).collect::<Vec<_>>();
    let (sites, built) = schema_of(text, &[]);
    let expected = [
        "a.rs: A::f: without g()",
        "a.rs: A::f: without h()",
        "a.rs: A::f: without g() #2",
        "a.rs: A::f: answers ()",
    ];
    assert_eq!(names(&sites), expected);
    for site in &sites {
        let asks = format!("crate :: __mutants :: on ({})", site.number);
        assert_eq!(built.matches(&asks).count(), 1, "{built}");
    }
    let (sites, built) = schema_of(text, &[expected[0]]);
    assert_eq!(names(&sites), expected[1..]);
    assert_eq!(built.matches("on (").count(), 3, "{built}");
}

/// A part of a changed expression is as it was, since one change counts at a time.
#[test]
fn changes_within_each_other_are_apart() {
    let (sites, built) = schema_of("fn f(a: u8) -> bool { a + 1 < b }", &[]);
    assert_eq!(sites.len(), 2 + 1 + 2 + 2);
    syn::parse_file(&built).expect("it is Rust");
    assert!(built.contains("{ a + 1 <= b }"), "{built}");
}

#[test]
fn loops_count_their_steps() {
    let (_, built) = schema_of("fn f() { while a { } for b in c { } loop { } }", &[]);
    let steps = |text: &str| text.matches("crate :: __mutants :: step () ;").count();
    assert_eq!(steps(&built), 3, "{built}");
    let counted = count("fn f() { while a < 1 { loop { } } }").expect("it is Rust");
    assert_eq!((steps(&counted), counted.matches("on (").count()), (2, 0), "{counted}");
}
