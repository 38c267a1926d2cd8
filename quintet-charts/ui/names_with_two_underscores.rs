//! Refused: names with two underscores.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::a__b())
    }

    #[state]
    fn a__b(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::a_b())
    }

    #[state]
    fn a_b(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }
}
