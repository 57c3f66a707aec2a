//! The macros of the crate agenthost. That crate documents them.

mod attributes;
mod plugin;
mod schema;

use proc_macro::TokenStream;

/// Makes a WebAssembly plugin from an implementation of the trait `Plugin`. The module exports the implemented hooks.
///
/// Without `type Config`, the plugin has no configuration. Without `new`, the plugin is the default
/// value of its type.
#[proc_macro_attribute]
pub fn plugin(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded(plugin::expand(arguments.into(), item.into()))
}

/// Makes a JSON Schema for a struct or an enum without data. See the trait `Schema`.
#[proc_macro_derive(Schema, attributes(schema, serde))]
pub fn schema(item: TokenStream) -> TokenStream {
    expanded(syn::parse(item).and_then(|input| schema::expand(&input)))
}

fn expanded(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(syn::Error::into_compile_error).into()
}
