//! Names of accounts in the answers of system tools: access lists, user data bases, security
//! identifiers, batch systems, directories, configuration of `ssh` and `sudo`.

use super::kind::Kind;
use super::names;
use super::rules::{Find, Found, Rule, always};
use super::scan::Hit;
use super::words;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "access-list",
        gate: &["user:", "group:", "setfacl", "nfs4_", " a:", "a::"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:^|[\s,"'])(?:default:|d:)?(?:(?:user|u):(?<user>[A-Za-z_][A-Za-z0-9_.\\-]*)|(?:group|g):(?<group>[A-Za-z_][A-Za-z0-9_. \\-]*)):(?:[r-][w-][xX-]|[rwxX]{1,3}\b|[0-7]\b)"#,
                r#"|(?:^|\s)[AD]:[a-z]*:(?<user2>[A-Za-z_][A-Za-z0-9_.-]*)(?:@(?<host>[A-Za-z0-9.-]+))?:[A-Za-z]+)"#
            ),
            account,
        ),
    },
    Rule {
        name: "owner-behind-a-number",
        gate: &["id: (", "id:(", "user ", "uid ", "uid=", "uid:", "uid\"", "owner ", "userid"],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:Uid:\s*\(\s*\d+/\s*(?<user>[^\s()/]+)\)|Gid:\s*\(\s*\d+/\s*(?<group>[^\s()/]+)\)"#,
                r#"|\b(?i:user|uid|owner|user ?id)\s*[=:#]?\s*["']?\d+["']?,?\s*[(/\[]\s*["']?(?<user2>[A-Za-z_][A-Za-z0-9_.-]*)["']?\s*[)\]\s,;:]?)"#
            ),
            worded,
        ),
    },
    Rule {
        name: "listing-without-links",
        gate: &["rw-", "rwx", "r-x", "r--", "--x"],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[\s\[])[.bcdlps-][rwxsStT-]{9}[.+@]?\s+(?:[\d.]+[kMGT]?\s+)?(?<user>[A-Za-z_][A-Za-z0-9_.-]*)(?:[/\s]+(?<group>[A-Za-z_][A-Za-z0-9_.-]*))?\s+[\d.,/A-Za-z~]",
            worded,
        ),
    },
    Rule { name: "members-of-a-group", gate: &[":x:", ":*:", ":!:", ":!::"], feature: 0, find: Find::Code(members) },
    Rule {
        name: "security-identifier",
        gate: &["s-1-"],
        feature: 0,
        find: Find::Regex(r"\bS-1-(?:5-21|12-1)-(?<id_number>\d+(?:-\d+){2,8})", always),
    },
    Rule {
        name: "account-of-a-domain",
        gate: &["\\"],
        feature: 0,
        find: Find::Regex(
            r#"(?:^|[\s"'=(\[,])(?<company>[A-Za-z][A-Za-z0-9-]{1,14})\\{1,2}(?<user>[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*)\$?(?:[\s"':;,)\]]|$)"#,
            domain_account,
        ),
    },
    Rule {
        name: "batch-system-in-brackets",
        gate: &[
            "user <",
            "owner <",
            "by <",
            "host <",
            "hosts <",
            "host(s) <",
            "project <",
            "name <",
            "group <",
            " on <",
            " to <",
            "<1*",
            "<2*",
            "<4*",
            "<8*",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"(?:\b(?:[Uu]ser|[Oo]wner|by)(?: [Nn]ame)? <(?<user>[^<>\s]+)>|[Jj]ob ?[Nn]ame <(?<job>[^<>\s]+)>|Project(?: Name)? <(?<project>[^<>\s]+)>|User Group <(?<group>[^<>\s]+)>",
                r"|(?:[Hh]osts?|[Hh]ost\(s\)|[Dd]ispatched to|[Ss]tarted on|[Ss]ubmitted from host)(?: \d+ Task\(s\) on Host\(s\))? <(?:\d+\*)?(?<host>[A-Za-z][^<>\s]*)>|<\d+\*(?<host2>[A-Za-z][^<>\s]*)>)"
            ),
            bracketed,
        ),
    },
    Rule {
        name: "account-record",
        gate: &[
            "fullname",
            "full_name",
            "'type': 'user'",
            "\"type\": \"user\"",
            "\"type\":\"user\"",
            "ispro",
            "avatar",
            "preferred_username",
            "unique_name",
            "nickname",
            "\"login\"",
            "'login'",
            "userprincipalname",
            "\"actor\"",
            "'actor'",
            "\"email\"",
            "'email'",
        ],
        feature: 0,
        find: Find::Regex(
            r#"["'](?:name|login|username|user|preferred_username|nickname|unique_name|upn|actor|creator|handle|sub|samaccountname)["']\s*:\s*["'](?<user>[A-Za-z_][A-Za-z0-9_.-]*)["']"#,
            worded,
        ),
    },
    Rule {
        name: "account-in-a-message",
        gate: &[
            "sudoers",
            "sudo on",
            "no such user",
            "crontab for",
            "successfully authenticated",
            "does not exist",
            "already exists",
            "passwd entry",
            "unable to find user",
            "unknown user",
            "invalid user",
            "getpwnam",
            "quotas for user",
            "password changed",
            "mail for",
            "home directory",
            "acct=",
            "ruser=",
            " all=",
            " memlock",
            " nofile",
            " nproc",
            "of user",
            "as '",
            "as user",
            "permission denied for",
            "welcome",
            "todo(",
            "fixme(",
            "hack(",
            "/admin@",
            "principal",
            "subuid",
            ":65536",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r#"(?:(?:^|[\s:])(?<user>[A-Za-z_][A-Za-z0-9_.-]*) is not in the sudoers file|[Uu]ser (?<user2>[A-Za-z_][A-Za-z0-9_.-]*) (?:may|is) not (?:run|allowed)[^\n]*? on (?<host>[A-Za-z][A-Za-z0-9.-]*)"#,
                r#"|[‘'"`]?(?<user3>[A-Za-z_][A-Za-z0-9_.-]*)[’'"`]?: no such user|crontab for (?<user4>[A-Za-z_][A-Za-z0-9_.-]*)|\b(?:Hi|Welcome,?|Hello,?) (?<user5>[A-Za-z_][A-Za-z0-9_.-]*)[!,]"#,
                r#"|(?:passwd entry for|unable to find|[Uu]nknown|[Ii]nvalid|quotas for|of|as) [Uu]ser:? ?[‘'"`]?(?<user6>[A-Za-z_][A-Za-z0-9_.-]*)|\b[Uu]ser [‘'"`]?(?<user7>[A-Za-z_][A-Za-z0-9_.-]*)[’'"`]? (?:does not exist|already exists|not found)"#,
                r#"|getpwnam(?:_r)?[(: ]+["']?(?<user8>[A-Za-z_][A-Za-z0-9_.-]*)|password changed for (?<user9>[A-Za-z_][A-Za-z0-9_.-]*)|\bmail for (?<user10>[A-Za-z_][A-Za-z0-9_.-]*)|home directory (?:of|for) [‘'"`]?(?<user11>[A-Za-z_][A-Za-z0-9_.-]*)"#,
                r#"|\b(?:acct|ruser)="?(?<user12>[A-Za-z_][A-Za-z0-9_.-]*)|^(?<user13>[A-Za-z_][A-Za-z0-9_.-]*)\s+(?:ALL\s*=|(?:soft|hard|-)\s+(?:memlock|nofile|nproc|stack|core|rss))|^(?<user14>[a-z_][a-z0-9_.-]*):\d{5,}:65536"#,
                r#"|(?:TODO|FIXME|XXX|HACK|NOTE)\((?:(?<person>\p{Lu}\p{L}+(?: \p{Lu}[\p{L}'’-]+)+)|(?<user17>[a-z][a-z0-9_.-]*))\)|(?:^|[\s'"=:])(?<user18>[a-z_][a-z0-9_.-]*)/[a-z0-9.-]+@[A-Z0-9.-]+\.[A-Z]+|\bas ['‘"](?<user15>[A-Za-z_][A-Za-z0-9_.-]*)['’"]|[Pp]ermission denied for (?:user |role )?"?(?<user16>[A-Za-z_][A-Za-z0-9_.-]*))"#
            ),
            worded,
        ),
    },
    Rule {
        name: "configuration-of-ssh",
        gate: &["user ", "user\t", "hostname ", "proxyjump", "hostkeyalias", "allowusers", "match "],
        feature: 0,
        find: Find::Regex(
            r"^\s*(?i:(?:User|RemoteUser|AllowUsers|Match user)\s+(?<user>[A-Za-z_][A-Za-z0-9_.-]*)|(?:HostName|ProxyJump|HostKeyAlias)\s+(?:(?<user2>[A-Za-z_][A-Za-z0-9_.-]*)@)?(?<host>[A-Za-z][A-Za-z0-9.-]*)(?::\d+)?)\s*$",
            worded,
        ),
    },
    Rule {
        name: "directory-record",
        gate: &[
            "cn:",
            "sn:",
            "gn:",
            "uid:",
            "givenname:",
            "displayname:",
            "gecos:",
            "accountname:",
            "surname:",
            "principalname:",
            "department:",
            "o:",
            "ou:",
        ],
        feature: 0,
        find: Find::Regex(
            concat!(
                r"^\s{0,4}(?i:(?:uid|memberUid|sAMAccountName|msSFU30Name|krbPrincipalName|userPrincipalName)::?\s+(?<user>[A-Za-z_][A-Za-z0-9_.-]*)(?:@\S+)?\s*$",
                r"|(?:cn|sn|gn|givenName|displayName|gecos|commonName|surname)::?\s+(?<person>\p{L}[\p{L}'’.-]*(?: \p{L}[\p{L}'’.-]*){0,4})\s*$|(?:o|ou|company|department|physicalDeliveryOfficeName):\s+(?<company>\p{L}[^\n:=]{1,60}?)\s*$)"
            ),
            record,
        ),
    },
];

/// A group may be a system's, too.
fn account(found: &Found) -> Option<Kind> {
    if found.kind == Kind::Host { super::hosts::certain(found) } else { names::account(found) }
}

/// An ordinary word is no name.
fn worded(found: &Found) -> Option<Kind> {
    let value = found.value();
    let file = super::hosts::is_file(value);
    if words::is_common(value) || words::is_public_package(value) || file || words::is_device(value) {
        return None;
    }
    account(found)
}

fn bracketed(found: &Found) -> Option<Kind> {
    match found.kind {
        Kind::Job | Kind::Project => super::company::job(found),
        _ => account(found),
    }
}

fn record(found: &Found) -> Option<Kind> {
    match found.kind {
        Kind::Person => names::person(found).filter(|_| found.value().starts_with(char::is_uppercase)),
        Kind::Company => super::company::company(found),
        _ => worded(found),
    }
}

/// `render:x:109:anna,piet`: the members, and the name of a group of one's own.
fn members(text: &str, out: &mut Vec<Hit>) {
    let fields: Vec<&str> = text.trim_end().split(':').collect();
    let (Some(name), Some(number), Some(list)) = (fields.first(), fields.get(2), fields.get(3)) else { return };
    let numbered = number.bytes().all(|b| b.is_ascii_digit());
    let shaped = |name: &str| name.len() > 1 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    if fields.len() != 4 || !numbered || !shaped(name.trim_start()) {
        return;
    }
    let mut at = text.trim_end().len() - list.len();
    for member in list.split(',') {
        let found = Found { text, start: at, end: at + member.len(), kind: Kind::User };
        if shaped(member) && names::account(&found).is_some() {
            out.push(Hit { start: at, end: found.end, kind: Kind::User });
        }
        at += member.len() + 1;
    }
}

/// `corp\a.name`: not a folder and a file, not an escaped line break.
fn domain_account(found: &Found) -> Option<Kind> {
    let (domain, user) = if found.kind == Kind::User {
        let before = found.before().trim_end_matches('\\');
        (before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next().unwrap_or(""), found.value())
    } else {
        let behind = found.after().trim_start_matches('\\');
        (found.value(), behind.split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c))).next().unwrap_or(""))
    };
    let builtin = ["nt", "authority", "builtin", "font", "window", "hkey"].contains(&domain.to_ascii_lowercase().as_str());
    let plain = |word: &str| words::is_common(word) || words::is_plain(word) || words::is_public_package(word);
    let path = super::hosts::is_file(user) || plain(domain);
    let dotted = user.contains('.') && !plain(user);
    let capitals = domain.len() >= 3 && domain.bytes().all(|b| !b.is_ascii_lowercase()) && !plain(user);
    let start = if found.kind == Kind::User { found.start - domain.len() - 1 } else { found.start };
    let leads = found.text.get(..start).is_some_and(|before| before.trim().is_empty()) && !plain(user);
    (!builtin && !path && (dotted || capitals || leads)).then(|| names::account(found)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut hits = Vec::new();
        members(text, &mut hits);
        hits.iter().map(|hit| &text[hit.start..hit.end]).collect()
    }

    #[test]
    fn members_of_groups_are_found() {
        assert_eq!(found("render:x:109:anna,root,piet"), ["anna", "piet"]);
        assert_eq!(found("root:x:0:0:root:/root:/bin/sh"), Vec::<&str>::new());
        assert_eq!(found("a:x:b:c"), Vec::<&str>::new());
    }
}
