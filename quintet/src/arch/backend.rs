//! RTIC's features that name a backend: each of them requires a target with that backend.

#[cfg(all(feature = "thumbv6-backend", target_os = "none", not(armv6m)))]
compile_error!(
    "the feature thumbv6-backend is on, but the target isn't thumbv6m: remove the feature"
);
#[cfg(all(feature = "thumbv7-backend", target_os = "none", not(armv7m)))]
compile_error!(
    "the feature thumbv7-backend is on, but the target is neither thumbv7m nor thumbv7em: remove \
     the feature"
);
#[cfg(all(feature = "thumbv8base-backend", target_os = "none", not(armv8m_base)))]
compile_error!(
    "the feature thumbv8base-backend is on, but the target isn't thumbv8m.base: remove the feature"
);
#[cfg(all(feature = "thumbv8main-backend", target_os = "none", not(armv8m_main)))]
compile_error!(
    "the feature thumbv8main-backend is on, but the target isn't thumbv8m.main: remove the feature"
);
