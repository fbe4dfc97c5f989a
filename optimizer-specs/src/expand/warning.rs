//! Warnings of the rule compiler. A stable macro cannot emit one, but the use of a deprecated item warns with a note of
//! our choosing, at the span of the use.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;

use crate::error::Diagnostic;

/// Tokens that make the compiler warn at the diagnostic's span.
pub(super) fn tokens(warning: &Diagnostic) -> TokenStream {
    let help = warning.help.iter().map(|help| format!("\nhelp: {help}"));
    let note = format!("{}{}", warning.message, help.collect::<String>());
    let name = Ident::new(&warning.code.replace('-', "_"), warning.span);
    quote_spanned! {warning.span=>
        const _: () = {
            #[deprecated(note = #note)]
            const fn #name() {}
            #name()
        };
    }
}
