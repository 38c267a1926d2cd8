//! Paths of calls by names: a tree, so that the work is in proportion to the calls that were seen,
//! however deep they are.

use std::collections::{BTreeMap, HashMap};

/// The most names of a path in a file. Viewers draw a row for each.
const PATH_MAX: usize = 512;
/// The name for all functions below a path with so many names.
const DEEPER: &str = "(deeper calls)";

/// A place in the tree.
pub(super) type Branch = usize;

/// The names of contexts and functions, each below its caller's.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    branches: Vec<Part>,
    children: HashMap<(Option<Branch>, u32), Branch>,
}

#[derive(Clone, Debug)]
struct Part {
    name: u32,
    parent: Option<Branch>,
    cycles: u64,
}

/// A step of a walk through the tree.
enum Step {
    In(Branch),
    Out(Branch),
}

/// The cycles of a name: in itself, and in what it called, each once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cycles {
    pub own: u64,
    pub all: u64,
}

impl Tree {
    /// The branch of a name below another one.
    pub(super) fn child(&mut self, parent: Option<Branch>, name: &str) -> Branch {
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name.to_owned());
                self.numbers.insert(name.to_owned(), number);
                number
            }
        };
        let branches = &mut self.branches;
        *self.children.entry((parent, number)).or_insert_with(|| {
            branches.push(Part { name: number, parent, cycles: 0 });
            branches.len() - 1
        })
    }

    /// Adds cycles that were spent in the function of a branch itself.
    pub(super) fn spend(&mut self, branch: Branch, cycles: u64) {
        self.branches[branch].cycles += cycles;
    }

    /// All branches, each before those below it, in the order of their names; and again behind
    /// them.
    fn walk(&self, mut visit: impl FnMut(Step)) {
        let mut below: BTreeMap<Option<Branch>, Vec<Branch>> = BTreeMap::new();
        for (branch, part) in self.branches.iter().enumerate() {
            below.entry(part.parent).or_default().push(branch);
        }
        for branches in below.values_mut() {
            // The last is walked first.
            branches.sort_by(|one, other| self.name(*other).cmp(self.name(*one)));
        }
        let mut left: Vec<Step> = Vec::new();
        let push = |left: &mut Vec<Step>, parent: Option<Branch>| {
            left.extend(below.get(&parent).into_iter().flatten().map(|&branch| Step::In(branch)));
        };
        push(&mut left, None);
        while let Some(step) = left.pop() {
            if let Step::In(branch) = step {
                left.push(Step::Out(branch));
                push(&mut left, Some(branch));
            }
            visit(step);
        }
    }

    fn name(&self, branch: Branch) -> &str {
        &self.names[self.branches[branch].name as usize]
    }

    /// The cycles of the contexts, which are the roots, and of the functions, by their names.
    pub(super) fn sums(&self) -> [BTreeMap<String, Cycles>; 2] {
        // A branch is made behind its parent.
        let mut all: Vec<u64> = self.branches.iter().map(|part| part.cycles).collect();
        for (branch, part) in self.branches.iter().enumerate().rev() {
            if let Some(parent) = part.parent {
                all[parent] += all[branch];
            }
        }
        let mut sums = [BTreeMap::new(), BTreeMap::new()];
        let mut open = vec![0_u32; self.names.len()];
        self.walk(|step| match step {
            Step::In(branch) => {
                let part = &self.branches[branch];
                let kind = usize::from(part.parent.is_some());
                let sum: &mut Cycles = sums[kind].entry(self.name(branch).to_owned()).or_default();
                sum.own += if kind == 0 { all[branch] } else { part.cycles };
                if kind == 0 {
                    sum.all += all[branch];
                    return;
                }
                // Of a function that is its own caller, the outermost counts.
                let open = &mut open[part.name as usize];
                sum.all += if *open == 0 { all[branch] } else { 0 };
                *open += 1;
            }
            Step::Out(branch) => {
                let part = &self.branches[branch];
                if part.parent.is_some() {
                    open[part.name as usize] -= 1;
                }
            }
        });
        sums
    }

    /// The paths that took cycles, each with the names from the context to the function, in the
    /// order of their names. A path has at most [`PATH_MAX`] names, so that the work is in
    /// proportion to the branches: the cycles of deeper functions belong to one path that ends with
    /// [`DEEPER`].
    pub(super) fn paths(&self, mut visit: impl FnMut(&[&str], u64)) {
        let mut path: Vec<&str> = Vec::new();
        let mut depth = 0_usize;
        let mut deeper = 0_u64;
        self.walk(|step| match step {
            Step::In(branch) => {
                depth += 1;
                let cycles = self.branches[branch].cycles;
                if depth > PATH_MAX {
                    deeper += cycles;
                    return;
                }
                path.push(self.name(branch));
                if cycles > 0 {
                    visit(&path, cycles);
                }
            }
            Step::Out(_) => {
                if depth == PATH_MAX && deeper > 0 {
                    path.push(DEEPER);
                    visit(&path, std::mem::take(&mut deeper));
                    path.pop();
                }
                if depth <= PATH_MAX {
                    path.pop();
                }
                depth -= 1;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[(&[&str], u64)]) -> Tree {
        let mut tree = Tree::default();
        for (path, cycles) in paths {
            let branch = path.iter().fold(None, |parent, name| Some(tree.child(parent, name)));
            tree.spend(branch.unwrap(), *cycles);
        }
        tree
    }

    #[test]
    fn recursion_counts_once() {
        let paths: [(&[&str], u64); 4] = [
            (&["main", "a", "b", "a"], 5),
            (&["main", "a"], 2),
            (&["SysTick", "b"], 3),
            (&["main", "a", "b", "a"], 1),
        ];
        let tree = tree(&paths);
        let [contexts, functions] = tree.sums();
        let cycles = |own, all| Cycles { own, all };
        assert_eq!(contexts["main"], cycles(8, 8));
        assert_eq!((functions["a"], functions["b"]), (cycles(8, 8), cycles(3, 9)));
        let mut seen = Vec::new();
        tree.paths(|path, cycles| seen.push((path.join(";"), cycles)));
        let expected = [("SysTick;b", 3), ("main;a", 2), ("main;a;b;a", 6)];
        assert_eq!(seen, expected.map(|(path, cycles)| (path.to_owned(), cycles)));
    }

    #[test]
    fn a_deep_recursion_is_a_long_branch_and_no_more() {
        let mut tree = Tree::default();
        let mut branch = tree.child(None, "main");
        for _ in 0..200_000 {
            branch = tree.child(Some(branch), "down");
            tree.spend(branch, 1);
        }
        assert_eq!(tree.branches.len(), 200_001);
        assert_eq!(tree.sums()[1]["down"], Cycles { own: 200_000, all: 200_000 });
        let (mut count, mut names, mut sum) = (0, 0, 0);
        let mut last = (String::new(), 0);
        tree.paths(|path, cycles| {
            (count, names, sum) = (count + 1, names + path.len(), sum + cycles);
            last = (path[path.len() - 1].to_owned(), cycles);
        });
        assert_eq!((count, sum), (PATH_MAX, 200_000), "no cycle is lost");
        assert!(names < PATH_MAX * PATH_MAX, "and the text of all paths is bounded");
        let below = 200_000 - (PATH_MAX as u64 - 1);
        assert_eq!(last, (DEEPER.to_owned(), below));
    }
}
