#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::open())
    }

    #[state]
    fn open(&mut self, event: &Other) -> Outcome<State> {
        Transition(State::idle())
    }
}
