//! Refused: a state under a condition.
#[state_machine(initial = State::open())]
impl Door {
    #[state]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::held())
    }

    #[cfg_attr(feature = "hold", state)]
    fn held(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
