//! Actors that threads host: posts to the back and the front, by instances, and published.
#![no_std]
#![no_main]

campaign::actors! {
    [5, 6, 7]
    /// Above all actors, so that all of them are hosted.
    #[thread(priority = 4, stack = 512)]
    fn thread(_: thread::Context) {}
}
