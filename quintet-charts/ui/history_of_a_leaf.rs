#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        History(State::open())
    }

    #[state]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        DeepHistory(State::idle())
    }
}
