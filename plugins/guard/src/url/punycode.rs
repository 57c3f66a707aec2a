//! Punycode, RFC 3492: the form in which a name with other letters than ASCII stands in the DNS.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;

/// The form of a label, `xn--` included; itself if it is ASCII. A label that is too long for a name has none.
pub fn encode(label: &str) -> Option<String> {
    if label.is_ascii() {
        return Some(label.to_owned());
    }
    let letters: Vec<u32> = label.chars().map(u32::from).collect();
    if letters.len() > 63 {
        return None;
    }
    let mut out = "xn--".to_owned();
    out.extend(label.chars().filter(char::is_ascii));
    let basic = out.len() as u32 - 4;
    if basic > 0 {
        out.push('-');
    }
    let (mut n, mut delta, mut bias, mut handled) = (128, 0u32, 72, basic);
    while (handled as usize) < letters.len() {
        let next = letters.iter().copied().filter(|c| *c >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for &c in &letters {
            if c < n {
                delta += 1;
            } else if c == n {
                push_number(&mut out, delta, bias);
                bias = adapt(delta, handled + 1, handled == basic);
                (delta, handled) = (0, handled + 1);
            }
        }
        (delta, n) = (delta + 1, n + 1);
    }
    Some(out)
}

/// Appends a number of digits of which the last one is known by its size.
fn push_number(out: &mut String, mut number: u32, bias: u32) {
    let mut k = BASE;
    loop {
        let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if number < threshold {
            return out.push(digit(number));
        }
        out.push(digit(threshold + (number - threshold) % (BASE - threshold)));
        number = (number - threshold) / (BASE - threshold);
        k += BASE;
    }
}

fn digit(value: u32) -> char {
    (value as u8 + if value < 26 { b'a' } else { b'0' - 26 }) as char
}

fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn labels_have_the_form_of_the_rfc() {
        for (label, want) in [
            ("example", "example"),
            ("münchen", "xn--mnchen-3ya"),
            ("bücher", "xn--bcher-kva"),
            ("пример", "xn--e1afmkfd"),
            ("例え", "xn--r8jz45g"),
            ("еxample", "xn--xample-2of"), // a Cyrillic е
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
        ] {
            assert_eq!(encode(label).as_deref(), Some(want));
        }
        assert_eq!(encode(&"é".repeat(64)), None);
    }
}
