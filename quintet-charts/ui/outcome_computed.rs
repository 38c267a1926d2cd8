#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        self.decide(event)
    }
}
