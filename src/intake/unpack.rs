//! Compressed streams and archives to the texts inside them.
//!
//! gzip and zstd streams, tar and zip archives, nested up to a small depth. Decoded bytes are
//! counted while they are read, so an archive bomb ends at the limit and never in memory.

use super::{Limit, Limits};
use crate::error::Error;
use std::io::{Cursor, Read};

/// Archives within archives; what lies deeper is left out and said.
const MAX_ARCHIVES: u8 = 2;
/// Compressed streams on the way to one text (`.log.gz` in a `.tar.gz` are two).
const MAX_STREAMS: u8 = 3;
/// Members of one archive that are looked at.
const MAX_MEMBERS: usize = 10_000;
const CHUNK: usize = 64 * 1024;

/// What may still be decoded.
pub struct Budget {
    used: u64,
    limit: u64,
}

impl Budget {
    pub fn new(limits: &Limits) -> Budget {
        Budget { used: 0, limit: limits.max_decoded }
    }

    /// Counts `bytes` more.
    ///
    /// # Errors
    /// [`Error::DecodedTooLarge`] when the limit is passed.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Error> {
        self.used = self.used.saturating_add(bytes as u64);
        if self.used > self.limit { Err(Error::DecodedTooLarge { limit: self.limit }) } else { Ok(()) }
    }

    /// Bytes that were counted and are replaced by what they unpack to.
    fn refund(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes as u64);
    }
}

/// A file that is no archive: text, it is hoped.
pub struct Member {
    pub name: String,
    pub bytes: Vec<u8>,
    /// It came out of an archive of several, where a binary neighbour is no reason to refuse.
    pub archived: bool,
}

struct Item {
    member: Member,
    archives: u8,
    streams: u8,
}

/// Unpacks one part, in the order of its members.
///
/// # Errors
/// [`Error::DecodedTooLarge`], [`Error::DamagedArchive`].
pub fn unpack(name: String, bytes: Vec<u8>, budget: &mut Budget, left_out: &mut Vec<Limit>) -> Result<Vec<Member>, Error> {
    budget.charge(bytes.len())?;
    let first = Item { member: Member { name, bytes, archived: false }, archives: 0, streams: 0 };
    let mut stack = vec![first];
    let mut texts = Vec::new();
    while let Some(item) = stack.pop() {
        let Some(format) = format_of(&item.member.bytes) else {
            texts.push(item.member);
            continue;
        };
        let deep = match format {
            Format::Gzip | Format::Zstd => item.streams >= MAX_STREAMS,
            Format::Tar | Format::Zip => item.archives >= MAX_ARCHIVES,
        };
        budget.refund(item.member.bytes.len());
        if deep {
            note(left_out, "nested-archive", 1);
            continue;
        }
        let mut inside = open(item, format, budget, left_out)?;
        inside.reverse();
        stack.append(&mut inside);
    }
    Ok(texts)
}

fn open(item: Item, format: Format, budget: &mut Budget, left_out: &mut Vec<Limit>) -> Result<Vec<Item>, Error> {
    let Item { member, archives, streams } = item;
    match format {
        Format::Gzip => stream(flate2::read::MultiGzDecoder::new(member.bytes.as_slice()), &member, "gzip", budget),
        Format::Zstd => {
            let decoder =
                zstd::stream::read::Decoder::new(member.bytes.as_slice()).map_err(|_| Error::DamagedArchive { format: "zstd" })?;
            stream(decoder, &member, "zstd", budget)
        }
        Format::Tar => tar_members(&member.bytes, budget, left_out),
        Format::Zip => zip_members(&member.bytes, budget, left_out),
    }
    .map(|members| {
        let is_stream = matches!(format, Format::Gzip | Format::Zstd);
        let deeper = |member| Item { member, archives: archives + u8::from(!is_stream), streams: streams + u8::from(is_stream) };
        members.into_iter().map(deeper).collect()
    })
}

fn stream(decoder: impl Read, outer: &Member, format: &'static str, budget: &mut Budget) -> Result<Vec<Member>, Error> {
    let bytes = read_all(decoder, format, budget)?;
    let name = [".gz", ".zst", ".zstd", ".tgz"].iter().find_map(|end| outer.name.strip_suffix(end)).unwrap_or(&outer.name);
    Ok(vec![Member { name: name.to_owned(), bytes, archived: outer.archived }])
}

fn tar_members(bytes: &[u8], budget: &mut Budget, left_out: &mut Vec<Limit>) -> Result<Vec<Member>, Error> {
    let damaged = |_| Error::DamagedArchive { format: "tar" };
    let mut archive = tar::Archive::new(bytes);
    let mut members = Vec::new();
    for (count, entry) in archive.entries().map_err(damaged)?.enumerate() {
        if count >= MAX_MEMBERS {
            note(left_out, "archive-members", 1);
            break;
        }
        let entry = entry.map_err(damaged)?;
        if !entry.header().entry_type().is_file() || entry.size() == 0 {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let bytes = read_all(entry, "tar", budget)?;
        members.push(Member { name, bytes, archived: true });
    }
    Ok(members)
}

fn zip_members(bytes: &[u8], budget: &mut Budget, left_out: &mut Vec<Limit>) -> Result<Vec<Member>, Error> {
    let damaged = || Error::DamagedArchive { format: "zip" };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|_| damaged())?;
    let mut members = Vec::new();
    for index in 0..archive.len().min(MAX_MEMBERS) {
        let Ok(entry) = archive.by_index(index) else {
            // Encrypted, or a method that is not built in: the others can still be read.
            note(left_out, "binary-member", 1);
            continue;
        };
        if !entry.is_file() || entry.size() == 0 {
            continue;
        }
        let name = entry.name().map(|name| name.into_owned()).unwrap_or_default();
        let bytes = read_all(entry, "zip", budget)?;
        members.push(Member { name, bytes, archived: true });
    }
    if archive.len() > MAX_MEMBERS {
        note(left_out, "archive-members", (archive.len() - MAX_MEMBERS) as u64);
    }
    Ok(members)
}

/// Reads to the end, counting every chunk before the next one is asked for.
fn read_all(mut reader: impl Read, format: &'static str, budget: &mut Budget) -> Result<Vec<u8>, Error> {
    let mut all = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = reader.read(&mut chunk).map_err(|_| Error::DamagedArchive { format })?;
        if count == 0 {
            return Ok(all);
        }
        budget.charge(count)?;
        all.extend_from_slice(chunk.get(..count).unwrap_or_default());
    }
}

#[derive(Clone, Copy)]
enum Format {
    Gzip,
    Zstd,
    Tar,
    Zip,
}

fn format_of(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        Some(Format::Gzip)
    } else if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Some(Format::Zstd)
    } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        Some(Format::Zip)
    } else if bytes.get(257..262) == Some(b"ustar") {
        Some(Format::Tar)
    } else {
        None
    }
}

/// Adds to the count of things left out.
pub fn note(limits: &mut Vec<Limit>, what: &'static str, count: u64) {
    match limits.iter_mut().find(|l| l.what == what) {
        Some(known) => known.count += count,
        None => limits.push(Limit { what, count }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn texts(name: &str, bytes: Vec<u8>, max: u64) -> Result<Vec<(String, String)>, Error> {
        let mut budget = Budget::new(&Limits { max_decoded: max });
        let members = unpack(name.into(), bytes, &mut budget, &mut Vec::new())?;
        Ok(members.into_iter().map(|m| (m.name, String::from_utf8(m.bytes).unwrap())).collect())
    }

    #[test]
    fn every_format_is_unpacked_in_order() {
        let mut two = gzip(b"one\n");
        two.extend(gzip(b"two\n"));
        assert_eq!(texts("x.log.gz", two, 100).unwrap(), [("x.log".into(), "one\ntwo\n".into())]);
        let zst = zstd::stream::encode_all(&b"text"[..], 3).unwrap();
        assert_eq!(texts("x.zst", zst, 100).unwrap(), [("x".into(), "text".into())]);
        let files: &[(&str, &[u8])] = &[("a/dmesg", b"first"), ("b/smi.gz", &gzip(b"second"))];
        let want = [("a/dmesg".to_owned(), "first".to_owned()), ("b/smi".into(), "second".into())];
        assert_eq!(texts("t.tar", tar_of(files), 4000).unwrap(), want);
        assert_eq!(texts("t.tgz", gzip(&tar_of(files)), 4000).unwrap(), want);
        assert_eq!(texts("t.zip", zip_of(files), 4000).unwrap(), want);
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        let bomb = gzip(&vec![b'a'; 1 << 20]);
        assert!(bomb.len() < 4000);
        assert!(matches!(texts("b.gz", bomb, 4096), Err(Error::DecodedTooLarge { limit: 4096 })));
    }

    #[test]
    fn archives_too_deep_are_left_out_and_said() {
        let third = tar_of(&[("deep", b"text")]);
        let second = tar_of(&[("third.tar", &third), ("seen", b"here")]);
        let first = tar_of(&[("second.tar", &second)]);
        let mut left_out = Vec::new();
        let members = unpack("t".into(), first, &mut Budget::new(&Limits::default()), &mut left_out).unwrap();
        assert_eq!(members.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["seen"]);
        assert_eq!(left_out, [Limit { what: "nested-archive", count: 1 }]);
    }

    #[test]
    fn a_cut_stream_is_said_to_be_damaged() {
        let whole = gzip(&(0..20_000u32).flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
        let cut = whole[..whole.len() / 2].to_vec();
        assert!(matches!(texts("x.gz", cut, 1 << 20), Err(Error::DamagedArchive { format: "gzip" })));
        assert!(matches!(texts("x.zip", b"PK\x03\x04rubbish".to_vec(), 1 << 20), Err(Error::DamagedArchive { format: "zip" })));
    }
}
