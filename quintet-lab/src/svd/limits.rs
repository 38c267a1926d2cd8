//! What an SVD file may ask for at the most: the reader goes down as deep as the elements lie,
//! makes each element of an array, and adds offsets without a look at their sums.

use anyhow::{Context, ensure};
use svd_parser::svd::{Device, DimElement, Field, MaybeArray, RegisterCluster};

/// The deepest element: makers' files have a dozen levels.
const DEPTH_MAX: usize = 64;

/// The most registers and fields, with each element of an array: makers' largest files have 100
/// 000.
const ELEMENTS_MAX: u64 = 1 << 21;

/// Refuses elements that lie too deep within each other.
///
/// # Errors
/// There are such.
pub fn check_depth(text: &str) -> anyhow::Result<()> {
    let (mut rest, mut depth) = (text, 0_usize);
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let end = match rest {
            comment if comment.starts_with("<!--") => "-->",
            data if data.starts_with("<![CDATA[") => "]]>",
            _ => ">",
        };
        // What has no end is refused by the reader.
        let Some(length) = rest.find(end) else { break };
        let tag = &rest[..length];
        rest = &rest[length + end.len()..];
        if tag.starts_with("<!") || tag.starts_with("<?") || tag.ends_with('/') {
            continue;
        }
        depth = if tag.starts_with("</") { depth.saturating_sub(1) } else { depth + 1 };
        ensure!(depth <= DEPTH_MAX, "its elements lie more than {DEPTH_MAX} deep in each other");
    }
    Ok(())
}

/// Refuses arrays that are too long, and addresses and bits beyond 32 bits.
///
/// # Errors
/// There are such.
pub fn check_arrays(device: &Device) -> anyhow::Result<()> {
    let mut elements = 0_u64;
    for peripheral in &device.peripherals {
        let (times, span) = size(dimension(peripheral));
        let name = &peripheral.name;
        peripheral.base_address.checked_add(span).with_context(|| beyond(name))?;
        // A peripheral that is derived from another one has that one's registers.
        let parent = peripheral.derived_from.as_ref();
        let parent =
            parent.and_then(|parent| device.peripherals.iter().find(|of| of.name == *parent));
        let own = peripheral.registers.iter().chain(parent.iter().flat_map(|of| &of.registers));
        for children in own {
            let own = count(children, 0).with_context(|| format!("its peripheral {name}"))?;
            elements = elements.saturating_add(own.saturating_mul(times));
        }
        ensure!(
            elements <= ELEMENTS_MAX,
            "its arrays have more than {ELEMENTS_MAX} registers and fields up to {name}"
        );
    }
    Ok(())
}

/// The registers and fields of a list, which begins behind an offset.
fn count(children: &[RegisterCluster], offset: u64) -> anyhow::Result<u64> {
    let mut elements = 0_u64;
    for child in children {
        let (name, own, dimension) = match child {
            RegisterCluster::Register(one) => (&one.name, one.address_offset, dimension(one)),
            RegisterCluster::Cluster(one) => (&one.name, one.address_offset, dimension(one)),
        };
        let (times, span) = size(dimension);
        let last = offset.saturating_add(u64::from(own)).saturating_add(span);
        ensure!(last <= u64::from(u32::MAX), beyond(name));
        let within = match child {
            RegisterCluster::Register(one) => fields(one.fields.as_deref().unwrap_or_default())?,
            RegisterCluster::Cluster(one) => count(&one.children, last)?,
        };
        elements = elements.saturating_add(within.saturating_add(1).saturating_mul(times));
    }
    Ok(elements)
}

/// The fields of a register.
fn fields(fields: &[Field]) -> anyhow::Result<u64> {
    let mut elements = 0_u64;
    for field in fields {
        let (times, span) = size(dimension(field));
        let last = u64::from(field.bit_range.offset).saturating_add(span);
        ensure!(last <= u64::from(u32::MAX), beyond(&field.name));
        elements = elements.saturating_add(times);
    }
    Ok(elements)
}

const fn dimension<T>(element: &MaybeArray<T>) -> Option<&DimElement> {
    match element {
        MaybeArray::Single(_) => None,
        MaybeArray::Array(_, dimension) => Some(dimension),
    }
}

/// The elements of an array, and from the first to the last.
fn size(dimension: Option<&DimElement>) -> (u64, u64) {
    let Some(dimension) = dimension else { return (1, 0) };
    let times = u64::from(dimension.dim);
    // The reader multiplies once more than there are elements.
    (times, times.saturating_mul(u64::from(dimension.dim_increment)))
}

fn beyond(name: &str) -> String {
    format!("{name} lies beyond what 32 bits can address")
}

#[cfg(test)]
mod tests {
    use super::super::Svd;

    fn refusal(registers: &str) -> String {
        let text = format!(
            "<device><name>X</name><version>1</version><description>x</description>\
             <addressUnitBits>8</addressUnitBits><width>32</width><size>32</size><peripherals>\
             <peripheral><name>A</name><baseAddress>0</baseAddress><registers>{registers}\
             </registers></peripheral></peripherals></device>"
        );
        format!("{:#}", Svd::parse(&text).expect_err("it is refused"))
    }

    #[test]
    fn elements_that_lie_too_deep_are_refused() {
        for (begin, end) in [("<a>", "</a>"), ("<cluster><name>C</name>", "</cluster>")] {
            let said = refusal(&format!("{}{}", begin.repeat(9000), end.repeat(9000)));
            assert_eq!(said, "its elements lie more than 64 deep in each other");
        }
        let said = refusal(&"<!-- <a> --><b/><![CDATA[<c>]]>".repeat(100));
        assert!(!said.contains("deep"), "{said}");
    }

    #[test]
    fn arrays_without_bounds_are_refused() {
        let array = |dim: u32, increment: u64, offset: u32| {
            format!(
                "<register><dim>{dim}</dim><dimIncrement>{increment}</dimIncrement>\
                 <name>R%s</name><addressOffset>{offset}</addressOffset></register>"
            )
        };
        let said = refusal(&array(200_000_000, 4, 0));
        assert_eq!(said, "its arrays have more than 2097152 registers and fields up to A");
        for text in [array(3, 0xffff_ffff, 0), array(2, 4, 0xffff_fffc)] {
            let said = refusal(&text);
            let expected = "its peripheral A: R%s lies beyond what 32 bits can address";
            assert_eq!(said, expected);
        }
        let cluster = "<cluster><name>C</name><addressOffset>0xffffff00</addressOffset>\
                       <register><name>R</name><addressOffset>0x100</addressOffset></register>\
                       </cluster>";
        assert!(refusal(cluster).ends_with("R lies beyond what 32 bits can address"));
        let field = "<register><name>R</name><addressOffset>0</addressOffset><fields><field>\
                     <dim>3</dim><dimIncrement>0xffffffff</dimIncrement><name>F%s</name>\
                     <bitOffset>0</bitOffset><bitWidth>1</bitWidth></field></fields></register>";
        assert!(refusal(field).ends_with("F%s lies beyond what 32 bits can address"));
    }
}
