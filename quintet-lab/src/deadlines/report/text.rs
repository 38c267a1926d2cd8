//! The tables.

use super::{BOUNDED, BROKEN, Origin, Report, Verdict};
use crate::report::table::{self, grouped, table};
use crate::trace::span::in_words;

impl Report {
    /// The tables, with so many sections; 0 for all.
    pub fn text(&self, top: usize) -> String {
        let mut text = self.headline().map_or(String::new(), |line| format!("{line}\n\n"));
        text.push_str(&table::text(&self.task_table()));
        text.push('\n');
        text.push_str(&table::text(&self.part_table()));
        text.push('\n');
        text.push_str(&table::text(&self.bound_table()));
        let sections = &self.sections;
        if !sections.is_empty() {
            let shown = if top == 0 { sections.len() } else { top.min(sections.len()) };
            text.push('\n');
            text.push_str(&table::text(&self.section_table(shown)));
            if shown < sections.len() {
                let others = sections.len() - shown;
                text.push_str(&format!("and {others} shorter ones: --top 0 shows all\n"));
            }
        }
        if !self.others.is_empty() {
            text.push('\n');
            text.push_str(&table::text(&self.other_table()));
        }
        text.push_str(&format!("\n{}\n", self.conclusion()));
        if !self.open.is_empty() {
            let shown = if top == 0 { self.open.len() } else { top.min(self.open.len()) };
            text.push_str("\nFor BOUNDED this is open, and so it is closed:\n");
            for gap in self.open.iter().take(shown) {
                text.push_str(&format!("  {}\n      {}\n", gap.what, gap.close));
            }
            if shown < self.open.len() {
                let others = self.open.len() - shown;
                text.push_str(&format!("and {others} more: --top 0 shows all\n"));
            }
        }
        text
    }

    fn words(&self, cycles: u64) -> String {
        in_words(cycles, self.clock_hz)
    }

    /// The tasks with their responses and slacks.
    pub fn task_table(&self) -> comfy_table::Table {
        let heads = [
            "task",
            ">priority",
            ">period",
            ">deadline",
            ">response",
            ">seen",
            ">slack",
            "deadline is",
        ];
        let mut rows = table(&heads);
        for task in &self.tasks {
            let slack = match task.slack {
                Some(slack) if slack < 0 => format!("-{}", self.words(slack.unsigned_abs())),
                Some(slack) => self.words(slack.unsigned_abs()),
                None => "-".into(),
            };
            rows.add_row([
                task.name.clone(),
                task.priority.clone(),
                self.words(task.period),
                self.words(task.deadline),
                task.response.map_or("no bound".into(), |one| self.words(one)),
                task.seen.map_or("-".into(), |one| self.words(one)),
                slack,
                task.verdict.to_owned(),
            ]);
        }
        rows
    }

    /// What the longest response of each task consists of.
    pub fn part_table(&self) -> comfy_table::Table {
        let heads = ["response of", ">cost", ">may become", ">interference", ">blocking", "by"];
        let mut rows = table(&heads);
        let optional = |cycles: Option<u64>| cycles.map_or("-".into(), |one| self.words(one));
        for task in &self.tasks {
            let is_observed = task.cost_origin == Origin::Observed { arrival: 0 }.word();
            let mark = if is_observed { "" } else { "*" };
            rows.add_row([
                task.name.clone(),
                format!("{}{mark}", self.words(task.cost)),
                optional(task.cost_most),
                optional(task.interference),
                self.words(task.blocking),
                task.blocked_by.clone().unwrap_or_default(),
            ]);
        }
        rows
    }

    /// What holds for all runs, beside this one.
    pub fn bound_table(&self) -> comfy_table::Table {
        let heads = [
            "for all runs",
            ">cost seen",
            ">bound",
            ">blocking bound",
            ">response seen",
            ">bound",
            ">slack",
            "response is",
        ];
        let mut rows = table(&heads);
        for task in &self.tasks {
            let bounds = &task.bounds;
            let optional = |cycles: Option<u64>| cycles.map_or("?".into(), |one| self.words(one));
            let seen = |cycles: Option<u64>| cycles.map_or("-".into(), |one| self.words(one));
            let slack = match bounds.slack {
                Some(slack) if slack < 0 => format!("-{}", self.words(slack.unsigned_abs())),
                Some(slack) => self.words(slack.unsigned_abs()),
                None => "?".into(),
            };
            rows.add_row([
                task.name.clone(),
                seen(task.cost_seen),
                optional(bounds.cost),
                optional(bounds.blocking),
                seen(task.seen),
                optional(bounds.response),
                slack,
                if bounds.open.is_empty() { BOUNDED } else { "open" }.to_owned(),
            ]);
        }
        rows
    }

    fn section_table(&self, shown: usize) -> comfy_table::Table {
        let heads = ["held off by", "with", ">longest", ">may become", "then misses"];
        let mut rows = table(&heads);
        for section in self.sections.iter().take(shown) {
            rows.add_row([
                section.place.clone(),
                section.how.clone(),
                self.words(section.cycles),
                section.most.map_or("-".into(), |most| self.words(most)),
                section.then_misses.clone().unwrap_or_default(),
            ]);
        }
        rows
    }

    fn other_table(&self) -> comfy_table::Table {
        let heads =
            ["runs too", ">priority", ">jobs", ">cost", ">shortest distance", ">utilisation"];
        let mut rows = table(&heads);
        for other in &self.others {
            rows.add_row([
                other.name.clone(),
                other.priority.clone(),
                grouped(other.jobs),
                self.words(other.cost),
                other.distance.map_or("-".into(), |one| self.words(one)),
                format!("{:.2} %", other.utilisation_percent),
            ]);
        }
        rows
    }

    /// The first line of an answer that the run contradicts; `None` if it is above no bound.
    pub fn headline(&self) -> Option<String> {
        let broken: Vec<&str> = self.broken().collect();
        let all = broken.join("; ");
        (!broken.is_empty()).then(|| format!("BROKEN: this run was above its bounds: {all}."))
    }

    /// What it all comes to.
    pub fn conclusion(&self) -> String {
        if self.verdict == BROKEN {
            return "BROKEN: the bounds are wrong, or what you say of the code is. No bound here \
                    holds."
                .into();
        }
        let count = self.tasks.len();
        let wrong = self.tasks.iter().filter(|task| task.verdict != Verdict::Met.word()).count();
        let result = match (wrong, count) {
            (0, 1) => "the deadline is met".to_owned(),
            (0, _) => format!("all {count} deadlines are met"),
            _ => format!("{wrong} of {count} tasks may not meet the deadline, or did not"),
        };
        if self.verdict == BOUNDED {
            return format!(
                "BOUNDED: {result} in every run in which tasks arrive no more often than they \
                 declare.\nIn this run of {} none was above its bounds.\nAll together ask for \
                 {:.2} % of the processor with the costs of this run.",
                self.words(self.to - self.from),
                self.utilisation_percent
            );
        }
        format!(
            "OBSERVED: {result}, in this run of {} and by the analysis\nwith the longest costs of \
             this run. Costs of other runs may be longer: this is no guarantee.\nAll together ask \
             for {:.2} % of the processor.",
            self.words(self.to - self.from),
            self.utilisation_percent
        )
    }
}
