//! Refused: actions that use what the handler has borrowed.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        let n = &mut self.n;
        let copied = &self.n;
        let copied = *copied;
        match event {
            Event::A => Transition(State::idle(), |this| *n += 1),
            Event::B => Transition(State::idle(), |this| self.n += 1),
            _ => Transition(State::idle(), |this| this.n = copied),
        }
    }
}
