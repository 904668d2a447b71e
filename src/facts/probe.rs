//! Small check scripts: what `python -c "import torch; print(…)"` prints, and labelled lines.

use super::packages::torch;
use super::reader::{Line, Reader, caps, first, hits, re};
use super::{Subject, Value};

/// What a printed expression means.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Item {
    Version,
    Cuda,
    Available,
    Count,
    ArchList,
    Cudnn,
    Capability,
    DeviceName,
    Python,
    Nccl,
    Other,
}

/// Reads a probe by its command where there is one, and any labelled line.
pub fn read(reader: &mut Reader) {
    let items = printed(reader.command_line());
    let mut groups = items.into_iter();
    for line in reader.lines() {
        let text = line.text.trim();
        if text.is_empty() || !is_output(text) {
            continue;
        }
        if let Some(group) = groups.next_if_fits(text).or_else(|| unasked(reader, text)) {
            outputs(reader, line, text, &group);
        } else {
            labelled(reader, line);
        }
    }
    python_version(reader);
}

/// `2.4.1+cu124 12.4 False 0` without the command that printed it: the order in which everyone
/// asks for these.
fn unasked(reader: &Reader, text: &str) -> Option<Vec<Item>> {
    let cells = caps(re!(r"^\d+\.\d+\.\d+\S*\+(?:cu|cpu|rocm)\S*(?: (\d+\.\d+|None))? (?:True|False)(?: (\d+))?$"), text)
        .filter(|_| reader.command_line().is_empty())?;
    let cuda = cells.get(1).map(|_| Item::Cuda);
    let count = cells.get(2).map(|_| Item::Count);
    Some([Some(Item::Version), cuda, Some(Item::Available), count].into_iter().flatten().collect())
}

/// Labelled lines and the interpreter's banner alone, for segments of other kinds.
pub fn labels(reader: &mut Reader) {
    for line in reader.lines() {
        if hits(re!(r"(?i)torch|cuda|cudnn|device|python|version|arch"), line.text) {
            labelled(reader, line);
        }
    }
    python_version(reader);
}

trait NextIfFits {
    fn next_if_fits(&mut self, text: &str) -> Option<Vec<Item>>;
}

impl NextIfFits for std::vec::IntoIter<Vec<Item>> {
    /// The next print's items, when the line can be its output.
    fn next_if_fits(&mut self, text: &str) -> Option<Vec<Item>> {
        let group = self.as_slice().first()?;
        let fits = split_values(text).len() == group.len() && !text.contains("Warning");
        if fits { self.next() } else { None }
    }
}

/// Warnings and tracebacks are no output of a print.
fn is_output(text: &str) -> bool {
    !hits(re!(r"Warning:|^Traceback|^File |warnings\.warn|^return "), text)
}

/// The arguments of every `print(…)` of a `python -c` command, in order. `;` and `\n` split.
fn printed(command: &str) -> Vec<Vec<Item>> {
    if !hits(re!(r"python[\d.w]*(?:\.exe)?\s+(?:-\w+\s+)*-c|^print\(|>>> "), command) {
        return Vec::new();
    }
    let mut groups = Vec::new();
    let mut rest = command;
    while let Some((_, after)) = rest.split_once("print(") {
        let (arguments, tail) = balanced(after);
        groups.push(arguments.iter().map(|a| item(a)).collect());
        rest = tail;
        if groups.len() >= 32 {
            break;
        }
    }
    groups
}

/// Splits at top-level commas up to the closing bracket; the rest follows.
fn balanced(text: &str) -> (Vec<String>, &str) {
    let (mut depth, mut arguments, mut current, mut quote) = (0u32, Vec::new(), String::new(), None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                arguments.push(current.trim().to_owned());
                return (arguments, text.get(at..).unwrap_or(""));
            }
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                arguments.push(std::mem::take(&mut current).trim().to_owned());
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    arguments.push(current.trim().to_owned());
    (arguments, "")
}

fn item(argument: &str) -> Item {
    let known = [
        ("torch.__version__", Item::Version),
        ("torch.version.__version__", Item::Version),
        ("torch.version.cuda", Item::Cuda),
        ("cuda.is_available()", Item::Available),
        ("cuda.device_count()", Item::Count),
        ("get_arch_list()", Item::ArchList),
        ("cudnn.version()", Item::Cudnn),
        ("get_device_capability", Item::Capability),
        ("get_device_name", Item::DeviceName),
        ("sys.version", Item::Python),
        ("platform.python_version()", Item::Python),
        ("nccl.version()", Item::Nccl),
    ];
    known.iter().find(|(text, _)| argument.contains(text)).map_or(Item::Other, |(_, item)| *item)
}

/// The printed values: split at blanks, but not inside brackets.
fn split_values(text: &str) -> Vec<String> {
    let (mut depth, mut values, mut current) = (0u32, Vec::new(), String::new());
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if c.is_whitespace() && depth == 0 => {
                if !current.is_empty() {
                    values.push(std::mem::take(&mut current));
                }
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    if !current.is_empty() {
        values.push(current);
    }
    values
}

fn outputs(reader: &mut Reader, line: Line, text: &str, items: &[Item]) {
    for (item, value) in items.iter().zip(split_values(text)) {
        give(reader, *item, &value, line.number);
    }
}

fn give(reader: &mut Reader, item: Item, value: &str, line: u32) {
    let at = [line];
    let value = value.trim().trim_matches(['"', '\'', ',']);
    match item {
        Item::Version => {
            if let Some(version) = first(re!(r"^v?(\d+\.\d[\w.+]*)"), value) {
                torch(reader, version, line);
            }
        }
        Item::Cuda if value == "None" => no_cuda(reader, line),
        Item::Cuda => {
            if let Some(cuda) = first(re!(r"^(\d+\.\d+)"), value) {
                let env = reader.env();
                reader.give_to(env, "torch.cuda", Value::Version(cuda.to_owned()), &at);
            }
        }
        Item::Available if matches!(value, "True" | "False") => {
            let env = reader.env();
            reader.give_to(env, "torch.cuda_available", Value::Bool(value == "True"), &at);
        }
        Item::Count => {
            if let Ok(count) = value.parse() {
                let env = reader.env();
                reader.give_to(env, "torch.device_count", Value::Int(count), &at);
            }
        }
        Item::ArchList => arch_list(reader, value, line),
        Item::Cudnn => cudnn(reader, value, line),
        Item::Capability => {
            if let Some(cells) = caps(re!(r"\(?(\d+), ?(\d)\)?"), value)
                && let Some(card) = reader.card(None, Some(0), None)
            {
                let version = format!("{}.{}", cells.get(1).map_or("", |m| m.as_str()), cells.get(2).map_or("", |m| m.as_str()));
                reader.give_to(card, "gpu.capability", Value::Version(version), &at);
            }
        }
        Item::DeviceName => {
            if let Some(card) = reader.card(None, Some(0), None) {
                reader.give_to(card, "gpu.name", Value::Text(value.to_owned()), &at);
            }
        }
        Item::Python => {
            if let Some(version) = first(re!(r"^(\d+\.\d+(?:\.\d+)?)"), value) {
                reader.env_version("python.version", version, line);
            }
        }
        Item::Available | Item::Nccl | Item::Other => {}
    }
}

/// `torch.version.cuda` is None: a build without CUDA.
pub fn no_cuda(reader: &mut Reader, line: u32) {
    let env = reader.env();
    reader.deny_in(env, "torch.cuda");
    if reader.known(env, "torch.build").is_none() {
        reader.give_to(env, "torch.build", Value::Text("cpu".into()), &[line]);
    }
}

/// `['sm_50', 'sm_60', 'compute_90']`, `sm_50 sm_60`.
pub fn arch_list(reader: &mut Reader, value: &str, line: u32) {
    let Some(re) = re!(r"\b(?:sm|compute)_\d+[af]?\b").as_ref() else { return };
    let list: Vec<String> = re.find_iter(value).take(32).map(|m| m.as_str().to_owned()).collect();
    let empty = value.trim() == "[]";
    if !list.is_empty() || empty {
        let env = reader.env();
        reader.give_to(env, "torch.arch_list", Value::Set(list), &[line]);
    }
}

/// `90100` → `9.1.0`, `8902` → `8.9.2`.
fn cudnn(reader: &mut Reader, value: &str, line: u32) {
    let Ok(number) = value.parse::<u32>() else { return };
    let version = if number >= 90_000 {
        format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
    } else if number >= 1000 {
        format!("{}.{}.{}", number / 1000, number / 100 % 10, number % 100)
    } else {
        return;
    };
    reader.env_version("torch.cudnn", &version, line);
}

/// `torch version: 2.4.1`, `CUDA available: False`, `device count: 2`, and their kin.
fn labelled(reader: &mut Reader, line: Line) {
    let text = line.text.trim();
    let label = caps(
        re!(
            r"(?i)(?:^|[\s>|\])])(py ?torch version|torch version|torch|torch\.__version__|cuda(?: version)?|torch\.version\.cuda|built with cuda|(?:torch\.)?cuda(?:\.is_available\(\)| is available| available|_available)|is cuda available|gpu available|device[ _]count|num(?:ber of)? (?:gpus|devices)|gpu count|torch\.cuda\.device_count\(\)|arch[ _]list|torch\.cuda\.get_arch_list\(\)|cudnn(?: version)?|python(?: version)?|device name|gpu name)\s*[:=]\s*(\S.*)$"
        ),
        text,
    );
    if let Some(cells) = label {
        let probe = reader.kind() == crate::segment::Kind::Probe;
        let key = cells.get(1).map_or("", |m| m.as_str()).to_ascii_lowercase();
        let value = cells.get(2).map_or("", |m| m.as_str());
        let item = label_item(&key, value, probe);
        let value =
            if item == Item::ArchList || item == Item::DeviceName { value } else { value.split([' ', ',']).next().unwrap_or(value) };
        give(reader, item, value, line.number);
    }
    if text.contains("current PyTorch install supports CUDA capabilities") {
        arch_list(reader, text, line.number);
    }
}

/// `CUDA version: 12.4` is torch's own in a check script; elsewhere it may be the driver's.
fn label_item(key: &str, value: &str, probe: bool) -> Item {
    let dotted = hits(re!(r"^v?\d+\.\d"), value);
    match key {
        "pytorch version" | "py torch version" | "torch version" | "torch" | "torch.__version__"
            if hits(re!(r"^v?\d+\.\d+\.\d|^\d+\.\d+[+ ]"), value) =>
        {
            Item::Version
        }
        "cuda" | "cuda version" if !probe => Item::Other,
        "cuda" | "cuda version" | "torch.version.cuda" | "built with cuda" if dotted || (value == "None" && key.contains("version")) => {
            Item::Cuda
        }
        "arch list" | "arch_list" | "torch.cuda.get_arch_list()" => Item::ArchList,
        "python" | "python version" if dotted => Item::Python,
        "cudnn" | "cudnn version" => Item::Cudnn,
        "device name" | "gpu name" => Item::DeviceName,
        _ if key.contains("available") => Item::Available,
        _ if key.contains("count") || key.contains("num") => Item::Count,
        _ => Item::Other,
    }
}

/// `python -V`, and the banner of an interpreter.
fn python_version(reader: &mut Reader) {
    for line in reader.lines() {
        let banner = first(re!(r"^Python (\d+\.\d+\.\d+)\S*(?:\s*$| \()"), line.text.trim());
        if let Some(version) = banner {
            reader.env_version("python.version", version, line.number);
        }
    }
}

/// PyTorch's own warnings about a card, in any log: capability, what the wheel covers, and the
/// driver's number in `found version 11040`.
pub fn warnings(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text;
        if !hits(
            re!(r"capabilit|found version|cudaDriverVersion|site-packages|dist-packages|compiled with Cuda|cuda:0 NVIDIA|GPU 0: NVIDIA"),
            text,
        ) {
            continue;
        }
        card_warning(reader, line);
        if let Some(cuda) = first(re!(r"Pytorch binaries were compiled with Cuda (\d+\.\d+)"), text) {
            let env = reader.env();
            reader.give_to(env, "torch.cuda", Value::Version(cuda.to_owned()), &[line.number]);
        }
        if let Some(name) = first(re!(r"(?:cuda:0|GPU 0:) (NVIDIA [\w .-]*\d[\w .-]*?)(?:\s+[:(].*)?$"), text.trim_end())
            && let Some(card) = reader.card(None, Some(0), None)
            && reader.known(card, "gpu.name").is_none()
        {
            reader.give_to(card, "gpu.name", Value::Text(name.to_owned()), &[line.number]);
        }
        if let Some(number) = first(re!(r"(?:found version |cudaDriverVersion )(\d{4,5})\b"), text).and_then(|n| n.parse::<u32>().ok()) {
            reader.version("driver.cuda_max", &format!("{}.{}", number / 1000, number % 1000 / 10), line.number);
        }
        environment(reader, line);
        if let Some(python) = first(re!(r"[/\\]lib[/\\]python(3\.\d+)[/\\](?:site|dist)-packages"), text) {
            let env = reader.env();
            if reader.known(env, "python.version").is_none() {
                reader.give_to(env, "python.version", Value::Version(python.to_owned()), &[line.number]);
            }
        }
    }
}

/// Whose Python it is, by the path of its packages.
fn environment(reader: &mut Reader, line: Line) {
    let path = line.text;
    let kind = if hits(re!(r"[/\\](?:mini|ana|mamba|micromamba|mini?forge)\w*\d?[/\\]|[/\\]envs[/\\][^/\\]+[/\\]lib|/opt/conda/"), path) {
        "conda"
    } else if hits(re!(r"[/\\]\.?v?env\w*[/\\](?:lib|Lib|bin)"), path) {
        "venv"
    } else if hits(re!(r"/usr/(?:local/)?lib(?:64)?/python3[\d.]*/(?:dist|site)-packages"), path) {
        "system"
    } else {
        return;
    };
    let env = reader.env();
    if reader.known(env, "python.environment").is_none() {
        reader.give_to(env, "python.environment", Value::Text(kind.to_owned()), &[line.number]);
    }
}

fn card_warning(reader: &mut Reader, line: Line) {
    let text = line.text;
    let at = [line.number];
    let incompatible =
        caps(re!(r"(?:^|\s)((?:NVIDIA|GeForce|Tesla|Quadro|TITAN)\s.*?) with CUDA capability sm_(\d+) is not compatible"), text);
    let found = caps(re!(r"Found GPU(\d+) (.*?) which is of c(?:uda|ompute) capability (\d+\.\d+)"), text);
    let (index, name, capability) = if let Some(cells) = incompatible {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        (0, cell(1).to_owned(), super::chips::dotted(cell(2)))
    } else if let Some(cells) = found {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        (cell(1).parse().unwrap_or(0), cell(2).to_owned(), cell(3).to_owned())
    } else {
        if text.contains("current PyTorch install supports CUDA capabilities") {
            arch_list(reader, text, line.number);
        }
        return;
    };
    let same_name =
        |reader: &Reader, at: usize| matches!(reader.known(Subject::Gpu(at as u16), "gpu.name"), Some(Value::Text(n)) if *n == name);
    let known = (0..reader.facts.gpus.len()).find(|at| same_name(reader, *at)).map(|at| Subject::Gpu(at as u16));
    let Some(card) = known.or_else(|| reader.card(None, Some(index), None)) else { return };
    reader.give_to(card, "gpu.name", Value::Text(name.clone()), &at);
    reader.give_to(card, "gpu.capability", Value::Version(capability), &at);
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
    fn the_commands_order_decodes_the_output() {
        let command = r#"python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.get_arch_list())""#;
        let facts = facts_from(Kind::Probe, command, "2.4.1+cu124 12.4 True 2 ['sm_50', 'sm_90']");
        assert_eq!(value(&facts, ENV, "torch.version"), version("2.4.1+cu124"));
        assert_eq!(value(&facts, ENV, "torch.cuda"), version("12.4"));
        assert_eq!(value(&facts, ENV, "torch.cuda_available"), Some(Value::Bool(true)));
        assert_eq!(value(&facts, ENV, "torch.device_count"), Some(Value::Int(2)));
        assert_eq!(value(&facts, ENV, "torch.arch_list"), Some(Value::Set(vec!["sm_50".into(), "sm_90".into()])));
    }

    #[test]
    fn a_cpu_build_has_no_cuda() {
        let command = r#"python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())""#;
        let facts = facts_from(Kind::Probe, command, "2.5.1+cpu None False");
        assert_eq!(value(&facts, ENV, "torch.build"), Some(Value::Text("cpu".into())));
        assert!(absent(&facts, "torch.cuda"));
        assert_eq!(value(&facts, ENV, "torch.cuda_available"), Some(Value::Bool(false)));
    }

    #[test]
    fn several_prints_take_a_line_each() {
        let command = "python3 -c 'import torch; print(torch.cuda.is_available()); print(torch.cuda.device_count())'";
        let facts = facts_from(
            Kind::Probe,
            command,
            "/x/site-packages/torch/cuda/__init__.py:128: UserWarning: CUDA initialization: x\n  return torch._C._cuda_getDeviceCount() > 0\nFalse\n0",
        );
        assert_eq!(value(&facts, ENV, "torch.cuda_available"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, ENV, "torch.device_count"), Some(Value::Int(0)));
    }

    #[test]
    fn labelled_lines() {
        let facts = facts(
            Kind::Probe,
            "torch version: 2.7.0.dev20250226+cu128\nCUDA available: False\ndevice count: 2\ncudnn version: 90100\narch list: ['sm_75']",
        );
        assert_eq!(value(&facts, ENV, "torch.version"), version("2.7.0.dev20250226+cu128"));
        assert_eq!(value(&facts, ENV, "torch.cuda"), version("12.8"));
        assert_eq!(value(&facts, ENV, "torch.cuda_available"), Some(Value::Bool(false)));
        assert_eq!(value(&facts, ENV, "torch.device_count"), Some(Value::Int(2)));
        assert_eq!(value(&facts, ENV, "torch.cudnn"), version("9.1.0"));
    }

    #[test]
    fn the_interpreters_banner() {
        for (command, text) in [("python -V", "Python 3.10.12"), ("", "Python 3.10.12 (main, Sep 11 2024, 15:47:36) [GCC 11.4.0] on linux")]
        {
            let kind = if command.is_empty() { Kind::Other } else { Kind::Probe };
            assert_eq!(value(&facts_from(kind, command, text), ENV, "python.version"), version("3.10.12"));
        }
    }

    #[test]
    fn warnings_name_card_and_coverage() {
        let facts = facts(
            Kind::PythonLog,
            "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_90.\n(found version 11040).",
        );
        assert_eq!(value(&facts, Subject::Gpu(0), "gpu.capability"), version("12.0"));
        assert_eq!(value(&facts, ENV, "torch.arch_list"), Some(Value::Set(vec!["sm_50".into(), "sm_60".into(), "sm_90".into()])));
        assert_eq!(value(&facts, Subject::None, "driver.cuda_max"), version("11.4"));
    }
}
