//! Refused: an outcome that a macro makes.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Open => decide!(event),
            Event::Close => unreachable!("it is shut"),
            _ => {
                log::warn!("what is this?")
            }
        }
    }
}
