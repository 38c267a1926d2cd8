//! Where the cycles of a run go: the functions and lines, their callers, and their contexts.
//!
//! Nothing is sampled: each cycle counts for the instruction that took it, and for the calls that
//! led there.

mod aggregate;
mod export;
mod shadow;
mod tree;

pub use aggregate::{Inlined, Line, Profile, Sum};
pub use export::{flame_graph, folded, speedscope};

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quintet_sim::cores::{Core, Family};

use crate::counters::Counters;
use crate::firmware::Firmware;
use crate::simulated::Simulated;
use crate::threads::layout::Layout;
use crate::threads::tasks::Tasks;
use shadow::{Context, Shadow, Step};

/// A path of calls: the place of the tree's node. The roots are contexts.
type Node = usize;

/// The calls that were seen, as a tree: a node is a call instruction in its parent.
#[derive(Clone, Debug, Default)]
struct Calls {
    nodes: Vec<(Option<Node>, Place)>,
    children: HashMap<(Option<Node>, Place), Node>,
}

/// The meaning of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Context(Context),
    /// The address of the call instruction.
    Call(u32),
}

impl Calls {
    fn child(&mut self, parent: Option<Node>, place: Place) -> Node {
        let nodes = &mut self.nodes;
        *self.children.entry((parent, place)).or_insert_with(|| {
            nodes.push((parent, place));
            nodes.len() - 1
        })
    }
}

/// Follows a run. [`Recorder::look`] follows each step.
#[derive(Clone, Debug)]
pub struct Recorder {
    layout: Option<Layout>,
    /// The tasks of a kernel that isn't Quintet.
    tasks: Option<Tasks>,
    shadow: Shadow,
    calls: Calls,
    /// The processor's place: the path of calls that led there.
    node: Node,
    /// The cycles of each instruction, by the path that led there.
    cycles: Counters,
    /// The calls among the instructions that have jumped lately.
    jumps: Jumps,
    /// The number of each function's calls, by its first instruction.
    called: HashMap<u32, u64>,
    /// Where functions begin, as far as the run tells: the start, the targets of calls, handlers.
    entries: BTreeSet<u32>,
    asleep: u64,
    /// Whether the processor slept after the last step.
    is_asleep: bool,
    /// The threads, by their numbers as contexts: the control block and the name. The memory of a
    /// task that was deleted may become another's.
    threads: Vec<(u32, String)>,
    /// The running thread's control block and number, as long as it runs.
    running: Option<(u32, u32)>,
    /// Where the handler of each exception begins.
    handlers: BTreeMap<u16, u32>,
    cycle: u64,
    instructions: u64,
}

impl Recorder {
    /// Before the first step.
    pub fn new(firmware: &Firmware) -> Self {
        let mut calls = Calls::default();
        let node = calls.child(None, Place::Context(Context::Main));
        let layout = Layout::find(&firmware.image);
        let tasks = layout.is_none().then(|| Tasks::find(firmware)).flatten().and_then(Result::ok);
        Self {
            layout,
            tasks,
            shadow: Shadow::default(),
            calls,
            node,
            cycles: Counters::default(),
            jumps: Jumps::default(),
            called: HashMap::new(),
            entries: BTreeSet::new(),
            asleep: 0,
            is_asleep: false,
            threads: Vec::new(),
            running: None,
            handlers: BTreeMap::new(),
            cycle: 0,
            instructions: 0,
        }
    }

    /// Reads the machine after the step at `from`. The step's cycles count if they are `wanted`.
    pub fn look<M: Simulated>(&mut self, machine: &M, from: u32, wanted: bool) {
        let cycles = machine.cycle() - std::mem::replace(&mut self.cycle, machine.cycle());
        let instructions = std::mem::replace(&mut self.instructions, machine.instructions());
        let is_executed = machine.instructions() != instructions;
        let context = self.context(machine);
        let was_asleep = std::mem::replace(&mut self.is_asleep, machine.is_asleep());
        // A handler that is pended again is entered behind its own return: the context stays.
        let is_other = context != self.shadow.context() || !was_asleep && machine.pc() != from;
        let is_entry = !is_executed && is_other;
        if was_asleep && !is_executed && !is_entry {
            self.asleep += if wanted { cycles } else { 0 };
            return;
        }
        if self.entries.is_empty() {
            self.entries.insert(from);
        }
        if let (true, Context::Exception(number)) = (is_entry, context) {
            self.entries.insert(machine.pc());
            self.handlers.insert(number, machine.pc());
        }
        let spender = (self.node, from);
        self.follow(machine, from, context, is_executed);
        if wanted {
            // The entry of an exception is that exception's.
            let spender = if is_entry { (self.node, machine.pc()) } else { spender };
            *self.cycles.of(spender.0, spender.1) += cycles;
        }
    }

    fn context<M: Simulated>(&mut self, machine: &M) -> Context {
        let exception = machine.handler();
        if exception != 0 {
            return Context::Exception(exception);
        }
        // Kernels with threads are known on a Cortex-M only.
        let Some(machine) = machine.cortex_m() else { return Context::Main };
        let (layout, tasks) = (self.layout.as_ref(), self.tasks.as_ref());
        let control = layout.and_then(|layout| layout.running(machine));
        let control = control.or_else(|| tasks?.running(machine));
        let Some(control) = control else { return Context::Main };
        if let Some((_, number)) = self.running.filter(|(running, _)| *running == control) {
            return Context::Thread(number);
        }
        let name = layout.and_then(|layout| Some(layout.about(machine, control)?.name));
        let task = || Some(tasks?.about(machine, control)?.0);
        let name = name.or_else(task).unwrap_or_else(|| format!("thread at {control:#010x}"));
        let thread = (control, name);
        let number = self.threads.iter().position(|one| *one == thread).unwrap_or_else(|| {
            self.threads.push(thread);
            self.threads.len() - 1
        });
        self.running = Some((control, number as u32));
        Context::Thread(number as u32)
    }

    /// Brings the path of calls up to date.
    fn follow<M: Simulated>(
        &mut self,
        machine: &M,
        from: u32,
        context: Context,
        is_executed: bool,
    ) {
        let to = machine.pc();
        let stack = machine.stack_pointer();
        let call = if is_executed { self.jumps.call_at(machine, from, to) } else { None };
        let step = Step { context, from, to, stack, returns_to: call };
        if !self.shadow.follow(&step) {
            return;
        }
        if call.is_some() && context == self.shadow.context() {
            *self.called.entry(to).or_default() += 1;
            self.entries.insert(to);
        }
        // Only the new calls have no node yet, so that a step costs the same at any depth.
        let mut node = self.calls.child(None, Place::Context(context));
        let frames = self.shadow.frames_mut();
        let known = frames.iter().rposition(|frame| frame.node.is_some());
        if let Some(known) = known {
            node = frames[known].node.unwrap_or(node);
        }
        for frame in &mut frames[known.map_or(0, |known| known + 1)..] {
            node = self.calls.child(Some(node), Place::Call(frame.call));
            frame.node = Some(node);
        }
        self.node = node;
    }

    /// The counted cycles, by names. `M` is the machine of the run, which names its handlers.
    pub fn profile<M: Core>(&self, firmware: &Firmware, inlined: Inlined) -> Profile {
        // Traps of RISC-V share one handler, whose name says nothing.
        let has_own = |number| M::FAMILY == Family::CortexM && M::is_interrupt(number);
        let names = Handlers { name: M::handler_name, has_own };
        Profile::new(self, firmware, inlined, &names)
    }
}

/// How the core of the run names its handlers.
struct Handlers {
    name: fn(u16) -> String,
    /// Whether it has a handler of its own.
    has_own: fn(u16) -> bool,
}

/// The jumps whose meaning is at hand.
const JUMPS: usize = 1024;

/// What the instructions that jump do: the address and the bits of each, and where it returns to.
#[derive(Clone, Debug)]
struct Jumps(Vec<(u32, u32, Option<u32>)>);

impl Default for Jumps {
    fn default() -> Self {
        // No instruction has an odd address.
        Self(vec![(1, 0, None); JUMPS])
    }
}

impl Jumps {
    /// Returns the return address, if the instruction at `from` has called the function at `to`.
    fn call_at(&mut self, machine: &impl Core, from: u32, to: u32) -> Option<u32> {
        if to == from.wrapping_add(2) || to == from.wrapping_add(4) {
            return None;
        }
        let bits = machine.bits(from)?;
        let known = &mut self.0[(from >> 1) as usize % JUMPS];
        if (known.0, known.1) != (from, bits) {
            let flow = machine.flow(from, bits)?;
            let returns_to = flow.to.is_call().then(|| from.wrapping_add(flow.length));
            *known = (from, bits, returns_to);
        }
        known.2
    }
}
