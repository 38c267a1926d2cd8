//! Reading ELF files: identity first, then segments, sections and symbols.
//!
//! The identity (class, byte order, machine, type) is checked on the bytes themselves, so that the
//! message about a foreign file can name its kind. A parser's error would not. The rest is read
//! through the crate `object` with every length checked against the file.

use super::bounds::{LOADED_BYTES, NAMED_BYTES, SECTIONS, SEGMENTS};
use super::{BuiltFor, Format, Image, ImageError, Mapping, Section, Segment, Symbol, SymbolKind};
use crate::cores::{Family, TOOLS_FOR_RISC_V};
use object::LittleEndian;
use object::elf::{
    FileHeader32, PT_INTERP, PT_LOAD, ProgramHeader32, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE,
    SHN_ABS, SHN_UNDEF, SHT_ARM_ATTRIBUTES, SHT_NOBITS, SHT_SYMTAB, STB_WEAK, STT_FUNC, STT_NOTYPE,
    STT_OBJECT, Sym32,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};

/// The first four bytes of every ELF file.
pub(super) const MAGIC: &[u8] = b"\x7fELF";

/// The size of the 32-bit file header.
const HEADER_SIZE: u64 = 52;

/// Words in the names of handlers of all interrupts that nobody handles.
const DEFAULTS: [&str; 6] = ["default", "dummy", "spurious", "unexpected", "unhandled", "unused"];

const ENDIAN: LittleEndian = LittleEndian;
type Header = FileHeader32<LittleEndian>;

/// The numbers of machines in ELF files.
const ARM: u16 = 40;
const RISC_V: u16 = 243;

/// Returns `true` if the bytes begin as an ELF file of 32 bits for RISC-V does.
pub(super) fn is_riscv(bytes: &[u8]) -> bool {
    let is_32_bit = bytes.starts_with(MAGIC) && bytes.get(4..6) == Some(&[1, 1]);
    is_32_bit && bytes.get(18..20) == Some(&RISC_V.to_le_bytes())
}

/// Reads an ELF file for a Cortex-M.
pub(super) fn parse(bytes: &[u8]) -> Result<Image, ImageError> {
    parse_for(bytes, ARM)
}

/// Reads an ELF file for RISC-V.
pub(super) fn parse_riscv(bytes: &[u8]) -> Result<Image, ImageError> {
    parse_for(bytes, RISC_V)
}

fn parse_for(bytes: &[u8], machine: u16) -> Result<Image, ImageError> {
    check_identity(bytes, machine)?;
    let header = Header::parse(bytes).map_err(|error| malformed("the header", &error))?;
    check_tables(header, bytes)?;
    let programs = header
        .program_headers(ENDIAN, bytes)
        .map_err(|error| malformed("program headers", &error))?;
    let segments = segments(programs, bytes)?;
    if segments.iter().all(|segment| segment.bytes.is_empty()) {
        return Err(ImageError::NothingToLoad);
    }
    let table =
        header.sections(ENDIAN, bytes).map_err(|error| malformed("section headers", &error))?;
    let family = if machine == RISC_V { Family::RiscV } else { Family::CortexM };
    let mut named = 0;
    let sections = sections(&table, programs, &mut named)?;
    let (symbols, mapping) = symbols(&table, bytes, &mut named, family)?;
    let entry = Some(header.e_entry.get(ENDIAN) & !1).filter(|&entry| entry != 0);
    let built_for = built_for(&table, bytes);
    Ok(Image {
        format: Format::Elf,
        family,
        segments,
        sections,
        symbols,
        mapping,
        entry,
        built_for,
        guests: Vec::new(),
    })
}

/// Refuses any file but a 32-bit little-endian executable for `wanted`. The message names the
/// kind of the file.
fn check_identity(bytes: &[u8], wanted: u16) -> Result<(), ImageError> {
    let length = bytes.len() as u64;
    if bytes.is_empty() {
        return Err(ImageError::Empty);
    }
    if !bytes.starts_with(MAGIC) {
        let found: Vec<String> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        return Err(ImageError::NotElf { found: found.join(" ") });
    }
    let foreign = |reason: String| Err(ImageError::Foreign { reason });
    let truncated =
        ImageError::Truncated { what: "the header".into(), needed: HEADER_SIZE, length };
    let (Some(&class), Some(&order)) = (bytes.get(4), bytes.get(5)) else {
        return Err(truncated);
    };
    let half = |offset: usize| -> Option<u16> {
        let pair: [u8; 2] = bytes.get(offset..offset + 2)?.try_into().ok()?;
        Some(if order == 2 { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let (Some(kind), Some(machine)) = (half(16), half(18)) else {
        return Err(truncated);
    };
    let machine_name = machine_name(machine);
    match (class, order) {
        (1, 1) => {}
        (2, 1 | 2) => return foreign(format!("it is a 64-bit program for {machine_name}")),
        (1, 2) => return foreign(format!("it is big-endian ({machine_name})")),
        _ => {
            let what = format!("class {class} and byte order {order} do not exist");
            return Err(ImageError::Malformed { what });
        }
    }
    match (machine, wanted) {
        _ if machine == wanted => {}
        (RISC_V, ARM) => {
            return foreign(format!(
                "it is for RISC-V, which this command can't use yet: {TOOLS_FOR_RISC_V} can"
            ));
        }
        (_, ARM) => return foreign(format!("it is for {machine_name}, not for ARM")),
        _ => return Err(ImageError::NotForRiscV { machine: machine_name }),
    }
    match kind {
        2 => {}
        1 => {
            return foreign(
                "it is a relocatable object file, not yet linked; pass the linker's output".into(),
            );
        }
        3 => return foreign("it is a shared object or position-independent executable".into()),
        4 => return foreign("it is a core dump".into()),
        other => return foreign(format!("it is of the unknown ELF type {other}")),
    }
    if length < HEADER_SIZE { Err(truncated) } else { Ok(()) }
}

fn machine_name(machine: u16) -> String {
    let name = match machine {
        3 => "x86",
        8 => "MIPS",
        20 => "PowerPC",
        21 => "64-bit PowerPC",
        22 => "IBM S/390",
        40 => "ARM",
        62 => "x86-64",
        83 => "AVR",
        94 => "Xtensa",
        183 => "AArch64",
        243 => "RISC-V",
        258 => "LoongArch",
        other => return format!("the machine number {other}"),
    };
    name.into()
}

/// Checks that the two header tables lie within the file, so that a cut file is called truncated.
fn check_tables(header: &Header, bytes: &[u8]) -> Result<(), ImageError> {
    let tables = [
        ("the program header table", header.e_phoff, header.e_phnum, header.e_phentsize),
        ("the section header table", header.e_shoff, header.e_shnum, header.e_shentsize),
    ];
    for (what, offset, count, size) in tables {
        let size = u64::from(count.get(ENDIAN)) * u64::from(size.get(ENDIAN));
        let needed = u64::from(offset.get(ENDIAN)) + size;
        check_length(what, needed, bytes)?;
    }
    Ok(())
}

fn check_length(what: &str, needed: u64, bytes: &[u8]) -> Result<(), ImageError> {
    let length = bytes.len() as u64;
    if needed > length {
        return Err(ImageError::Truncated { what: what.into(), needed, length });
    }
    Ok(())
}

fn malformed(what: &str, error: &object::read::Error) -> ImageError {
    ImageError::Malformed { what: format!("{what}: {error}") }
}

/// The loadable segments.
fn segments(
    programs: &[ProgramHeader32<LittleEndian>],
    bytes: &[u8],
) -> Result<Vec<Segment>, ImageError> {
    check_bounds(programs)?;
    let mut segments = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let kind = program.p_type(ENDIAN);
        if kind == PT_INTERP {
            let reason = "it asks for a dynamic linker, so it is a program for an operating system";
            return Err(ImageError::Foreign { reason: reason.into() });
        }
        let memory_size = program.p_memsz(ENDIAN);
        if kind != PT_LOAD || memory_size == 0 {
            continue;
        }
        segments.push(segment(index, program, bytes)?);
    }
    Ok(segments)
}

/// Refuses more loaded bytes than any firmware has, before anything is copied.
fn check_bounds(programs: &[ProgramHeader32<LittleEndian>]) -> Result<(), ImageError> {
    let loadable = programs.iter().filter(|program| program.p_type(ENDIAN) == PT_LOAD);
    SEGMENTS.check(loadable.clone().count() as u64)?;
    LOADED_BYTES.check(loadable.map(|program| u64::from(program.p_filesz(ENDIAN))).sum())
}

fn segment(
    index: usize,
    program: &ProgramHeader32<LittleEndian>,
    bytes: &[u8],
) -> Result<Segment, ImageError> {
    let (offset, file_size) = program.file_range(ENDIAN);
    let memory_size = program.p_memsz(ENDIAN);
    if file_size > u64::from(memory_size) {
        let what = format!("segment {index} has {file_size} bytes for {memory_size} of memory");
        return Err(ImageError::Malformed { what });
    }
    let (address, load_address) = (program.p_vaddr(ENDIAN), program.p_paddr(ENDIAN));
    for (start, length) in [(load_address, file_size), (address, u64::from(memory_size))] {
        if u64::from(start) + length > 1 << 32 {
            return Err(ImageError::BeyondAddressSpace { index, start, length });
        }
    }
    // An empty piece may name any offset.
    let content = if file_size == 0 {
        Vec::new()
    } else {
        check_length(&format!("segment {index}"), offset + file_size, bytes)?;
        let data = program.data(ENDIAN, bytes).map_err(|()| ImageError::Malformed {
            what: format!("segment {index} has no bytes in the file"),
        })?;
        data.to_vec()
    };
    Ok(Segment { index, load_address, address, bytes: content, memory_size })
}

/// The sections that occupy memory. `named` counts the bytes of names.
fn sections(
    table: &SectionTable<'_, Header>,
    programs: &[ProgramHeader32<LittleEndian>],
    named: &mut u64,
) -> Result<Vec<Section>, ImageError> {
    let mut sections = Vec::new();
    for (_, header) in table.enumerate() {
        let flags = header.sh_flags(ENDIAN);
        let size = header.sh_size(ENDIAN);
        if !flags.contains(SHF_ALLOC) || size == 0 {
            continue;
        }
        SECTIONS.check(sections.len() as u64 + 1)?;
        let name = table.section_name(ENDIAN, header).unwrap_or(b"?");
        NAMED_BYTES.add(named, name.len())?;
        let address = header.sh_addr(ENDIAN);
        let has_bytes = header.sh_type(ENDIAN) != SHT_NOBITS;
        sections.push(Section {
            name: String::from_utf8_lossy(name).into_owned(),
            address,
            load_address: has_bytes.then(|| load_address(address, programs)),
            size,
            executable: flags.contains(SHF_EXECINSTR),
            writable: flags.contains(SHF_WRITE),
        });
    }
    Ok(sections)
}

/// Returns where the content of the section at `address` is loaded, by the segment that holds the
/// section.
fn load_address(address: u32, programs: &[ProgramHeader32<LittleEndian>]) -> u32 {
    let holder = programs.iter().find(|program| {
        let offset = address.wrapping_sub(program.p_vaddr(ENDIAN));
        program.p_type(ENDIAN) == PT_LOAD && offset < program.p_filesz(ENDIAN)
    });
    holder.map_or(address, |program| {
        let offset = address.wrapping_sub(program.p_vaddr(ENDIAN));
        program.p_paddr(ENDIAN).wrapping_add(offset)
    })
}

/// The architecture that the build attributes name, if they can be read and do (Addenda to the ABI
/// for the Arm Architecture, IHI 0045: Tag_CPU_arch, Tag_CPU_arch_profile).
fn built_for(table: &SectionTable<'_, Header>, bytes: &[u8]) -> Option<BuiltFor> {
    const FILE: u8 = 1;
    const RAW_NAME: u64 = 4;
    const NAME: u64 = 5;
    const ARCHITECTURE: u64 = 6;
    const PROFILE: u64 = 7;
    const COMPATIBILITY: u64 = 32;
    let is_it = |header: &&_| SectionHeader::sh_type(*header, ENDIAN) == SHT_ARM_ATTRIBUTES;
    let header = table.iter().find(is_it)?;
    let mut vendors = header.attributes(ENDIAN, bytes).ok()?.subsections().ok()?;
    let of_abi = vendors.find_map(|one| one.ok().filter(|one| one.vendor() == b"aeabi"))?;
    let mut scopes = of_abi.subsubsections();
    let of_file = scopes.find_map(|one| one.ok().filter(|one| one.tag().0 == FILE))?;
    let (mut architecture, mut profile) = (None, None);
    let mut reader = of_file.attributes();
    while let Ok(Some(tag)) = reader.read_tag() {
        match tag {
            ARCHITECTURE => architecture = reader.read_integer().ok(),
            PROFILE => profile = reader.read_integer().ok(),
            COMPATIBILITY => drop((reader.read_integer(), reader.read_string())),
            RAW_NAME | NAME => drop(reader.read_string()),
            // Above these, odd ones are texts.
            _ if tag > COMPATIBILITY && tag & 1 == 1 => drop(reader.read_string()),
            _ => drop(reader.read_integer()),
        }
    }
    match (architecture?, profile) {
        // ARMv7-A and ARMv7-R have the same number.
        (10, Some(profile)) if profile != u64::from(b'M') => None,
        (10, _) => Some(BuiltFor::V7M),
        (11 | 12, _) => Some(BuiltFor::V6M),
        (13, _) => Some(BuiltFor::V7EM),
        (16 | 17 | 21, _) => Some(BuiltFor::V8M),
        _ => None,
    }
}

/// The symbols and the mapping symbols, each sorted by address. `named` counts the bytes of names.
fn symbols(
    table: &SectionTable<'_, Header>,
    bytes: &[u8],
    named: &mut u64,
    family: Family,
) -> Result<(Vec<Symbol>, Vec<Mapping>), ImageError> {
    for (index, header) in table.enumerate() {
        if header.sh_type(ENDIAN) == SHT_SYMTAB {
            let needed = u64::from(header.sh_offset(ENDIAN)) + u64::from(header.sh_size(ENDIAN));
            check_length(&format!("the symbol table (section {index})"), needed, bytes)?;
        }
    }
    let entries = table
        .symbols(ENDIAN, bytes, SHT_SYMTAB)
        .map_err(|error| malformed("the symbol table", &error))?;
    let (mut symbols, mut mapping) = (Vec::new(), Vec::new());
    for entry in entries.iter() {
        let Ok(name) = entry.name(ENDIAN, entries.strings()) else { continue };
        NAMED_BYTES.add(named, name.len())?;
        let name = String::from_utf8_lossy(name);
        match name.as_bytes() {
            [b'$', kind @ (b't' | b'd')] | [b'$', kind @ (b't' | b'd'), b'.', ..] => {
                mapping.push(Mapping { address: entry.st_value(ENDIAN), code: *kind == b't' });
            }
            // RISC-V's name of the extensions may follow.
            [b'$', b'x', ..] if family == Family::RiscV => {
                mapping.push(Mapping { address: entry.st_value(ENDIAN), code: true });
            }
            // Names that the assembler makes, which are labels within functions.
            [b'.', b'L', ..] if family == Family::RiscV => {}
            _ => symbols.extend(symbol(entry, &name).map(|symbol| (rank(entry, &symbol), symbol))),
        }
    }
    // Stable, so that of several equal names for an address the file's first stays first.
    symbols.sort_by_key(|(rank, symbol): &(u8, Symbol)| (symbol.address, *rank));
    let symbols = symbols.into_iter().map(|(_, symbol)| symbol).collect();
    mapping.sort_by_key(|mark| mark.address);
    Ok((symbols, mapping))
}

/// The order of the names for one address: the best first. A weak name is an alias: start-up code
/// gives each handler that nobody has written the address of a default one, which may be weak too.
/// A linker script's name for a function has no size.
fn rank(entry: &Sym32<LittleEndian>, symbol: &Symbol) -> u8 {
    let is_weak = entry.st_bind() == STB_WEAK;
    let is_alias = is_weak && !is_default(&symbol.name);
    let (weak, alias) = (u8::from(is_weak), u8::from(is_alias));
    let (empty, label) = (symbol.size == 0, symbol.kind == SymbolKind::Label);
    weak << 3 | alias << 2 | u8::from(empty) << 1 | u8::from(label)
}

/// Returns `true` if the name is one that start-up code gives the handler of all interrupts that
/// nobody handles: `Default_Handler`, `Dummy_Handler`, `unused_isr`.
fn is_default(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    DEFAULTS.iter().any(|word| name.contains(word))
}

fn symbol(entry: &Sym32<LittleEndian>, name: &str) -> Option<Symbol> {
    if name.is_empty() || entry.st_shndx(ENDIAN) == SHN_UNDEF {
        return None;
    }
    let value = entry.st_value(ENDIAN);
    let (kind, address) = match entry.st_type() {
        STT_FUNC => (SymbolKind::Function, value & !1),
        STT_OBJECT => (SymbolKind::Data, value),
        STT_NOTYPE => (SymbolKind::Label, value),
        _ => return None,
    };
    let absolute = entry.st_shndx(ENDIAN) == SHN_ABS;
    Some(Symbol { name: name.into(), address, size: entry.st_size(ENDIAN), kind, absolute })
}
