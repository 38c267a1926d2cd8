//! Group `async`: the same with more tasks on the waiter's level, which only wait.

#![no_std]
#![no_main]

quintet_benches::async_scenario! {
    fn spawn_more() {
        filler_00::spawn().unwrap_or_else(|_| exit(103));
        filler_01::spawn().unwrap_or_else(|_| exit(103));
        filler_02::spawn().unwrap_or_else(|_| exit(103));
        filler_03::spawn().unwrap_or_else(|_| exit(103));
        filler_04::spawn().unwrap_or_else(|_| exit(103));
        filler_05::spawn().unwrap_or_else(|_| exit(103));
        filler_06::spawn().unwrap_or_else(|_| exit(103));
        filler_07::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "more_31")]
        {
            filler_08::spawn().unwrap_or_else(|_| exit(103));
            filler_09::spawn().unwrap_or_else(|_| exit(103));
            filler_10::spawn().unwrap_or_else(|_| exit(103));
            filler_11::spawn().unwrap_or_else(|_| exit(103));
            filler_12::spawn().unwrap_or_else(|_| exit(103));
            filler_13::spawn().unwrap_or_else(|_| exit(103));
            filler_14::spawn().unwrap_or_else(|_| exit(103));
            filler_15::spawn().unwrap_or_else(|_| exit(103));
            filler_16::spawn().unwrap_or_else(|_| exit(103));
            filler_17::spawn().unwrap_or_else(|_| exit(103));
            filler_18::spawn().unwrap_or_else(|_| exit(103));
            filler_19::spawn().unwrap_or_else(|_| exit(103));
            filler_20::spawn().unwrap_or_else(|_| exit(103));
            filler_21::spawn().unwrap_or_else(|_| exit(103));
            filler_22::spawn().unwrap_or_else(|_| exit(103));
            filler_23::spawn().unwrap_or_else(|_| exit(103));
            filler_24::spawn().unwrap_or_else(|_| exit(103));
            filler_25::spawn().unwrap_or_else(|_| exit(103));
            filler_26::spawn().unwrap_or_else(|_| exit(103));
            filler_27::spawn().unwrap_or_else(|_| exit(103));
            filler_28::spawn().unwrap_or_else(|_| exit(103));
            filler_29::spawn().unwrap_or_else(|_| exit(103));
            filler_30::spawn().unwrap_or_else(|_| exit(103));
        }
    }

    #[task(priority = 1)]
    async fn filler_00(_: filler_00::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_01(_: filler_01::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_02(_: filler_02::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_03(_: filler_03::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_04(_: filler_04::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_05(_: filler_05::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_06(_: filler_06::Context) {
        quintet_bench_common::park::forever().await
    }

    #[task(priority = 1)]
    async fn filler_07(_: filler_07::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_08(_: filler_08::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_09(_: filler_09::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_10(_: filler_10::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_11(_: filler_11::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_12(_: filler_12::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_13(_: filler_13::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_14(_: filler_14::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_15(_: filler_15::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_16(_: filler_16::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_17(_: filler_17::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_18(_: filler_18::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_19(_: filler_19::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_20(_: filler_20::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_21(_: filler_21::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_22(_: filler_22::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_23(_: filler_23::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_24(_: filler_24::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_25(_: filler_25::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_26(_: filler_26::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_27(_: filler_27::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_28(_: filler_28::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_29(_: filler_29::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_30(_: filler_30::Context) {
        quintet_bench_common::park::forever().await
    }
}
