//! What letters look like. The tables hold what attacks use and what is cheap; Unicode's own list of confusables is
//! much longer.

/// What a character that is not ASCII counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing: it cannot be seen, or it only decorates the letter before it.
    Nothing,
    /// An ASCII character.
    Letter(u8),
    /// Itself.
    Other,
}

/// U+00C0 to U+017F without their diacritics; a dot stands for no letter.
const LATIN: &[u8; 192] = b"aaaaaaaceeeeiiiidnooooo.ouuuuyts\
aaaaaaaceeeeiiiidnooooo.ouuuuyty\
aaaaaaccccccccddddeeeeeeeeeegggg\
gggghhhhiiiiiiiiiiiijjkkklllllll\
lllnnnnnnnnnoooooooorrrrrrssssss\
ssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Cyrillic, Greek and small capital letters, each before the Latin letter that it looks like.
const LOOKALIKES: &str =
    "аaАaеeЕeоoОoрpРpсcСcуyУyхxХxіiІiїiЇiјjЈjѕsЅsԁdԛqԚqѡwԝwԜwһhҺhкkКkмmМmнhНhтtТtвbВbгrпnԍgѵvѴvӏlӀi\
αaΑaεeΕeΖzηnΗhιiΙiκkΚkΜmνvΝnοoΟoρpΡpτtΤtυuΥyχxΧxωwϲcϳjγyσoΒb\
ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzıiſsɡgɑaɩiℓl℮eℯeℊgℴo\
ƖlǀlѐeЀeёeЁeйuЙuɸp";

/// The letters of [`LOOKALIKES`] by code point, where most of them are.
const LOWEST: usize = 0x0370;
const HIGHEST: usize = 0x0530;
static NEAR: [u8; HIGHEST - LOWEST] = near();

const fn near() -> [u8; HIGHEST - LOWEST] {
    let mut table = [0; HIGHEST - LOWEST];
    let bytes = LOOKALIKES.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (code, length) = decode(bytes, at);
        let letter = bytes[at + length];
        if code >= LOWEST && code < HIGHEST {
            table[code - LOWEST] = letter;
        }
        at += length + 1;
    }
    table
}

/// The character of two or three bytes at an index, and how many they are.
const fn decode(bytes: &[u8], at: usize) -> (usize, usize) {
    let first = bytes[at] as usize;
    if first < 0xe0 {
        ((first & 0x1f) << 6 | (bytes[at + 1] & 0x3f) as usize, 2)
    } else {
        ((first & 0x0f) << 12 | ((bytes[at + 1] & 0x3f) as usize) << 6 | (bytes[at + 2] & 0x3f) as usize, 3)
    }
}

/// What a character that is not ASCII counts as.
pub fn letter_of(c: char) -> Class {
    let code = c as u32;
    if is_invisible(c) || is_combining(code) {
        return match code {
            0xE0020..=0xE007E => Class::Letter((code as u8).to_ascii_lowercase()), // tags are written in ASCII
            _ => Class::Nothing,
        };
    }
    let from = |first: u32, count: u32| Class::Letter(b'a' + ((code - first) % count) as u8);
    match code {
        0x80..=0xBF | 0x2000..=0x206F | 0x2190..=0x249B | 0x2500..=0x2BFF | 0x3000..=0x303F => punctuation(code),
        0xC0..=0x17F => match LATIN[code as usize - 0xC0] {
            b'.' => Class::Letter(b' '),
            letter => Class::Letter(letter),
        },
        0x370..=0x52F => match NEAR[code as usize - LOWEST] {
            0 => Class::Other,
            letter => Class::Letter(letter),
        },
        0x249C..=0x24B5 => from(0x249C, 26),
        0x24B6..=0x24E9 => from(0x24B6, 26),
        0xFF01..=0xFF5E => Class::Letter(((code - 0xFF01) as u8 + b'!').to_ascii_lowercase()),
        0xFF61 => Class::Letter(b'.'),
        0x1D400..=0x1D6A3 => from(0x1D400, 26), // alphabets of 26 capital and 26 small letters
        0x1D7CE..=0x1D7FF => Class::Letter(b'0' + ((code - 0x1D7CE) % 10) as u8),
        0x1F100..=0x1F10C => Class::Letter(b' '),
        0x1F110..=0x1F129 => from(0x1F110, 26),
        0x1F130..=0x1F149 => from(0x1F130, 26),
        0x1F150..=0x1F169 => from(0x1F150, 26),
        0x1F170..=0x1F189 => from(0x1F170, 26),
        0x1F1E6..=0x1F1FF => from(0x1F1E6, 26),
        0xE000..=0xF8FF | 0x1F000..=0x1FAFF | 0xFFFC..=0xFFFD => Class::Letter(b' '),
        0x180..=0x36F | 0x1D00..=0x1D7F | 0x2100..=0x218F | 0xA720..=0xA7FF => lookalike(c),
        _ => Class::Other,
    }
}

/// The ASCII character of which another one is only a form: what names of hosts take it for.
pub fn compatible(c: char) -> Option<char> {
    match c {
        '\u{3002}' | '\u{FF61}' => Some('.'),
        '\u{24B6}'..='\u{24E9}' | '\u{FF01}'..='\u{FF5E}' | '\u{1D400}'..='\u{1D6A3}' | '\u{1D7CE}'..='\u{1D7FF}' => {
            match letter_of(c) {
                Class::Letter(letter) => Some(letter as char),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The small letter of a capital one, in the alphabets that names and patterns are written in.
pub fn lower(c: char) -> char {
    let code = c as u32;
    let small = match code {
        0x41..=0x5A | 0xC0..=0xD6 | 0xD8..=0xDE | 0x391..=0x3A9 | 0x410..=0x42F => code + 0x20,
        0x139..=0x148 | 0x179..=0x17E => code + code % 2,
        0x100..=0x12F | 0x132..=0x137 | 0x14A..=0x177 | 0x460..=0x481 | 0x48A..=0x4BF | 0x4D0..=0x52F => code | 1,
        0x400..=0x40F => code + 0x50,
        0x531..=0x556 => code + 0x30,
        _ => code,
    };
    char::from_u32(small).unwrap_or(c)
}

fn lookalike(c: char) -> Class {
    let mut letters = LOOKALIKES.chars();
    while let (Some(alike), Some(letter)) = (letters.next(), letters.next()) {
        if alike == c {
            return Class::Letter(letter as u8);
        }
    }
    Class::Other
}

/// What a sign of punctuation, or a symbol, stands for.
fn punctuation(code: u32) -> Class {
    Class::Letter(match code {
        0x2018..=0x201B | 0x2032 | 0xB4 => b'\'',
        0x201C..=0x201F | 0x2033 | 0xAB | 0xBB | 0x300C..=0x300F => b'"',
        0x2010..=0x2015 => b'-',
        0x2026 | 0x3002 => b'.',
        0x2581 => b'_',
        0x2223 | 0x2502 => b'|',
        0x3008 | 0x2329 | 0x27E8 => b'<',
        0x3009 | 0x232A | 0x27E9 => b'>',
        0x3010 => b'[',
        0x3011 => b']',
        0x2028 | 0x2029 | 0x85 => b'\n',
        0xAA => b'a',
        0xBA => b'o',
        0xB5 => b'u',
        _ => b' ',
    })
}

fn is_combining(code: u32) -> bool {
    matches!(code, 0x300..=0x36F | 0x483..=0x489 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// Reports whether a character has no look of its own.
pub fn is_invisible(c: char) -> bool {
    matches!(c as u32,
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E
        | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3
        | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}
