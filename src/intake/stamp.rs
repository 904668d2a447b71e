//! The times that collectors and loggers print, read by their shape.

/// A time as read; without a year it waits for one from elsewhere in the paste.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wall {
    /// Seconds since 1970, as if UTC.
    Full(f64),
    Yearless(Yearless),
}

/// Month, day and seconds into the day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yearless {
    pub month: u8,
    pub day: u8,
    pub seconds: f64,
}

impl Yearless {
    /// Seconds since 1970 of this moment in `year`.
    pub fn in_year(self, year: i32) -> f64 {
        days(year, self.month, self.day) as f64 * 86_400.0 + self.seconds
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar (algorithm of H. Hinnant).
fn days(year: i32, month: u8, day: u8) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (i64::from(month) + 9) % 12;
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A number of `digits` decimal digits at `at`.
fn number(bytes: &[u8], at: usize, digits: usize) -> Option<u32> {
    let slice = bytes.get(at..at + digits)?;
    slice.iter().try_fold(0u32, |n, b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')))
}

/// Digits of a fraction after `.` or `,`, as seconds, with the bytes they take.
fn fraction(bytes: &[u8]) -> (f64, usize) {
    if !matches!(bytes.first(), Some(b'.' | b',')) {
        return (0.0, 0);
    }
    let digits = bytes.iter().skip(1).take(12).take_while(|b| b.is_ascii_digit()).count();
    let value = bytes.iter().skip(1).take(digits).rev().fold(0.0, |sum, b| (sum + f64::from(b - b'0')) / 10.0);
    if digits == 0 { (0.0, 0) } else { (value, digits + 1) }
}

/// `10:14:02`, `02:14:58.114022`: seconds into the day, and the bytes read.
fn clock(bytes: &[u8]) -> Option<(f64, usize)> {
    let (hour, minute, second) = (number(bytes, 0, 2)?, number(bytes, 3, 2)?, number(bytes, 6, 2)?);
    let shaped = bytes.get(2) == Some(&b':') && bytes.get(5) == Some(&b':');
    if !shaped || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let (part, length) = fraction(bytes.get(8..).unwrap_or_default());
    Some((f64::from(hour * 3600 + minute * 60 + second) + part, 8 + length))
}

fn date(month: u32, day: u32) -> Option<(u8, u8)> {
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((month as u8, day as u8))
}

/// `2024-05-20T02:46:53.219Z`, `2026-04-22 21:34:12,118`, with an offset or none (ignored).
pub fn iso(bytes: &[u8]) -> Option<(Wall, usize)> {
    let dashed = bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-') && matches!(bytes.get(10), Some(b'T' | b' ' | b't'));
    if !dashed {
        return None;
    }
    let (month, day) = date(number(bytes, 5, 2)?, number(bytes, 8, 2)?)?;
    let year = number(bytes, 0, 4)?;
    let (seconds, length) = clock(bytes.get(11..)?)?;
    let mut end = 11 + length;
    match bytes.get(end) {
        Some(b'Z') => end += 1,
        Some(b'+' | b'-') if number(bytes, end + 1, 4).is_some() => end += 5,
        Some(b'+' | b'-') if number(bytes, end + 1, 2).is_some() && bytes.get(end + 3) == Some(&b':') => end += 6,
        _ => {}
    }
    Some((Wall::Full(Yearless { month, day, seconds }.in_year(year as i32)), end))
}

/// `Nov 24 10:14:02`, `mars 03 09:14:07`, `11月 24 10:14:02`, `Jan  9 02:14:58.114022`.
pub fn syslog(text: &str) -> Option<(Wall, usize)> {
    let lead = usize::from(text.starts_with(' '));
    // Nearly every line ends here: behind the first word stands no number.
    let word = text.bytes().skip(lead).take(12).position(|b| b == b' ')?;
    let mut behind = text.bytes().skip(lead + word).skip_while(|b| *b == b' ');
    if !behind.next().is_some_and(|b| b.is_ascii_digit()) {
        return None;
    }
    let (month, length) = month_name(text.get(lead..)?)?;
    let bytes = text.as_bytes();
    let mut at = lead + length;
    while bytes.get(at) == Some(&b' ') && at < lead + length + 2 {
        at += 1;
    }
    let two = number(bytes, at, 2);
    let day = two.or_else(|| number(bytes, at, 1))?;
    at += if two.is_some() { 2 } else { 1 };
    if bytes.get(at) != Some(&b' ') {
        return None;
    }
    let (_, day) = date(1, day)?;
    let (seconds, length) = clock(bytes.get(at + 1..)?)?;
    Some((Wall::Yearless(Yearless { month, day, seconds }), at + 1 + length))
}

/// `Wed Aug 30 16:29:31 2023`, as `dmesg -T` and `date` print it.
pub fn weekday_form(text: &str) -> Option<(Wall, usize)> {
    let space = text.bytes().take(12).position(|b| b == b' ')?;
    let is_word = text.get(..space)?.chars().all(|c| c.is_alphabetic() || c == '.');
    let (wall, length) = syslog(text.get(space + 1..)?).filter(|_| is_word)?;
    let end = space + 1 + length;
    let year = number(text.as_bytes(), end + 1, 4).filter(|_| text.as_bytes().get(end) == Some(&b' '))?;
    match wall {
        Wall::Yearless(moment) => Some((Wall::Full(moment.in_year(year as i32)), end + 5)),
        full => Some((full, end + 5)),
    }
}

/// `E0508 11:21:09.512000`, `[E109 02:31:44.402114718`: month and day, time (glog, klog, c10).
pub fn glog(bytes: &[u8]) -> Option<Wall> {
    let bytes = bytes.strip_prefix(b"[").unwrap_or(bytes);
    if !matches!(bytes.first(), Some(b'I' | b'W' | b'E' | b'F')) {
        return None;
    }
    let digits = bytes.iter().skip(1).take(5).take_while(|b| b.is_ascii_digit()).count();
    if !(3..=4).contains(&digits) || bytes.get(1 + digits) != Some(&b' ') {
        return None;
    }
    let (month, day) = date(number(bytes, 1, digits - 2)?, number(bytes, digits - 1, 2)?)?;
    let (seconds, _) = clock(bytes.get(digits + 2..)?)?;
    Some(Wall::Yearless(Yearless { month, day, seconds }))
}

/// `10-25 14:20:58`, and the bytes read.
pub fn month_day(bytes: &[u8]) -> Option<(Wall, usize)> {
    if bytes.get(2) != Some(&b'-') || bytes.get(5) != Some(&b' ') {
        return None;
    }
    let (month, day) = date(number(bytes, 0, 2)?, number(bytes, 3, 2)?)?;
    let (seconds, length) = clock(bytes.get(6..)?)?;
    Some((Wall::Yearless(Yearless { month, day, seconds }), 6 + length))
}

/// Abbreviated month names of the locales that systemd and coreutils print them in.
/// Longer names stand before their beginnings (`juil` before `jui`).
const MONTHS: &[(&str, u8)] = &[
    ("Jan", 1),
    ("Feb", 2),
    ("Mar", 3),
    ("Apr", 4),
    ("May", 5),
    ("Jun", 6),
    ("Jul", 7),
    ("Aug", 8),
    ("Sep", 9),
    ("Oct", 10),
    ("Nov", 11),
    ("Dec", 12),
    ("janv", 1),
    ("févr", 2),
    ("mars", 3),
    ("avril", 4),
    ("avr", 4),
    ("juin", 6),
    ("juil", 7),
    ("août", 8),
    ("sept", 9),
    ("déc", 12),
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("apr", 4),
    ("may", 5),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sep", 9),
    ("oct", 10),
    ("nov", 11),
    ("dec", 12),
    ("März", 3),
    ("Mär", 3),
    ("Mai", 5),
    ("Okt", 10),
    ("Dez", 12),
    ("mrt", 3),
    ("mei", 5),
    ("mai", 5),
    ("okt", 10),
    ("des", 12),
    ("ene", 1),
    ("abr", 4),
    ("ago", 8),
    ("set", 9),
    ("dic", 12),
    ("fev", 2),
    ("out", 10),
    ("dez", 12),
    ("gen", 1),
    ("mag", 5),
    ("giu", 6),
    ("lug", 7),
    ("ott", 10),
    ("maj", 5),
    ("sty", 1),
    ("lut", 2),
    ("kwi", 4),
    ("cze", 6),
    ("lip", 7),
    ("sie", 8),
    ("wrz", 9),
    ("paź", 10),
    ("lis", 11),
    ("gru", 12),
    ("янв", 1),
    ("фев", 2),
    ("мар", 3),
    ("апр", 4),
    ("мая", 5),
    ("май", 5),
    ("июн", 6),
    ("июл", 7),
    ("авг", 8),
    ("сен", 9),
    ("окт", 10),
    ("ноя", 11),
    ("дек", 12),
    ("led", 1),
    ("úno", 2),
    ("bře", 3),
    ("dub", 4),
    ("kvě", 5),
    ("čec", 7),
    ("čen", 6),
    ("srp", 8),
    ("zář", 9),
    ("říj", 10),
    ("pro", 12),
    ("Oca", 1),
    ("Şub", 2),
    ("Nis", 4),
    ("Haz", 6),
    ("Tem", 7),
    ("Ağu", 8),
    ("Eyl", 9),
    ("Eki", 10),
    ("Kas", 11),
    ("Ara", 12),
];

/// A month's name and its bytes; `11月` and `3월` too.
fn month_name(text: &str) -> Option<(u8, usize)> {
    let bytes = text.as_bytes();
    if bytes.first()?.is_ascii_digit() {
        let digits = bytes.iter().take(2).take_while(|b| b.is_ascii_digit()).count();
        let rest = text.get(digits..)?;
        let mark = ["月", "월"].iter().find(|mark| rest.starts_with(**mark))?;
        let (month, _) = date(number(bytes, 0, digits)?, 1)?;
        return Some((month, digits + mark.len()));
    }
    let (name, month) = MONTHS.iter().find(|(name, _)| text.starts_with(name))?;
    let rest = text.get(name.len()..)?;
    let tail = if rest.starts_with('.') { 1 } else { 0 };
    (rest.as_bytes().get(tail) == Some(&b' ')).then_some((*month, name.len() + tail))
}

/// The year of a full date somewhere in `text`: `2025-09-02 00:00`, `… 03:20:41 2026`.
pub fn year_in(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, b"20").find_map(|at| {
        let year = number(bytes, at, 4)? as i32;
        let after_digit = at > 0 && bytes.get(at - 1).is_some_and(u8::is_ascii_digit);
        let dated = iso(bytes.get(at..)?).is_some();
        let ends = at + 4 == bytes.len() && at > 9 && clock(bytes.get(at - 9..)?).is_some();
        (!after_digit && (dated || ends)).then_some(year)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_dates_become_seconds() {
        // date -u -d '2024-05-20T02:46:53' +%s
        assert_eq!(iso(b"2024-05-20T02:46:53.250Z x"), Some((Wall::Full(1_716_173_213.25), 24)));
        assert_eq!(iso(b"2024-05-20 02:46:53,250+01:00"), Some((Wall::Full(1_716_173_213.25), 29)));
        assert_eq!(iso(b"2024-05-20T02:46:53+0200"), Some((Wall::Full(1_716_173_213.0), 24)));
        assert_eq!(weekday_form("Mon May 20 02:46:53 2024] x"), Some((Wall::Full(1_716_173_213.0), 24)));
        assert_eq!(iso(b"2024-13-20T02:46:53"), None);
        assert_eq!(iso(b"2024-05-20T02:76:53"), None);
    }

    #[test]
    fn months_of_many_tongues_are_read() {
        for (text, month) in [
            ("Nov 24 10:14:02", 11),
            ("mars 03 09:14:07", 3),
            ("Mär 03 09:14:07", 3),
            ("11月 24 10:14:02", 11),
            (" 3월 03 09:14:07", 3),
            ("févr. 03 09:14:07", 2),
            ("июл 03 09:14:07", 7),
            ("Jan  9 02:14:58.114022", 1),
            ("juil. 14 02:14:58", 7),
        ] {
            let Some((Wall::Yearless(moment), length)) = syslog(text) else { panic!("{text}") };
            assert_eq!((moment.month, length), (month, text.len()), "{text}");
        }
        assert_eq!(syslog("Marc 03 is here"), None);
        assert_eq!(syslog("May 08 or so"), None);
    }

    #[test]
    fn loggers_without_year() {
        let want = Wall::Yearless(Yearless { month: 1, day: 9, seconds: 9104.5 });
        assert_eq!(glog(b"[E109 02:31:44.500000000 ProcessGroupNCCL.cpp:616]"), Some(want));
        assert_eq!(glog(b"W0109 02:31:44.500 402211 torch"), Some(want));
        assert_eq!(month_day(b"01-09 02:31:44.5 [core.py:708]"), Some((want, 16)));
        assert_eq!(glog(b"Epoch 12"), None);
    }

    #[test]
    fn a_year_is_found_where_a_whole_date_stands() {
        assert_eq!(year_in("-- Journal begins at Tue 2025-09-02 00:00:11 UTC"), Some(2025));
        assert_eq!(year_in("Timestamp     : Tue Nov 24 03:20:41 2026"), Some(2026));
        assert_eq!(year_in("Kernel Module 550.54 Tue Jan 1 UTC 2024 build 2023"), None);
    }
}
