//! Refused: a target that a function returns.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Open => Transition(Door::next()),
            Event::Close => Transition(next()),
            Event::Knock => Door::on(),
            _ => Answer::Super,
        }
    }
}
