#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::a_1())
    }

    #[state]
    fn a_1(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::a1())
    }

    #[state]
    fn a1(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }
}
