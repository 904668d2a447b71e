//! Environment variables: `env`, exports, assignments before a command, `docker -e`, `echo $NAME`.

use super::reader::{Line, Reader, first, hits, re};
use super::{Subject, Value};

/// Reads assignments in any line of the segment, and the output of `echo $NAME`.
pub fn read(reader: &mut Reader) {
    let command = reader.command_line();
    if !command.is_empty() {
        let line = Line { number: reader.head(), text: command };
        assignments(reader, line);
    }
    if let Some(name) = first(re!(r#"^(?:echo|printenv)\s+["']?\$?\{?(\w+)\}?["']?\s*$"#), command) {
        return echoed(reader, name);
    }
    let whole_line = matches!(reader.kind(), crate::segment::Kind::Env);
    for line in reader.lines() {
        if hits(
            re!(
                r"CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES|LD_LIBRARY_PATH|NCCL_|ALLOC_CONF|WORLD_SIZE|CUDA_VERSION|CUDA_HOME|CONDA_|VIRTUAL_ENV|HSA_OVERRIDE|CUDA_LAUNCH"
            ),
            line.text,
        ) {
            if whole_line && hits(re!(r#"^\w+=(?:[^'"\s]*|"[^"]*")$"#), line.text.trim()) {
                if let Some((name, value)) = line.text.trim().split_once('=') {
                    set(reader, name, value.trim_matches('"'), line.number);
                }
            } else {
                assignments(reader, line);
            }
        }
    }
    missing(reader);
}

/// A whole listing of the environment without CUDA_VISIBLE_DEVICES says that it is unset.
fn missing(reader: &mut Reader) {
    let listing = hits(re!(r"^(?:env|printenv|export -p)(?:\s*\||\s*$)"), reader.command_line());
    if listing && reader.shows_all(&["CUDA_VISIBLE_DEVICES=0"]) && reader.known(Subject::None, "env.cuda_visible_devices").is_none() {
        reader.deny("env.cuda_visible_devices");
    }
}

/// `export NAME=value`, `NAME=value command`, `-e NAME=value`, `set NAME=value`, `$env:NAME="value"`,
/// `os.environ["NAME"] = "value"`.
/// Advice inside an error message (`try setting X=…`, `run with NCCL_DEBUG=INFO`) sets nothing.
fn assignments(reader: &mut Reader, line: Line) {
    if hits(
        re!(
            r"(?i)try setting|run with|please set|(?:consider|by) (?:setting|passing)|you can set|should set|set the environment|recommend"
        ),
        line.text,
    ) {
        return;
    }
    let all = re!(
        r#"(?:^|[\s;&'"(\[{:+])(?:os\.environ\[\s*)?["']?([A-Z][A-Z0-9_]{3,})["']?\]?\s?=\s?("[^"]*"|'[^']*'|[^\s;&"'\\,)]*(?:,[^\s;&"'\\)]+)*)"#
    );
    let Some(all) = all.as_ref() else { return };
    for cells in all.captures_iter(line.text).take(32) {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        set(reader, cell(1), cell(2).trim_matches(['"', '\'']), line.number);
    }
}

/// The output of `echo $NAME`: an empty line is an empty or unset variable.
fn echoed(reader: &mut Reader, name: &str) {
    let output = reader.lines().next();
    match output {
        Some(line) => set(reader, name, line.text.trim(), line.number),
        None if reader.segment.complete => {
            let line = reader.head();
            set(reader, name, "", line);
        }
        None => {}
    }
}

fn set(reader: &mut Reader, name: &str, value: &str, line: u32) {
    match name {
        "CUDA_VISIBLE_DEVICES" => reader.text("env.cuda_visible_devices", value, line),
        "NVIDIA_VISIBLE_DEVICES" => reader.text("env.nvidia_visible_devices", value, line),
        "NVIDIA_DRIVER_CAPABILITIES" => reader.text("env.nvidia_driver_capabilities", value, line),
        "CUDA_DEVICE_ORDER" => reader.text("env.cuda_device_order", value, line),
        "LD_LIBRARY_PATH" => {
            let parts = value.split(':').filter(|p| !p.is_empty()).take(64).map(str::to_owned).collect();
            reader.give("env.ld_library_path", Value::Set(parts), line);
        }
        "PYTORCH_CUDA_ALLOC_CONF" | "PYTORCH_ALLOC_CONF" => {
            reader.text("env.pytorch_alloc_conf", value, line);
            reader.text("env.pytorch_alloc_name", name, line);
        }
        "WORLD_SIZE" => {
            if let Ok(size) = value.parse() {
                reader.int("job.world_size", size, line);
            }
        }
        "CUDA_VERSION" if value.starts_with(|c: char| c.is_ascii_digit()) => {
            let version = super::version::head(value, 2);
            reader.version("container.cuda", &version, line);
        }
        _ if name.starts_with("NCCL_") => reader.add(Subject::None, "env.nccl", &[format!("{name}={value}")], line),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    fn devices(kind: Kind, text: &str) -> Option<Value> {
        value(&facts(kind, text), Subject::None, "env.cuda_visible_devices")
    }

    #[test]
    fn assignments_in_all_their_forms() {
        for (text, want) in [
            ("CUDA_VISIBLE_DEVICES=2,3", "2,3"),
            ("export CUDA_VISIBLE_DEVICES=2,3", "2,3"),
            ("CUDA_VISIBLE_DEVICES=2,3 python train.py --device cuda:2", "2,3"),
            ("CUDA_VISIBLE_DEVICES=2 RANK=0 WORLD_SIZE=2 python ddp.py &", "2"),
            ("declare -x CUDA_VISIBLE_DEVICES=\"\"", ""),
            ("+ CUDA_VISIBLE_DEVICES=0", "0"),
            ("docker run --gpus all -e CUDA_VISIBLE_DEVICES=1 image", "1"),
            ("os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"9\"", "9"),
            ("set CUDA_VISIBLE_DEVICES=1", "1"),
            ("$env:CUDA_VISIBLE_DEVICES=\"1\"", "1"),
            ("CUDA_VISIBLE_DEVICES=MIG-7d0f4c1e-18ab RANK=0 WORLD_SIZE=2 python ddp.py &", "MIG-7d0f4c1e-18ab"),
        ] {
            for kind in [Kind::Other, Kind::Env] {
                assert_eq!(devices(kind, text), Some(Value::Text(want.into())), "{text}");
            }
        }
        assert_eq!(devices(Kind::Other, "Please set CUDA_VISIBLE_DEVICES=0 and retry"), None);
        let advice = facts(
            Kind::PythonTraceback,
            "memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
        );
        assert_eq!(value(&advice, Subject::None, "env.pytorch_alloc_conf"), None);
        assert_eq!(devices(Kind::Other, "changing env variable CUDA_VISIBLE_DEVICES after program start"), None);
    }

    #[test]
    fn echo_tells_empty_from_given() {
        let nine = facts_from(Kind::Env, "echo $CUDA_VISIBLE_DEVICES", "9");
        assert_eq!(value(&nine, Subject::None, "env.cuda_visible_devices"), Some(Value::Text("9".into())));
        let empty = facts_from(Kind::Other, "echo $CUDA_VISIBLE_DEVICES", "");
        assert_eq!(value(&empty, Subject::None, "env.cuda_visible_devices"), Some(Value::Text(String::new())));
    }

    #[test]
    fn a_whole_listing_tells_unset() {
        assert!(absent(&facts_from(Kind::Env, "env", "HOME=/root"), "env.cuda_visible_devices"));
        assert!(!absent(&facts_from(Kind::Env, "env | grep NCCL", "NCCL_DEBUG=INFO"), "env.cuda_visible_devices"));
        let nccl = facts_from(Kind::Env, "env | grep NCCL", "NCCL_DEBUG=INFO\nNCCL_IB_DISABLE=0");
        assert_eq!(value(&nccl, Subject::None, "env.nccl"), Some(Value::Set(vec!["NCCL_DEBUG=INFO".into(), "NCCL_IB_DISABLE=0".into()])));
    }
}
