//! Paths of both kinds of machines, and what the image says where a path says nothing.

use super::*;

const HASH: &str = "59807616e1fa2540724bfbac14d7976d7e4a3860";

#[track_caller]
fn is(owner: Owner, crate_name: Option<&str>, files: &[&str]) {
    for file in files {
        let source = Source::of(file);
        assert_eq!((source.owner, source.crate_name().as_deref()), (owner, crate_name), "{file}");
    }
}

#[test]
fn rusts_library_is_known_wherever_it_lies() {
    let virtual_path = format!("/rustc/{HASH}/library/core/src/ptr/mod.rs");
    let on_windows = format!("/rustc/{HASH}/library\\core\\src\\ptr\\mod.rs");
    let paths = [
        &*virtual_path,
        &on_windows,
        "/rustc/library/core/src/ptr/mod.rs",
        "/home/x/.rustup/toolchains/1.95.0-x/lib/rustlib/src/rust/library/core/src/ptr/mod.rs",
        "/Users/x/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/fmt/mod.rs",
        "C:\\Users\\x\\toolchains\\1.95\\lib\\rustlib\\src\\rust\\library\\core\\src\\a.rs",
        "C:/Users/x/.rustup/toolchains/1.95/lib/rustlib/src/rust\\library\\core\\src\\a.rs",
        "/opt/esp/lib/rustlib/src/rust/library/core/src/num/mod.rs",
        "/usr/src/rustc-1.85.0/library/core/src/fmt/mod.rs",
        "/build/rustc-1.85.0-src/library/core/src/fmt/mod.rs",
    ];
    is(Owner::Toolchain, Some("core"), &paths);
    let builtins = format!("/rustc/{HASH}/library/compiler-builtins/compiler-builtins/src/mem.rs");
    is(Owner::Toolchain, Some("compiler_builtins"), &[&*builtins]);
    is(Owner::Toolchain, Some("hashbrown"), &["/rust/deps/hashbrown-0.15.2/src/raw.rs"]);
    for file in paths.iter().chain(&[&*builtins]) {
        assert!(!is_panicking(file), "{file}");
    }
    for file in [
        "/rustc/library/core/src/panicking.rs",
        "C:\\a\\lib\\rustlib\\src\\rust\\library\\core\\src\\panicking.rs",
    ] {
        assert!(is_panicking(file), "{file}");
    }
    assert!(!is_panicking("/x/library/core/src/panicking.rs"));
}

#[test]
fn packages_are_known_wherever_cargo_keeps_them() {
    let cortex_m = [
        "/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cortex-m-0.7.7/src/lib.rs",
        "/cache/registry/src/my.index-11/cortex-m-0.7.7/src/asm.rs",
        "C:\\Users\\x\\.cargo\\registry\\src\\index.crates.io-1949\\cortex-m-0.7.7\\src\\lib.rs",
        "C:\\ci\\registry\\src\\index-1\\cortex-m-0.7.7\\src/lib.rs",
        "/usr/share/cargo/registry/cortex-m-0.7.7/src/lib.rs",
        "/build/cargo-vendor-dir/cortex-m-0.7.7/src/lib.rs",
        "/home/x/.cargo/git/checkouts/cortex-m-1234abcd1234abcd/0fe1234/src/lib.rs",
        "/home/x/.cargo/git/checkouts/embedded-1234abcd1234abcd/0fe1234/cortex-m/src/lib.rs",
        "C:\\x\\git\\checkouts\\embedded-1234abcd1234abcd\\0fe1234\\hal\\cortex-m\\src\\lib.rs",
        "cortex-m-0.7.7/src/lib.rs",
    ];
    is(Owner::Package, Some("cortex_m"), &cortex_m);
    let candidate = "/x/registry/src/i-1/embedded-hal-1.0.0-rc.1/src/lib.rs";
    is(Owner::Package, Some("embedded_hal"), &[candidate]);
    assert_eq!(
        Source::of(cortex_m[2]).in_crate(Owner::Package).as_deref(),
        Some("cortex-m-0.7.7/src/lib.rs")
    );
}

#[test]
fn what_lies_in_a_directory_with_such_a_name_is_the_users() {
    is(Owner::Firmware, Some("my_app"), &["/x/my-app/src/main.rs", "C:\\x\\my-app\\src\\main.rs"]);
    is(Owner::Firmware, Some("quintet"), &["quintet/src/core/lock.rs", "/x/quintet/src/a.rs"]);
    is(Owner::Firmware, Some("two_tasks"), &["/x/examples/src/bin/two_tasks.rs"]);
    is(
        Owner::Firmware,
        Some("app"),
        &[
            "/home/x/library/app/src/main.rs",
            "/home/x/registry/src/app/src/main.rs",
            "/home/x/rustc/library/app/src/main.rs",
            "/rustc/app/src/main.rs",
            "/home/x/git/checkouts/app/src/main.rs",
            "/home/x/core/app/src/main.rs",
        ],
    );
    is(Owner::Firmware, None, &["/x/main.c", "main.c", "lib/gcc/startup.c", "../libc/a.c", ""]);
    assert!(is_framework("/x/quintet/src/core/lock.rs") && !is_framework("/x/src/main.rs"));
    assert!(!is_framework("/x/registry/src/i-1/quintet-0.2.0/src/lib.rs"));
}

#[test]
fn toolchains_of_c_are_known_by_their_sources_and_headers() {
    is(
        Owner::Toolchain,
        None,
        &[
            "/home/pere/src/newlib-salsa/newlib/libc/machine/arm/memcpy-armv7m.S",
            "../../../../../../../newlib/libc/string/memset.c",
            "/data/jenkins/workspace/arm-13-2/src/newlib-cygwin/newlib/libm/common/sf_round.c",
            "/build/picolibc-1.8.6/newlib/libc/tinystdio/printf.c",
            "/w/picolibc/libc/string/strlen.c",
            "/build/gcc-12.2.0/libgcc/config/arm/ieee754-df.S",
            "/w/src/gcc/libgcc/libgcc2.c",
            "/build/gcc-arm-none-eabi-12.2.rel1/libgcc/libgcc2.c",
            "C:\\w\\src\\newlib-cygwin\\newlib\\libc\\stdlib\\malloc.c",
            "/usr/lib/gcc/arm-none-eabi/12.2.1/include/arm_acle.h",
            "/opt/arm/arm-none-eabi/include/c++/13.2.1/bits/move.h",
            "/opt/arm/arm-none-eabi/include/string.h",
            "/usr/include/newlib/string.h",
            "C:\\Arm\\lib\\clang\\18\\include\\arm_acle.h",
            "/w/llvm-project/compiler-rt/lib/builtins/arm/aeabi_memcpy.S",
        ],
    );
}

/// What is said of a function.
fn clues<'a>(file: &'a str, function: &'a str, unit: &'a str) -> Clues<'a> {
    Clues {
        file: Some(file),
        function: Some(function),
        is_rust: unit.contains(".rs"),
        unit: Some(unit),
    }
}

#[test]
fn a_remapped_library_is_known_by_its_functions_and_by_the_images_crates() {
    let app = "/w/app/src/main.rs/@/app.1a2b-cgu.0";
    let mut roots = Roots::default();
    let owner = |roots: &Roots, file, function| roots.owner(&clues(file, function, app));
    let remapped = "/r/library/core/src/ptr/mod.rs";
    assert_eq!(owner(&roots, remapped, "core::ptr::read_volatile"), Owner::Toolchain);
    assert_eq!(owner(&roots, remapped, "core::option::Option<T>::map"), Owner::Toolchain);
    // Without a path in the name, and without a unit of the crate, nothing tells.
    assert_eq!(owner(&roots, remapped, "read_volatile<u32>"), Owner::Firmware);
    roots.add("/r/library/core/src/lib.rs/@/core.3c4d-cgu.0");
    assert_eq!(owner(&roots, remapped, "read_volatile<u32>"), Owner::Toolchain);
    assert_eq!(owner(&roots, "/w/app/src/main.rs", "app::main"), Owner::Firmware);
    assert_eq!(owner(&roots, "/rr/library/core/src/a.rs", "f"), Owner::Firmware);
    // What a user has implemented for a type of the library.
    let theirs = "<core::option::Option<T> as app::Read>::read";
    assert_eq!(owner(&roots, "/w/app/src/main.rs", theirs), Owner::Firmware);
    // A namespace of C++.
    let unit = "/w/app/main.cpp";
    assert_eq!(roots.owner(&clues(unit, "core::start()", unit)), Owner::Firmware);
}

#[test]
fn only_units_of_the_library_are_its_roots() {
    let mut roots = Roots::default();
    for unit in ["/w/library/core/src/lib.rs/@/app.1-cgu.0", "/w/app/src/lib.rs/@/core.1-cgu.0", ""]
    {
        roots.add(unit);
    }
    assert!(roots.library.is_empty(), "{:?}", roots.library);
    roots.add("C:\\r\\library\\alloc\\src\\lib.rs/@/alloc.1-cgu.0");
    assert_eq!(roots.library, ["C:/r"]);
    let clues = clues("C:\\r\\library\\core\\src\\a.rs", "f", "a.rs");
    assert_eq!(roots.owner(&clues), Owner::Toolchain);
}

#[test]
fn all_of_a_c_librarys_unit_is_the_toolchains() {
    let unit = "/b/newlib/libc/string/memset.c";
    let roots = Roots::default();
    assert_eq!(roots.owner(&clues("string.h", "f", unit)), Owner::Toolchain);
    let without_file = Clues { file: None, ..clues("", "memcpy", unit) };
    assert_eq!(roots.owner(&without_file), Owner::Toolchain);
    assert_eq!(roots.owner(&clues("string.h", "f", "/w/main.c")), Owner::Firmware);
}

#[test]
fn a_name_begins_with_its_crate() {
    let cases = [
        ("quintet::core::lock::kernel", Some("quintet")),
        ("<quintet::sync::Signal<u32> as core::fmt::Debug>::fmt", Some("quintet")),
        ("<&T as core::fmt::Display>::fmt", Some("core")),
        ("<[u8; 4] as core::fmt::Debug>::fmt", Some("core")),
        ("core::fmt::num::<impl core::fmt::Debug for u32>::fmt", Some("core")),
        ("memcpy", None),
        ("__quintet_serve_call", None),
    ];
    for (name, expected) in cases {
        assert_eq!(crate_of_name(name), expected, "{name}");
    }
}
