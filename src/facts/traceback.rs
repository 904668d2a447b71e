//! Tracebacks: the frame in the user's own code, and the numbers inside error messages.

use super::reader::{Line, Reader, bytes, caps, first, hits, re};
use super::{Subject, Value};

/// Ranks above this are no ranks of a job but a hostile number.
const MAX_RANK: u32 = 4096;

/// One printed traceback.
#[derive(Default)]
struct Trace {
    /// The deepest frame outside libraries.
    user: Option<(String, u32)>,
    /// An exception line closed it.
    raised: bool,
    /// It is the launcher's own report of a dead worker.
    launcher: bool,
}

/// Finds the first traceback that ends with an exception, and in its chain the first with a frame
/// of the user's own.
pub fn frames(reader: &mut Reader) {
    let scope = reader.scope();
    if reader.state.user_frame.get(&scope).is_some_and(|raised| *raised) {
        return;
    }
    let mut traces: Vec<Trace> = Vec::new();
    let mut current = Trace::default();
    for line in reader.lines() {
        let text = line.text.trim_start_matches(['│', '|', ' ', '\t']);
        if hits(re!(r"^(?:\S+: )?Traceback \(most recent call last\)"), text) {
            if current.user.is_some() || current.raised {
                traces.push(std::mem::take(&mut current));
            }
        } else if let Some(frame) = frame(text) {
            if current.raised {
                traces.push(std::mem::take(&mut current));
            }
            current.launcher |= hits(re!(r"torch[/\\]distributed[/\\](?:run|launch)|accelerate[/\\]commands"), text);
            if is_own(&frame.0) {
                current.user = Some((frame.1, line.number));
            }
        } else if is_exception(text) {
            current.launcher |= text.contains("ChildFailedError");
            current.raised = true;
        }
    }
    traces.push(current);
    let best = traces.iter().find(|t| t.raised && !t.launcher && t.user.is_some());
    let any = best.or_else(|| traces.iter().find(|t| !t.launcher && t.user.is_some()));
    let Some(trace) = any else { return };
    // A traceback without an exception is a warning's: a later one that raises takes its place.
    let first = !reader.state.user_frame.contains_key(&scope);
    if let Some((frame, line)) = trace.user.clone()
        && (first || trace.raised)
    {
        reader.text("error.user_frame", &frame, line);
        reader.state.user_frame.insert(scope, trace.raised);
    }
}

/// The first exception of each rank, where the lines say their rank.
pub fn ranks(reader: &mut Reader) {
    let range = reader.segment.lines.clone();
    for line in reader.paste.lines.get(range).unwrap_or(&[]) {
        let Some(rank) = line.prefix.as_ref().and_then(|p| p.rank).filter(|rank| *rank < MAX_RANK) else { continue };
        let subject = Subject::Rank(rank);
        let text = line.message().trim();
        if is_exception(text) && !text.contains("ChildFailedError") && reader.known(subject, "rank.first_error").is_none() {
            let shown: String = text.chars().take(200).collect();
            reader.give_to(subject, "rank.first_error", Value::Text(shown), &[line.number]);
        }
    }
}

/// `module.SomeError: …` at the start of a line.
fn is_exception(text: &str) -> bool {
    hits(re!(r"^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning)(?::|$)"), text)
}

/// Path, and the frame as shown: `train.py, line 12, in main`. Plain, rich and IPython forms.
fn frame(text: &str) -> Option<(String, String)> {
    let plain = caps(re!(r#"^File "([^"]+)", line (\d+)(?:, in (\S.*))?$"#), text.trim_end());
    let rich = || caps(re!(r"^(\S+\.py):(\d+) in (\S+)"), text);
    let ipython = || caps(re!(r"^File (\S+?\.py):(\d+)(?:, in (\S+?)\(|$|\s)"), text);
    let cell = || caps(re!(r"^(Cell In\[\d+\]|<ipython-input-[\w-]+>)(?:, line | in .*?:?)(\d+)?"), text);
    let found = plain.or_else(rich).or_else(ipython).or_else(cell)?;
    let part = |n: usize| found.get(n).map_or("", |m| m.as_str());
    let mut shown = part(1).to_owned();
    if !part(2).is_empty() {
        shown += &format!(", line {}", part(2));
    }
    if !part(3).is_empty() {
        shown += &format!(", in {}", part(3));
    }
    Some((part(1).to_owned(), shown))
}

/// True for the user's own code: no library, no interpreter's own file, no launcher script.
fn is_own(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let is_cell = path.starts_with("cell in") || path.starts_with("<ipython");
    let library = hits(
        re!(
            r"/site-packages/|/dist-packages/|/lib(?:64)?/python\d|/python3?\d*/lib/|/lib/[\w.-]+\.py$|/(?:bin|scripts)/[\w.-]+(?:\.exe)?(?:/__main__\.py)?$|/pkgs/|importlib|multiprocessing/"
        ),
        &path,
    );
    is_cell || (!path.starts_with('<') && !library)
}

/// Numbers and names inside messages: CUDA's out of memory, device mismatch.
pub fn messages(reader: &mut Reader) {
    let mut lines = reader.lines();
    while let Some(line) = lines.next() {
        if line.text.contains("Tried to allocate") {
            // A narrow terminal or a log may break the sentence.
            let mut text = line.text.to_owned();
            for next in lines.clone().take(4) {
                text.push(' ');
                text.push_str(next.text.trim());
            }
            out_of_memory(reader, &text, line.number);
        } else if line.text.contains("device") || line.text.contains("cuda") {
            devices(reader, line);
        }
        if let Some(cells) = caps(re!(r"Free memory on device(?: cuda:\d+)? \(([\d.]+)/([\d.]+) GiB\)"), line.text) {
            let size = |n: usize| cells.get(n).and_then(|m| bytes(&format!("{} GiB", m.as_str())));
            if let (Some(free), Some(total)) = (size(1), size(2)) {
                reader.int("error.free_bytes", free, line.number);
                reader.int("error.gpu_total_bytes", total, line.number);
            }
        }
    }
}

const SIZE: &str = r"([\d.]+ ?(?:[KMGT]i?B|bytes))";

fn size_after(text: &str, re: &Option<regex::Regex>) -> Option<i64> {
    bytes(first(re, text)?)
}

fn out_of_memory(reader: &mut Reader, text: &str, line: u32) {
    macro_rules! sized {
        ($name:literal, $before:literal, $after:literal) => {{
            static RE: std::sync::LazyLock<Option<regex::Regex>> =
                std::sync::LazyLock::new(|| regex::Regex::new(&format!("{}{SIZE}{}", $before, $after)).ok());
            let value = size_after(text, &RE);
            if let Some(value) = value {
                reader.int($name, value, line);
            }
            value
        }};
    }
    sized!("error.requested_bytes", "Tried to allocate ", "");
    // Since torch 2.1: a sentence for each number.
    let total = sized!("error.gpu_total_bytes", r"total capacity of ", "");
    let free = sized!("error.free_bytes", r"of which ", " is free");
    let own = sized!("error.this_process_bytes", r"this process has ", " memory in use");
    sized!("error.allocated_bytes", r"Of the allocated memory ", " is allocated by PyTorch");
    let idle = sized!("error.reserved_unallocated", r"and ", " is reserved by PyTorch but unallocated");
    idle_part(reader, idle, total, line);
    if total.is_none() {
        old_out_of_memory(reader, text, line);
    } else {
        others(reader, text, line, [total, free, own]);
    }
}

/// What PyTorch reserved and does not use, as a part of the card: a few per cent are ordinary.
fn idle_part(reader: &mut Reader, idle: Option<i64>, total: Option<i64>, line: u32) {
    if let (Some(idle), Some(total @ 1..)) = (idle, total) {
        reader.int("error.reserved_idle_percent", idle.saturating_mul(100) / total, line);
    }
}

/// Until torch 2.0: `(GPU 0; 23.69 GiB total capacity; 12.10 GiB already allocated; …)`.
fn old_out_of_memory(reader: &mut Reader, text: &str, line: u32) {
    let amount = |re: &Option<regex::Regex>| size_after(text, re);
    let total = amount(re!(r"([\d.]+ [KMGT]i?B) total capacity"));
    let allocated = amount(re!(r"([\d.]+ [KMGT]i?B|0 bytes) already allocated"));
    let free = amount(re!(r"([\d.]+ [KMGT]i?B|0 bytes) free"));
    let reserved = amount(re!(r"([\d.]+ [KMGT]i?B|0 bytes) reserved in total"));
    let pairs = [("error.gpu_total_bytes", total), ("error.allocated_bytes", allocated), ("error.free_bytes", free)];
    for (name, value) in pairs {
        if let Some(value) = value {
            reader.int(name, value, line);
        }
    }
    if let (Some(reserved), Some(allocated)) = (reserved, allocated) {
        let idle = (reserved - allocated).max(0);
        reader.int("error.reserved_unallocated", idle, line);
        idle_part(reader, Some(idle), total, line);
        reader.int("error.this_process_bytes", reserved, line);
        if let (Some(total), Some(free)) = (total, free) {
            reader.int("error.other_process_bytes", (total - free - reserved).max(0), line);
        }
    }
}

/// What other processes hold: named (`Process 88213 has 71.40 GiB`), else what is left over.
fn others(reader: &mut Reader, text: &str, line: u32, known: [Option<i64>; 3]) {
    let Some(named) = re!(r"Process (\d+|<[\w-]+>) has ([\d.]+ [KMGT]i?B) memory in use").as_ref() else { return };
    let mut sum = 0i64;
    let mut any = false;
    for cells in named.captures_iter(text).take(64) {
        let size = cells.get(2).and_then(|m| bytes(m.as_str())).unwrap_or(0);
        sum = sum.saturating_add(size);
        any = true;
    }
    if any {
        reader.int("error.other_process_bytes", sum, line);
    } else if let [Some(total), Some(free), Some(own)] = known {
        reader.int("error.other_process_bytes", (total - free - own).max(0), line);
    }
}

fn devices(reader: &mut Reader, line: Line) {
    let text = line.text;
    let pair = caps(
        re!(
            r"found at least two devices,? (\w+(?::?\d+)?),? and (\w+(?::?\d+)?)|parameters and buffers on device:? ?(\w+(?::?\s?\d+)?) .*?found one of them on device:? ?(\w+(?::?\s?\d+)?)|device type (\w+) but got device type (\w+)|Input type \(?([\w.]+)\)? and weight type \(?([\w.]+)\)? should be the same|tensor is on (\w+(?::\d+)?),? (?:but|different from other tensors on) (\w+(?::\d+)?)"
        ),
        text,
    );
    let Some(cells) = pair else { return };
    let names: Vec<String> = cells.iter().skip(1).flatten().map(|m| device(m.as_str())).collect();
    if !names.is_empty() {
        reader.give_to(Subject::None, "error.devices", Value::Set(names), &[line.number]);
    }
}

/// `cuda2`, `cuda 0`, `torch.cuda.FloatTensor` → `cuda:2`, `cuda:0`, `cuda`.
fn device(name: &str) -> String {
    if name.ends_with("Tensor") {
        return if name.contains("cuda") { "cuda".to_owned() } else { "cpu".to_owned() };
    }
    match caps(re!(r"^([a-z]+)[: ]*(\d+)$"), name) {
        Some(cells) => format!("{}:{}", cells.get(1).map_or("", |m| m.as_str()), cells.get(2).map_or("", |m| m.as_str())),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    fn frame(text: &str) -> Option<Value> {
        value(&facts(Kind::PythonTraceback, text), Subject::None, "error.user_frame")
    }

    fn text(text: &str) -> Option<Value> {
        Some(Value::Text(text.into()))
    }

    #[test]
    fn the_deepest_own_frame_counts() {
        let trace = "Traceback (most recent call last):\n  File \"/home/<user-1>/seg/train.py\", line 212, in <module>\n    main(cfg)\n  File \"/home/<user-1>/seg/models/unet.py\", line 93, in forward\n    x = y\n  File \"/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py\", line 1511, in _call_impl\n    return f()\nRuntimeError: Expected all tensors";
        assert_eq!(frame(trace), text("/home/<user-1>/seg/models/unet.py, line 93, in forward"));
    }

    #[test]
    fn a_chain_gives_the_first_own_frame_and_launchers_none() {
        let trace = "Traceback (most recent call last):\n  File \"/x/lib/python3.10/site-packages/flash_attn/__init__.py\", line 3, in <module>\n  File \"<frozen importlib._bootstrap>\", line 1050, in _gcd_import\nImportError: undefined symbol\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"/home/u/run.py\", line 88, in <module>\nRuntimeError: Failed to import\nTraceback (most recent call last):\n  File \"/home/u/other.py\", line 1, in <module>\nValueError: x";
        assert_eq!(frame(trace), text("/home/u/run.py, line 88, in <module>"));
        let launcher = "Traceback (most recent call last):\n  File \"/x/bin/torchrun\", line 8, in <module>\n  File \"/x/lib/python3.10/site-packages/torch/distributed/run.py\", line 879, in main\ntorch.distributed.elastic.multiprocessing.errors.ChildFailedError: ";
        assert_eq!(frame(launcher), None);
    }

    #[test]
    fn a_traceback_that_raises_takes_the_place_of_a_warnings() {
        use super::super::testing::{facts_of, part};
        let warning = "Traceback (most recent call last):\n  File \"/home/u/warns.py\", line 1, in <module>\n    import x";
        let error = "Traceback (most recent call last):\n  File \"/home/u/fails.py\", line 2, in main\nRuntimeError: x";
        let facts = facts_of(&[part(Kind::PythonTraceback, "", warning), part(Kind::PythonTraceback, "", error)]);
        assert_eq!(value(&facts, Subject::None, "error.user_frame"), text("/home/u/fails.py, line 2, in main"));
    }

    #[test]
    fn rich_ipython_and_windows_frames() {
        assert_eq!(frame("│ /home/u/train.py:212 in main │\nValueError: x"), text("/home/u/train.py, line 212, in main"));
        assert_eq!(frame("Cell In[5], line 3\nRuntimeError: x"), text("Cell In[5], line 3"));
        let windows = "Traceback (most recent call last):\n  File \"C:\\Users\\d\\sd\\launch.py\", line 48, in main\n  File \"C:\\Python310\\lib\\site-packages\\torch\\cuda\\__init__.py\", line 221, in _lazy_init\nAssertionError: Torch not compiled with CUDA enabled";
        assert_eq!(frame(windows), text("C:\\Users\\d\\sd\\launch.py, line 48, in main"));
    }

    #[test]
    fn out_of_memory_in_its_new_wording() {
        let facts = facts(
            Kind::PythonTraceback,
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.12 GiB is free. Process 88213 has 71.40 GiB memory in use. Including non-PyTorch\nmemory, this process has 6.71 GiB memory in use. Of the allocated memory 6.10 GiB is allocated by PyTorch, and 88.21 MiB is reserved by PyTorch but unallocated.",
        );
        let gib = |n: f64| Some(Value::Int((n * 1024f64.powi(3)).round() as i64));
        assert_eq!(value(&facts, Subject::None, "error.requested_bytes"), gib(2.0));
        assert_eq!(value(&facts, Subject::None, "error.gpu_total_bytes"), gib(79.25));
        assert_eq!(value(&facts, Subject::None, "error.free_bytes"), gib(1.12));
        assert_eq!(value(&facts, Subject::None, "error.this_process_bytes"), gib(6.71));
        assert_eq!(value(&facts, Subject::None, "error.other_process_bytes"), gib(71.40));
        assert_eq!(value(&facts, Subject::None, "error.reserved_unallocated"), gib(88.21 / 1024.0));
    }

    #[test]
    fn out_of_memory_in_its_old_wording() {
        let facts = facts(
            Kind::PythonTraceback,
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 23.69 GiB total capacity; 12.10 GiB already allocated; 640.00 MiB free; 22.41 GiB reserved in total by PyTorch)",
        );
        let Some(Value::Int(unallocated)) = value(&facts, Subject::None, "error.reserved_unallocated") else { panic!() };
        assert!((unallocated as f64 / 1024f64.powi(3) - 10.31).abs() < 0.001);
        let Some(Value::Int(other)) = value(&facts, Subject::None, "error.other_process_bytes") else { panic!() };
        assert!(other < 1 << 30);
    }

    #[test]
    fn devices_of_a_mismatch() {
        for (line, want) in [
            (
                "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:2 and cuda:0! (when checking",
                ["cuda:2", "cuda:0"],
            ),
            (
                "module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cuda:2",
                ["cuda:0", "cuda:2"],
            ),
            ("Expected object of device type cuda but got device type cpu for argument #1", ["cuda", "cpu"]),
            ("Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same", ["cuda", "cpu"]),
            ("module must have its parameters and buffers on device cuda2 but found one of them on device cuda 0", ["cuda:2", "cuda:0"]),
        ] {
            let facts = facts(Kind::PythonTraceback, line);
            assert_eq!(value(&facts, Subject::None, "error.devices"), Some(Value::Set(want.map(String::from).to_vec())), "{line}");
        }
    }
}
