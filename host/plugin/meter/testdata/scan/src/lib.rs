//! A guest that looks for digits and addresses in 1 MB: what a scanner in Rust does.
static mut BUF: [u8; 1 << 20] = [0; 1 << 20];

#[no_mangle]
pub extern "C" fn fill() {
    let mut x: u32 = 1;
    let b = unsafe { &mut *core::ptr::addr_of_mut!(BUF) };
    for c in b.iter_mut() {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        *c = b"abcdefghij 0123456789@.-"[(x >> 24) as usize % 24];
    }
}

#[no_mangle]
pub extern "C" fn scan(_n: u32) -> u32 {
    let b = unsafe { &*core::ptr::addr_of!(BUF) };
    let text = core::str::from_utf8(b).unwrap_or("");
    let mut found = 0;
    for word in text.split(' ') {
        if let Some(at) = word.find('@') {
            let (user, domain) = word.split_at(at);
            if !user.is_empty() && domain.contains('.') {
                found += 1;
            }
        }
        if word.len() >= 13 && word.bytes().all(|c| c.is_ascii_digit() || c == b'-') {
            found += 1;
        }
    }
    found
}
