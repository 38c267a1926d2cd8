//! The map's section: lines that the lab reads and that are not loaded into memory.
//!
//! The assembler writes them, as only the assembler can put the compiler's constants into a section
//! that takes no memory.

/// Writes a line of the map. In each of its words, `{name}` stands for a constant.
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

/// Writes the lines of a state machine into the map: directives of the assembler, in one piece, so
/// that no other line gets in between.
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
