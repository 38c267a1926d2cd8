#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Knock => Handled,
            Event::Knock if self.tired => Super,
            _ => Super,
        }
    }
}
