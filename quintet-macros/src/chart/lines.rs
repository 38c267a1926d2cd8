//! The description of a machine in the image: `quintet-charts` writes it, and the lab draws it.

use proc_macro2::TokenStream;
use quintet_charts::lines;
use quote::quote;

use super::emit::Output;

/// The lines, which take no memory.
pub fn emit(output: &Output<'_>) -> TokenStream {
    let lines = lines::of(output.machine);
    let directive = |line: &str| format!(".ascii \"{}\\n\"\n", for_assembler(line));
    let (quintet, text) = (&output.quintet, lines.lines().map(directive).collect::<String>());
    quote!(#quintet::__chart_lines!(#text);)
}

/// Returns the text as a string of the assembler, in a template in which braces have a meaning.
fn for_assembler(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_the_assembler_has_for_itself() {
        assert_eq!(for_assembler("say(\"{n}\",\t'\\t')"), "say(\\\"{{n}}\\\",\\t'\\\\t')");
    }
}
