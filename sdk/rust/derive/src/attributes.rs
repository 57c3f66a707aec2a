//! The attributes of serde and of this crate, and the doc comments, of a type, field or variant.

use quote::quote;
use syn::{Attribute, Error, Expr, ExprLit, ExprUnary, Lit, LitStr, Meta, Result, UnOp};

/// The attributes of serde that matter for a schema.
#[derive(Default)]
pub struct Serde {
    pub rename: Option<String>,
    pub rename_all: Option<String>,
    pub default: bool,
    pub skip: bool,
    pub deny_unknown_fields: bool,
}

impl Serde {
    /// Reads the attributes that apply to deserialization. It skips attributes that affect neither deserialization
    /// nor the schema, and refuses attributes that would change the schema in a way that it cannot express.
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut serde = Serde::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match name.as_str() {
                    "rename" | "rename_all" => {
                        let text = deserialize_name(&meta)?;
                        let place = if name == "rename" { &mut serde.rename } else { &mut serde.rename_all };
                        *place = text.or(place.take());
                    }
                    "default" => {
                        serde.default = true;
                        skip_value(&meta)?;
                    }
                    "skip" | "skip_deserializing" => serde.skip = true,
                    "deny_unknown_fields" => serde.deny_unknown_fields = true,
                    "flatten" | "with" | "deserialize_with" | "from" | "try_from" | "transparent" | "tag"
                    | "untagged" | "content" => {
                        return Err(meta.error(format!(
                            "#[derive(Schema)] does not know serde's {name}: implement Schema by hand"
                        )));
                    }
                    _ => skip_value(&meta)?,
                }
                Ok(())
            })?;
        }
        Ok(serde)
    }
}

/// The text of `name = "x"`, or of `name(deserialize = "x")`.
fn deserialize_name(meta: &syn::meta::ParseNestedMeta<'_>) -> Result<Option<String>> {
    if meta.input.peek(syn::Token![=]) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    let mut found = None;
    meta.parse_nested_meta(|inner| {
        let text = inner.value()?.parse::<LitStr>()?.value();
        if inner.path.is_ident("deserialize") {
            found = Some(text);
        }
        Ok(())
    })?;
    Ok(found)
}

fn skip_value(meta: &syn::meta::ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|inner| skip_value(&inner))?;
    }
    Ok(())
}

/// The attribute `#[schema(…)]` of a field.
#[derive(Default)]
pub struct Limits {
    pub default: Option<Expr>,
    pub minimum: Option<Expr>,
    pub maximum: Option<Expr>,
}

impl Limits {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut limits = Limits::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("schema")) {
            attribute.parse_nested_meta(|meta| {
                let place = match () {
                    () if meta.path.is_ident("default") => &mut limits.default,
                    () if meta.path.is_ident("minimum") => &mut limits.minimum,
                    () if meta.path.is_ident("maximum") => &mut limits.maximum,
                    () => return Err(meta.error("#[schema(…)] knows default, minimum and maximum")),
                };
                *place = Some(meta.value()?.parse()?);
                Ok(())
            })?;
        }
        Ok(limits)
    }
}

/// The `Literal` of an expression.
pub fn literal(expression: &Expr) -> Result<proc_macro2::TokenStream> {
    let (negative, operand) = match expression {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => (true, &**expr),
        other => (false, other),
    };
    let Expr::Lit(ExprLit { lit, .. }) = operand else {
        return Err(Error::new_spanned(expression, "a literal is expected"));
    };
    let variant = match lit {
        Lit::Bool(_) if !negative => quote!(Bool),
        Lit::Str(_) if !negative => quote!(String),
        Lit::Int(_) => quote!(Integer),
        Lit::Float(_) => quote!(Number),
        _ => return Err(Error::new_spanned(expression, "a boolean, a number or a string is expected")),
    };
    Ok(quote!(::agenthost::schema::Literal::#variant(#expression)))
}

/// The text of the doc comments. Lines of a paragraph are joined; paragraphs stay separate.
pub fn documentation(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value else { continue };
        let line = line.value();
        match line.trim() {
            "" => text.push('\n'),
            line => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push(' ');
                }
                text.push_str(line);
            }
        }
    }
    text.trim().to_owned()
}
