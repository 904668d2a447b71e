//! Numbers that name one machine, card, person or licence.

use super::kind::Kind;
use super::rules::{Find, Found, Rule, always};
use super::scan::feature;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "gpu-uuid",
        gate: &["gpu-", "mig-"],
        feature: 0,
        find: Find::Regex(
            r"(?i)(?:^|[^A-Za-z0-9])(?:(?<mig_uuid>MIG-(?:GPU-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:/\d+/\d+)?)|(?<gpu_uuid>GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}))(?:[^0-9A-Za-z-]|$)",
            always,
        ),
    },
    Rule {
        name: "uuid",
        gate: &[],
        feature: feature::DASHES,
        find: Find::Regex(r"(?i)(?:^|[^0-9a-z-])(?<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", uuid),
    },
    Rule {
        name: "uuid-behind-a-word",
        gate: &[],
        feature: feature::DASHES,
        find: Find::Regex(r"(?i)[a-z_]-(?<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", behind_word),
    },
    Rule {
        name: "serial",
        gate: &["serial", "s/n", "sn:", "sn =", "asset tag", "service tag", "序列号", "资产编号", "sn：", "chassis", "partuuid", "imei"],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:serial[_ -]?(?:number|no\.?|num|#)?(?:\s+is)?|\bs/n|\bsn|asset[_ -]?tag|service[_ -]?tag|id_serial(?:_short)?|序列号|资产编号|imei|board_serial)["']?\s*(?:[:=：>]|\s)\s*["']?\.?(?<serial>[A-Za-z0-9][A-Za-z0-9._/-]{3,40})"#,
            serial,
        ),
    },
    Rule {
        name: "machine-id",
        gate: &["machine id", "machine-id", "machine_id", "boot id", "boot_id", "bootid", "invocation id"],
        feature: 0,
        find: Find::Regex(r#"(?i)(?:machine|boot|invocation)[-_ ]?id["']?\s*[:=]\s*["']?(?<uuid>[0-9a-f]{32})"#, always),
    },
    Rule {
        name: "licence-key",
        gate: &[],
        feature: feature::DASHES,
        find: Find::Regex(
            r"(?:^|[^A-Za-z0-9-])(?<licence>[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,6}|\d{5}-\d{5}-\d{5}-[A-Z]{5}|[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3,7})(?:[^A-Za-z0-9-]|$)",
            licence_shape,
        ),
    },
    Rule {
        name: "licence-by-word",
        gate: &["licen", "product key", "product id", "activation", "entitlement", "激活码", "授权码", "许可证", "产品密钥"],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:licen[cs]e(?:[ _-]?(?:key|id|number|code|no))|product[ _-]?(?:key|id)|activation[ _-]?(?:key|code|id)|entitlement[ _-]?(?:id|key)|激活码|授权码|许可证号?|产品密钥)["']?\s*(?:is\s+|[:=：]\s*|\s+)["']?(?<licence>[A-Za-z0-9][A-Za-z0-9_./+=-]{5,120})"#,
            licence,
        ),
    },
    Rule {
        name: "id-number-of-china",
        gate: &[],
        feature: feature::DIGITS,
        find: Find::Regex(
            r"(?:^|[^0-9A-Za-z])(?<id_number>[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx])(?:[^0-9A-Za-z]|$)",
            resident,
        ),
    },
    Rule {
        name: "id-by-word",
        gate: &[
            "身份证",
            "工号",
            "护照",
            "学号",
            "员工号",
            "employee",
            "passport",
            "staff id",
            "badge",
            "ssn",
            "social security",
            "national id",
            "student id",
            "tax id",
            "personnel",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:身份证号?码?|员?工号|护照号?码?|学号|员工编号|employee[ _-]?(?:id|no\.?|number|#)|passport(?:[ _-]?(?:no\.?|number|id))?|staff[ _-]?(?:id|no)|badge(?:[ _-]?(?:id|no|number))?|ssn|social security(?: number)?|(?:national|student|tax)[ _-]?id|personnel[ _-]?(?:no|number|id))["']?\s*(?:is\s+|[:=：#]\s*|\s+)?["']?(?<id_number>[A-Za-z]{0,4}-?\d[A-Za-z0-9-]{2,24})"#,
            always,
        ),
    },
    Rule {
        name: "ssn",
        gate: &[],
        feature: feature::GROUPS,
        find: Find::Regex(r"(?:^|[^0-9A-Za-z.-])(?<id_number>\d{3}-\d{2}-\d{4})(?:[^0-9A-Za-z-]|$)", always),
    },
    Rule {
        name: "bank-card",
        gate: &[],
        feature: feature::GROUPS,
        find: Find::Regex(r"(?:^|[^0-9A-Za-z.-])(?<id_number>\d{4}([ -])\d{4}[ -]\d{4}[ -]\d{4}(?:[ -]\d{1,3})?)(?:[^0-9A-Za-z]|$)", card),
    },
    Rule {
        name: "iban",
        gate: &["iban"],
        feature: 0,
        find: Find::Regex(r"(?i)iban\S{0,2}\s*(?<id_number>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?)", always),
    },
    Rule {
        name: "cloud-account",
        gate: &["arn:aws", ".dkr.ecr.", "subscriptions/", "account id", "account_id", "accountid", "tenant", "account"],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:|account[ _-]?id["']?\s*[:=]?\s*["']?|"account"\s*:\s*")(?<id_number>\d{12,16})|(?:^|[^0-9A-Za-z])(?<id_number2>\d{12})\.dkr\.ecr"#,
            always,
        ),
    },
    Rule {
        name: "disk-serial",
        gate: &["/dev/nvme", "/dev/sd", "server "],
        feature: 0,
        find: Find::Regex(
            r"(?:/dev/(?:nvme\d+n\d+|sd[a-z])\s+(?:/dev/ng\S+\s+)?(?<serial>[A-Z0-9]*[0-9][A-Z0-9_-]{7,24})\s|^SERVER\s+(?<host>[A-Za-z][A-Za-z0-9.-]*)\s+(?<mac>[0-9A-Fa-f]{12})\b)",
            always,
        ),
    },
    Rule {
        name: "adb-serial",
        gate: &["unauthorized", "\tdevice", "offline", "recovery", "fastboot"],
        feature: 0,
        find: Find::Regex(r"^(?<serial>[A-Z0-9]{8,20})[\t ]+(?:unauthorized|device|offline|recovery|fastboot|sideload)\b", serial),
    },
];

fn uuid(found: &Found) -> Option<Kind> {
    let void = found.value().bytes().all(|b| matches!(b, b'0' | b'-' | b'f' | b'F'));
    (!void).then_some(Kind::Uuid)
}

/// `job-<uuid>`, but not `GPU-<uuid>`, which is a card's own.
fn behind_word(found: &Found) -> Option<Kind> {
    let before = found.before().to_ascii_lowercase();
    let card = before.ends_with("gpu-") || before.ends_with("mig-");
    if card { None } else { uuid(found) }
}

/// A serial number has a digit, and is none of the words that stand for "there is none".
pub(super) fn serial(found: &Found) -> Option<Kind> {
    let value = found.value();
    let lower = value.to_ascii_lowercase();
    let blank =
        ["n/a", "none", "unknown", "disabled", "default", "not", "to", "system", "chassis", "console", "port", "number", "0x0", "ttys0"];
    let spoken = blank.iter().any(|word| lower == *word) || lower.starts_with("tty") || lower.starts_with("0000000");
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let kernel = value.contains('.') && value.contains(':');
    (!spoken && !kernel && digits >= 1 && value.len() >= 4 && !value.ends_with(".0")).then_some(Kind::Serial)
}

fn licence_shape(found: &Found) -> Option<Kind> {
    let value = found.value();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_uppercase).count();
    let hex = value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    // Digits alone are a card number or a part number: other detectors know them.
    (letters >= 2 && digits >= 1 && (!hex || value.len() >= 23)).then_some(Kind::Licence)
}

fn licence(found: &Found) -> Option<Kind> {
    let value = found.value();
    (value.bytes().any(|b| b.is_ascii_digit()) && value.len() >= 6).then_some(Kind::Licence)
}

/// The check digit of a resident identity number (GB 11643: ISO 7064 MOD 11-2), or the word for it
/// before.
fn resident(found: &Found) -> Option<Kind> {
    let value = found.value();
    let mut sum = 0u32;
    let mut weight = 1u32;
    for c in value.chars().rev() {
        let digit = if c.eq_ignore_ascii_case(&'x') { 10 } else { c.to_digit(10)? };
        sum += digit * weight;
        weight = weight * 2 % 11;
    }
    let named = found.before_within(24).contains("身份");
    (sum % 11 == 1 || named).then_some(Kind::IdNumber)
}

/// Luhn's check.
fn card(found: &Found) -> Option<Kind> {
    let digits: Vec<u32> = found.value().chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 2 / 10 + digit * 2 % 10 }).sum();
    sum.is_multiple_of(10).then_some(Kind::IdNumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Found<'_> {
        Found { text, start: 0, end: text.len(), kind: Kind::IdNumber }
    }

    #[test]
    fn check_digits_decide() {
        assert!(resident(&found("11010519491231002X")).is_some());
        assert!(resident(&found("110105194912310021")).is_none());
        assert!(card(&found("4111 1111 1111 1111")).is_some());
        assert!(card(&found("4111 1111 1111 1112")).is_none());
    }

    #[test]
    fn absent_serials_stay() {
        for value in ["N/A", "None", "Unknown", "Disabled"] {
            assert!(serial(&found(value)).is_none(), "{value}");
        }
        assert!(serial(&found("1653922041877")).is_some());
    }
}
