//! The CUDA toolkit and the libraries that the loader finds.

use super::reader::{Line, Reader, caps, first, hits, re};
use super::{Subject, Value};

/// `nvcc -V`.
pub fn nvcc(reader: &mut Reader) {
    for line in reader.lines() {
        if let Some(version) = first(re!(r"release (\d+\.\d+), V\d"), line.text) {
            reader.version("toolkit.version", version, line.number);
        } else if hits(re!(r"nvcc: (?:command not found|not found|未找到命令)|Command 'nvcc' not found"), line.text) {
            reader.deny("toolkit.version");
        }
    }
}

/// ldconfig -p, ldd, `ls -l /usr/local/cuda`.
pub fn libraries(reader: &mut Reader) {
    for line in reader.lines() {
        let text = line.text;
        if let Some(cells) = caps(re!(r"(/usr/local/cuda(?:-[\d.]+)?)/?\s*->\s*(\S+)"), text) {
            let target = cells.get(2).map_or("", |m| m.as_str());
            reader.text("toolkit.path", target, line.number);
        }
        soname(reader, line);
        if let Some(version) = first(re!(r"/cuda-(\d+\.\d+)\b"), text) {
            reader.add(Subject::None, "library.cuda_versions", &[version.to_owned()], line.number);
        }
    }
    let about_cuda = ["libcuda.so.1 (libc6,x86-64) => /usr/lib/libcuda.so.1"];
    if hits(re!(r"^ldconfig"), reader.command_line())
        && reader.shows_all(&about_cuda)
        && reader.known(Subject::None, "library.libcuda").is_none()
    {
        reader.deny("library.libcuda");
    }
}

/// `libcudart.so.12`, `libcublas.so.11.10.3.66`, `libcuda.so.535.183.01`.
fn soname(reader: &mut Reader, line: Line) {
    let text = line.text;
    if let Some(path) = first(re!(r"libcuda\.so\.1 \(libc6,(?:x86-64|AArch64)[^)]*\) => (\S+)"), text) {
        reader.text("library.libcuda", path, line.number);
    }
    if let Some(version) = first(re!(r"libcuda\.so\.1\s*->\s*(?:\S*/)?libcuda\.so\.(\d{3}\.[\d.]+\d)"), text) {
        reader.version("driver.library_version", version, line.number);
    }
    if hits(re!(r"not found$"), text.trim_end()) {
        return;
    }
    if let Some(major) = first(re!(r"lib(?:cudart|cublas|cublasLt)\.so\.(1[0-9](?:\.[01])?)\b"), text) {
        let major = major.strip_suffix(".0").unwrap_or(major);
        reader.add(Subject::None, "library.cuda_versions", &[major.to_owned()], line.number);
    }
    if let Some(version) = first(re!(r"libcudnn\.so\.(\d+(?:\.\d+)*)"), text) {
        reader.add(Subject::None, "library.cudnn_versions", &[version.to_owned()], line.number);
    }
    if let Some(version) = first(re!(r"libnccl\.so\.(\d+\.\d+\.\d+)"), text) {
        reader.add(Subject::None, "library.nccl_versions", &[version.to_owned()], line.number);
    }
}

/// Versions that logs name: NCCL's, cuDNN's header.
pub fn versions(reader: &mut Reader) {
    let mut printed = std::collections::BTreeSet::new();
    let mut lines = Vec::new();
    for line in reader.lines() {
        if let Some(version) = first(re!(r"NCCL version (\d+\.\d+\.\d+)"), line.text) {
            reader.add(Subject::None, "library.nccl_versions", &[version.to_owned()], line.number);
        }
        // NCCL's own line at the start of a job, one from each host; an error message repeats it.
        if let Some(version) = first(re!(r"^(?:NCCL INFO )?NCCL version (\d+\.\d+\.\d+\+cuda[\d.]+)"), line.text.trim()) {
            printed.insert(version.to_owned());
            lines.push(line.number);
        }
        if let Some(cells) = caps(re!(r"#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) (\d+)"), line.text) {
            let part = cells.get(2).map_or("", |m| m.as_str()).to_owned();
            reader.state.cudnn.push(part);
            if reader.state.cudnn.len() == 3 {
                let version = std::mem::take(&mut reader.state.cudnn).join(".");
                reader.add(Subject::None, "library.cudnn_versions", &[version], line.number);
            }
        }
    }
    if printed.len() > 1 {
        lines.dedup();
        reader.give_to(Subject::None, "nccl.versions", Value::Set(printed.into_iter().collect()), &lines);
        reader.give_to(Subject::None, "nccl.versions_differ", Value::Bool(true), &lines);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{absent, facts, facts_from, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn nvcc_and_its_absence() {
        let given = facts(Kind::Nvcc, "Cuda compilation tools, release 11.5, V11.5.119");
        assert_eq!(value(&given, Subject::None, "toolkit.version"), Some(Value::Version("11.5".into())));
        assert!(absent(&facts(Kind::Nvcc, "bash: nvcc: command not found"), "toolkit.version"));
    }

    #[test]
    fn two_hosts_of_one_job_with_two_versions() {
        let both = facts(Kind::Nccl, "NCCL version 2.18.5+cuda12.1\nNCCL version 2.20.5+cuda12.4");
        assert_eq!(value(&both, Subject::None, "nccl.versions_differ"), Some(Value::Bool(true)));
        let same =
            facts(Kind::Nccl, "NCCL version 2.20.5+cuda12.4\nNCCL version 2.20.5+cuda12.4\nunhandled system error, NCCL version 2.18.5");
        assert_eq!(value(&same, Subject::None, "nccl.versions_differ"), None);
    }

    #[test]
    fn the_loaders_libraries() {
        let text = "\tlibcudart.so.12 (libc6,x86-64) => /usr/local/cuda-12.4/lib64/libcudart.so.12\n\tlibcublas.so.11 (libc6,x86-64) => /usr/lib/libcublas.so.11\n\tlibcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1";
        let facts = facts_from(Kind::Ldconfig, "ldconfig -p | grep -E 'cuda|cublas'", text);
        assert_eq!(value(&facts, Subject::None, "library.cuda_versions"), Some(Value::Set(vec!["12".into(), "12.4".into(), "11".into()])));
        assert_eq!(value(&facts, Subject::None, "library.libcuda"), Some(Value::Text("/lib/x86_64-linux-gnu/libcuda.so.1".into())));
        assert!(absent(&facts_from(Kind::Ldconfig, "ldconfig -p | grep libcuda", ""), "library.libcuda"));
    }

    #[test]
    fn where_the_toolkit_link_points() {
        let facts = facts_from(
            Kind::Ldconfig,
            "ls -l /usr/local/cuda",
            "lrwxrwxrwx 1 root root 21 Nov 20 11:02 /usr/local/cuda -> /usr/local/cuda-11.8",
        );
        assert_eq!(value(&facts, Subject::None, "toolkit.path"), Some(Value::Text("/usr/local/cuda-11.8".into())));
        let stub = facts_from(
            Kind::Other,
            "ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.1",
            "lrwxrwxrwx 1 root root 20 Nov 20 11:02 /usr/lib/x86_64-linux-gnu/libcuda.so.1 -> libcuda.so.535.183.01",
        );
        assert_eq!(value(&stub, Subject::None, "driver.library_version"), Some(Value::Version("535.183.01".into())));
    }
}
