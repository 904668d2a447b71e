//! Bytes to text: UTF-8, UTF-16 with or without a mark, GB18030, and what else shows itself.

use encoding_rs::{Encoding, GB18030, GBK, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes that are looked at to tell an encoding.
const SAMPLE: usize = 64 * 1024;
/// One odd byte in this many is still text.
const ODD_SHARE: usize = 20;

/// Decodes, or says with `None` that this is no text.
///
/// A lone control byte, a run of NULs that a crash left in a log, a few broken characters
/// are no reason to refuse.
pub fn decode(bytes: Vec<u8>) -> Option<String> {
    if let Some((encoding, _)) = Encoding::for_bom(&bytes).filter(|(e, _)| *e != UTF_8) {
        return Some(encoding.decode_with_bom_removal(&bytes).0.into_owned());
    }
    if let Some(encoding) = unmarked_utf16(&bytes) {
        return Some(encoding.decode_without_bom_handling(&bytes).0.into_owned());
    }
    if !looks_like_text(&bytes) {
        return None;
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => decode_other(error.into_bytes()),
    };
    Some(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn decode_other(bytes: Vec<u8>) -> String {
    if mostly_utf8(&bytes) {
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    let sample = bytes.get(..SAMPLE).unwrap_or(&bytes);
    detector.feed(sample, sample.len() == bytes.len());
    let guess = detector.guess(None, chardetng::Utf8Detection::Deny);
    // GB18030 is the larger of the two and reads every GBK text.
    let encoding = if guess == GBK { GB18030 } else { guess };
    encoding.decode_without_bom_handling(&bytes).0.into_owned()
}

/// True where the broken sequences are few beside the whole ones.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    broken <= whole || broken <= 2
}

/// UTF-16 without a mark shows itself by the NULs of its ASCII.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = bytes.get(..4096).unwrap_or(bytes);
    let pairs = sample.len() / 2;
    if pairs < 4 {
        return None;
    }
    let nuls = |odd: usize| sample.iter().skip(odd).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    if odd * 10 > pairs * 4 && even * 20 < pairs {
        Some(UTF_16LE)
    } else if even * 10 > pairs * 4 && odd * 20 < pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let nuls = memchr::memchr_iter(0, bytes).count();
    let odd = bytes.iter().filter(|b| matches!(b, 1..=6 | 14..=26 | 28..=31 | 127)).count();
    let few = odd <= 2 && nuls <= 2;
    few || (odd * ODD_SHARE <= bytes.len() && nuls * 3 <= bytes.len() && (nuls == 0 || nuls_in_runs(bytes, nuls)))
}

/// A crash leaves its NULs in a few long runs; a binary file strews them.
fn nuls_in_runs(bytes: &[u8], nuls: usize) -> bool {
    let runs = bytes.chunk_by(|a, b| (*a == 0) == (*b == 0)).filter(|run| run.first() == Some(&0)).count();
    nuls <= 8 || runs * 8 <= nuls || nuls * 200 <= bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "驱动版本不匹配: Driver/library version mismatch，服务器上四张卡，我只用两张卡跑，报错如下\n";
        let (gbk, _, _) = GBK.encode(text);
        assert_eq!(decode(gbk.into_owned()).as_deref(), Some(text));
        let mut marked = vec![0xef, 0xbb, 0xbf];
        marked.extend_from_slice(text.as_bytes());
        assert_eq!(decode(marked).as_deref(), Some(text));
        for (mark, unit) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)] {
            let mut bytes = mark.to_vec();
            bytes.extend(text.encode_utf16().flat_map(unit));
            assert_eq!(decode(bytes).as_deref(), Some(text));
            let bare: Vec<u8> = "NVRM: Xid 79\n".encode_utf16().flat_map(unit).collect();
            assert_eq!(decode(bare).as_deref(), Some("NVRM: Xid 79\n"));
        }
    }

    #[test]
    fn a_few_broken_bytes_are_no_reason_to_refuse() {
        assert_eq!(decode(b"CUDA error \xff\x07 here".to_vec()).as_deref(), Some("CUDA error \u{fffd}\u{7} here"));
        let mut crashed = b"Nov 24 10:14:02 host kernel: NVRM: Xid\n".repeat(20);
        crashed.extend([0; 200]);
        assert!(decode(crashed).is_some());
    }

    #[test]
    fn binary_is_no_text() {
        let noise: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert_eq!(decode(noise), None);
        assert_eq!(decode(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0".repeat(8)), None);
    }
}
