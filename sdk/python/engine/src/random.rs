//! The source of random numbers: the seed of the hook's input, so equal inputs give equal numbers in every instance.

use std::cell::Cell;

thread_local! {
    static STATE: Cell<u64> = const { Cell::new(0) };
}

pub fn seed(seed: u64) {
    STATE.set(seed);
}

/// The next bytes, by SplitMix64.
pub fn bytes(count: usize) -> Vec<u8> {
    let mut out = vec![0; count];
    fill(&mut out);
    out
}

fn fill(dest: &mut [u8]) {
    for chunk in dest.chunks_mut(8) {
        let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        STATE.set(state);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        chunk.copy_from_slice(&(z ^ z >> 31).to_le_bytes()[..chunk.len()]);
    }
}

#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(dest: *mut u8, length: usize) -> Result<(), getrandom::Error> {
    fill(unsafe { std::slice::from_raw_parts_mut(dest, length) });
    Ok(())
}
