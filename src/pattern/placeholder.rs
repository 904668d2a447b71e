//! `{fact.name}` in commands and sentences; `{{` and `}}` are literal braces.

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// Cuts a template. A brace that does not belong to a name is taken literally.
pub fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, tail) = rest.split_at(at);
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        let doubled = tail.starts_with("{{") || tail.starts_with("}}");
        let name = tail.strip_prefix('{').and_then(|inner| inner.split_once('}')).map(|(name, _)| name);
        rest = match name {
            _ if doubled => {
                pieces.push(Piece::Text(&tail[..1]));
                &tail[2..]
            }
            Some(name) if is_name(name) => {
                pieces.push(Piece::Name(name));
                &tail[name.len() + 2..]
            }
            _ => {
                pieces.push(Piece::Text(&tail[..1]));
                &tail[1..]
            }
        };
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The names in a command.
///
/// # Errors
/// A single brace that belongs to no name: in a command that is a mistake more often than meant.
pub fn names(template: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let bare = template.replace("{{", "").replace("}}", "");
    for piece in pieces(&bare) {
        match piece {
            Piece::Name(name) => names.push(name.to_owned()),
            Piece::Text("{" | "}") => return Err("a single brace stands in the command".to_owned()),
            Piece::Text(_) => {}
        }
    }
    Ok(names)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_literal_braces() {
        assert_eq!(
            pieces("a {b.c} {{d}}"),
            [Piece::Text("a "), Piece::Name("b.c"), Piece::Text(" "), Piece::Text("{"), Piece::Text("d"), Piece::Text("}")]
        );
        assert_eq!(names("dkms install nvidia/{dkms.version}"), Ok(vec!["dkms.version".to_owned()]));
        assert!(names("awk '{print $1}'").is_err());
        assert_eq!(names("awk '{{print $1}}'"), Ok(vec![]));
    }
}
