//! Names of people in records: a person's data, a contact, a letter's head.

use super::kind::Kind;
use super::rules::{Find, Found, Rule, always};
use super::words;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "person-of-a-record",
        gate: &[
            "patient",
            "student",
            "speaker",
            "teacher",
            "doctor",
            "physician",
            "nurse",
            "applicant",
            "candidate",
            "passenger",
            "guest",
            "participant",
            "signer",
            "cardholder",
            "holder",
            "buyer",
            "payer",
            "sender",
            "recipient",
            "subscriber",
            "annotator",
            "labeler",
            "reviewer",
            "driver_name",
            "driver name",
            "client:",
            "client\"",
            "client'",
            "insured",
            "caller",
            "editor",
            "lecturer",
            "primary",
            "secondary",
            "escalat",
            "todo(",
            "fixme(",
            "to:",
            "kontakt",
            "ansprechpartner",
            "nom:",
            "nombre",
            "salutation",
        ],
        feature: 0,
        find: Find::Regex(
            r#"(?i:patient|student|speaker|teacher|doctor|physician|nurse|applicant|candidate|passenger|guest|participant|signer|cardholder|holder|buyer|payer|sender|recipient|subscriber|annotator|labell?er|reviewer|driver|client|insured|caller|editor|lecturer|primary|secondary|escalation|kontakt|ansprechpartner|nom|nombre|to)(?i:[_ ]?(?:full)?[_ ]?name)?["']?\s*[:=]\s*["']?(?<person>\p{Lu}[\p{Ll}'’]+(?:[ -]\p{Lu}[\p{L}'’.-]*){1,3})"#,
            person,
        ),
    },
    Rule {
        name: "person-by-two-words",
        gate: &["name:", "name\":", "name':", "name=", "name :"],
        feature: 0,
        find: Find::Regex(r#"\b(?i:name)["']?\s*[:=]\s*["']?(?<person>\p{Lu}[\p{Ll}'’]+(?:[ -]\p{Lu}[\p{Ll}'’.]+){1,2})["',;}\s]"#, person),
    },
    Rule {
        name: "person-by-one-word",
        gate: &["phone", "email", "mail", "pager", "mobile", "'dob'", "\"dob\"", "ssn"],
        feature: 0,
        find: Find::Regex(
            r#"\b(?i:(?:first|last|given|family|sur)?_?name)["']?\s*[:=]\s*["'](?<person>\p{Lu}[\p{L}'’-]+(?: [\p{L}'’.-]+){0,3})["']"#,
            person,
        ),
    },
    Rule {
        name: "number-of-a-record",
        gate: &["mrn", "patient id", "patient_id", "insurance", "policy_no", "plate", "vin", "driver_licen", "nhs"],
        feature: 0,
        find: Find::Regex(
            r#"(?i:\b(?:mrn|patient[_ ]?id|insurance[_ ]?(?:no|number|id)|policy_no|licen[cs]e[_ ]plate|plate[_ ]?(?:no|number)|vin|nhs(?:[_ ]?(?:no|number))?|driver_licen[cs]e))["']?\s*[:=]\s*["']?(?<id_number>[A-Za-z]{0,4}[ -]?[0-9][A-Za-z0-9 -]{3,20}[A-Za-z0-9])"#,
            always,
        ),
    },
];

/// Capitalised words none of which is a word of English or a product.
fn person(found: &Found) -> Option<Kind> {
    let value = found.value();
    let product =
        value.split([' ', '-']).any(|word| words::is_common(word) || words::is_public_package(word) || words::is_public_organisation(word));
    let behind = found.after();
    let first_common = value.split(' ').next().is_some_and(words::is_common);
    // "Marek" may be a word of the list, "Marek Novak" is a name: the last word decides.
    let named =
        !product || (!first_common && value.contains(' ') && value.split(' ').next_back().is_some_and(|word| !words::is_common(word)));
    (named && !behind.starts_with(['(', '.', '/', '_'])).then_some(Kind::Person)
}
