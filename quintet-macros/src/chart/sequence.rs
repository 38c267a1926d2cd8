//! A transition as straight code.

use proc_macro2::{Ident, TokenStream};
use quintet_charts::lower::{Resumption, Step};
use quintet_charts::model::{After, Argument, Call, Initial};
use quote::{format_ident, quote};

use super::emit::Output;

impl Output<'_> {
    /// The steps as statements.
    ///
    /// `values` are those of the transition. If `is_new` is `true`, the variables are those of the
    /// leaf that is entered.
    pub fn steps(&self, steps: &[Step], has_action: bool, mut is_new: bool) -> TokenStream {
        let mut code = TokenStream::new();
        for step in steps {
            is_new |= matches!(step, Step::Values(_) | Step::InitialValues(_));
            code.extend(self.step(step, has_action, is_new));
        }
        code
    }

    fn step(&self, step: &Step, has_action: bool, is_new: bool) -> TokenStream {
        let states = &self.machine.states;
        match step {
            Step::Exit(state) => {
                let note = self.note_at("Exit", *state);
                let statement = self.statement(states[*state].exit.as_ref(), is_new);
                let disarm = self.timer(*state, 1);
                quote!(#note #disarm #statement)
            }
            Step::Entry(state) => {
                let note = self.note_at("Enter", *state);
                let statement = self.statement(states[*state].entry.as_ref(), is_new);
                let arm = self.timer(*state, 0);
                quote!(#note #arm #statement)
            }
            Step::Record { of, leaf } => {
                let (place, number) = (self.place(*of), self.remembered(*leaf));
                quote!(__machine.__record[#place] = #number;)
            }
            Step::Action if has_action => {
                let (context, note) = (self.context(), self.note(&quote!(Action)));
                quote!(#note __action(&mut __machine.__chart, #context);)
            }
            Step::Action => TokenStream::new(),
            Step::Values(leaf) => {
                let names = states[*leaf].storage.iter().map(|(name, _)| name);
                let values = (0..states[*leaf].storage.len()).map(value);
                quote!(#(let mut #names = #values;)*)
            }
            Step::InitialValues(of) => {
                let names: Vec<_> =
                    states[self.initial(*of).target].storage.iter().map(|(name, _)| name).collect();
                if names.is_empty() {
                    return TokenStream::new();
                }
                let (function, context) = (self.values_name(*of), self.context());
                quote! {
                    let (#(mut #names,)*) = Self::#function(&mut __machine.__chart, #context);
                }
            }
            Step::InitialAction(of) => self.statement(self.initial(*of).action.as_ref(), is_new),
            Step::Arrive(leaf, is_stored) => self.arrive(*leaf, *is_stored),
            Step::Resume(resumption) => {
                let function = self.resumption_name(*resumption);
                let (context, wait) = (self.context(), self.wait());
                quote!(Self::#function(__machine, #context)#wait;)
            }
        }
    }

    fn arrive(&self, leaf: usize, is_stored: bool) -> TokenStream {
        let state = &self.machine.states[leaf];
        let (kind, variant) = (&self.machine.state_name, self.variant(leaf));
        let names: Vec<_> = state.storage.iter().map(|(name, _)| name).collect();
        let fields = (!names.is_empty()).then(|| quote!({ #(#names),* }));
        let store = is_stored.then(
            || quote!(__machine.__state = ::core::option::Option::Some(#kind::#variant #fields);),
        );
        let complete = self.machine.completion_at(leaf).map(|_| {
            let (function, context, wait) = (self.completion(leaf), self.context(), self.wait());
            quote!(Self::#function(__machine, #context)#wait;)
        });
        quote!(#store #complete)
    }

    /// An initial transition, of a composite or of the machine.
    pub fn initial(&self, of: Option<usize>) -> &Initial {
        let inner = of.and_then(|state| self.machine.states[state].initial.as_ref());
        inner.unwrap_or(&self.machine.initial)
    }

    /// The place of a composite in the record.
    pub fn place(&self, of: usize) -> usize {
        self.tree.place(of).unwrap_or_default()
    }

    /// A leaf as a number for a record, in which 0 means no leaf.
    pub fn remembered(&self, leaf: usize) -> proc_macro2::Literal {
        proc_macro2::Literal::usize_unsuffixed(self.numbers.number(Some(leaf)) + 1)
    }

    /// The call of an action, as a statement.
    pub fn statement(&self, call: Option<&Call>, is_new: bool) -> TokenStream {
        call.map_or_else(TokenStream::new, |call| {
            let name = call.name.to_string();
            let (note, call) = (self.note(&quote!(Run(#name))), self.call(call, is_new));
            quote!(#note #call;)
        })
    }

    /// A call with the arguments that the function wants.
    pub fn call(&self, call: &Call, is_new: bool) -> TokenStream {
        let path = &call.path;
        let arguments = call.arguments.iter().map(|argument| match argument {
            Argument::Own { mutable: true } => quote!(&mut __machine.__chart),
            Argument::Own { mutable: false } => quote!(&__machine.__chart),
            Argument::EventReference if !self.machine.by_reference() => quote!(&event),
            Argument::Event | Argument::EventReference => quote!(event),
            Argument::Context => self.context(),
            Argument::Storage(name) if is_new => quote!(&mut #name),
            Argument::Storage(name) => quote!(&mut *#name),
        });
        let wait = call.waits.then(|| quote!(.await));
        quote!(#path(#(#arguments),*)#wait)
    }

    /// The context, lent.
    pub fn context(&self) -> TokenStream {
        match &self.machine.context {
            Some(syn::Type::Reference(one)) if one.mutability.is_some() => quote!(&mut *context),
            Some(_) => quote!(context),
            None => TokenStream::new(),
        }
    }

    /// Returns the `.await` that follows the calls of a machine's functions, if one of them waits.
    pub fn wait(&self) -> Option<TokenStream> {
        self.machine.waits.then(|| quote!(.await))
    }

    /// The function that leads back into a composite.
    pub fn resumption_name(&self, Resumption { of, is_deep }: Resumption) -> Ident {
        let name = &self.machine.states[of].name;
        if is_deep { format_ident!("__deep_{}", name) } else { format_ident!("__back_{}", name) }
    }

    /// The function that takes events in a leaf of a machine that waits.
    pub fn leaf_name(&self, leaf: usize) -> Ident {
        format_ident!("__in_{}", self.machine.states[leaf].name)
    }

    /// The call of the function that arms the timer of a state, or of the one that disarms it.
    pub fn timer(&self, state: usize, which: usize) -> Option<TokenStream> {
        self.machine.states[state].after.as_ref()?;
        let function = &self.timer_names(state)[which];
        Some(quote!(Self::#function(&mut __machine.__chart);))
    }

    /// The functions that arm and disarm the timers of states.
    pub fn timers(&self) -> TokenStream {
        let states = &self.machine.states;
        let timers = states.iter().enumerate().filter_map(|(index, state)| {
            let After { timer, delay } = state.after.as_ref()?;
            let [arm, disarm] = self.timer_names(index);
            Some(quote! {
                #[allow(unused_parens)]
                #[inline(always)]
                fn #arm(&mut self) { (#timer).arm(#delay); }

                #[allow(unused_parens)]
                #[inline(always)]
                fn #disarm(&mut self) { let _ = (#timer).disarm(); }
            })
        });
        quote!(#(#timers)*)
    }

    /// The functions that arm and disarm the timer of a state.
    pub fn timer_names(&self, state: usize) -> [Ident; 2] {
        let name = &self.machine.states[state].name;
        [format_ident!("__arm_{}", name), format_ident!("__disarm_{}", name)]
    }

    /// The function that a leaf with a completion calls.
    pub fn completion(&self, leaf: usize) -> Ident {
        format_ident!("__complete_{}", self.machine.states[leaf].name)
    }
}

/// The variable with a value of the target's storage.
pub fn value(index: usize) -> Ident {
    format_ident!("__value{index}")
}
