//! The macros answer damaged sources, and never panic. In each application and each machine of the
//! repository, tokens are left out, doubled and exchanged, in the same way in each run.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{Attribute, ItemImpl, ItemMod, Meta};

/// How many mutants there are of each source.
const MUTANTS: u32 = 6;

/// Where sources are, from the repository on.
const DIRECTORIES: [&str; 5] = [
    "quintet-charts/ui",
    "quintet-macros/ui",
    "examples/src/bin",
    "proof/tests/charts",
    "quintet-lab/tests/charts",
];

/// The input of a macro.
#[derive(Clone)]
struct Input {
    is_machine: bool,
    arguments: TokenStream,
    item: TokenStream,
}

/// The applications and machines of a file.
#[derive(Default)]
struct Inputs(Vec<Input>);

/// The arguments of the attribute `name`, which is removed.
fn removed(attributes: &mut Vec<Attribute>, name: &str) -> Option<TokenStream> {
    let is_it = |one: &Attribute| one.path().segments.last().is_some_and(|s| s.ident == name);
    let place = attributes.iter().position(is_it)?;
    Some(match attributes.remove(place).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    })
}

impl Visit<'_> for Inputs {
    fn visit_item_impl(&mut self, block: &ItemImpl) {
        let mut block = block.clone();
        if let Some(arguments) = removed(&mut block.attrs, "state_machine") {
            self.0.push(Input { is_machine: true, arguments, item: block.into_token_stream() });
        }
    }

    fn visit_item_mod(&mut self, module: &ItemMod) {
        visit::visit_item_mod(self, module);
        let mut module = module.clone();
        if let Some(arguments) = removed(&mut module.attrs, "app") {
            self.0.push(Input { is_machine: false, arguments, item: module.into_token_stream() });
        }
    }
}

/// Numbers that look random, and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("it is below the bound")
    }
}

fn count(tokens: &TokenStream) -> usize {
    let inside = |token| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

/// The tokens with the one at `place` left out, doubled, or exchanged with the next.
fn mutated(tokens: TokenStream, place: &mut usize, how: usize) -> TokenStream {
    let mut all: Vec<TokenTree> = tokens.into_iter().collect();
    for index in 0..all.len() {
        if *place == 0 {
            *place = usize::MAX;
            match how {
                0 => drop(all.remove(index)),
                1 => all.insert(index, all[index].clone()),
                _ if index + 1 < all.len() => all.swap(index, index + 1),
                _ => all.swap(0, index),
            }
            break;
        }
        *place -= 1;
        if let TokenTree::Group(group) = &all[index] {
            let inside = mutated(group.stream(), place, how);
            let mut new = Group::new(group.delimiter(), inside);
            new.set_span(group.span());
            all[index] = new.into();
            if *place == usize::MAX {
                break;
            }
        }
    }
    all.into_iter().collect()
}

fn mutant(of: &Input, random: &mut Random) -> Input {
    let mut new = of.clone();
    for _ in 0..=random.below(2) {
        // The arguments are few: half of the mistakes would never be in them.
        let part = if !new.arguments.is_empty() && random.below(4) == 0 {
            &mut new.arguments
        } else {
            &mut new.item
        };
        let mut place = random.below(count(part).max(1));
        *part = mutated(part.clone(), &mut place, random.below(3));
    }
    new
}

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = DIRECTORIES
        .iter()
        .flat_map(|directory| fs::read_dir(root.join(directory)).expect("the directory is there"));
    let paths = entries.map(|entry| entry.expect("the directory can be read").path());
    let mut sources: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect();
    sources.sort();
    sources
}

#[test]
fn damaged_sources_never_panic() {
    let mut random = Random(0x05EE_D0FC_4A7F);
    let (mut refused, mut all) = (0, 0);
    for path in sources() {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let mut inputs = Inputs::default();
        inputs.visit_file(&syn::parse_file(&text).expect("the file is Rust"));
        for input in &inputs.0 {
            for _ in 0..MUTANTS {
                let Input { is_machine, arguments, item } = mutant(input, &mut random);
                let expand = if is_machine { crate::chart::expand } else { crate::expand };
                let given = (arguments.clone(), item.clone());
                let expansion = catch_unwind(AssertUnwindSafe(|| expand(given.0, given.1)));
                let Ok(expansion) = expansion else {
                    let written = quote!(#[of_macro(#arguments)] #item);
                    panic!("{}: the macro panics at\n{written}", path.display());
                };
                all += 1;
                refused += u32::from(expansion.to_string().contains("compile_error"));
            }
        }
    }
    // Damage that is no Rust any more, and damage that only a check of the whole application finds.
    assert!(all > 1000 && refused > all / 2 && refused < all, "{refused} of {all} are refused");
}
