//! Lines of several RTT channels on one terminal: each line names its channel.

use quintet_sim::machine::Output;

/// The state of the printed RTT channels on which the next line depends.
#[derive(Debug, Default)]
pub struct Prefixer {
    /// The first channel that had text.
    first: Option<String>,
    /// `true` if another had some.
    several: bool,
    /// The channel whose line has not ended.
    open: Option<String>,
}

impl Prefixer {
    /// The bytes to print. From where a second channel of RTT has text, the channel's `name` stands
    /// before each line.
    pub fn print(&mut self, output: &Output, name: impl FnOnce() -> String) -> Vec<u8> {
        let Output { channel, bytes } = output;
        if !channel.starts_with("rtt") || bytes.is_empty() {
            return bytes.clone();
        }
        let first = self.first.get_or_insert_with(|| channel.clone());
        self.several |= first != channel;
        let goes_on = self.open.as_ref() == Some(channel);
        let interrupts = self.open.is_some() && !goes_on;
        self.open = (!bytes.ends_with(b"\n")).then(|| channel.clone());
        if !self.several {
            return bytes.clone();
        }
        let prefix = format!("[{}] ", name());
        let mut printed = Vec::new();
        if interrupts {
            printed.push(b'\n');
        }
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if index > 0 || !goes_on {
                printed.extend_from_slice(prefix.as_bytes());
            }
            printed.extend_from_slice(line);
        }
        printed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_once_there_are_several_channels() {
        let mut prefixer = Prefixer::default();
        let mut printed = Vec::new();
        let pieces = [
            ("rtt0", "alone\n"),
            ("stdout", "other\n"),
            ("rtt0", "begun "),
            ("rtt1", "log\nlog "),
            ("rtt1", "goes on\n"),
            ("rtt0", "and ended\n"),
        ];
        for (channel, text) in pieces {
            let output = Output { channel: channel.into(), bytes: text.as_bytes().to_vec() };
            printed.extend(prefixer.print(&output, || channel.to_uppercase()));
        }
        let expected = "alone\nother\nbegun \n[RTT1] log\n[RTT1] log goes on\n[RTT0] and ended\n";
        assert_eq!(String::from_utf8(printed).unwrap(), expected);
    }
}
