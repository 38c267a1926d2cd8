//! Refused: a clause `where`.
#[state_machine(initial = State::idle())]
impl Door
where
    Door: Clone,
{
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
