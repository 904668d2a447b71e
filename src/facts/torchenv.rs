//! Reports of frameworks about themselves: torch's collect_env, ds_report, vLLM, transformers,
//! accelerate; and what TensorFlow's log says of a card.

use super::packages::{conda_row, package, pip_row, torch};
use super::reader::{Line, Reader, caps, first, re};
use super::{Subject, Value};

/// Reads a report of `key: value` lines with lists of packages and cards.
pub fn read(reader: &mut Reader) {
    let mut in_cards = false;
    for line in reader.lines() {
        let text = line.text.trim().trim_start_matches(['-', '*']).trim_start();
        let text = text.trim_start_matches('`').trim_end_matches('`');
        let line = Line { number: line.number, text };
        if text.starts_with("[pip") {
            pip_row(reader, line);
        } else if text.starts_with("[conda]") {
            conda_row(reader, line);
        } else if text.starts_with("GPU models and configuration") || text.starts_with("GPU used to") {
            in_cards = true;
            let rest = text.split_once(':').map_or("", |(_, rest)| rest);
            cards(reader, Line { number: line.number, text: rest.trim() });
        } else if in_cards && text.starts_with("GPU ") {
            cards(reader, line);
        } else if let Some((key, value)) = split(text) {
            in_cards = false;
            field(reader, line.number, key, value);
        }
    }
}

/// `key: value`, and ds_report's `key .......... value`.
fn split(text: &str) -> Option<(&str, &str)> {
    if let Some(cells) = caps(re!(r"^([A-Za-z][\w /()-]*?)\s*\.{3,}\s*(\S.*)$"), text) {
        return Some((cells.get(1)?.as_str(), cells.get(2)?.as_str()));
    }
    let (key, value) = text.split_once(':')?;
    Some((key.trim(), value.trim()))
}

fn field(reader: &mut Reader, line: u32, key: &str, value: &str) {
    let key = key.to_ascii_lowercase();
    let number = first(re!(r"(\d+(?:\.\d+)+(?:[\w.+-]*)?)"), value);
    match key.as_str() {
        "pytorch version" | "torch version" | "pytorch version (gpu?)" => {
            if let Some(version) = first(re!(r"^(\d+\.\d[\w.+]*)"), value) {
                torch(reader, version, line);
            }
            if let Some(found) = first(re!(r"\((True|False)\)"), value) {
                available(reader, found == "True", line);
            }
        }
        "cuda used to build pytorch" | "torch cuda version" => cuda_of_build(reader, value, line),
        "rocm used to build pytorch" => {
            if number.is_some() {
                let env = reader.env();
                reader.give_to(env, "torch.build", Value::Text(format!("rocm{value}")), &[line]);
            }
        }
        "is cuda available" | "pytorch cuda available" | "cuda available" => available(reader, value == "True", line),
        "nvidia driver version" => {
            if let Some(version) = number {
                reader.version("driver.version", version, line);
            }
        }
        "python version" => {
            if let Some(version) = first(re!(r"^(\d+\.\d+(?:\.\d+)?)"), value) {
                reader.env_version("python.version", version, line);
            }
        }
        "cuda runtime version" | "nvcc version" => {
            if let Some(version) = first(re!(r"(?:V|^)(\d+\.\d+)"), value) {
                reader.version("toolkit.version", version, line);
            }
        }
        "os" => os(reader, value, line),
        "gpu type" => {
            let card = reader.card(None, Some(0), None);
            if let Some(card) = card {
                reader.give_to(card, "gpu.name", Value::Text(value.to_owned()), &[line]);
            }
        }
        "shared memory (/dev/shm) size" => {
            if let Some(size) = super::reader::bytes(value) {
                reader.int("container.shm_bytes", size, line);
            }
        }
        _ => library(reader, &key, value, line),
    }
}

fn cuda_of_build(reader: &mut Reader, value: &str, line: u32) {
    let env = reader.env();
    if let Some(cuda) = first(re!(r"^(\d+\.\d+)"), value) {
        reader.give_to(env, "torch.cuda", Value::Version(cuda.to_owned()), &[line]);
    } else if matches!(value, "None" | "Could not collect") {
        super::probe::no_cuda(reader, line);
    }
}

fn available(reader: &mut Reader, yes: bool, line: u32) {
    let env = reader.env();
    reader.give_to(env, "torch.cuda_available", Value::Bool(yes), &[line]);
}

fn os(reader: &mut Reader, value: &str, line: u32) {
    let lower = value.to_ascii_lowercase();
    if lower.contains("windows") {
        return reader.text("os.name", "windows", line);
    }
    super::host::distribution(reader, &lower, line);
    if let Some(version) = first(re!(r"(\d+(?:\.\d+)*)"), &lower) {
        reader.version("os.version", version, line);
    }
}

/// `transformers` version: 4.44.0 and the like.
fn library(reader: &mut Reader, key: &str, value: &str, line: u32) {
    let name = key.trim_end_matches(" version").trim_matches('`').replace(' ', "-");
    let known = [
        "transformers",
        "accelerate",
        "vllm",
        "numpy",
        "deepspeed",
        "bitsandbytes",
        "peft",
        "diffusers",
        "safetensors",
        "huggingface-hub",
        "flash-attn",
        "xformers",
        "triton",
        "datasets",
    ];
    if key.ends_with("version")
        && known.contains(&name.replace('_', "-").as_str())
        && let Some(version) = first(re!(r"^(\d+\.\d[\w.+]*)"), value)
    {
        package(reader, &name, version, line);
    }
}

/// `GPU 0: NVIDIA L40S` lines.
fn cards(reader: &mut Reader, line: Line) {
    let Some(cells) = caps(re!(r"^GPU (\d+): (\S.*?)(?:\s+\(UUID: (\S+)\))?$"), line.text) else { return };
    let index = cells.get(1).and_then(|m| m.as_str().parse().ok());
    let Some(card) = reader.card(None, index, cells.get(3).map(|m| m.as_str())) else { return };
    let name = cells.get(2).map_or("", |m| m.as_str());
    reader.give_to(card, "gpu.name", Value::Text(name.to_owned()), &[line.number]);
    super::smi_table::identity(reader, card, None, index, line.number);
}

/// TensorFlow: `Created device … name: X, pci bus id: Y, compute capability: Z`.
pub fn tensorflow(reader: &mut Reader) {
    for line in reader.lines() {
        let device = caps(re!(r"device: (\d+), name: (.+?), pci bus id: ([0-9A-Fa-f:.]+), compute capability: (\d+\.\d+)"), line.text);
        let Some(cells) = device else { continue };
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        let Some(card) = reader.card(Some(cell(3)), None, None) else { continue };
        reader.give_to(card, "gpu.name", Value::Text(cell(2).to_owned()), &[line.number]);
        reader.give_to(card, "gpu.capability", Value::Version(cell(4).to_owned()), &[line.number]);
        super::smi_table::identity(reader, card, Some(cell(3)), None, line.number);
    }
}

/// deviceQuery: `Device 0: "NVIDIA A100"`, capability, memory, and its result.
pub fn device_query(reader: &mut Reader) {
    let mut card: Option<Subject> = None;
    for line in reader.lines() {
        let at = [line.number];
        if let Some(cells) = caps(re!(r#"^\s*Device (\d+): "(.+?)""#), line.text) {
            card = reader.card(None, cells.get(1).and_then(|m| m.as_str().parse().ok()), None);
            if let (Some(card), Some(name)) = (card, cells.get(2)) {
                reader.give_to(card, "gpu.name", Value::Text(name.as_str().to_owned()), &at);
            }
        } else if let Some(count) = first(re!(r"Detected (\d+) CUDA Capable device"), line.text).and_then(|n| n.parse().ok()) {
            reader.int("visible.count", count, line.number);
        } else if let (Some(card), Some(version)) =
            (card, first(re!(r"CUDA Capability Major/Minor version number:\s*(\d+\.\d+)"), line.text))
        {
            reader.give_to(card, "gpu.capability", Value::Version(version.to_owned()), &at);
        } else if let Some(cells) = caps(re!(r"CUDA Driver Version / Runtime Version\s+(\d+\.\d+)\s*/\s*(\d+\.\d+)"), line.text) {
            let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
            reader.version("driver.cuda_max", cell(1), line.number);
            reader.version("toolkit.version", cell(2), line.number);
        } else if let Some(result) = first(re!(r"^Result = (PASS|FAIL)"), line.text) {
            reader.bool("cuda.device_query", result == "PASS", line.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    const ENV: Subject = Subject::Env(0);

    #[test]
    fn collect_env_is_read_whole() {
        let text = "\
PyTorch version: 2.6.0+cu124
CUDA used to build PyTorch: 12.4
ROCM used to build PyTorch: N/A

OS: Ubuntu 22.04.5 LTS (x86_64)
Python version: 3.11.11 | packaged by conda-forge (64-bit runtime)
Is CUDA available: True
CUDA runtime version: 12.6.85
GPU models and configuration: 
GPU 0: NVIDIA L40S
GPU 1: NVIDIA L40S

Nvidia driver version: 570.124.06
[pip3] nvidia-nccl-cu12==2.21.5
[pip3] torch==2.6.0+cu124
[conda] cudatoolkit   11.8.0   h6a678d5_0
[conda] Could not collect";
        let facts = facts(Kind::TorchEnv, text);
        let version = |v: &str| Some(Value::Version(v.into()));
        assert_eq!(value(&facts, ENV, "torch.version"), version("2.6.0+cu124"));
        assert_eq!(value(&facts, ENV, "torch.cuda"), version("12.4"));
        assert_eq!(value(&facts, ENV, "python.version"), version("3.11.11"));
        assert_eq!(value(&facts, ENV, "torch.cuda_available"), Some(Value::Bool(true)));
        assert_eq!(value(&facts, ENV, "package.nvidia-nccl-cu12"), version("2.21.5"));
        assert_eq!(value(&facts, ENV, "package.cudatoolkit"), version("11.8.0"));
        assert_eq!(value(&facts, Subject::None, "driver.version"), version("570.124.06"));
        assert_eq!(value(&facts, Subject::None, "toolkit.version"), version("12.6"));
        assert_eq!(value(&facts, Subject::None, "os.name"), Some(Value::Text("ubuntu".into())));
        assert_eq!(value(&facts, Subject::Gpu(1), "gpu.name"), Some(Value::Text("NVIDIA L40S".into())));
    }

    #[test]
    fn other_reports_are_read_too() {
        let transformers = facts(
            Kind::TorchEnv,
            "- `transformers` version: 4.44.0\n- Python version: 3.10.12\n- PyTorch version (GPU?): 2.4.0+cu121 (True)\n- GPU type: NVIDIA A10G",
        );
        assert_eq!(value(&transformers, ENV, "package.transformers"), Some(Value::Version("4.44.0".into())));
        assert_eq!(value(&transformers, ENV, "torch.cuda_available"), Some(Value::Bool(true)));
        assert_eq!(value(&transformers, Subject::Gpu(0), "gpu.name"), Some(Value::Text("NVIDIA A10G".into())));
        let deepspeed = facts(
            Kind::TorchEnv,
            "torch version .................... 2.1.0+cu118\ntorch cuda version ............... 11.8\nnvcc version ..................... 11.7\nshared memory (/dev/shm) size .... 503.77 GB",
        );
        assert_eq!(value(&deepspeed, ENV, "torch.cuda"), Some(Value::Version("11.8".into())));
        assert_eq!(value(&deepspeed, Subject::None, "toolkit.version"), Some(Value::Version("11.7".into())));
    }

    #[test]
    fn device_query_and_tensorflow_name_the_card() {
        let query = facts(
            Kind::DeviceQuery,
            "Detected 1 CUDA Capable device(s)\n\nDevice 0: \"Tesla T4\"\n  CUDA Driver Version / Runtime Version          12.2 / 11.8\n  CUDA Capability Major/Minor version number:    7.5\nResult = PASS",
        );
        assert_eq!(value(&query, Subject::Gpu(0), "gpu.capability"), Some(Value::Version("7.5".into())));
        assert_eq!(value(&query, Subject::None, "driver.cuda_max"), Some(Value::Version("12.2".into())));
        let tf = facts(
            Kind::TensorflowLog,
            "I tensorflow/x.cc:1635] Created device /job:localhost/device:GPU:0 with 6097 MB memory:  -> device: 0, name: NVIDIA GeForce RTX 2080, pci bus id: 0000:01:00.0, compute capability: 7.5",
        );
        assert_eq!(value(&tf, Subject::Gpu(0), "gpu.pci"), Some(Value::Text("0000:01:00.0".into())));
    }
}
