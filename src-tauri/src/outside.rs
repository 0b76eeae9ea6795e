//! What is shown outside the window, by the program that the system has for it.

use std::io;
use std::process::{Command, Stdio};
use std::thread;

use tauri::Url;

/// The most bytes that a link may have: browsers and mail programs bear so many, and nobody reads more of them.
const LONGEST: usize = 2048;

/// What a link may fill in of a letter. Nothing else: there are mail programs that attach the files a link names.
const FIELDS: [&str; 4] = ["subject", "body", "cc", "bcc"];

/// Reads a link that a model wrote. What comes of it is ASCII, its host in punycode, as the window shows it.
///
/// # Errors
/// Why it must not be opened, to stand behind a colon.
pub(crate) fn link(text: &str) -> Result<Url, String> {
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    if text.chars().any(char::is_control) {
        return Err("it holds control characters".into());
    }
    let url: Url = text.parse().map_err(|reason| format!("it is no whole address ({reason})"))?;
    if !matches!(url.scheme(), "http" | "https" | "mailto") {
        return Err(format!("only those of http, https and mailto are, and this is one of {}", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a name or a password, with which it could pretend to lead elsewhere".into());
    }
    if url.scheme() == "mailto" && !is_letter(&url) {
        return Err("a letter needs an address, and may bring a subject, copies and a text, but nothing else".into());
    }
    Ok(url)
}

fn is_letter(url: &Url) -> bool {
    let addressed = url.path().split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    // A line break in what is no text would begin another field.
    let harmless = url.query_pairs().all(|(name, value)| {
        let known = FIELDS.iter().any(|field| field.eq_ignore_ascii_case(&name));
        known && (name.eq_ignore_ascii_case("body") || !value.contains(char::is_control))
    });
    addressed && !url.path().contains('%') && harmless
}

/// Opens an address of http, https or mailto.
///
/// # Errors
/// The system has no program that opens addresses.
pub(crate) fn browse(address: &str) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let (input, output, error) = (Stdio::null(), Stdio::null(), Stdio::null());
    let mut started = Command::new(program).arg(address).stdin(input).stdout(output).stderr(error).spawn()?;
    // Some wait until the browser is closed.
    thread::spawn(move || started.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, link};

    #[track_caller]
    fn check(text: &str, wanted: Result<&str, &str>) {
        match (link(text), wanted) {
            (Ok(url), Ok(wanted)) => assert_eq!(url.as_str(), wanted),
            (Err(why), Err(wanted)) => assert!(why.contains(wanted), "{text}: {why}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn pages_and_letters_are_opened() {
        check("https://example.org/a?b=c#d", Ok("https://example.org/a?b=c#d"));
        check("HTTP://EXAMPLE.ORG", Ok("http://example.org/"));
        check("http://[::1]:8080/", Ok("http://[::1]:8080/"));
        check("mailto:ada@example.org", Ok("mailto:ada@example.org"));
        let letter = "mailto:ada@example.org?Subject=Hello%20there&cc=bob@example.org&body=one%0D%0Atwo";
        check(letter, Ok(letter));
    }

    #[test]
    fn what_would_run_or_read_something_here_is_refused() {
        for scheme in ["javascript", "data", "file", "vbscript", "smb", "ftp", "tauri", "ipc", "x-man-page"] {
            check(&format!("{scheme}:alert(1)"), Err(&format!("this is one of {scheme}")));
            check(&format!("{scheme}://host/x"), Err(&format!("this is one of {scheme}")));
        }
        check("JaVaScRiPt:alert(1)", Err("this is one of javascript"));
    }

    #[test]
    fn what_has_no_host_is_refused() {
        for text in ["", "example.org", "//example.org/", "/etc/passwd", "--help", "http:", "https://:80/"] {
            check(text, Err("no whole address"));
        }
    }

    #[test]
    fn what_only_seems_to_lead_somewhere_is_refused() {
        for text in ["https://good.com@evil.com/", "https://a:b@evil.com/", "https://:b@evil.com/", "mailto://a@b.c"] {
            check(text, Err("a name or a password"));
        }
    }

    #[test]
    fn names_that_look_alike_are_told_apart_by_their_spelling() {
        check("https://g\u{43e}\u{43e}d.com/", Ok("https://xn--gd-fmca.com/"));
        check("https://example.org/\u{202e}gpj", Ok("https://example.org/%E2%80%AEgpj"));
    }

    #[test]
    fn control_characters_are_refused() {
        for text in ["java\nscript:x", "https://e.com/\0", "\u{1}https://e.com/", "https://e.com/\u{9b}"] {
            check(text, Err("control characters"));
        }
    }

    #[test]
    fn a_link_may_be_as_long_as_it_may_be_and_no_longer() {
        let long = |bytes: usize| format!("{:a<bytes$}", "https://e.com/");
        check(&long(LONGEST), Ok(&long(LONGEST)));
        check(&long(LONGEST + 1), Err("longer than 2048 bytes"));
    }

    #[test]
    fn a_letter_attaches_nothing_and_has_no_hidden_fields() {
        for letter in [
            "mailto:",
            "mailto:ada",
            "mailto:@example.org",
            "mailto:ada@",
            "mailto:?to=ada@example.org",
            "mailto:ada@example.org?attach=/etc/passwd",
            "mailto:ada@example.org?body=a&amp;attachment=/etc/passwd",
            "mailto:ada@example.org?subject=a%0ABcc:%20bob@example.org",
            "mailto:ada@example.org%0ABcc:bob@example.org",
        ] {
            check(letter, Err("a letter needs an address"));
        }
    }
}
