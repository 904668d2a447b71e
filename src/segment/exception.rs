//! The shapes of exceptions, frames and what belongs to them.

/// `  File "train.py", line 12, in main`; IPython's `File ~/x.py:12`.
pub fn is_frame(text: &str) -> bool {
    text.starts_with("File \"") || (text.starts_with("File ~") && text.contains(".py:"))
}

/// `During handling of the above exception, …`.
pub fn is_chain(text: &str) -> bool {
    text.starts_with("During handling of the above exception") || text.starts_with("The above exception was the direct cause")
}

/// `Process SpawnProcess-1:`, which multiprocessing prints before a traceback.
pub fn is_process(text: &str) -> bool {
    text.starts_with("Process ") && text.ends_with(':') && !text.get(8..).unwrap_or("").contains(' ')
}

/// `frame #3: …`, `#3  0x…`, `[host:1] [ 3] /lib/…`.
pub fn is_native_frame(text: &str) -> bool {
    let gdb = text.strip_prefix('#').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with("0x")
    });
    text.starts_with("frame #")
        || gdb
        || (text.starts_with('[') && (text.contains("] [ ") || text.contains("] *** ")) && text.contains(':'))
}

/// The dotted name at the start of an exception line, `torch.OutOfMemoryError: …` or alone.
pub fn name(text: &str) -> Option<&str> {
    let end = text.bytes().take(200).position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'.')).unwrap_or(text.len().min(200));
    let name = text.get(..end)?;
    let rest = after_group(text.get(end..)?);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let last = name.rsplit('.').next().unwrap_or("");
    let spoken = rest.starts_with(": ") || rest == ":" || rest.starts_with('：');
    let alone = rest.trim().is_empty() && last.starts_with(|c: char| c.is_ascii_uppercase());
    (starts && !last.is_empty() && !is_level(text) && (spoken || alone)).then_some(name)
}

/// `RayTaskError(OutOfMemoryError): …`.
fn after_group(rest: &str) -> &str {
    match rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
        Some((inner, after)) if inner.len() < 80 && !inner.contains(' ') => after,
        _ => rest,
    }
}

/// An exception line that can be told without frames before it.
pub fn is_bare(text: &str) -> bool {
    if let Some(inner) = text.strip_prefix("E   ") {
        return !inner.trim().is_empty();
    }
    let Some(name) = name(text) else { return false };
    let last = name.rsplit('.').next().unwrap_or("");
    let ends = ["Error", "Exception", "Interrupt", "SystemExit"].iter().any(|end| last.len() > end.len() && last.ends_with(end))
        || matches!(last, "KeyboardInterrupt" | "StopIteration");
    ends && (name.len() < text.trim_end().len() || name.contains('.') || last.ends_with("Error") || last == "KeyboardInterrupt")
}

/// `INFO:`, `ERROR:`: the head of a log line, no exception.
pub fn is_level(text: &str) -> bool {
    if !matches!(text.bytes().next(), Some(b'I' | b'W' | b'E' | b'D' | b'C' | b'F' | b'N' | b'n' | b'e')) {
        return false;
    }
    ["INFO", "WARNING", "WARN", "ERROR", "DEBUG", "CRITICAL", "FATAL", "NOTE", "Error", "Warning", "note", "error"]
        .iter()
        .any(|level| text.strip_prefix(level).is_some_and(|rest| rest.starts_with(':')))
}

/// Sentences that only go on with an exception's message.
pub fn is_continuation(text: &str) -> bool {
    const LINES: &[&str] = &[
        "CUDA kernel errors might be",
        "For debugging consider",
        "Compile with `TORCH_USE_CUDA_DSA`",
        "Device-side assertion",
        "Last error:",
        "ncclSystemError",
        "ncclInternalError",
        "ncclUnhandledCudaError",
        "ncclInvalidUsage",
        "ncclRemoteError",
        "ncclInvalidArgument",
        "Check the documentation of torch.load",
        "If you only need",
        "You can make your environment",
        "HIP kernel errors might",
        "Search for `cuda",
        "Detected at node",
        "Node: '",
        "Error while creating shared memory",
        "In addition, you can set",
        "Parameter indices which did not receive grad",
        "Some tensors share memory",
        "Please take a look at",
    ];
    LINES.iter().any(|line| text.starts_with(line))
        || text.starts_with("E   ")
        || text.starts_with("Missing key(s)")
        || text.starts_with("Unexpected key(s)")
        || text.starts_with("size mismatch for ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_told_from_log_lines() {
        for (text, bare) in [
            ("RuntimeError: CUDA error", true),
            ("torch.cuda.OutOfMemoryError: CUDA out of memory.", true),
            ("_pickle.UnpicklingError: Weights only load failed.", true),
            ("AssertionError", true),
            ("KeyboardInterrupt", true),
            ("ray.exceptions.RayTaskError(OutOfMemoryError): x", true),
            ("E       RuntimeError: CUDA error", true),
            ("ERROR: pip's dependency resolver", false),
            ("Error: Process completed with exit code 1.", false),
            ("INFO:root:x", false),
            ("UserWarning: x", false),
            ("Uncorrectable Error               : 1", false),
        ] {
            assert_eq!(is_bare(text), bare, "{text}");
        }
        assert_eq!(name("socket.timeout: timed out"), Some("socket.timeout"));
        assert_eq!(name("_wrapped_call_impl"), None);
    }
}
