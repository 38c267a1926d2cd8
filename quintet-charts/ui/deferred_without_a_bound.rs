#[state_machine(initial = State::idle())]
impl Door {
    #[state(defer = [Event::Knock])]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Deferred
    }
}
