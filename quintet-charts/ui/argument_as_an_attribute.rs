//! Refused: an argument as an attribute of its own.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    #[entry_action(begin)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[action]
    fn begin(&mut self) {}
}
