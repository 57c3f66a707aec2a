//! Fingerprints: FNV-1a without its last bit, so that they are integers in every language. Whoever makes two things with one
//! fingerprint is warned of a loop that is none.

use agenthost::Value;

/// The fingerprint of bytes.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    let hash = bytes.iter().fold(start, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    hash >> 1
}

/// The fingerprint of several ones, in their order.
pub fn of(parts: &[u64]) -> u64 {
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
    of_bytes(&bytes)
}

/// The fingerprint of a set of them.
pub fn of_set(parts: impl Iterator<Item = u64>) -> u64 {
    of(&set(parts))
}

/// The fingerprint of a value: the order of a map's keys does not matter, at any depth.
pub fn of_value(value: Value<'_>) -> u64 {
    if value.is_map() {
        let pairs = value.pairs().map(|(key, value)| of(&[of_bytes(key.as_bytes()), of_value(value)]));
        of(&[1, of_set(pairs)])
    } else if value.is_array() {
        let items: Vec<u64> = value.items().map(of_value).collect();
        of(&[2, of(&items)])
    } else {
        of_bytes(value.bytes())
    }
}

/// The items in ascending order, each once. The sorts of the standard library are ten times as much code.
pub fn set<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.fold(Vec::new(), |mut set, item| {
        if let Err(place) = set.binary_search(&item) {
            set.insert(place, item);
        }
        set
    })
}
