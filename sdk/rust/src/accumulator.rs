use crate::document::{Encode, FieldSpec, Message};
use crate::field::{DeclareField, FieldName};
use crate::{Context, Errno, Field, MessageRef, Result, Update, Value};
use serde::{de::DeserializeOwned, Serialize};

/// A value that a plugin folds from the whole history, message by message, and keeps in a field of the
/// thread. The cost of a call depends on the number of new messages, not on the length of the history.
///
/// The hook declares the view [`New`](crate::ViewSpec::New) and the field in `reads`; the Description
/// declares the field. If older messages were changed or removed, the whole history is read again, in pages.
///
/// ```
/// use agenthost::{testing::Test, Accumulator, Context, Description, HookSpec, Message, Plugin, Result, Update, ViewSpec};
///
/// /// The characters of all messages.
/// static CHARS: Accumulator<u64> = Accumulator::new("chars", |sum, message| *sum += message.text().len() as u64);
///
/// #[derive(Default)]
/// struct Meter;
///
/// #[agenthost::plugin]
/// impl Plugin for Meter {
///     fn describe() -> Description {
///         let spec = HookSpec::new().view(ViewSpec::New).reads(&CHARS);
///         Description::new("meter", "1.0.0").field(&CHARS).after_model(spec)
///     }
///
///     fn after_model(&self, ctx: &Context) -> Result<Update> {
///         let mut update = Update::new();
///         CHARS.fold(ctx, &mut update)?;
///         Ok(update)
///     }
/// }
///
/// let messages = [Message::human("hi"), Message::ai("hello")];
/// let outcome = Test::<Meter>::new().messages(messages.clone()).after_model(); // the first call: all is new
/// assert_eq!(outcome.state("chars"), Some(7.into()));
/// let outcome = Test::<Meter>::new().messages(messages).seen(1).state("chars", 2).after_model();
/// assert_eq!(outcome.state("chars"), Some(7.into()));
/// ```
pub struct Accumulator<T> {
    field: Field<T>,
    fold: fn(&mut T, MessageRef<'_>),
}

/// The maximum number of messages in one page of the history.
const PAGE: u64 = 256;

impl<T> Accumulator<T> {
    /// A field of this name that folds messages. The caller of a run cannot set it, and results do not show it.
    pub const fn new(name: &'static str, fold: fn(&mut T, MessageRef<'_>)) -> Self {
        Accumulator { field: Field::new(name).private(), fold }
    }

    /// Makes results show the field.
    pub const fn visible(mut self) -> Self {
        self.field = Field::new(self.field.name()).hide_input();
        self
    }
}

impl<T: Default + Serialize + DeserializeOwned + Clone> Accumulator<T> {
    /// Brings the value up to date with the view, puts it into the update if it may have changed, and returns it.
    pub fn fold(&self, ctx: &Context, update: &mut Update) -> Result<T> {
        let view = ctx.view();
        let rewritten = view.replaced().next().is_some() || view.removed().next().is_some();
        let known = if view.is_reset() { None } else { self.field.get(ctx)? };
        let value = match known {
            Some(value) if !rewritten && view.messages().next().is_none() => return Ok(value),
            Some(value) if !rewritten => self.fold_all(value, view.messages()),
            None if view.is_reset() && !rewritten => self.fold_all(T::default(), view.messages()),
            _ => self.of_history(ctx)?,
        };
        self.field.set(update, value.clone());
        Ok(value)
    }

    fn fold_all<'a>(&self, mut value: T, messages: impl Iterator<Item = MessageRef<'a>>) -> T {
        messages.for_each(|m| (self.fold)(&mut value, m));
        value
    }

    /// Folds the whole history. If the messages of a page are too large together, it asks again for half as many.
    fn of_history(&self, ctx: &Context) -> Result<T> {
        let mut value = T::default();
        let (mut from, mut count) = (0, PAGE);
        loop {
            let page: Vec<Message> = match ctx.read_messages(from, count) {
                Err(e) if e.errno() == Some(Errno::ETOOBIG) && count > 1 => {
                    count /= 2;
                    continue;
                }
                page => page?,
            };
            for message in &page {
                (self.fold)(&mut value, MessageRef::new(Value::new(&message.to_document())));
            }
            if page.is_empty() {
                return Ok(value);
            }
            from += page.len() as u64;
        }
    }
}

impl<T> FieldName for &Accumulator<T> {
    fn field_name(&self) -> &str {
        self.field.name()
    }
}

impl<T> DeclareField for &Accumulator<T> {
    fn field_spec(self) -> FieldSpec {
        self.field.spec()
    }
}
