#[state_machine(initial = State::idle())]
impl Door {
    #[state(on_completion = next)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(on_completion = back)]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    fn next(&mut self) -> Outcome<State> {
        Transition(State::open())
    }

    fn back(&mut self) -> Outcome<State> {
        Transition(State::idle())
    }
}
