//! The tasks of other frameworks, found by the names that their macros and executors make.
//!
//! The executor of RTIC calls `poll` for each task of a level, and `poll` looks whether the task is
//! ready. So a task is the code that is inlined into its `poll`. The hardware tasks of RTIC are
//! found by the calls of their vectors, `init` and `idle` by the calls of the start, where these
//! calls are inlined.

use super::map::places;
use super::units::{Application, Kind, between, is_closure, last_part, polled};
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use std::collections::{BTreeMap, BTreeSet};

/// The names that Embassy and RTIC give to the parts of a task.
pub const EMBASSY: [(&str, &str); 2] = [("__", "_task_inner_function"), ("__", "_task")];
const RTIC: (&str, &str) = ("__rtic_internal_", "_EXEC");

impl Application {
    /// Tasks by the names of other frameworks.
    pub(super) fn guess(&mut self, firmware: &Firmware) {
        let symbols = firmware.image.symbols.iter().map(|symbol| demangle(&symbol.name));
        let executors = symbols.filter(|path: &String| path.contains(RTIC.0));
        let mut modules = BTreeMap::new();
        for path in executors {
            let (module, last) = path.rsplit_once("::").unwrap_or(("", &path));
            modules.extend(between(last, RTIC).map(|name| (name.to_owned(), module.to_owned())));
        }
        let lists = places(firmware).1;
        self.guess_rtic(&lists, &modules);
        let is_task = |name: &&str| EMBASSY.iter().any(|inside| between(name, *inside).is_some());
        let polled = |function: &String| polled(function).filter(is_task).map(str::to_owned);
        let tasks: BTreeSet<String> = lists.iter().flatten().filter_map(polled).collect();
        for name in tasks {
            self.add(&name, Kind::Async, "");
        }
    }

    /// The tasks of RTIC: its async tasks by name, with the module of the application.
    fn guess_rtic(&mut self, lists: &[Vec<String>], tasks: &BTreeMap<String, String>) {
        let Some(module) = tasks.values().next() else { return };
        for name in tasks.keys() {
            let unit = self.add(name, Kind::Async, "");
            self.units[usize::from(unit)].looks_first = true;
        }
        for name in ["init", "idle"] {
            let unit = self.add(name, Kind::Whole, "");
            self.units[usize::from(unit)].module.clone_from(module);
        }
        let mut handlers: BTreeMap<&str, &str> = BTreeMap::new();
        let is_task =
            |function: &String| polled(function).is_some_and(|name| tasks.contains_key(name));
        for list in lists {
            let Some((vector, called)) = handler(list) else { continue };
            if list.iter().any(is_task) {
                self.dispatchers.insert(vector.to_owned());
            } else if !called.contains(['<', '{']) {
                handlers.entry(vector).or_insert(last_part(called));
            }
        }
        for (vector, task) in handlers {
            if !self.dispatchers.contains(vector) {
                let unit = self.add(task, Kind::Hardware, "");
                vector.clone_into(&mut self.units[usize::from(unit)].vector);
            }
        }
    }
}

/// Functions that are inlined into each other, the outermost first: a vector of RTIC, and the code
/// that the vector runs at its priority, by a closure or a function `exec`.
fn handler(list: &[String]) -> Option<(&str, &str)> {
    let [vector, run, inside @ ..] = list else { return None };
    let is = |function: &str, name: &str| {
        let rest = function.strip_prefix(name);
        last_part(function) == name || rest.is_some_and(|rest| rest.starts_with('<'))
    };
    let is_caller = |one: &String| is_closure(one) || is(one, "exec");
    let is_between = |one: &&String| is_caller(one) || is(one, "call_once");
    let count = inside.iter().take_while(is_between).count();
    let called = inside.get(count)?;
    let is_called = inside.get(count.checked_sub(1)?).is_some_and(is_caller);
    let is_handler = !vector.contains("::") && is(run, "run") && is_called;
    is_handler.then_some((vector.as_str(), called.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_of_rtic_begins_where_its_executor_has_found_it_ready() {
        let mut rtic = Application::default();
        rtic.add("report", Kind::Async, "");
        rtic.units[0].looks_first = true;
        let poll = "poll<app::report::{async_fn_env#0}>";
        assert_eq!(rtic.unit_of(poll, Some("run")), None, "it looks whether it is ready");
        assert_eq!(rtic.unit_of("{async_fn#0}", Some(poll)), Some(0));
        assert_eq!(rtic.unit_of("{async_fn#0}", Some("poll<app::other::{async_fn_env#0}>")), None);
        assert_eq!(rtic.unit_of("app::report::{{closure}}", None), Some(0));
    }

    #[test]
    fn handlers_of_rtic_are_tasks_or_dispatchers() {
        let list = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let run = "run<a::app::SSI0::{closure_env#0}>";
        let lists = [
            list(&["UART0", "run<fn()>", "write"]),
            list(&["UART0", "run<fn()>", "call_once<fn(), ()>", "exec", "uart", "lock"]),
            list(&["GPIOA", "run<a::app::GPIOA::{closure_env#0}>", "{closure#0}", "pins"]),
            list(&["SSI0", run, "{closure#0}", "swap"]),
            list(&["SSI0", run, "{closure#0}", "poll<a::app::report::{async_fn_env#0}>"]),
            list(&["a::app::other", "run<fn()>", "exec", "work"]),
            // With the whole debug information, names are paths.
            list(&["GPIOB", "rtic::export::run", "a::app::GPIOB::{{closure}}", "a::app::leds"]),
            list(&[
                "QEI0",
                "rtic::export::run",
                "a::app::QEI0::{{closure}}",
                "rtic::export::executor::AsyncTaskExecutor<F>::poll",
                "a::app::report::{{closure}}",
            ]),
        ];
        let mut rtic = Application::default();
        rtic.guess_rtic(&lists, &BTreeMap::from([("report".to_owned(), "a::app".to_owned())]));
        assert_eq!(rtic.dispatchers, ["QEI0", "SSI0"].map(str::to_owned).into());
        let names: Vec<_> = rtic.units.iter().map(|unit| &*unit.name).collect();
        assert_eq!(names, ["report", "init", "idle", "pins", "leds", "uart"]);
        assert_eq!((rtic.unit_of("UART0", None), rtic.unit_of("SSI0", None)), (Some(5), None));
        let start = "__rtic_init_resources<a::app::main::{closure_env#0}>";
        assert_eq!(rtic.unit_of("idle", Some(start)), Some(2));
    }

    #[test]
    fn other_firmware_has_no_tasks() {
        let mut other = Application::default();
        other.guess_rtic(&[vec!["UART0".into(), "run<fn()>".into()]], &BTreeMap::new());
        assert!(other.units.is_empty());
    }
}
