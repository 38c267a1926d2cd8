#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::idle(), || ())
    }
}
