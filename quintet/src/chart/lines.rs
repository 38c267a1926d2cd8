//! The chart as data: lines in the section of the application's map, which no image loads.

/// Writes the lines of a machine, in one piece; on the host none.
#[doc(hidden)]
#[macro_export]
macro_rules! __chart_lines {
    ($lines:literal) => {
        #[cfg(all(target_arch = "arm", target_os = "none"))]
        ::core::arch::global_asm!(
            ".pushsection .quintet.map,\"\",%progbits",
            ::core::concat!(".ascii \"", $lines, "\""),
            ".popsection"
        );
    };
}
