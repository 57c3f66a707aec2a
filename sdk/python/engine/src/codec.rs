//! Documents: msgpack to Python's values and back.

use agenthost::wire::token::{self, Malformed, Reader, Token};
use rustpython_vm::builtins::{
    PyBaseExceptionRef, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyStr, PyTuple, PyType,
};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

const MOST_DECODED: usize = 128; // nested arrays and maps of the host
const MOST_DEPTH: usize = 64; // and of a document of the guest
const MOST_BYTES: usize = 1 << 20;
const MOST_VALUES: usize = 131_072;

/// A value that the host wrote.
pub fn decode(bytes: &[u8], vm: &VirtualMachine) -> PyResult {
    whole(bytes, vm, |d| d.value())
}

/// A value of a hook's input. The messages of a view stay encoded, for [`messages`].
pub fn decode_input(key: &[u8], bytes: &[u8], vm: &VirtualMachine) -> PyResult {
    whole(bytes, vm, |d| match key {
        b"messages" if !is_array(bytes) => d.view(),
        b"request" => d.map_of(|d, key| if key == "messages" { d.view() } else { d.value() }),
        _ => d.value(),
    })
}

/// Reports whether the messages are those of a reply, which are not a view.
fn is_array(bytes: &[u8]) -> bool {
    matches!(Reader::new(bytes).token(), Ok(Token::Array(_)))
}

/// Adds the pairs of a map to a dict.
pub fn decode_pairs(bytes: &[u8], into: &PyDict, vm: &VirtualMachine) -> PyResult<()> {
    whole(bytes, vm, |d| match d.reader.token()? {
        Token::Map(n) => d.pairs(n, into, |d, _| d.value()),
        _ => Err(Malformed::Type),
    })
}

/// The encoded messages of an encoded view.
pub fn items(view: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(view);
    let Ok(Token::Map(n)) = reader.token() else { return None };
    for _ in 0..n {
        let key = reader.key().ok()?;
        let value = reader.value().ok()?;
        if key == b"items" {
            return Some(value);
        }
    }
    None
}

/// The messages of a view. Their classes, which are dicts, are found by role.
pub fn messages(items: &[u8], classes: &Py<PyDict>, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let made = whole(items, vm, |d| {
        let Token::Array(n) = d.reader.token()? else { return Err(Malformed::Type) };
        (0..n)
            .map(|_| {
                let Token::Map(n) = d.reader.token()? else { return Err(Malformed::Type) };
                let keys = PyDict::default();
                d.pairs(n, &keys, |d, _| d.value())?;
                Ok(keys)
            })
            .collect::<Result<Vec<_>, _>>()
    })?;
    made.into_iter()
        .map(|keys| {
            let role = keys.inner_getitem_opt(vm.ctx.intern_str("role"), vm)?;
            let class = role.map_or(Ok(None), |role| classes.inner_getitem_opt(&*role, vm))?;
            match class.and_then(|class| class.downcast::<PyType>().ok()) {
                Some(class) => Ok(keys.into_ref_with_type(vm, class)?.into()),
                None => Ok(keys.into_ref(&vm.ctx).into()),
            }
        })
        .collect()
}

type Decoded = Result<PyObjectRef, Malformed>;

fn whole<T>(bytes: &[u8], vm: &VirtualMachine, read: impl FnOnce(&mut Decoder) -> Result<T, Malformed>) -> PyResult<T> {
    let mut d = Decoder { reader: Reader::new(bytes), vm, depth: 0 };
    match read(&mut d) {
        Ok(value) if d.reader.rest().is_empty() => Ok(value),
        _ => Err(malformed(vm)),
    }
}

pub fn malformed(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_value_error("the host's document is malformed")
}

struct Decoder<'a> {
    reader: Reader<'a>,
    vm: &'a VirtualMachine,
    depth: usize,
}

impl<'a> Decoder<'a> {
    fn value(&mut self) -> Decoded {
        let ctx = &self.vm.ctx;
        Ok(match self.reader.token()? {
            Token::Nil => ctx.none(),
            Token::Bool(v) => ctx.new_bool(v).into(),
            Token::Uint(v) => ctx.new_int(v).into(),
            Token::Int(v) => ctx.new_int(v).into(),
            Token::F32(v) => ctx.new_float(v.into()).into(),
            Token::F64(v) => ctx.new_float(v).into(),
            Token::Str(n) => self.text(n)?,
            Token::Bin(n) => ctx.new_bytes(self.reader.take(n)?.to_vec()).into(),
            Token::Array(n) => self.deeper(|d| d.list(n, Self::value))?,
            Token::Map(n) => self.deeper(|d| d.dict(n, |d, _| d.value()))?,
        })
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Decoded) -> Decoded {
        if self.depth == MOST_DECODED {
            return Err(Malformed::Count);
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self, n: usize, read: impl Fn(&mut Self) -> Decoded) -> Decoded {
        let mut items = Vec::with_capacity(n);
        for _ in 0..n {
            items.push(read(self)?);
        }
        Ok(self.vm.ctx.new_list(items).into())
    }

    fn dict(&mut self, n: usize, read: impl Fn(&mut Self, &str) -> Decoded) -> Decoded {
        let dict = PyDict::default();
        self.pairs(n, &dict, read)?;
        Ok(dict.into_ref(&self.vm.ctx).into())
    }

    fn pairs(&mut self, n: usize, into: &PyDict, read: impl Fn(&mut Self, &str) -> Decoded) -> Result<(), Malformed> {
        let ctx = &self.vm.ctx;
        for _ in 0..n {
            let key = token::text(self.reader.key()?)?;
            let value = read(self, key)?;
            // Keys of the ABI are in the pool already; others must not stay there.
            let stored = match ctx.interned_str(key) {
                Some(known) => into.inner_setitem(known, value, self.vm),
                None => into.inner_setitem(&*ctx.new_str(key), value, self.vm),
            };
            stored.map_err(|_| Malformed::Key)?;
        }
        Ok(())
    }

    fn map_of(&mut self, read: impl Fn(&mut Self, &str) -> Decoded) -> Decoded {
        match self.reader.token()? {
            Token::Map(n) => self.dict(n, read),
            _ => Err(Malformed::Type),
        }
    }

    /// A view, with its messages as their bytes.
    fn view(&mut self) -> Decoded {
        self.map_of(|d, key| match key {
            "items" => Ok(d.vm.ctx.new_bytes(d.reader.value()?.to_vec()).into()),
            _ => d.value(),
        })
    }

    fn text(&mut self, n: usize) -> Decoded {
        let bytes = self.reader.take(n)?;
        let text = if bytes.is_ascii() {
            unsafe { PyStr::new_ascii_unchecked(bytes.to_vec()) } // is_ascii has looked at each byte
        } else {
            PyStr::from(token::text(bytes)?)
        };
        Ok(self.vm.ctx.new_str(text).into())
    }
}

/// A value for the host. The error is a TypeError that says where in the document it is.
pub fn encode(value: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
    let mut e = Encoder { out: Vec::new(), vm, depth: 0, values: 0 };
    match e.value(value) {
        Ok(()) => Ok(e.out),
        Err(Refusal { path, why }) => {
            let place = if path.is_empty() { "the result" } else { path.trim_start_matches('.') };
            Err(vm.new_type_error(format!("{place} {why}")))
        }
    }
}

struct Refusal {
    path: String,
    why: String,
}

fn refuse(why: impl Into<String>) -> Result<(), Refusal> {
    Err(Refusal { path: String::new(), why: why.into() })
}

struct Encoder<'a> {
    out: Vec<u8>,
    vm: &'a VirtualMachine,
    depth: usize,
    values: usize,
}

impl Encoder<'_> {
    fn value(&mut self, value: &PyObject) -> Result<(), Refusal> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return refuse("makes the document have more than 131,072 values");
        }
        if let Some(s) = value.downcast_ref::<PyStr>() {
            return self.text(s);
        }
        if self.vm.is_none(value) {
            token::append_nil(&mut self.out);
        } else if let Some(i) = value.downcast_ref::<PyInt>() {
            return self.integer(value, i);
        } else if let Some(f) = value.downcast_ref::<PyFloat>() {
            if !f.to_f64().is_finite() {
                return refuse("is not a finite number");
            }
            token::append_f64(&mut self.out, f.to_f64());
        } else if let Some(b) = value.downcast_ref::<PyBytes>() {
            return self.bytes(b.as_bytes());
        } else if let Some(b) = value.downcast_ref::<PyByteArray>() {
            return self.bytes(&b.borrow_buf());
        } else if let Some(list) = value.downcast_ref::<PyList>() {
            let items = list.borrow_vec().to_vec();
            return self.items(&items);
        } else if let Some(tuple) = value.downcast_ref::<PyTuple>() {
            return self.items(tuple.as_slice());
        } else if let Some(dict) = value.downcast_ref::<PyDict>() {
            return self.pairs(&dict.items_vec());
        } else {
            let class = value.class().name().to_string();
            return refuse(format!(
                "is of the type {class}, which a document cannot hold; make it a dict, a list, a string or a number"
            ));
        }
        Ok(())
    }

    fn grow(&self, n: usize) -> Result<(), Refusal> {
        if self.out.len() + n > MOST_BYTES { refuse("makes the document larger than 1 MiB") } else { Ok(()) }
    }

    /// Half of a surrogate pair has no UTF-8; U+FFFD takes its place.
    fn text(&mut self, s: &PyStr) -> Result<(), Refusal> {
        self.grow(s.as_wtf8().len())?;
        token::append_str(&mut self.out, &s.to_string_lossy());
        Ok(())
    }

    fn bytes(&mut self, b: &[u8]) -> Result<(), Refusal> {
        self.grow(b.len())?;
        token::append_bin(&mut self.out, b);
        Ok(())
    }

    fn integer(&mut self, value: &PyObject, i: &PyInt) -> Result<(), Refusal> {
        if value.class().is(self.vm.ctx.types.bool_type) {
            token::append_bool(&mut self.out, value.is(&self.vm.ctx.true_value));
        } else if let Ok(v) = i64::try_from(i.as_bigint()) {
            token::append_int(&mut self.out, v);
        } else if let Ok(v) = u64::try_from(i.as_bigint()) {
            token::append_uint(&mut self.out, v);
        } else {
            return refuse("is an integer of more than 64 bits");
        }
        Ok(())
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        if self.depth == MOST_DEPTH {
            return refuse("nests more than 64 lists and dicts, or contains itself");
        }
        self.grow(5)?;
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn items(&mut self, items: &[PyObjectRef]) -> Result<(), Refusal> {
        self.deeper(|e| {
            token::append_array(&mut e.out, items.len());
            items.iter().enumerate().try_for_each(|(i, item)| e.value(item).map_err(|r| r.within(&format!("[{i}]"))))
        })
    }

    /// Writes keys in the order of the canonical form, whatever the order in which the script made them.
    fn pairs(&mut self, pairs: &[(PyObjectRef, PyObjectRef)]) -> Result<(), Refusal> {
        let mut sorted = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            match key.downcast_ref::<PyStr>() {
                Some(key) => sorted.push((key, value)),
                None => return refuse(format!("has a key of the type {}; keys are strings", key.class().name())),
            }
        }
        sorted.sort_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
        self.deeper(|e| {
            token::append_map(&mut e.out, sorted.len());
            sorted.iter().try_for_each(|(key, value)| {
                e.text(key)?;
                e.value(value).map_err(|r| r.within(&format!(".{}", key.to_string_lossy())))
            })
        })
    }
}

impl Refusal {
    /// Puts a step in front of the path, unless it is long enough.
    fn within(mut self, step: &str) -> Self {
        if self.path.len() < 200 {
            self.path.insert_str(0, step.get(..80).unwrap_or(step));
        }
        self
    }
}
