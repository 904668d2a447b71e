//! What a code, a name or a line means, from the tables: `faultbook explain THING`.

use crate::facts::version::compare_versions;
use crate::facts::xids;
use crate::i18n::{Lang, word};
use crate::intake::{self, Limits, Part};
use crate::pattern::Patterns;
use serde::Serialize;
use std::cmp::Ordering;

/// The meaning of one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    pub heading: String,
    /// `(key of the interface words, text)`; texts of tables are English.
    pub rows: Vec<(&'static str, String)>,
    /// The cause that has a page on it.
    pub cause: Option<String>,
}

impl Explanation {
    fn new(heading: String) -> Explanation {
        Explanation { heading, ..Explanation::default() }
    }

    fn row(mut self, key: &'static str, text: &str) -> Explanation {
        if !text.is_empty() {
            self.rows.push((key, text.to_owned()));
        }
        self
    }

    fn leads_to(mut self, patterns: &Patterns, cause: &str) -> Explanation {
        self.cause = patterns.cause(cause).map(|c| c.id().to_owned());
        self
    }

    /// As plain text in `lang`.
    pub fn text(&self, patterns: &Patterns, lang: Lang) -> String {
        let mut text = format!("{}\n", self.heading);
        for (key, value) in &self.rows {
            text.push_str(&format!("  {}: {value}\n", word(lang, key)));
        }
        if let Some(cause) = self.cause.as_deref().and_then(|id| patterns.cause(id)) {
            let (title, summary) = (cause.file.title.get_ref().get(lang), cause.file.summary.get_ref().get(lang));
            text.push_str(&format!("  {}: {} — {title}\n    {summary}\n", word(lang, "explain-cause"), cause.id()));
        }
        text
    }
}

/// Explains `thing`: `xid 79`, `xid 149 NETIR_LINK_EVT 0x02a001c6 0x00000000` (or the line with it), `sxid 24007`, `0x26:0x56:1474`, `cuda 804`, a CUDA error name,
/// `exit -9`, `sm_120`, `driver 550.90.07`, a cause id, or a line of a log. Empty where nothing
/// is known.
pub fn explain(patterns: &Patterns, thing: &str) -> Vec<Explanation> {
    let thing = thing.trim();
    if let Some(event) = xids::nvlink(thing) {
        return nvlink(patterns, &event);
    }
    let lower = thing.to_ascii_lowercase();
    let words: Vec<&str> = lower.split([' ', ':', '=']).filter(|w| !w.is_empty()).collect();
    let found: Vec<Explanation> = match words.as_slice() {
        ["xid", code] => xid(patterns, "XID", code).into_iter().collect(),
        ["sxid", code] => xid(patterns, "SXID", code).into_iter().collect(),
        ["cuda" | "cudaerror" | "error", number] if number.parse::<u32>().is_ok() => cuda(patterns, "number", number).into_iter().collect(),
        ["exit" | "exitcode" | "signal", number] => exit(patterns, number).into_iter().collect(),
        ["driver", version] => driver(patterns, version).into_iter().collect(),
        [stage, status, rest @ ..] if stage.starts_with("0x") && status.starts_with("0x") => {
            vec![rminit(patterns, stage, status, rest.first().copied())]
        }
        [one] if one.starts_with("sm_") || one.starts_with("compute_") => chip(patterns, one).into_iter().collect(),
        [one] if one.starts_with("cuda") => {
            ["runtime_name", "driver_name"].iter().find_map(|column| cuda(patterns, column, thing)).into_iter().collect()
        }
        _ => Vec::new(),
    };
    if !found.is_empty() {
        return found;
    }
    if let Some(cause) = patterns.cause(thing) {
        return vec![Explanation::new(cause.id().to_owned()).leads_to(patterns, cause.id())];
    }
    line(patterns, thing)
}

fn xid(patterns: &Patterns, kind: &str, code: &str) -> Option<Explanation> {
    let row = patterns.tables().xid().rows().find(|row| row.get("kind") == kind && row.get("code") == code)?;
    let classes = [
        ("cause_hw", "hardware"),
        ("cause_driver", "driver"),
        ("cause_app", "application"),
        ("cause_sysmem", "system memory"),
        ("cause_bus", "bus"),
        ("cause_thermal", "thermal"),
        ("cause_fb", "GPU memory"),
    ];
    let possible: Vec<&str> = classes.iter().filter(|(column, _)| row.get(column) == "y").map(|(_, name)| *name).collect();
    let name = if kind == "XID" { "Xid" } else { "SXid" };
    Some(
        Explanation::new(format!("{name} {code} {}", row.get("name")))
            .row("explain-meaning", row.get("meaning_own_words"))
            .row("explain-causes", &possible.join(", "))
            .row("explain-severity", row.get("severity"))
            .row("explain-action", row.get("action_category"))
            .row(
                "explain-vendor-action",
                &[row.get("nvidia_immediate_action"), row.get("nvidia_investigatory_action")]
                    .iter()
                    .filter(|s| !s.is_empty())
                    .copied()
                    .collect::<Vec<_>>()
                    .join(" / "),
            )
            .row("explain-source", row.get("source"))
            .leads_to(patterns, row.get("cause_slug")),
    )
}

/// An NVLink 5 event: its sub-code decoded, then its Xid.
fn nvlink(patterns: &Patterns, event: &xids::Nvlink) -> Vec<Explanation> {
    let heading = format!("Xid {} {} 0x{:08x} 0x{:08x}", event.xid, event.unit, event.interrupt, event.status);
    let decoded = xids::decode(patterns.tables(), event).map(|row| {
        Explanation::new(heading)
            .row("explain-severity", row.get("severity"))
            .row("explain-layer", row.get("hw_sw"))
            .row("explain-action", row.get("action"))
            .row("explain-vendor-action", row.get("investigate"))
            .row("explain-follows", row.get("local_remote"))
            .row("explain-source", row.get("source"))
            .leads_to(patterns, "nvlink-error")
    });
    decoded.into_iter().chain(xid(patterns, "XID", &event.xid)).collect()
}

fn cuda(patterns: &Patterns, column: &str, value: &str) -> Option<Explanation> {
    let row = patterns.tables().cuda_errors().rows().find(|row| row.get(column).eq_ignore_ascii_case(value))?;
    Some(
        Explanation::new(format!("CUDA {} {} {}", row.get("number"), row.get("runtime_name"), row.get("driver_name")))
            .row("explain-message", row.get("message_string"))
            .row("explain-meaning", row.get("meaning_own_words"))
            .row("explain-causes", row.get("usual_cause"))
            .row("explain-source", row.get("source"))
            .leads_to(patterns, row.get("cause_slug")),
    )
}

/// The triple of `RmInitAdapter failed! (0x26:0x56:1474)`: stage, NV_STATUS, source line.
fn rminit(patterns: &Patterns, stage: &str, status: &str, line: Option<&str>) -> Explanation {
    let tables = patterns.tables();
    let mut explanation = Explanation::new(format!("RmInitAdapter {stage}:{status}{}", line.map_or(String::new(), |l| format!(":{l}"))));
    let same = |cell: &str, wanted: &str| number(cell).is_some_and(|n| number(wanted) == Some(n));
    let mut cause = "";
    for row in tables.rminit_stages().rows().filter(|row| same(row.get("first_field_hex"), stage)) {
        explanation = explanation.row(
            "explain-stage",
            &format!(
                "{} ({}, {}): {}",
                row.get("stage"),
                row.get("enum_name"),
                row.get("driver_versions_in_open_tags"),
                row.get("meaning_own_words")
            ),
        );
        cause = row.get("cause_slug");
    }
    if let Some(row) = tables.nvstatus().rows().find(|row| same(row.get("second_field_hex"), status)) {
        explanation = explanation.row(
            "explain-status",
            &[row.get("name"), row.get("header_text"), row.get("meaning_in_rminit_own_words")]
                .iter()
                .filter(|s| !s.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join(": "),
        );
    }
    for row in tables.rminit_known().rows().filter(|row| same(row.get("first_field"), stage) && same(row.get("second_field"), status)) {
        explanation = explanation.row("explain-known", row.get("what_it_was"));
        cause = row.get("cause_slug");
    }
    if let Some(line) = line {
        explanation = explanation.row("explain-line", &source_lines(patterns, stage, line));
    }
    explanation.leads_to(patterns, cause)
}

/// Drivers of the open flavour in whose source this line reports this stage.
fn source_lines(patterns: &Patterns, stage: &str, line: &str) -> String {
    let rows = patterns
        .tables()
        .rminit_lines()
        .rows()
        .filter(|row| row.get("third_field_line") == line && number(row.get("stage_hex")) == number(stage));
    let mut versions: Vec<&str> = rows.map(|row| row.get("driver_version")).collect();
    versions.sort_by(|a, b| compare_versions(a, b).unwrap_or(Ordering::Equal));
    match versions.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, .., last] => format!("{first} … {last}"),
    }
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

fn exit(patterns: &Patterns, text: &str) -> Option<Explanation> {
    let given: i64 = text.parse().ok()?;
    let signal = match given {
        -64..=-1 => -given,
        129..=192 => given - 128,
        1..=64 => given,
        _ => return None,
    };
    let (name, key, cause) = match signal {
        6 => ("SIGABRT", "exit-6", ""),
        7 => ("SIGBUS", "exit-7", "container-shm-too-small"),
        9 => ("SIGKILL", "exit-9", "host-out-of-memory"),
        11 => ("SIGSEGV", "exit-11", ""),
        15 => ("SIGTERM", "exit-15", ""),
        _ => return None,
    };
    Some(Explanation::new(format!("exit {given}: {name}")).row("explain-meaning", word(Lang::En, key)).leads_to(patterns, cause))
}

fn chip(patterns: &Patterns, name: &str) -> Option<Explanation> {
    let wanted = name.replace("compute_", "sm_");
    let row = patterns
        .tables()
        .compute_capability()
        .rows()
        .find(|row| row.get("sm").split([' ', '(']).next() == Some(wanted.trim_end_matches(['a', 'f'])))?;
    let branch =
        [row.get("first_driver_branch_derived"), row.get("last_driver_branch")].map(|b| if b.is_empty() { "…" } else { b }).join(" – ");
    Some(
        Explanation::new(format!("{wanted}: {}", row.get("architecture")))
            .row("explain-chips", row.get("example_gpus"))
            .row(
                "explain-cuda",
                &[row.get("first_cuda_toolkit"), row.get("last_cuda_toolkit_can_target")]
                    .map(|v| if v.is_empty() { "…" } else { v })
                    .join(" – "),
            )
            .row("explain-branches", &branch)
            .row("explain-open", row.get("open_kernel_modules"))
            .row("explain-source", row.get("source")),
    )
}

fn driver(patterns: &Patterns, version: &str) -> Option<Explanation> {
    let branch = version.split('.').next()?;
    let row = patterns.tables().driver_branch().find("driver_branch", branch)?;
    Some(
        Explanation::new(format!("driver {version}"))
            .row("explain-cuda-max", row.get("max_cuda_shown_by_nvidia_smi"))
            .row("explain-known", row.get("note"))
            .row("explain-source", row.get("source")),
    )
}

/// A pasted line: what the patterns make of it.
fn line(patterns: &Patterns, text: &str) -> Vec<Explanation> {
    let part = Part { name: String::new(), bytes: text.as_bytes().to_vec() };
    let Ok(paste) = intake::read(vec![part], &Limits::default()) else { return Vec::new() };
    let view = crate::analyze(&paste, patterns).diagnosis.view(patterns, Lang::En, &str::to_owned);
    view.findings.into_iter().take(3).map(|f| Explanation::new(text.to_owned()).leads_to(patterns, &f.cause)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_event_is_decoded_before_its_code() {
        let patterns = Patterns::builtin().unwrap();
        let found = explain(
            &patterns,
            "NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 12 (0x02a001c6 0x00000000 0x00000000)",
        );
        assert_eq!(found.len(), 2);
        assert!(found[0].rows.contains(&("explain-action", "RESET_GPU".to_owned())), "{:?}", found[0]);
        assert_eq!(found[0].cause.as_deref(), Some("nvlink-error"));
        assert!(found[1].heading.starts_with("Xid 149"));
        // A pair that the catalogue does not hold still gets its Xid.
        assert_eq!(explain(&patterns, "xid 149 NETIR_LINK_EVT 0xffffffff 0x00000001").len(), 1);
    }
}
