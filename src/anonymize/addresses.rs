//! Network addresses, e-mail addresses and telephone numbers.

use super::kind::Kind;
use super::rules::{Find, Found, Rule, always};
use super::scan::{Hit, feature};
use super::words;
use std::net::{Ipv4Addr, Ipv6Addr};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "ipv4",
        gate: &[],
        feature: feature::QUAD,
        find: Find::Regex(r"(?:^|[^0-9.])(?<ip>\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})", ipv4),
    },
    Rule { name: "ipv6", gate: &[], feature: feature::COLONS, find: Find::Code(ipv6) },
    Rule {
        name: "mac",
        gate: &[],
        feature: feature::COLONS | feature::DASHES,
        find: Find::Regex(
            r"(?i)(?:^|[^0-9a-z:-])(?<mac>[0-9a-f]{2}(?::[0-9a-f]{2}){5,19}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5})(?:[^0-9a-z:-]|[:-](?:[^0-9a-z]|$)|$)",
            mac,
        ),
    },
    Rule {
        name: "mac-of-a-router",
        gate: &["mac", "ether", "bssid", "address"],
        feature: 0,
        find: Find::Regex(r"(?i)(?:^|[^0-9a-z.])(?<mac>[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?:[^0-9a-z.]|$)", always),
    },
    Rule {
        name: "guid",
        gate: &["guid", "hwaddr", "wwn", "wwpn", "lladdr", "eui"],
        feature: 0,
        find: Find::Regex(
            r"(?i)(?:guid|hwaddr|wwpn|wwn|lladdr|eui)[a-z_ ]*(?:device id)?(?:\[\d+\])?\)?\s*[:=]?\s*(?<guid>0x[0-9a-f]{12,16}|(?:[0-9a-f]{4}:){3}[0-9a-f]{4}|[0-9a-f]{16}|[0-9a-f](?: [0-9a-f]{6}){1,2}[0-9a-f]*)(?:[^0-9a-f]|$)",
            guid,
        ),
    },
    Rule {
        name: "email",
        gate: &[],
        feature: feature::AT,
        find: Find::Regex(
            r"(?:^|[^A-Za-z0-9._%+-])(?<email>[A-Za-z0-9][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,24})",
            email,
        ),
    },
    Rule {
        name: "phone-of-china",
        gate: &[],
        feature: feature::DIGITS | feature::GROUPS,
        find: Find::Regex(r"(?:^|[^0-9A-Za-z.+-])(?:(?:\+|00)?86[ -]?)?(?<phone>1[3-9]\d[ -]?\d{4}[ -]?\d{4})(?:[^0-9A-Za-z]|$)", mobile),
    },
    Rule {
        name: "phone-with-country",
        gate: &["+", "00 ", " 00", ":00"],
        feature: 0,
        find: Find::Regex(
            r"(?:^|[\s:(\[<\x22'=,;：，（])(?<phone>(?:\+|00 ?)[1-9]\d{0,2}[ .-]?(?:\(\d{1,5}\)[ .-]?)?\d{1,5}(?:[ .-]?\d{2,5}){1,5})(?:[^0-9A-Za-z]|$)",
            international,
        ),
    },
    Rule {
        name: "phone-by-form",
        gate: &[],
        feature: feature::GROUPS,
        find: Find::Regex(
            r"(?:^|[^0-9A-Za-z.+-])(?<phone>\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4}|0\d{2,3}-\d{7,8}|400-\d{3}-\d{4}|400\d-\d{3}-\d{3})(?:[^0-9A-Za-z-]|$)",
            always,
        ),
    },
    Rule {
        name: "phone-by-word",
        gate: &[
            "phone", "tel", "mobile", "call ", "pager", "fax", "whatsapp", "电话", "手机", "座机", "联系", "微信", "oncall", "on-call",
            "qq", "sms",
        ],
        feature: 0,
        find: Find::Regex(
            r"(?i)(?:(?:tele)?phone|\btel|mobile|\bcall|pager|fax|whatsapp|电话|手机号?码?|座机|联系方式|微信号?|on-?call|\bqq|sms)[^0-9+\n]{0,12}(?<phone>\+?\(?\d[\d ().-]{5,18}\d)",
            spoken,
        ),
    },
];

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Before a version stands its package, a sign of comparison or the word itself.
fn ipv4(found: &Found) -> Option<Kind> {
    let address: Ipv4Addr = found.value().parse().ok()?;
    let octets = address.octets();
    let local = address.is_loopback() || address.is_unspecified() || octets.first() == Some(&255);
    let after = found.after();
    let longer = after.starts_with(|c: char| c.is_ascii_digit())
        || after.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if local || longer || is_version(found, octets) {
        return None;
    }
    Some(Kind::Ip)
}

fn is_version(found: &Found, octets: [u8; 4]) -> bool {
    let before = found.before_within(48);
    let after = found.after();
    let last = before.chars().next_back();
    let private = match octets {
        [10, ..] | [192, 168, ..] => true,
        [172, second, ..] => (16..32).contains(&second),
        _ => false,
    };
    let glued =
        before.ends_with("==") || before.ends_with(">=") || before.ends_with("<=") || before.ends_with("~=") || before.ends_with("!=");
    // `5.15.153.1-microsoft-standard-WSL2`
    let kernel =
        matches!(octets, [2..=7, ..]) && after.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let archive = [
        "-py",
        "-cp",
        "-manylinux",
        ".tar",
        ".whl",
        ".zip",
        "-linux",
        "+cu",
        "-cuda",
        ".so",
        ".dll",
        ".post",
        ".dev",
        "-1 ",
        "-1_",
        "_amd64",
    ];
    let listed = found.before().contains("Requirement ") && before.ends_with('(');
    if glued || listed || kernel || archive.iter().any(|end| after.starts_with(end)) || before.ends_with("so.") {
        return true;
    }
    match last {
        Some('_' | '~' | '^') => return true,
        Some('v' | 'V' | 'r') => return true,
        Some('-') => return !private || public_name_ends(before, private),
        Some('/') => {
            return !private && !before.contains("://") && !before.ends_with(" /") && before.len() > 1 && public_name_ends(before, private);
        }
        Some(c) if c.is_alphanumeric() => return true,
        _ => {}
    }
    let lower = before.to_ascii_lowercase();
    let placed = ["on", "at", "via", "host", "peer", "node", "ip", "addr", "address", "server"];
    if private && lower.ends_with(' ') && lower.split_whitespace().next_back().is_some_and(|word| placed.contains(&word)) {
        return false;
    }
    let named = [
        "version", "release", "firmware", "vbios", "cudnn", "cublas", "cufft", "tensorrt", "nvidia-", "nvidia_", "build", "bios", " rev",
        "版本", "upgrad", "downgrad",
    ];
    let near = lower.get(lower.len().saturating_sub(24)..).unwrap_or(&lower);
    named.iter().any(|word| near.contains(word))
        || public_name_ends(before.trim_end_matches([' ', '\t', '(', ':', '"', '\'', ',', '=', '|', '│', '┃']), private)
}

/// The word before is a public package: `opencv-python 4.9.0.80`. What could be a private
/// address needs the name of a library of CUDA.
fn public_name_ends(before: &str, private: bool) -> bool {
    let before = before.trim_end_matches(['-', '/']);
    let word = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).next().unwrap_or("");
    let library = ["nvidia", "lib", "cu"].iter().any(|start| word.starts_with(start));
    word.len() > 2
        && (library || !private)
        && words::is_public_package(word)
        && !matches!(word, "ip" | "host" | "address" | "node" | "server" | "client" | "peer" | "inet" | "addr")
}

/// Longest runs of hex digits, colons and dots that are an IPv6 address.
fn ipv6(text: &str, out: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'.' | b'_');
    let mut at = 0;
    while let Some(skip) = bytes.get(at..).and_then(|rest| rest.iter().position(part)) {
        let start = at + skip;
        let length = bytes.get(start..).map_or(0, |rest| rest.iter().take_while(|b| part(b)).count());
        at = start + length.max(1);
        if let Some((from, value)) = text.get(start..at).and_then(address_in) {
            out.push(Hit { start: start + from, end: start + from + value.len(), kind: Kind::Ipv6 });
        }
    }
}

/// The address in a word, less a port name before it (`eth0:`) and punctuation behind it.
fn address_in(word: &str) -> Option<(usize, &str)> {
    if word.len() > 120 || word.bytes().filter(|b| *b == b':').count() < 2 {
        return None;
    }
    let trimmed = word.trim_end_matches(['.', '_']);
    // A port may stand straight behind the address.
    let port = trimmed.rsplit_once(':').filter(|(_, port)| (4..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit()));
    let ends = [trimmed, trimmed.strip_suffix(':').unwrap_or(trimmed), port.map_or(trimmed, |(address, _)| address)];
    let starts = [0, trimmed.find(':').map_or(0, |at| at + 1)];
    starts.iter().flat_map(|from| ends.iter().map(move |end| (*from, *end))).find_map(|(from, end)| {
        let value = end.get(from..)?;
        let address: Ipv6Addr = value.parse().ok()?;
        let local = address.is_loopback() || address.is_unspecified();
        let groups = value.split(':').filter(|group| !group.is_empty()).count();
        let real = groups >= 3 || (value.bytes().any(|b| b.is_ascii_digit()) && groups >= 2 && value.len() > 6);
        (!local && real).then_some((from, value))
    })
}

fn mac(found: &Found) -> Option<Kind> {
    let value = found.value();
    let void = value.bytes().all(|b| matches!(b, b'0' | b':' | b'-')) || value.bytes().all(|b| matches!(b, b'f' | b'F' | b':' | b'-'));
    (!void).then_some(Kind::Mac)
}

fn guid(found: &Found) -> Option<Kind> {
    let value = found.value().trim_start_matches("0x");
    let hex = value.bytes().filter(u8::is_ascii_hexdigit).count();
    (hex >= 12 && !value.bytes().all(|b| matches!(b, b'0' | b':'))).then_some(Kind::Guid)
}

fn email(found: &Found) -> Option<Kind> {
    let value = found.value();
    let (user, domain) = value.split_once('@')?;
    let end = domain.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let unit =
        ["service", "socket", "timer", "target", "mount", "slice", "scope", "path", "device", "swap", "git", "so", "py", "sock", "conf"];
    let repository = ["git", "hg", "svn"].contains(&user) || user.ends_with(".git");
    // `user:password@host` in an address belongs to the address, `user@host:~$` to the prompt.
    let token = found.before().rsplit(char::is_whitespace).next().unwrap_or("");
    let prompt = found.after().starts_with(":~") || found.after().starts_with(":/") || found.before().ends_with('[');
    let shell = ["ssh ", "scp ", "rsync ", "sftp "].iter().any(|program| found.before().contains(program));
    let port = user.bytes().all(|b| b.is_ascii_digit()) && user.len() < 6;
    let skip = port || unit.contains(&end.as_str()) || repository || token.contains("://") || prompt || shell;
    (!skip).then_some(Kind::Email)
}

fn mobile(found: &Found) -> Option<Kind> {
    let before = found.before_within(24).to_ascii_lowercase();
    let counted = ["step", "serial", "pid", "seq", "iter", "addr", "size", "bytes", "numel", "="]
        .iter()
        .any(|word| before.trim_end().ends_with(word));
    // Sizes of memory have eleven digits, too.
    let after = found.after().trim_start().to_ascii_lowercase();
    let unit = ["byte", "b)", "b,", "kib", "kb", "mib", "ns", "us", "cycle", "token", "param", "element", "flop", "sample"];
    let sized = unit.iter().any(|unit| after.starts_with(unit));
    let page = found.value().parse::<u64>().is_ok_and(|number| number.is_multiple_of(512));
    if sized || page {
        return None;
    }
    let blanks = found.value().contains(' ') && found.value().split(' ').count() != 3;
    (!counted && !blanks).then_some(Kind::Phone)
}

fn international(found: &Found) -> Option<Kind> {
    let value = found.value();
    let count = digits(value);
    if value.starts_with("00") && (!value.contains([' ', '-']) || count < 10) {
        return None;
    }
    let version = value.bytes().filter(|b| *b == b'.').count() > 0 && !value.contains([' ', '-']) && count < 10;
    ((8..=15).contains(&count) && !version).then_some(Kind::Phone)
}

fn spoken(found: &Found) -> Option<Kind> {
    let value = found.value();
    let count = digits(value);
    let dotted = value.matches('.').count() >= 2 && value.parse::<Ipv4Addr>().is_ok();
    let dated = value.starts_with("20") && value.contains('-') && count == 8;
    let before = found.before_within(16).to_ascii_lowercase();
    let traced = before.contains("call")
        && !before.contains("call me")
        && !before.contains("call:")
        && !before.contains("oncall")
        && !before.contains("on-call");
    ((6..=15).contains(&count) && !dotted && !dated && !traced && !value.contains(": ")).then_some(Kind::Phone)
}
