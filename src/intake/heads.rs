//! The single forms of prefixes, each read from the start of what is left of a line.
//! All of them give the bytes they take, and note in [`Found`] what they say.

use super::prefix::Found;
use super::stamp;

/// Longest name of a host, container or actor that is looked for.
const MAX_NAME: usize = 120;

/// `[   12.345678] `, with `[    T1]` of kernels that name the caller.
pub fn kernel_time(bytes: &[u8], found: &mut Found) -> usize {
    let blanks = bytes.iter().skip(1).take(12).take_while(|b| **b == b' ').count();
    let number = bytes.get(1 + blanks..).unwrap_or_default();
    let whole = number.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
    let part = number.iter().skip(whole + 1).take(7).take_while(|b| b.is_ascii_digit()).count();
    let close = 1 + blanks + whole + 1 + part;
    let shaped = whole > 0 && part == 6 && number.get(whole) == Some(&b'.') && bytes.get(close) == Some(&b']');
    if !shaped || !matches!(bytes.get(close + 1), None | Some(b' ' | b'[')) {
        return 0;
    }
    let text = std::str::from_utf8(number.get(..whole + 1 + part).unwrap_or_default());
    if let Some(seconds) = text.ok().and_then(|text| text.parse().ok()) {
        found.uptime(seconds);
    }
    let mut end = close + 1;
    if let Some(caller) = bytes.get(end..).and_then(|rest| rest.strip_prefix(b"[")) {
        let length = caller.iter().take(10).take_while(|b| **b != b']').count();
        let is_caller = caller.get(..length).is_some_and(|c| {
            c.trim_ascii_start()
                .strip_prefix(b"T")
                .or(c.trim_ascii_start().strip_prefix(b"C"))
                .is_some_and(|n| n.iter().all(u8::is_ascii_digit))
        });
        if is_caller {
            end += length + 2;
        }
    }
    end + usize::from(bytes.get(end) == Some(&b' '))
}

/// `<6>` before a kernel time.
pub fn level_mark(bytes: &[u8]) -> usize {
    let digits = bytes.iter().skip(1).take(3).take_while(|b| b.is_ascii_digit()).count();
    let close = 1 + digits;
    if digits > 0 && bytes.get(close) == Some(&b'>') && bytes.get(close + 1) == Some(&b'[') { close + 1 } else { 0 }
}

/// `[rank3]: `, and `[default3]:` of torchrun's `--tee`.
pub fn rank_tag(bytes: &[u8], found: &mut Found) -> usize {
    let name = [&b"[rank"[..], b"[default", b"[trainer", b"[worker"].into_iter().find(|name| bytes.starts_with(name));
    let Some(name) = name else { return 0 };
    let Some((rank, close)) = small_number(bytes, name.len()) else { return 0 };
    if bytes.get(close..close + 2) != Some(b"]:") {
        return 0;
    }
    found.rank(Some(rank));
    close + 2 + usize::from(bytes.get(close + 2) == Some(&b' '))
}

/// `[1,0]<stdout>:` of mpirun's `--tag-output`.
pub fn mpi_tag(bytes: &[u8], found: &mut Found) -> usize {
    let Some((_, comma)) = small_number(bytes, 1).filter(|(_, at)| bytes.get(*at) == Some(&b',')) else { return 0 };
    let Some((rank, close)) = small_number(bytes, comma + 1) else { return 0 };
    let streams = [&b"]<stdout>:"[..], b"]<stderr>:", b"]<stddiag>:"];
    let Some(stream) = streams.iter().find(|s| bytes.get(close..).is_some_and(|rest| rest.starts_with(s))) else { return 0 };
    found.rank(Some(rank));
    let end = close + stream.len();
    end + usize::from(bytes.get(end) == Some(&b' '))
}

/// `[pod/NAME/CONTAINER] ` of `kubectl logs --prefix`.
pub fn pod_tag(rest: &str, found: &mut Found) -> usize {
    let Some(inner) = rest.strip_prefix("[pod/") else { return 0 };
    let Some(close) = inner.bytes().take(2 * MAX_NAME).position(|b| b == b']') else { return 0 };
    let name = inner.get(..close).unwrap_or("");
    if name.contains(' ') {
        return 0;
    }
    found.stream(name);
    let end = "[pod/".len() + close + 1;
    end + usize::from(rest.as_bytes().get(end) == Some(&b' '))
}

/// `(RayWorkerVllm pid=7218, ip=…) `, `(EngineCore_DP0 pid=4120) `, `(raylet) `.
pub fn actor(rest: &str, found: &mut Found) -> usize {
    let Some(close) = rest.bytes().take(MAX_NAME).position(|b| b == b')') else { return 0 };
    let inner = rest.get(1..close).unwrap_or("");
    let named = inner == "raylet"
        || inner.starts_with("raylet,")
        || inner.starts_with("autoscaler")
        || inner.contains(" pid=")
        || inner.contains(",pid=");
    if !named || !matches!(rest.as_bytes().get(close + 1), None | Some(b' ')) {
        return 0;
    }
    found.stream(inner);
    let rank = inner.split([' ', ',']).find_map(|word| word.strip_prefix("rank="));
    found.rank(rank.and_then(|r| r.parse().ok()));
    close + 1 + usize::from(rest.len() > close + 1)
}

const LEVELS: &[&str] = &["INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL"];

/// `ERROR 06-30 13:53:19 [core.py:515] `, older `INFO 03-22 14:36:26 llm_engine.py:87] `.
pub fn leveled(rest: &str, found: &mut Found) -> Option<usize> {
    let level = LEVELS.iter().find(|level| rest.starts_with(**level))?;
    let time = rest.get(level.len()..)?.strip_prefix(' ')?;
    let (wall, length) = stamp::month_day(time.as_bytes())?;
    let place = time.get(length..)?.strip_prefix(' ')?;
    let close = place.bytes().take(MAX_NAME).position(|b| b == b']')?;
    let file = place.get(..close)?;
    let (name, line) = file.rsplit_once(':')?;
    if name.contains(' ') || line.is_empty() || !line.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    found.wall(wall);
    let end = level.len() + 1 + length + 1 + close + 1;
    Some(end + usize::from(rest.as_bytes().get(end) == Some(&b' ')))
}

const FACILITIES: &[&str] =
    &["kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "local0", "local7"];
const PRIORITIES: &[&str] = &["emerg", "alert", "crit", "err", "warn", "warning", "notice", "info", "debug"];

/// `kern  :err   : ` of `dmesg -x`, `192.168.40.21: kern:    err: ` of talosctl.
pub fn facility(rest: &str, found: &mut Found) -> Option<usize> {
    if let Some(length) = facility_level(rest) {
        found.unit("kernel");
        return Some(length);
    }
    let colon = rest.bytes().take(MAX_NAME).position(|b| b == b':' || b == b' ')?;
    let length = facility_level(rest.get(colon..)?.strip_prefix(": ")?)?;
    found.host(rest.get(..colon)?);
    found.unit("kernel");
    Some(colon + 2 + length)
}

fn facility_level(rest: &str) -> Option<usize> {
    let colon = rest.bytes().take(13).position(|b| b == b':')?;
    let (facility, behind) = (rest.get(..colon)?, rest.get(colon + 1..)?);
    if !FACILITIES.contains(&facility.trim_end()) {
        return None;
    }
    let (level, _) = behind.split_once(':')?;
    let known = level.len() <= 12 && PRIORITIES.contains(&level.trim());
    let end = facility.len() + level.len() + 2;
    known.then(|| end + usize::from(rest.as_bytes().get(end) == Some(&b' ')))
}

/// `HOST:PID:TID [DEV] ` before `NCCL INFO`, `NCCL WARN` or `file.cc:123 NCCL WARN`.
pub fn nccl(rest: &str, found: &mut Found) -> Option<usize> {
    let blank = rest.bytes().take(MAX_NAME).position(|b| b == b' ')?;
    let mut parts = rest.get(..blank)?.rsplitn(3, ':');
    let (tid, pid, host) = (parts.next()?, parts.next()?, parts.next()?);
    let is_id = |id: &str| !id.is_empty() && (id.bytes().all(|b| b.is_ascii_digit()) || id.starts_with('<'));
    let device = rest.get(blank + 1..)?.strip_prefix('[')?;
    let close = device.bytes().take(8).position(|b| b == b']')?;
    let end = blank + 1 + 1 + close + 1;
    let message = rest.get(end..)?.strip_prefix(' ')?;
    let head = message.as_bytes().get(..message.len().min(80)).unwrap_or_default();
    if !is_id(tid) || !is_id(pid) || memchr::memmem::find(head, b"NCCL ").is_none() {
        return None;
    }
    found.host(host);
    Some(end + 1)
}

/// `stderr F ` of the container runtime's log files.
pub fn cri_tag(behind: &str, found: &mut Found) -> Option<usize> {
    let tags = ["stdout F ", "stderr F ", "stdout P ", "stderr P ", "stdout F", "stderr F"];
    let tag = tags.iter().find(|tag| behind.starts_with(**tag))?;
    found.any = true;
    Some(tag.len())
}

/// `[WARN ] W-9000-NAME-stderr MODEL_LOG - ` of torchserve.
pub fn model_worker(behind: &str, found: &mut Found) -> Option<usize> {
    const END: &str = " MODEL_LOG - ";
    let (_, worker) = behind.strip_prefix('[')?.split_once("] ").filter(|(level, _)| level.len() <= 6)?;
    if !worker.starts_with("W-") {
        return None;
    }
    let at = memchr::memmem::find(worker.as_bytes().get(..worker.len().min(200))?, END.as_bytes())?;
    found.stream(worker.get(..at)?);
    Some(behind.len() - worker.len() + at + END.len())
}

/// `host kernel: `, `host unit[pid]: `, `kernel: ` after a month's name, where hardly anything
/// else can stand.
pub fn any_tag(behind: &str, found: &mut Found) -> Option<usize> {
    let (first, rest) = behind.split_once(' ').unwrap_or((behind, ""));
    if let Some(unit) = tag_name(first) {
        found.unit(unit);
        return Some(with_blank(behind, first.len()));
    }
    let second = rest.split(' ').next()?;
    let unit = tag_name(second)?;
    found.host(first);
    found.unit(unit);
    Some(with_blank(behind, first.len() + 1 + second.len()))
}

/// As [`any_tag`], where a plain message could stand as well (`Loading model: x`): only a
/// program with its process number, or one that is known.
pub fn known_tag(behind: &str, found: &mut Found) -> Option<usize> {
    const KNOWN: &[&str] = &[
        "kernel",
        "systemd",
        "sudo",
        "dockerd",
        "containerd",
        "kubelet",
        "crio",
        "nvidia-persistenced",
        "nv-fabricmanager",
        "slurmd",
        "slurmctld",
        "sshd",
        "CRON",
        "rsyslogd",
        "systemd-logind",
        "NetworkManager",
        "nv-hostengine",
        "dbus-daemon",
    ];
    let word = |tag: &str| tag_name(tag).is_some_and(|unit| tag.ends_with("]:") || KNOWN.contains(&unit));
    let mut words = behind.splitn(3, ' ');
    let (first, second) = (words.next()?, words.next());
    if word(first) || (second.is_some_and(word) && !first.ends_with(':')) {
        found.syslog = true;
        return any_tag(behind, found);
    }
    None
}

fn with_blank(text: &str, end: usize) -> usize {
    end + usize::from(text.as_bytes().get(end) == Some(&b' '))
}

/// The program of `python[20311]:`, `kernel:`, `(systemd)[1]:`.
fn tag_name(word: &str) -> Option<&str> {
    let name = word.strip_suffix(':')?;
    let name = match name.strip_suffix(']') {
        Some(inner) => inner.rsplit_once('[').filter(|(_, pid)| pid.starts_with('<') || pid.bytes().all(|b| b.is_ascii_digit()))?.0,
        None => name,
    };
    let plain = name.len() <= MAX_NAME && !name.is_empty() && !name.contains([':', '=', '"', '\'', ',']);
    plain.then_some(name)
}

/// Up to six digits at `at`: the number, and where they end.
fn small_number(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let digits = bytes.iter().skip(at).take(6).take_while(|b| b.is_ascii_digit()).count();
    let text = std::str::from_utf8(bytes.get(at..at + digits)?).ok()?;
    Some((text.parse().ok()?, at + digits))
}
