#[state_machine(initial = State::idle())]
impl Door {
    #[state(initial = State::idle())]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
