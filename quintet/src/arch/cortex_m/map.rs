//! The map's section: lines that the lab reads and no image loads.
//!
//! The assembler writes them, because only it puts constants of the compiler's into a section that
//! takes no memory.

/// Writes a line of the map: its words, in each of which `{name}` stands for a constant.
///
/// A word has no quotation mark, backslash or line break.
#[doc(hidden)]
#[macro_export]
macro_rules! __map_line {
    ($first:literal $(, $word:literal)* $(; $($name:ident = $value:expr),+)?) => {
        ::core::arch::global_asm!(
            ".pushsection .quintet.map,\"\",%progbits",
            ::core::concat!(".ascii \"", $first, $("\\t", $word,)* "\\n\""),
            ".popsection"
            $($(, $name = const $value)+)?
        );
    };
}

/// Writes the lines of a state machine there: directives of the assembler, in one piece, so that
/// nothing gets in between.
#[doc(hidden)]
#[macro_export]
macro_rules! __chart_lines {
    ($lines:literal) => {
        ::core::arch::global_asm!(
            ".pushsection .quintet.map,\"\",%progbits",
            $lines,
            ".popsection"
        );
    };
}
