use core::fmt;

/// Money, in millionths of the currency: integers add up exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Micros(pub u64);

impl Micros {
    pub fn of(amount: f64) -> Self {
        Micros((amount * 1e6).round() as u64)
    }
}

/// Shows two decimal places, more where they say something.
impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:06}", self.0 % 1_000_000);
        let significant = fraction.trim_end_matches('0').len().max(2);
        write!(f, "{}.{}", self.0 / 1_000_000, &fraction[..significant])
    }
}
