//! Refused: an action that returns an outcome.
#[state_machine(initial = State::idle())]
impl Door {
    #[state(entry_action = begin, exit_action = begin)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[action]
    fn begin(&mut self) -> Outcome<State> {
        Transition(State::idle())
    }
}
