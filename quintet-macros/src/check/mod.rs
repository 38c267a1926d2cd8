//! Judges an application: everything here is the grammar, but can't be an application.

use crate::model::App;

/// All that is wrong with an application.
pub const fn check(_app: &App) -> syn::Result<()> {
    Ok(())
}
