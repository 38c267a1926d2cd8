//! Tasks that only wait: company for the one that is measured, the same in each framework.

/// Adds tasks of priority 1 that wait for ever, 8 of them with the feature `more_8` and 31 with
/// `more_31`, to the items in braces, and the function `spawn_more` that spawns them. What comes
/// before the braces, in parentheses, makes an application of all.
#[macro_export]
macro_rules! with_fillers {
    (($($application:tt)*) { $($items:tt)* }) => {
        $crate::with_fillers! {
            @define ($($application)*) { $($items)* }
            [
                filler_00 filler_01 filler_02 filler_03 filler_04 filler_05 filler_06 filler_07
            ]
            [
                filler_08 filler_09 filler_10 filler_11 filler_12 filler_13 filler_14 filler_15
                filler_16 filler_17 filler_18 filler_19 filler_20 filler_21 filler_22 filler_23
                filler_24 filler_25 filler_26 filler_27 filler_28 filler_29 filler_30
            ]
        }
    };
    (@define ($($application:tt)*) { $($items:tt)* } [$($few:ident)*] [$($many:ident)*]) => {
        $($application)* {
            $($items)*

            /// Spawns the tasks that are only there.
            fn spawn_more() {
                $(
                    #[cfg(any(feature = "more_8", feature = "more_31"))]
                    $few::spawn().unwrap_or_else(|_| $crate::exit(103));
                )*
                $(
                    #[cfg(feature = "more_31")]
                    $many::spawn().unwrap_or_else(|_| $crate::exit(103));
                )*
            }

            $(
                #[cfg(any(feature = "more_8", feature = "more_31"))]
                #[task(priority = 1)]
                async fn $few(_: $few::Context) {
                    $crate::park::forever().await
                }
            )*

            $(
                #[cfg(feature = "more_31")]
                #[task(priority = 1)]
                async fn $many(_: $many::Context) {
                    $crate::park::forever().await
                }
            )*
        }
    };
}
