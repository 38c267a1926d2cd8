//! Actors of a cooperative scheduler. A task of priority 0 drives them: no actor interrupts this
//! task, and the task goes on only when no event waits.
#![no_std]
#![no_main]

campaign::actors_with! {
    [2, 4, 6]
    [scheduler = "cooperative"]

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(driver::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[task(priority = 0)]
    async fn driver(_: driver::Context) {
        begin_and_post();
        assert!(READ.iter().all(|read| read.get() == 0), "an actor interrupts a task");
        let news = NEWS.accepted();
        driver::waker().wake();
        campaign::suspend().await;
        assert!(READ.iter().all(|read| read.get() >= news), "a task overtakes an actor");
        end();
        driver::waker().wake();
        campaign::suspend().await;
        judge()
    }
}
