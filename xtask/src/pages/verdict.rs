//! The verdict of the script in a page.

/// The attribute in which the script leaves its verdict.
const ATTRIBUTE: &str = "data-verdict=\"";

/// The claims about a page.
#[derive(PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The number of claims.
    pub claims: usize,
    /// Those that don't hold.
    pub wrong: Vec<String>,
}

impl Verdict {
    /// The verdict in a page as the browser prints it: the number of claims, and the wrong ones,
    /// with `|` between them. `None` if the script has left none.
    pub fn find(page: &str) -> Option<Self> {
        let (_, rest) = page.split_once(ATTRIBUTE)?;
        let text = rest.split('"').next()?;
        let mut parts = text.split('|');
        let claims = parts.next()?.parse().ok()?;
        Some(Self { claims, wrong: parts.map(str::to_owned).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_a_number_and_what_is_wrong() {
        let of =
            |text: &str| Verdict::find(&format!("<html lang=\"en\" data-verdict=\"{text}\"><a>"));
        assert_eq!(of("3"), Some(Verdict { claims: 3, wrong: Vec::new() }));
        let wrong = vec!["W zooms".to_owned(), "x".to_owned()];
        assert_eq!(of("3|W zooms|x"), Some(Verdict { claims: 3, wrong }));
        assert_eq!(Verdict::find("<html>"), None);
    }
}
