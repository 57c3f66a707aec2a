use crate::document::FieldSpec;
use crate::schema::Schema;
use crate::wire::{to_raw, Raw};
use crate::{Context, Result, Update};
use core::marker::PhantomData;
use serde::{de::DeserializeOwned, Serialize};

/// A state field with values of a type. [`Description::field`](crate::Description::field) declares
/// it. A hook sees the field if its spec lists the field in `reads`.
///
/// ```
/// use agenthost::{Field, Update};
///
/// /// Counts the model calls of a run.
/// static CALLS: Field<u64> = Field::new("calls").run().add();
///
/// let mut update = Update::new();
/// CALLS.set(&mut update, 1); // the reducer adds it
/// assert_eq!(update.state.get("calls").unwrap().as_u64(), Some(1));
/// ```
///
/// For a field of other middleware, use the name alone and do not declare it.
pub struct Field<T> {
    name: &'static str,
    lifetime: &'static str,
    reducer: &'static str,
    hide_input: bool,
    hide_output: bool,
    schema: Option<fn() -> Raw>,
    value: PhantomData<fn() -> T>,
}

impl<T> Field<T> {
    /// A field that lives as long as its thread and whose updates replace its value.
    pub const fn new(name: &'static str) -> Self {
        Field {
            name,
            lifetime: "thread",
            reducer: "",
            hide_input: false,
            hide_output: false,
            schema: None,
            value: PhantomData,
        }
    }

    /// Makes a value live as long as the run.
    pub const fn run(mut self) -> Self {
        self.lifetime = "run";
        self
    }

    /// Makes a value live in the step after the one that wrote it.
    pub const fn step(mut self) -> Self {
        self.lifetime = "step";
        self
    }

    /// Adds updates, which are numbers, to the value.
    pub const fn add(mut self) -> Self {
        self.reducer = "add";
        self
    }

    /// Appends updates, which are lists, to the value.
    pub const fn append(mut self) -> Self {
        self.reducer = "append";
        self
    }

    /// Keeps the caller of a run from setting the field.
    pub const fn hide_input(mut self) -> Self {
        self.hide_input = true;
        self
    }

    /// Hides the field in results.
    pub const fn hide_output(mut self) -> Self {
        self.hide_output = true;
        self
    }

    /// Keeps the caller of a run from setting the field, and hides it in results.
    pub const fn private(self) -> Self {
        self.hide_input().hide_output()
    }

    /// Makes the host check written values against the schema of the type.
    pub const fn checked(mut self) -> Self
    where
        T: Schema,
    {
        self.schema = Some(crate::schema::of::<T>);
        self
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The declaration.
    pub fn spec(&self) -> FieldSpec {
        FieldSpec {
            hide_input: self.hide_input,
            hide_output: self.hide_output,
            lifetime: self.lifetime.to_owned(),
            name: self.name.to_owned(),
            reducer: self.reducer.to_owned(),
            schema: self.schema.map(|make| make()).unwrap_or_default(),
        }
    }
}

impl<T: DeserializeOwned> Field<T> {
    /// The value that the hook sees; `None` if it is unset. A value that is too large for the input is fetched.
    pub fn get(&self, ctx: &Context) -> Result<Option<T>> {
        if let Some(value) = ctx.state(self.name) {
            return Ok(Some(self.decode(value)?));
        }
        if !ctx.is_large(self.name) {
            return Ok(None);
        }
        let fields = ctx.read_fields([self.name])?;
        Ok(fields.get(self.name).map(|value| self.decode(value)).transpose()?)
    }

    fn decode(&self, value: crate::Value<'_>) -> Result<T, crate::DecodeError> {
        value.to().map_err(|e| e.within(self.name).within("state"))
    }

    /// The value that the hook sees, or the type's default if it is unset.
    pub fn get_or_default(&self, ctx: &Context) -> Result<T>
    where
        T: Default,
    {
        Ok(self.get(ctx)?.unwrap_or_default())
    }
}

impl<T: Serialize> Field<T> {
    /// Writes a value; the field's reducer applies. If the value has no msgpack form, the hook fails.
    pub fn set(&self, update: &mut Update, value: T) {
        match to_raw(&value) {
            Ok(raw) => update.state.set(self.name, raw),
            Err(e) => update.fail(e),
        }
    }
}

/// A type that names a field: a [`Field`], an [`Accumulator`](crate::Accumulator), or the name itself.
pub trait FieldName {
    /// The name.
    fn field_name(&self) -> &str;
}

impl<T> FieldName for &Field<T> {
    fn field_name(&self) -> &str {
        self.name
    }
}

impl FieldName for &str {
    fn field_name(&self) -> &str {
        self
    }
}

impl FieldName for String {
    fn field_name(&self) -> &str {
        self
    }
}

/// A type that declares a field.
pub trait DeclareField {
    /// The declaration.
    fn field_spec(self) -> FieldSpec;
}

impl<T> DeclareField for &Field<T> {
    fn field_spec(self) -> FieldSpec {
        self.spec()
    }
}

impl DeclareField for FieldSpec {
    fn field_spec(self) -> FieldSpec {
        self
    }
}
