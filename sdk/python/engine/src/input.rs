//! The input of a hook. Its values are decoded when somebody looks at them: most hooks look at few.

use std::ops::Range;

use agenthost::wire::token::{Malformed, Reader, Token};
use rustpython_vm::builtins::{PyDict, PyDictRef, PyStrRef};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::function::OptionalArg;
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, Traverse, VirtualMachine, pyclass};

use crate::codec;

/// A document that is a map, as Python sees it.
#[pyclass(module = "_agenthost", name = "Input", traverse)]
#[derive(Debug, PyPayload)]
pub struct Input {
    #[pytraverse(skip)]
    bytes: Vec<u8>,
    #[pytraverse(skip)]
    places: Vec<Place>,
    decoded: PyMutex<Option<PyDictRef>>,
}

/// Where a key and its value are in the document.
#[derive(Debug)]
struct Place {
    key: Range<usize>,
    value: Range<usize>,
}

impl Input {
    pub fn new(bytes: Vec<u8>, vm: &VirtualMachine) -> PyResult<Self> {
        let places = places(&bytes).map_err(|_| codec::malformed(vm))?;
        Ok(Self { bytes, places, decoded: PyMutex::new(None) })
    }

    /// The bytes of a value.
    pub fn bytes(&self, key: &[u8]) -> Option<&[u8]> {
        self.places.iter().find(|p| &self.bytes[p.key.clone()] == key).map(|p| &self.bytes[p.value.clone()])
    }

    /// A value that is a positive integer; 0: there is none.
    pub fn number(&self, key: &[u8]) -> u64 {
        match self.bytes(key).map(|v| Reader::new(v).token()) {
            Some(Ok(Token::Uint(n))) => n,
            _ => 0,
        }
    }

    fn value(&self, key: PyStrRef, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        let Some(bytes) = self.bytes(key.as_bytes()) else { return Ok(None) };
        let decoded = self.decoded.lock().get_or_insert_with(|| PyDict::default().into_ref(&vm.ctx)).clone();
        if let Some(known) = decoded.inner_getitem_opt(&*key, vm)? {
            return Ok(Some(known));
        }
        let value = codec::decode_input(key.as_bytes(), bytes, vm)?;
        decoded.inner_setitem(&*key, value.clone(), vm)?;
        Ok(Some(value))
    }
}

fn places(bytes: &[u8]) -> Result<Vec<Place>, Malformed> {
    let mut reader = Reader::new(bytes);
    let Token::Map(n) = reader.token()? else { return Err(Malformed::Type) };
    let mut places = Vec::with_capacity(n.min(32));
    for _ in 0..n {
        let key = reader.key()?;
        let start = bytes.len() - reader.rest().len();
        reader.skip()?;
        places.push(Place { key: start - key.len()..start, value: start..bytes.len() - reader.rest().len() });
    }
    if reader.rest().is_empty() { Ok(places) } else { Err(Malformed::Count) }
}

#[pyclass]
impl Input {
    /// The value of a key, which is the same object each time.
    #[pymethod]
    fn get(zelf: &Py<Self>, key: PyStrRef, default: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        Ok(zelf.value(key, vm)?.unwrap_or_else(|| default.unwrap_or_none(vm)))
    }
}
