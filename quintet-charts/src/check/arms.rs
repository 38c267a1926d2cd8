//! Arms of one event in one handler, of which the second is unreachable.

use crate::errors::Errors;
use crate::model::Machine;
use crate::text::text;

/// Refuses an arm behind another arm with the same pattern and no condition.
pub fn check(machine: &Machine, errors: &mut Errors) {
    for (_, handler) in machine.handlers() {
        let mut taken: Vec<String> = Vec::new();
        for arm in &handler.arms {
            let Some(event) = &arm.event else { continue };
            let text = text(event);
            if taken.contains(&text) {
                let message = format!(
                    "`{text}` is handled above without a condition, so this arm is never \
                     reached: give the first one an `if`, or put both into one"
                );
                errors.push(syn::Error::new_spanned(event, message));
            } else if arm.guards.is_empty() {
                taken.push(text);
            }
        }
    }
}
