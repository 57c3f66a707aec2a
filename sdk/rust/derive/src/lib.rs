//! The macros of the crate agenthost, which documents them.

mod attributes;
mod plugin;
mod schema;

use proc_macro::TokenStream;

/// Makes a WebAssembly plugin of an implementation of the trait `Plugin`: the module exports the hooks that are implemented.
///
/// Where the implementation leaves out `type Config` there is no configuration, and where it leaves out `new` the plugin is
/// its type's default.
#[proc_macro_attribute]
pub fn plugin(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded(plugin::expand(arguments.into(), item.into()))
}

/// Makes a JSON Schema of a struct or of an enum without data: see the trait `Schema`.
#[proc_macro_derive(Schema, attributes(schema, serde))]
pub fn schema(item: TokenStream) -> TokenStream {
    expanded(syn::parse(item).and_then(|input| schema::expand(&input)))
}

fn expanded(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(syn::Error::into_compile_error).into()
}
