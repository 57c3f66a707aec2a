use crate::wire::to_raw;
use crate::{Errno, Result, Store};
use core::marker::PhantomData;
use serde::{de::DeserializeOwned, Serialize};

/// One entry of a [`Store`] with values of a type. [`Store::entry`] makes it.
///
/// ```
/// use agenthost::*;
/// use agenthost::testing::Test;
///
/// /// Counts the runs of a thread.
/// #[derive(Default)]
/// struct Visits;
///
/// #[agenthost::plugin]
/// impl Plugin for Visits {
///     fn describe() -> Description {
///         let reason = "It counts the runs of a thread.";
///         Description::new("visits", "1.0.0").capability(op::KV_GET, reason).capability(op::KV_PUT, reason)
///     }
///
///     fn before_agent(&self, ctx: &Context) -> Result<Update> {
///         let n: u64 = ctx.store(Scope::Thread).entry("visits").update(|n| Ok(n + 1))?;
///         Ok(Update::new().message(Message::system(format!("This is visit {n}."))))
///     }
/// }
///
/// let outcome = Test::<Visits>::new().stored(Scope::Thread, "visits", 41).before_agent();
/// assert_eq!(outcome.messages[0].content.text(), "This is visit 42.");
/// assert_eq!(outcome.stored(Scope::Thread, "visits"), Some(42.into()));
/// ```
///
/// Each of its methods needs the capabilities of its operations: `kv.get`, `kv.put` or `kv.delete`.
pub struct Entry<'a, T> {
    store: Store<'a>,
    key: String,
    value: PhantomData<fn() -> T>,
}

impl<'a, T> Entry<'a, T> {
    pub(crate) fn new(store: Store<'a>, key: String) -> Self {
        Entry { store, key, value: PhantomData }
    }

    /// Removes the entry, if there is one.
    pub fn delete(&self) -> Result<()> {
        self.store.delete(&self.key)
    }
}

impl<T: DeserializeOwned> Entry<'_, T> {
    /// The value, if there is an entry.
    pub fn get(&self) -> Result<Option<T>> {
        Ok(self.versioned()?.map(|(value, _)| value))
    }

    fn versioned(&self) -> Result<Option<(T, u64)>> {
        let Some((raw, version)) = self.store.get(&self.key)? else {
            return Ok(None);
        };
        Ok(Some((raw.value().to().map_err(|e| e.within(&self.key))?, version)))
    }
}

impl<T: Serialize> Entry<'_, T> {
    /// Writes a value, whatever the entry holds.
    pub fn put(&self, value: &T) -> Result<()> {
        self.store.put(&self.key, to_raw(value)?).map(drop)
    }
}

impl<T: DeserializeOwned + Serialize + Default> Entry<'_, T> {
    /// Replaces the value by what `change` makes of it, and returns the new value. The value is the type's default if there is no
    /// entry. If another call writes the entry at the same time, nothing is lost: `change` is called again, with the value of that
    /// call. If `change` fails, nothing is written, and this is its error.
    pub fn update(&self, mut change: impl FnMut(T) -> Result<T>) -> Result<T> {
        loop {
            let (value, version) = self.versioned()?.unwrap_or_default();
            let changed = change(value)?;
            match self.store.put_if(&self.key, to_raw(&changed)?, version) {
                Err(e) if e.errno() == Some(Errno::ECONFLICT) => {} // at the latest, the call's limit of host calls ends this
                written => return written.map(|_| changed),
            }
        }
    }
}
