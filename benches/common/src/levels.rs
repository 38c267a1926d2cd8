//! Several tasks on one level: the application of the rows that say how many, the same text in each
//! framework that has this grammar.

/// Adds an application to the attribute in parentheses: six levels with 1, 2, 4, 8, 16 and 32 async
/// tasks. The two of which rows speak come last in the order of names, `y` before `z`, and end at
/// once; the others only wait.
#[macro_export]
macro_rules! levels_scenario {
    ($application:tt) => {
        $crate::levels_scenario! {
            @define $application
            [1, z01, "one_1", "one_1_back"; ] []
            [2, z02, "one_2", "one_2_back"; y02, "two_2", "two_2_back"] []
            [3, z04, "one_4", "one_4_back"; y04, "two_4", "two_4_back"] [a04 b04]
            [4, z08, "one_8", "one_8_back"; y08, "two_8", "two_8_back"]
                [a08 b08 c08 d08 e08 f08]
            [5, z16, "one_16", "one_16_back"; y16, "two_16", "two_16_back"]
                [a16 b16 c16 d16 e16 f16 g16 h16 i16 j16 k16 l16 m16 n16]
            [6, z32, "one_32", "one_32_back"; y32, "two_32", "two_32_back"]
                [
                    a32 b32 c32 d32 e32 f32 g32 h32 i32 j32 k32 l32 m32 n32 o32
                    p32 q32 r32 s32 t32 u32_t v32 w32 x32 xa32 xb32 xc32 xd32 xe32 xf32
                ]
        }
    };
    (
        @define ($($application:tt)*)
        $(
            [
                $priority:literal, $one:ident, $before:literal, $back:literal;
                $($other:ident, $both_before:literal, $both_back:literal)?
            ]
            [$($filler:ident)*]
        )*
    ) => {
        $($application)* {
            use core::hint::black_box;
            use $crate::device::{hold_off, let_in, settle};
            use $crate::{exit, mark};

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                $($($filler::spawn().unwrap_or_else(|_| exit(103));)*)*
                (Shared {}, Local {})
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                mark!("start");
                for _ in 0..black_box(3) {
                    $(
                        mark!($before);
                        let spawned = $one::spawn();
                        settle();
                        mark!($back);
                        spawned.unwrap_or_else(|_| exit(103));
                        $(
                            mark!($both_before);
                            hold_off();
                            let (other, spawned) = ($other::spawn(), $one::spawn());
                            let_in();
                            settle();
                            mark!($both_back);
                            other.and(spawned).unwrap_or_else(|_| exit(103));
                        )?
                    )*
                }
                mark!("end");
                exit(0)
            }

            $(
                #[task(priority = $priority)]
                async fn $one(_: $one::Context) {}

                $(
                    #[task(priority = $priority)]
                    async fn $other(_: $other::Context) {}
                )?

                $(
                    #[task(priority = $priority)]
                    async fn $filler(_: $filler::Context) {
                        $crate::park::forever().await
                    }
                )*
            )*
        }
    };
}
