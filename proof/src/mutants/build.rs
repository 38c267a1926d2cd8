//! The build of the copy, without the changes that the compiler refuses.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Expr, ExprIf, ImplItemFn, ItemFn, Lit, TraitItemFn};

use super::schema::Site;
use super::tree::Tree;

/// The tests that run on the host: of the changed crates, and of the macro, which uses one of them.
const ARGUMENTS: [&str; 15] = [
    "--package",
    "quintet",
    "--package",
    "quintet-charts",
    "--package",
    "quintet-macros",
    "--lib",
    "--test",
    "chart_by_value",
    "--test",
    "chart_door",
    "--test",
    "host",
    "--test",
    "samek",
];

/// How often the compiler may find further changes to refuse.
const ROUNDS: usize = 30;

/// A program of tests.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The directory of its crate.
    pub directory: PathBuf,
    /// The directory of the compiler's libraries.
    pub libraries: PathBuf,
}

/// What was built.
pub struct Built {
    /// The changes that are in it.
    pub sites: Vec<Site>,
    /// The number of changes that the compiler refuses.
    pub refused: usize,
    /// The tests.
    pub programs: Vec<Program>,
}

/// Builds the copy with all changes that the compiler takes.
pub fn build(tree: &Tree) -> Result<Built> {
    // From the last build, as most are refused again.
    let list = tree.path.join("refused.txt");
    let before = std::fs::read_to_string(&list).unwrap_or_default();
    let mut refused: HashSet<String> = before.lines().map(str::to_owned).collect();
    for _ in 0..ROUNDS {
        let sites = tree.change(&refused)?;
        let (programs, errors) = compile(&tree.path)?;
        if errors.is_empty() {
            return Ok(Built { sites, refused: refused.len(), programs });
        }
        let mut more = HashSet::new();
        for (file, errors) in &errors {
            more.extend(blamed(&tree.path.join(file), errors)?);
        }
        eprintln!("the compiler refuses {} more of {} changes", more.len(), sites.len());
        let before = refused.len();
        let more = sites.iter().filter(|site| more.contains(&site.number));
        refused.extend(more.map(Site::name));
        let names: Vec<_> = refused.iter().map(String::as_str).collect();
        std::fs::write(&list, names.join("\n"))?;
        let texts = errors.values().flatten().map(|(_, text)| text.as_str());
        let texts = texts.collect::<Vec<_>>().join("\n");
        ensure!(refused.len() > before, "the compiler refuses what is no change:\n{texts}");
    }
    bail!("the compiler refuses further changes after {ROUNDS} rounds");
}

/// An error of the compiler: where it is in its file, in bytes, and its text.
type Error = (Range<usize>, String);

/// The errors of each file.
type Errors = BTreeMap<String, Vec<Error>>;

/// Compiles the tests. Returns the programs, and the errors of each file.
fn compile(tree: &Path) -> Result<(Vec<Program>, Errors)> {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--no-run", "--offline", "--message-format", "json", "--no-fail-fast"])
        .args(ARGUMENTS)
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", tree.join("target"))
        .env("RUSTC_BOOTSTRAP", "quintet,quintet_charts")
        .stderr(Stdio::piped())
        .output()
        .context("running cargo")?;
    let libraries = libraries(tree)?;
    let (mut programs, mut errors) = (Vec::new(), Errors::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let (Some(path), Some(manifest)) =
            (message["executable"].as_str(), message["manifest_path"].as_str())
            && message["profile"]["test"] == true
        {
            let directory = Path::new(manifest).parent().unwrap_or(tree).to_owned();
            let name = text(&message["target"]["name"]);
            let libraries = libraries.clone();
            programs.push(Program { name, path: path.into(), directory, libraries });
        }
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().cloned().unwrap_or_default();
        for span in spans.iter().filter(|span| span["is_primary"] == true) {
            let byte = |name: &str| span[name].as_u64().unwrap_or_default() as usize;
            let error = (byte("byte_start")..byte("byte_end"), text(&message["rendered"]));
            errors.entry(text(&span["file_name"])).or_default().push(error);
        }
    }
    if !output.status.success() && errors.is_empty() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok((programs, errors))
}

/// Returns the directory of the compiler's libraries.
fn libraries(tree: &Path) -> Result<PathBuf> {
    let mut command = Command::new("rustc");
    let output = command.args(["--print", "target-libdir"]).current_dir(tree).output();
    let output = output.context("running rustc")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Returns the changes of a file of the copy that have these errors: the innermost around each, or
/// all of its function.
fn blamed(path: &Path, errors: &[Error]) -> Result<HashSet<u32>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut places = Places::default();
    places.visit_file(&syn::parse_file(&text)?);
    let mut blamed = HashSet::new();
    for (range, message) in errors {
        // The compiler counts bytes, as these places do.
        let has = |place: &&(Range<usize>, u32)| place.0.contains(&range.start);
        if let Some((_, number)) = places.changes.iter().filter(has).min_by_key(|one| one.0.len()) {
            blamed.insert(*number);
            continue;
        }
        let function = places.functions.iter().filter(|place| place.contains(&range.start));
        let Some(function) = function.min_by_key(|place| place.len()) else {
            bail!("{}: {message}", path.display());
        };
        let inside = places.changes.iter().filter(|(place, _)| function.contains(&place.start));
        blamed.extend(inside.map(|(_, number)| *number));
    }
    Ok(blamed)
}

/// The places of changes and functions in a file of the copy, in bytes.
#[derive(Default)]
struct Places {
    changes: Vec<(Range<usize>, u32)>,
    functions: Vec<Range<usize>>,
}

impl Visit<'_> for Places {
    fn visit_expr_if(&mut self, node: &ExprIf) {
        if let Some(number) = number(&node.cond) {
            // Without the branch that stands for the code as it was.
            let end = node.then_branch.span().byte_range().end;
            let begin = node.cond.span().byte_range().start;
            let is_deletion = node.else_branch.is_none();
            let whole = node.span().byte_range();
            self.changes.push((if is_deletion { whole } else { begin..end }, number));
        }
        visit::visit_expr_if(self, node);
    }

    fn visit_arm(&mut self, node: &Arm) {
        if let Some((_, guard)) = &node.guard
            && let Some(number) = number(guard)
        {
            self.changes.push((node.span().byte_range(), number));
        }
        visit::visit_arm(self, node);
    }

    fn visit_item_fn(&mut self, node: &ItemFn) {
        self.functions.push(node.span().byte_range());
        visit::visit_item_fn(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &ImplItemFn) {
        self.functions.push(node.span().byte_range());
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_trait_item_fn(&mut self, node: &TraitItemFn) {
        self.functions.push(node.span().byte_range());
        visit::visit_trait_item_fn(self, node);
    }
}

/// Returns the number of the change that a condition asks for.
fn number(condition: &Expr) -> Option<u32> {
    match condition {
        Expr::Unary(unary) => number(&unary.expr),
        Expr::Paren(inner) => number(&inner.expr),
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let segments = &path.path.segments;
            if !segments.iter().any(|one| one.ident == "__mutants") {
                return None;
            }
            let Some(Expr::Lit(literal)) = call.args.first() else { return None };
            let Lit::Int(number) = &literal.lit else { return None };
            number.base10_parse().ok()
        }
        _ => None,
    }
}
