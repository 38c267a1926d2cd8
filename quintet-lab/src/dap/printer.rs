//! The firmware's output, as events.

use std::collections::BTreeMap;

use serde_json::json;

use super::client::Client;
use crate::firmware::Firmware;
use crate::log::{Log, Prefixer};
use crate::output;
use crate::simulated::Simulated;

/// Takes the output of one run.
pub struct Printer<'a> {
    log: Log<'a>,
    prefixer: Prefixer,
    has_told_cut: bool,
    /// The beginning of a character whose end has not come, by channel.
    begun: BTreeMap<String, Vec<u8>>,
}

impl<'a> Printer<'a> {
    /// The output of `firmware`, cut behind `limit` bytes.
    pub fn new(firmware: &'a Firmware, limit: Option<u64>) -> Self {
        Self {
            log: Log::new(firmware, limit, false),
            prefixer: Prefixer::default(),
            has_told_cut: false,
            begun: BTreeMap::new(),
        }
    }

    /// Sends what the firmware has printed.
    pub fn print<M: Simulated>(&mut self, machine: &mut M, client: &mut Client) {
        for output in machine.take_log(&mut self.log) {
            let bytes = self.prefixer.print(&output, || machine.channel_name(&output.channel));
            let category = if output.channel == "stderr" { "stderr" } else { "stdout" };
            let text = self.whole(&output.channel, bytes);
            if !text.is_empty() {
                client.event("output", json!({ "category": category, "output": text }));
            }
        }
        self.remark(client);
    }

    /// Sends the rest, at the program's end.
    pub fn finish(&mut self, client: &mut Client) {
        for rest in self.log.finish() {
            let text = String::from_utf8_lossy(&rest.bytes).into_owned();
            client.event("output", json!({ "category": "stdout", "output": text }));
        }
        self.remark(client);
    }

    fn remark(&mut self, client: &mut Client) {
        for remark in self.log.remarks.drain(..) {
            client.tell(&format!("{remark}\n"));
        }
        if let Some(limit) = self.log.cut().filter(|_| !self.has_told_cut) {
            self.has_told_cut = true;
            client.tell(&format!("{}\n", output::cut(limit)));
        }
    }

    /// The whole characters of what a channel has had so far.
    fn whole(&mut self, channel: &str, new: Vec<u8>) -> String {
        let mut bytes = self.begun.remove(channel).unwrap_or_default();
        bytes.extend(new);
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            let rest = bytes.split_off(error.valid_up_to());
            self.begun.insert(channel.to_owned(), rest);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
