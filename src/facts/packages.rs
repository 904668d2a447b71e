//! Installed Python packages: pip, uv, conda, freeze, `pip show`, and the lists inside reports.

use super::reader::{Line, Reader, caps, first, hits, re};
use super::{Subject, Value};
use crate::segment::Kind;

/// pip list, pip freeze, uv pip list.
pub fn pip(reader: &mut Reader) {
    for line in reader.lines() {
        pip_row(reader, line);
    }
    after(reader);
    if reader.shows_all(&["torch     2.4.1"]) && hits(re!(r"^(?:\S*python\S* -m )?(?:uv )?pip\d? (?:list|freeze)"), reader.command_line()) {
        let env = reader.env();
        if reader.known(env, "torch.version").is_none() {
            reader.deny_in(env, "torch.version");
        }
    }
}

/// One row of any of pip's forms.
pub fn pip_row(reader: &mut Reader, line: Line) {
    let text = line.text.trim();
    let row = caps(re!(r"^(?:\[pip3?\]\s+|[│|]\s*)?([A-Za-z0-9][\w.-]*)\s*(?:==|\s\s*)\s*[(]?v?(\d[\w.+!]*)[)]?(?:\s.*)?$"), text);
    if let Some(cells) = row {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        let column_form = text.contains("==") || hits(re!(r"^\S+\s+\(?v?\d\S*(?:\s+(?:/\S.*|[A-Z]:\\.*|pip|<.*|[│|].*))?$"), text);
        // poetry show puts a sentence behind the version; only inside a list is that a row.
        let described = reader.kind() == Kind::PipList && hits(re!(r"^[a-z0-9][\w.-]*\s+\d[\w.+]*\s+[A-Z]\w"), text);
        if column_form || described {
            package(reader, cell(1), cell(2), line.number);
        }
    } else if let Some(name) = first(re!(r"^Name: (\S+)$"), text) {
        reader.state.shown = name.to_owned();
    } else if let Some(version) = first(re!(r"^Version: (\d\S*)$"), text) {
        let name = std::mem::take(&mut reader.state.shown);
        if !name.is_empty() {
            package(reader, &name, version, line.number);
        }
    } else if let Some(cells) = caps(re!(r"^([A-Za-z0-9][\w.-]*) @ \S*?-(\d[\w.]*(?:(?:\+|%2[Bb])\w+)?)-(?:cp|py)\d"), text) {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        package(reader, cell(1), &cell(2).replace("%2B", "+").replace("%2b", "+"), line.number);
    }
}

/// conda list: name, version, build, channel.
pub fn conda(reader: &mut Reader) {
    for line in reader.lines() {
        conda_row(reader, line);
    }
    after(reader);
}

/// One row of `conda list`, also with the `[conda]` of reports.
pub fn conda_row(reader: &mut Reader, line: Line) {
    let text = line.text.trim().trim_start_matches("[conda]").trim_start();
    let Some(cells) = caps(re!(r"^([a-z0-9_][\w.-]*)\s+(\d[\w.+!]*)\s+(\S+)(?:\s+(\S+))?$"), text) else { return };
    let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
    let name = if cell(1) == "pytorch" { "torch" } else { cell(1) };
    if name == "python" {
        return reader.env_version("python.version", cell(2), line.number);
    }
    package(reader, name, cell(2), line.number);
    if name == "torch" {
        conda_torch(reader, cell(3), line.number);
    }
}

/// conda's build string of torch: `py3.10_cuda11.8_cudnn8.7.0_0`, `py3.10_cpu_0`.
fn conda_torch(reader: &mut Reader, build: &str, line: u32) {
    let env = reader.env();
    if let Some(cuda) = first(re!(r"cuda(\d+\.\d+)"), build) {
        reader.give_to(env, "torch.cuda", Value::Version(cuda.to_owned()), &[line]);
        reader.give_to(env, "torch.build", Value::Text(format!("cu{}", cuda.replace('.', ""))), &[line]);
    } else if hits(re!(r"(?:^|_)cuda(\d{3})_"), build) {
        if let Some(digits) = first(re!(r"cuda(\d{3})_"), build) {
            torch_build(reader, env, &format!("cu{digits}"), line);
        }
    } else if build.contains("cpu") {
        reader.give_to(env, "torch.build", Value::Text("cpu".into()), &[line]);
    }
}

/// pip's installer: `Successfully installed torch-2.4.1 …`, `Requirement already satisfied: torch in …`.
pub fn install(reader: &mut Reader) {
    for line in reader.lines() {
        if let Some(rest) = line.text.trim().strip_prefix("Successfully installed ") {
            for item in rest.split_whitespace().take(400) {
                if let Some((name, version)) = item.rsplit_once('-').filter(|(_, v)| v.starts_with(|c: char| c.is_ascii_digit())) {
                    package(reader, name, version, line.number);
                }
            }
        } else if let Some(version) = first(re!(r"torch\.__version__\s*=\s*(\d\S*)"), line.text) {
            package(reader, "torch", version, line.number);
        }
        if let Some(python) = first(re!(r"^\s*Using pip \S+ from .*\(python (\d+\.\d+)\)"), line.text) {
            reader.env_version("python.version", python, line.number);
        }
    }
    after(reader);
}

/// A package of the scope's environment; torch brings its own facts with it.
pub fn package(reader: &mut Reader, name: &str, version: &str, line: u32) {
    let name = normal(name);
    let version = version.trim_end_matches([',', ')', ';']);
    if name == "torch" {
        return torch(reader, version, line);
    }
    if name == "python" {
        return reader.env_version("python.version", version, line);
    }
    reader.env_version(&format!("package.{name}"), version, line);
}

/// PyPI's normal form of a name.
pub fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// torch's version and what its local part says. Another version than the one known means that
/// another environment is spoken of.
pub fn torch(reader: &mut Reader, version: &str, line: u32) {
    let mut env = reader.env();
    if let Some(Value::Version(known)) = reader.known(env, "torch.version")
        && super::compare_versions(known, version) != Some(std::cmp::Ordering::Equal)
    {
        env = reader.new_env();
    }
    let has_tag = matches!(reader.known(env, "torch.version"), Some(Value::Version(v)) if v.contains('+'));
    if !has_tag || version.contains('+') {
        reader.give_to(env, "torch.version", Value::Version(version.to_owned()), &[line]);
        reader.give_to(env, "package.torch", Value::Version(version.to_owned()), &[line]);
    }
    if let Some((_, tag)) = version.split_once('+') {
        torch_build(reader, env, tag, line);
    }
}

/// `cu124`, `cpu`, `rocm6.0`, `xpu`; also `cu121.with.pypi.cudnn`.
fn torch_build(reader: &mut Reader, env: Subject, tag: &str, line: u32) {
    let build = first(re!(r"^(cu\d+|cpu|rocm[\d.]+|xpu|hip[\d.]+)"), tag);
    let Some(build) = build else { return };
    reader.give_to(env, "torch.build", Value::Text(build.trim_end_matches('.').to_owned()), &[line]);
    if let Some(cuda) = build.strip_prefix("cu").and_then(cuda_of_tag) {
        reader.give_to(env, "torch.cuda", Value::Version(cuda), &[line]);
    }
}

/// `124` → `12.4`, `92` → `9.2`.
pub fn cuda_of_tag(digits: &str) -> Option<String> {
    let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
    (!major.is_empty()).then(|| format!("{major}.{minor}"))
}

/// After a list: the CUDA of a torch without a tag, from the runtime package beside it.
fn after(reader: &mut Reader) {
    let env = reader.env();
    let Some(Value::Version(torch)) = reader.known(env, "torch.version") else { return };
    if torch.contains('+') || reader.known(env, "torch.build").is_some() {
        return;
    }
    let runtimes = [
        "package.nvidia-cuda-runtime-cu11",
        "package.nvidia-cuda-runtime-cu12",
        "package.nvidia-cuda-runtime-cu13",
        "package.nvidia-cuda-runtime",
    ];
    let found: Vec<&str> = runtimes.into_iter().filter(|name| reader.version_of(env, name).is_some()).collect();
    if let [runtime] = found.as_slice()
        && let Some(version) = reader.version_of(env, runtime)
    {
        let lines = reader.lines_of(env, runtime);
        reader.give_to(env, "torch.cuda", Value::Version(super::version::head(&version, 2)), &lines);
    }
}

/// Lines of lists that stand in a segment of another kind: only `torch 2.4.1` and its kin.
pub fn stray(reader: &mut Reader) {
    if matches!(reader.kind(), Kind::PipList | Kind::CondaList | Kind::PipInstall | Kind::TorchEnv) {
        return;
    }
    let mut any = false;
    for line in reader.lines() {
        let known = hits(
            re!(
                r"^(?:torch|torchvision|torchaudio|triton|numpy|flash[-_]attn|xformers|bitsandbytes|transformers|deepspeed|vllm|tensorflow|jax|jaxlib|onnxruntime(?:-gpu)?|nvidia-[a-z-]+-cu1\d)(?:\s{2,}|==)\d[\w.+]*\s*$"
            ),
            line.text.trim(),
        );
        if known {
            any = true;
            pip_row(reader, line);
        }
    }
    if any {
        after(reader);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    const ENV: Subject = Subject::Env(0);

    fn version(text: &str) -> Option<Value> {
        Some(Value::Version(text.into()))
    }

    #[test]
    fn pip_in_its_forms() {
        for text in [
            "Package                  Version\n------------------------ ------------\nNVIDIA_cudnn.cu12        9.1.0.70\ntorch                    2.4.1+cu124",
            "nvidia-cudnn-cu12==9.1.0.70\ntorch==2.4.1+cu124",
            "nvidia-cudnn-cu12        9.1.0.70       CUDNN runtime libraries\ntorch                    2.4.1+cu124    Tensors and Dynamic neural networks",
            "nvidia-cudnn-cu12 @ file:///x/nvidia_cudnn_cu12-9.1.0.70-py3-none-manylinux.whl\ntorch @ https://download.pytorch.org/whl/cu124/torch-2.4.1%2Bcu124-cp311-cp311-linux_x86_64.whl#sha256=ab",
            "Name: nvidia-cudnn-cu12\nVersion: 9.1.0.70\nSummary: x\n---\nName: torch\nVersion: 2.4.1+cu124",
        ] {
            let facts = facts(Kind::PipList, text);
            assert_eq!(value(&facts, ENV, "package.nvidia-cudnn-cu12"), version("9.1.0.70"), "{text}");
            assert_eq!(value(&facts, ENV, "torch.version"), version("2.4.1+cu124"), "{text}");
            assert_eq!(value(&facts, ENV, "torch.build"), Some(Value::Text("cu124".into())));
            assert_eq!(value(&facts, ENV, "torch.cuda"), version("12.4"));
        }
    }

    #[test]
    fn the_runtime_package_tells_the_cuda_of_a_bare_torch() {
        let facts = facts(Kind::PipList, "nvidia-cuda-runtime-cu12 12.1.105\ntorch                    2.3.0");
        assert_eq!(value(&facts, ENV, "torch.cuda"), version("12.1"));
        assert_eq!(value(&facts, ENV, "torch.build"), None);
    }

    #[test]
    fn conda_names_the_build() {
        let facts = facts(
            Kind::CondaList,
            "# Name                    Version                   Build  Channel\npython                    3.10.14              h955ad1f_1\npytorch                   2.1.0           py3.10_cuda11.8_cudnn8.7.0_0    pytorch\ncudatoolkit               11.8.0               h6a678d5_0",
        );
        assert_eq!(value(&facts, ENV, "torch.version"), version("2.1.0"));
        assert_eq!(value(&facts, ENV, "torch.cuda"), version("11.8"));
        assert_eq!(value(&facts, ENV, "python.version"), version("3.10.14"));
        assert_eq!(value(&facts, ENV, "package.cudatoolkit"), version("11.8.0"));
    }

    #[test]
    fn another_torch_is_another_environment() {
        let facts = facts(Kind::PipList, "torch==2.4.1\ntorch==2.4.1+cu121\ntorch==1.13.1");
        assert_eq!(value(&facts, ENV, "torch.version"), version("2.4.1+cu121"));
        assert_eq!(value(&facts, Subject::Env(1), "torch.version"), version("1.13.1"));
    }

    #[test]
    fn a_whole_list_without_torch_says_so() {
        assert!(absent(&facts_from(Kind::PipList, "pip list", "numpy   1.26.4"), "torch.version"));
        assert!(!absent(&facts_from(Kind::PipList, "pip list | grep numpy", "numpy   1.26.4"), "torch.version"));
    }

    #[test]
    fn lists_inside_other_kinds_are_found() {
        let facts = facts(Kind::Other, "see my versions\ntorch                     2.5.1\ntorchvision               0.19.0");
        assert_eq!(value(&facts, ENV, "package.torchvision"), version("0.19.0"));
    }
}
