#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::open())
    }

    #[state(superstate = idle)]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
