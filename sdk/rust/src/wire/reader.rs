use super::DecodeError;

/// The head of a value: a scalar, or how much follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token {
    Nil,
    Bool(bool),
    /// An integer that is not negative.
    Uint(u64),
    /// A negative integer.
    Int(i64),
    F32(f32),
    F64(f64),
    /// The length in bytes, which follow.
    Str(usize),
    /// The length in bytes, which follow.
    Bin(usize),
    /// The number of values that follow.
    Array(usize),
    /// The number of pairs that follow.
    Map(usize),
}

/// The reason why bytes are malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    End,
    Count,
    Type,
    Float,
    Utf8,
    Key,
}

impl From<Malformed> for DecodeError {
    fn from(m: Malformed) -> Self {
        DecodeError::new(match m {
            Malformed::End => "the document ends inside a value",
            Malformed::Count => "the value claims more elements than the document has bytes",
            Malformed::Type => "a type that documents may not have",
            Malformed::Float => "NaN and infinities are not allowed",
            Malformed::Utf8 => "a string is not valid UTF-8",
            Malformed::Key => "a map key must be a string",
        })
    }
}

/// Reads bytes token by token. The bytes were not validated, so every step may fail, but none panics.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// The bytes that were not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        if n > self.rest.len() {
            return Err(Malformed::End);
        }
        let (taken, rest) = self.rest.split_at(n);
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self, width: usize) -> Result<u64, Malformed> {
        Ok(self.take(width)?.iter().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    fn signed(&mut self, width: usize) -> Result<Token, Malformed> {
        let shift = 64 - 8 * width as u32;
        let v = (self.number(width)? << shift) as i64 >> shift;
        Ok(if v < 0 { Token::Int(v) } else { Token::Uint(v as u64) })
    }

    fn count(&mut self, width: usize) -> Result<usize, Malformed> {
        let n = self.number(width)?;
        if n > self.rest.len() as u64 {
            return Err(Malformed::Count);
        }
        Ok(n as usize)
    }

    /// Reads a head. The content of a string, bin, array or map is still to be read.
    #[inline]
    pub fn token(&mut self) -> Result<Token, Malformed> {
        let (&tag, rest) = self.rest.split_first().ok_or(Malformed::End)?;
        self.rest = rest;
        Ok(match tag {
            0x00..=0x7f => Token::Uint(tag.into()),
            0x80..=0x8f => Token::Map((tag & 0x0f).into()),
            0x90..=0x9f => Token::Array((tag & 0x0f).into()),
            0xa0..=0xbf => Token::Str((tag & 0x1f).into()),
            0xe0..=0xff => Token::Int((tag as i8).into()),
            _ => return self.long(tag),
        })
    }

    fn long(&mut self, tag: u8) -> Result<Token, Malformed> {
        Ok(match tag {
            0xc0 => Token::Nil,
            0xc2 | 0xc3 => Token::Bool(tag == 0xc3),
            0xc4..=0xc6 => Token::Bin(self.count(1 << (tag - 0xc4))?),
            0xca => match f32::from_bits(self.number(4)? as u32) {
                v if v.is_finite() => Token::F32(v),
                _ => return Err(Malformed::Float),
            },
            0xcb => match f64::from_bits(self.number(8)?) {
                v if v.is_finite() => Token::F64(v),
                _ => return Err(Malformed::Float),
            },
            0xcc..=0xcf => Token::Uint(self.number(1 << (tag - 0xcc))?),
            0xd0..=0xd3 => self.signed(1 << (tag - 0xd0))?,
            0xd9..=0xdb => Token::Str(self.count(1 << (tag - 0xd9))?),
            0xdc | 0xdd => Token::Array(self.count(2 << (tag - 0xdc))?),
            0xde | 0xdf => Token::Map(self.count(2 << (tag - 0xde))?),
            _ => return Err(Malformed::Type),
        })
    }

    /// Skips one value, however deep it is.
    pub fn skip(&mut self) -> Result<(), Malformed> {
        let mut open = 1usize;
        while open > 0 {
            open -= 1;
            match self.token()? {
                Token::Str(n) | Token::Bin(n) => {
                    self.take(n)?;
                }
                Token::Array(n) => open = open.saturating_add(n),
                Token::Map(n) => open = open.saturating_add(n).saturating_add(n),
                _ => {}
            }
            if open > self.rest.len() {
                return Err(Malformed::Count);
            }
        }
        Ok(())
    }

    /// Reads one complete value.
    pub fn value(&mut self) -> Result<&'a [u8], Malformed> {
        let start = self.rest;
        self.skip()?;
        Ok(&start[..start.len() - self.rest.len()])
    }

    /// Reads the bytes of a map key, or of any other string.
    #[inline]
    pub fn key(&mut self) -> Result<&'a [u8], Malformed> {
        match self.token()? {
            Token::Str(n) => self.take(n),
            _ => Err(Malformed::Key),
        }
    }
}

/// The string in these bytes.
pub fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    core::str::from_utf8(bytes).map_err(|_| Malformed::Utf8)
}
