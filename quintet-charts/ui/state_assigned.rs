//! Refused: an assignment in place of a transition.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        self.state = State::open();
        Handled
    }

    #[state]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }
}
