use crate::attributes::{documentation, literal, Limits, Serde};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Expr, Field, Fields, FieldsNamed, Result, Type};

pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "#[derive(Schema)] is for types without parameters"));
    }
    let serde = Serde::read(&input.attrs)?;
    let description = documentation(&input.attrs);
    let shape = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => object(&description, fields, &serde)?,
            _ => return Err(Error::new_spanned(&input.ident, "#[derive(Schema)] is for structs with named fields")),
        },
        Data::Enum(data) => one_of(&description, data, &serde)?,
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "#[derive(Schema)] is not for unions")),
    };
    let name = &input.ident;
    Ok(quote! {
        impl ::agenthost::Schema for #name {
            const SHAPE: &'static ::agenthost::schema::Shape = &#shape;
        }
    })
}

fn object(description: &str, fields: &FieldsNamed, serde: &Serde) -> Result<TokenStream> {
    let mut properties = Vec::new();
    for field in &fields.named {
        properties.extend(property(field, serde)?);
    }
    let closed = serde.deny_unknown_fields;
    Ok(quote!(::agenthost::schema::Shape::Object(#description, &[#(#properties),*], #closed)))
}

fn property(field: &Field, of_type: &Serde) -> Result<Option<TokenStream>> {
    let serde = Serde::read(&field.attrs)?;
    if serde.skip {
        return Ok(None);
    }
    let limits = Limits::read(&field.attrs)?;
    let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let ident = ident.trim_start_matches("r#");
    let name = serde.rename.unwrap_or_else(|| renamed(ident, of_type.rename_all.as_deref(), false));
    let description = documentation(&field.attrs);
    let required = !(serde.default || of_type.default || limits.default.is_some() || is_option(&field.ty));
    let shape = &field.ty;
    let [default, minimum, maximum] =
        [optional(&limits.default)?, optional(&limits.minimum)?, optional(&limits.maximum)?];
    Ok(Some(quote! {
        ::agenthost::schema::Property {
            name: #name,
            description: #description,
            shape: <#shape as ::agenthost::Schema>::SHAPE,
            required: #required,
            default: #default,
            minimum: #minimum,
            maximum: #maximum,
        }
    }))
}

fn optional(expression: &Option<Expr>) -> Result<TokenStream> {
    match expression {
        None => Ok(quote!(::core::option::Option::None)),
        Some(expression) => {
            let literal = literal(expression)?;
            Ok(quote!(::core::option::Option::Some(#literal)))
        }
    }
}

fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

fn one_of(description: &str, data: &DataEnum, of_type: &Serde) -> Result<TokenStream> {
    let mut names = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "#[derive(Schema)] is for enums whose variants have no data"));
        }
        let serde = Serde::read(&variant.attrs)?;
        if !serde.skip {
            let ident = variant.ident.to_string();
            names.push(serde.rename.unwrap_or_else(|| renamed(&ident, of_type.rename_all.as_deref(), true)));
        }
    }
    Ok(quote!(::agenthost::schema::Shape::OneOf(#description, &[#(#names),*])))
}

/// The name after serde's rule `rename_all`. Fields are in `snake_case`, variants in `PascalCase`.
fn renamed(name: &str, rule: Option<&str>, is_variant: bool) -> String {
    let words: Vec<String> = if is_variant {
        name.chars().fold(Vec::new(), |mut words: Vec<String>, c| {
            match words.last_mut() {
                Some(word) if !c.is_uppercase() => word.push(c),
                _ => words.push(c.to_lowercase().collect()),
            }
            words
        })
    } else {
        name.split('_').map(str::to_lowercase).collect()
    };
    let pascal = || words.iter().map(|word| capitalized(word)).collect::<String>();
    match rule.unwrap_or_default() {
        "lowercase" if is_variant => name.to_lowercase(),
        "UPPERCASE" => name.to_uppercase(),
        "PascalCase" if !is_variant => pascal(),
        "camelCase" => {
            let pascal = pascal();
            let first = pascal.chars().next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
            first + pascal.get(1..).unwrap_or_default()
        }
        "snake_case" => words.join("_"),
        "SCREAMING_SNAKE_CASE" => words.join("_").to_uppercase(),
        "kebab-case" => words.join("-"),
        "SCREAMING-KEBAB-CASE" => words.join("-").to_uppercase(),
        _ => name.to_owned(),
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
