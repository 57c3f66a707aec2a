//! Writing the canonical form: every head in its shortest form.

/// Appends a head: small, or with a length of one, two or four bytes. `None` means that the family lacks that form.
fn head(out: &mut Vec<u8>, n: usize, small: Option<(u8, usize)>, one: Option<u8>, two: u8, four: u8) {
    match (small, one) {
        (Some((tag, most)), _) if n <= most => out.push(tag | n as u8),
        (_, Some(tag)) if n <= 0xff => out.extend_from_slice(&[tag, n as u8]),
        _ if n <= 0xffff => {
            out.push(two);
            out.extend_from_slice(&(n as u16).to_be_bytes());
        }
        _ => {
            out.push(four);
            out.extend_from_slice(&(n as u32).to_be_bytes());
        }
    }
}

pub fn append_nil(out: &mut Vec<u8>) {
    out.push(0xc0);
}

pub fn append_bool(out: &mut Vec<u8>, v: bool) {
    out.push(0xc2 | u8::from(v));
}

pub fn append_uint(out: &mut Vec<u8>, v: u64) {
    match v {
        0..=0x7f => out.push(v as u8),
        0x80..=0xff => out.extend_from_slice(&[0xcc, v as u8]),
        0x100..=0xffff => {
            out.push(0xcd);
            out.extend_from_slice(&(v as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(0xce);
            out.extend_from_slice(&(v as u32).to_be_bytes());
        }
        _ => {
            out.push(0xcf);
            out.extend_from_slice(&v.to_be_bytes());
        }
    }
}

pub fn append_int(out: &mut Vec<u8>, v: i64) {
    match v {
        0.. => append_uint(out, v as u64),
        -32.. => out.push(v as u8),
        -0x80.. => out.extend_from_slice(&[0xd0, v as u8]),
        -0x8000.. => {
            out.push(0xd1);
            out.extend_from_slice(&(v as i16).to_be_bytes());
        }
        -0x8000_0000.. => {
            out.push(0xd2);
            out.extend_from_slice(&(v as i32).to_be_bytes());
        }
        _ => {
            out.push(0xd3);
            out.extend_from_slice(&v.to_be_bytes());
        }
    }
}

pub fn append_f32(out: &mut Vec<u8>, v: f32) {
    out.push(0xca);
    out.extend_from_slice(&v.to_bits().to_be_bytes());
}

pub fn append_f64(out: &mut Vec<u8>, v: f64) {
    out.push(0xcb);
    out.extend_from_slice(&v.to_bits().to_be_bytes());
}

pub fn append_str(out: &mut Vec<u8>, v: &str) {
    head(out, v.len(), Some((0xa0, 31)), Some(0xd9), 0xda, 0xdb);
    out.extend_from_slice(v.as_bytes());
}

pub fn append_bin(out: &mut Vec<u8>, v: &[u8]) {
    head(out, v.len(), None, Some(0xc4), 0xc5, 0xc6);
    out.extend_from_slice(v);
}

/// Appends the head of an array of `n` values, which must follow.
pub fn append_array(out: &mut Vec<u8>, n: usize) {
    head(out, n, Some((0x90, 15)), None, 0xdc, 0xdd);
}

/// Appends the head of a map of `n` pairs, which must follow in ascending order of their keys.
pub fn append_map(out: &mut Vec<u8>, n: usize) {
    head(out, n, Some((0x80, 15)), None, 0xde, 0xdf);
}
