//! Decides what is generated for an application. Its mechanisms follow; so far it decides nothing.

use crate::model::App;

/// What is decided about an application.
pub struct Plan;

/// Decides.
pub const fn lower(_app: &App) -> Plan {
    Plan
}
