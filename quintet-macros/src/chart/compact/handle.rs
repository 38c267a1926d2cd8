//! How a machine in the compact form takes an event.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Compact, Said};

impl Compact<'_> {
    /// Takes an event: asks the leaf, and then the states around it.
    pub fn handle(&self) -> TokenStream {
        let output = self.output;
        let quintet = &output.quintet;
        let (event, context) = (output.event(), output.context_parameter());
        let (asynchronous, wait) = (output.asynchronous(), output.wait());
        let (lent, none) = (output.context(), self.number(None));
        let (begin, asked) = (output.first(), self.asked_next());
        let (note, unhandled) = (output.note(&quote!(Ignored)), output.unhandled());
        let (slot, lent_slot, arms) = (self.slot(), self.lent_slot(), self.arms_of_answers());
        quote! {
            #[inline]
            #asynchronous fn __handle<'__event, const __OFFERED: bool>(
                __machine: &mut #quintet::chart::Machine<Self>,
                mut event: #event,
                #context
            ) -> #quintet::chart::Taken {
                #begin
                #slot
                let mut __at = Self::__number(&__machine.__state);
                let mut __said = Self::__ask(__machine, __at, event, #lent_slot #lent)#wait;
                loop {
                    match __said { #arms }
                    __at = #quintet::chart::compact::parent(#asked, __at);
                    if __at == #none {
                        #note
                        #unhandled
                        return if __OFFERED {
                            #quintet::chart::Taken::Ignored
                        } else {
                            #quintet::chart::Taken::Done
                        };
                    }
                    __said = Self::__above(__machine, __at, event, #lent_slot #lent)#wait;
                }
            }
        }
    }

    /// What follows each answer. The arm of `Super` comes to its end, and gives the event back.
    fn arms_of_answers(&self) -> TokenStream {
        let output = self.output;
        let (quintet, by_reference) = (&output.quintet, output.machine.by_reference());
        let (lent, wait, next) = (output.context(), output.wait(), self.next());
        let asked = quote!(#quintet::chart::compact::Asked);
        let [above, deferred] = [Said::Super, Said::Deferred].map(|said| self.literal(said));
        let (above, deferred, code) = match by_reference {
            true => (quote!(#above => {}), quote!(#deferred), quote!(__code)),
            false => (
                quote!(#asked::Super(__given) => event = __given,),
                quote!(#asked::Deferred(event)),
                quote!(#asked::Said(__code)),
            ),
        };
        let note = output.note(&quote!(Handled(Self::__within(__at))));
        let handled = self.answered(&self.literal(Said::Handled));
        let keep = match output.machine.deferred {
            Some(_) => {
                let keep = output.keep(["Deferred", "Full"].map(|step| {
                    let step = format_ident!("{step}");
                    output.note(&quote!(#step(Self::__within(__at))))
                }));
                Some(quote!(#deferred => return #keep,))
            }
            // No handler says so.
            None => (!by_reference)
                .then(|| quote!(#asked::Deferred(_) => return #quintet::chart::Taken::Done,)),
        };
        let moved = (self.is_straight || self.has_actions()).then(|| {
            let moved = self.answered(&self.literal(Said::Moved));
            quote!(#moved => return #quintet::chart::Taken::Moved,)
        });
        // Where ways are straight, each transition has been taken by the answer.
        let take = (!self.is_straight)
            .then(|| quote!(Self::__take(__machine, __at, usize::from(__code), #next #lent)#wait;));
        quote! {
            #above
            #handled => {
                #note
                return #quintet::chart::Taken::Done;
            }
            #keep
            #moved
            #code => {
                #take
                return #quintet::chart::Taken::Moved;
            }
        }
    }
}
