//! Puts the code where the board starts.

fn main() {
    for argument in ["--section-start=.text=0x80000000", "--entry=_start"] {
        println!("cargo:rustc-link-arg={argument}");
    }
}
