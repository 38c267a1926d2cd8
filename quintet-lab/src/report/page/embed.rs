//! Pictures and other pages inside of a page.
//!
//! A picture without anything to click is an image, so that its names and styles stay its own. A
//! page or a picture with a script is a frame, for the same reason.

use crate::report::markup::escaped;

/// An SVG picture, with its content in words.
pub fn image(svg: &str, words: &str) -> String {
    format!("<img alt=\"{}\" src=\"data:image/svg+xml,{}\">\n", escaped(words), encoded(svg))
}

/// A page in a frame of so many pixels.
pub fn frame(page: &str, title: &str, height: u32) -> String {
    format!(
        "<iframe title=\"{}\" height=\"{height}\" srcdoc=\"{}\"></iframe>\n",
        escaped(title),
        escaped(page)
    )
}

/// Bytes as an address has them (RFC 3986, 2.1).
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'~' | b'=' | b':' | b'/' | b',' | b'(' | b')' | b';' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_an_address_without_quotes() {
        let image = image("<svg a=\"1\">#&</svg>", "a \"box\"");
        assert_eq!(
            image,
            "<img alt=\"a &quot;box&quot;\" \
             src=\"data:image/svg+xml,%3Csvg%20a=%221%22%3E%23%26%3C/svg%3E\">\n"
        );
    }

    #[test]
    fn a_frame_holds_the_whole_page_in_an_attribute() {
        let frame = frame("<p class=\"x\">&amp;</p>", "it", 100);
        assert_eq!(
            frame,
            "<iframe title=\"it\" height=\"100\" \
             srcdoc=\"&lt;p class=&quot;x&quot;&gt;&amp;amp;&lt;/p&gt;\"></iframe>\n"
        );
    }
}
