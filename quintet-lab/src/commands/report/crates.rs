//! What the image takes: by section, by crate, by symbol.

use super::super::size::{section_table, symbol_table};
use super::Content;
use crate::report::page::Section;
use crate::report::table::{grouped, table};

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let mut section = Section::new("sizes", "Sizes");
    if now.sizes.sections.is_empty() {
        return Ok(Some(section.lacks("The file says nothing of sections: an ELF file does.")));
    }
    section = section.table("By section, in bytes", &section_table(&now.sizes));
    if now.crates.len() <= 1 {
        return Ok(Some(section.lacks(
            "Sizes by crate and by symbol need symbols: they were stripped, or the file is no ELF \
             file.",
        )));
    }
    let mut crates = table(&["crate", ">flash", ">RAM"]);
    let bytes = |bytes: u64| if bytes == 0 { String::new() } else { grouped(bytes) };
    for one in &now.crates {
        crates.add_row([one.name.clone(), bytes(one.flash), bytes(one.ram)]);
    }
    section = section
        .table("By crate, in bytes", &crates)
        .says(
            "A symbol is of the crate that its name begins with; one without a path, of the crate \
             that its source is in. What is inlined counts where it was inlined.",
        )
        .table("The heaviest symbols", &symbol_table(&now.sizes));
    Ok(Some(section))
}
