//! Credentials, and the policies that look at them.

use data_encoding::HEXLOWER;
use quintet_lab::process::credential;
use quintet_lab::process::pack::{Wishes, pack};
use quintet_sim::image::Image;

use super::{Built, support};

/// The kernel with a policy.
fn built() -> Built {
    let features = ["--bin", "known", "--features", "credentials"];
    let kernels = support::build("processes", support::TARGET, &features);
    let mut built = Built::new();
    built.kernel = support::image(&kernels.join("known"));
    built
}

/// An application under a name, with a credential.
fn named(built: &Built, program: &str, name: &str) -> Vec<u8> {
    let image = support::image(&built.applications.join(program));
    pack(&image, &Wishes { name, heap: 0, sha256: true }).expect("it is linked for its place")
}

/// Writes bytes into the kernel's flash.
fn write(kernel: &mut Image, symbol: &str, offset: u32, bytes: &[u8]) {
    let address = support::address(kernel, symbol) + offset;
    let segment = kernel.segments.iter_mut().find(|segment| {
        let at = address.wrapping_sub(segment.load_address);
        at < segment.bytes.len() as u32
    });
    let segment = segment.expect("it is in flash");
    let at = (address - segment.load_address) as usize;
    segment.bytes[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Lets the kernel know an application.
fn know(built: &mut Built, place: u32, application: &[u8]) {
    let digest = credential::digest(application).expect("it has a header");
    let digest = HEXLOWER.decode(digest.as_bytes()).expect("they are digits");
    write(&mut built.kernel, "DIGESTS", 32 * place, &digest);
}

#[test]
fn a_known_name_belongs_to_the_known_application() {
    let mut built = built();
    let (hello, trespass) = (named(&built, "hello", "hello"), built.application("trespass"));
    know(&mut built, 0, &hello);
    // The other one is known as another program.
    let printed = built.run(&[hello.clone(), trespass.clone()]);
    assert!(printed.contains("hello has 1 credentials"), "{printed}");
    assert!(printed.contains("trespass has 0 credentials"), "{printed}");
    assert!(printed.contains("hello has the identity 1\n"), "{printed}");
    assert!(printed.contains("hello is loaded\n"), "{printed}");
    let refusal = "can't run: the policy refuses it: its name is another application's";
    let of_trespass =
        |line: &str| line.starts_with("the application trespass at ") && line.ends_with(refusal);
    assert!(printed.lines().any(of_trespass), "{printed}");
    assert!(!printed.contains("trespass is loaded"), "{printed}");
    // A name that isn't known is anybody's, without an identity.
    know(&mut built, 1, &trespass);
    let other = named(&built, "trespass", "other");
    let printed = built.run(&[hello, other]);
    assert!(printed.contains("other is loaded\n"), "{printed}");
    assert!(!printed.contains("other has the identity"), "{printed}");
}

#[test]
fn where_only_known_applications_may_run_no_other_does() {
    let mut built = built();
    let hello = named(&built, "hello", "hello");
    know(&mut built, 0, &hello);
    write(&mut built.kernel, "POLICY", 0, &[1]);
    let printed = built.run(&[hello, named(&built, "trespass", "other")]);
    assert!(printed.contains("hello has the identity 1\n"), "{printed}");
    let refusal = "can't run: the policy refuses it: the kernel knows no application of its name";
    assert!(printed.contains(refusal), "{printed}");
    assert!(!printed.contains("other is loaded"), "{printed}");
}

#[test]
fn no_two_processes_have_one_identity() {
    let mut built = built();
    // Both are wherever they lie the same.
    let hello = named(&built, "hello", "hello");
    let twin = super::with_entry(3, b"hello");
    know(&mut built, 0, &twin);
    know(&mut built, 1, &hello);
    let both = [twin.clone(), twin].concat();
    let printed = built.run_flash(&both);
    assert!(printed.contains("hello has the identity 1\n"), "{printed}");
    let refusal = "at 0x00022000 can't run: its identity is 1, which process 0 has already";
    assert!(printed.contains(refusal), "{printed}");
}

#[test]
fn one_that_is_damaged_is_refused() {
    let mut built = built();
    write(&mut built.kernel, "POLICY", 0, &[2]);
    let hello = named(&built, "hello", "hello");
    let printed = built.run(std::slice::from_ref(&hello));
    assert!(printed.contains("hello is loaded\n"), "{printed}");
    let without = built.application("hello");
    let mut damaged = hello.clone();
    damaged[0x90] ^= 0x10;
    let mut other = hello;
    let footer = other.len() - 40;
    let at = other[..footer].windows(8).rposition(|eight| eight == [128, 0, 36, 0, 3, 0, 0, 0]);
    other[at.expect("it has a credential") + 8] ^= 1;
    for wrong in [without, damaged, other] {
        let printed = built.run(&[wrong]);
        let refusal = "can't run: the policy refuses it: it isn't intact";
        assert!(printed.contains(refusal), "{printed}");
        assert!(!printed.contains("is loaded"), "{printed}");
    }
}

#[test]
fn the_policy_of_the_book_reserves_a_name() {
    let mut built = built();
    let features = ["--bin", "policy", "--features", "credentials"];
    let kernels = support::build("processes", support::TARGET, &features);
    built.kernel = support::image(&kernels.join("policy"));
    let printed = built.run(&[named(&built, "trespass", "hello"), built.application("upcalls")]);
    assert!(printed.contains("hello at 0x"), "{printed}");
    assert!(printed.contains("the policy refuses it: its name is another application's"));
    assert!(printed.contains("process 0: upcalls"), "{printed}");
}
