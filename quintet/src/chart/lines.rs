//! The lines of a chart, in the section that the lab reads and no image loads.

/// Puts directives of the assembler into the section of the map.
///
/// The lines of a machine are one piece, so that nothing gets in between.
#[cfg(target_arch = "arm")]
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

/// A computer's program has no such section.
#[cfg(not(target_arch = "arm"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __chart_lines {
    ($lines:literal) => {};
}
