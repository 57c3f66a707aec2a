use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, ImplItem, ItemImpl, Result};

/// The methods that are hooks, with their names in the enum `Hook` and the instance's method that performs them.
const HOOKS: [(&str, &str); 6] = [
    ("before_agent", "BeforeAgent"),
    ("before_model", "BeforeModel"),
    ("after_model", "AfterModel"),
    ("after_agent", "AfterAgent"),
    ("wrap_model_call", "WrapModelCall"),
    ("wrap_tool_call", "WrapToolCall"),
];

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(Error::new(arguments.span(), "#[plugin] takes no arguments"));
    }
    let mut item: ItemImpl = syn::parse2(item)
        .map_err(|e| Error::new(e.span(), "#[plugin] stands before an implementation: impl Plugin for …"))?;
    let is_plugin = |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident == "Plugin");
    if !item.trait_.as_ref().is_some_and(|(_, path, _)| is_plugin(path)) {
        return Err(Error::new(item.self_ty.span(), "#[plugin] stands before an implementation of the trait Plugin"));
    }
    let plugin = item.self_ty.clone();
    let (exports, implemented) = exports(&item);
    item.items.push(syn::parse2(quote! {
        const IMPLEMENTED: &'static [::agenthost::__private::Export] = &[#(#implemented),*];
    })?);
    if !has_type(&item, "Config") {
        item.items.push(syn::parse2(quote!(
            type Config = ();
        ))?);
    }
    if !has_method(&item, "new") {
        item.items.push(syn::parse2(quote! {
            fn new(_: Self::Config) -> ::agenthost::Result<Self> {
                ::core::result::Result::Ok(<Self as ::core::default::Default>::default())
            }
        })?);
    }
    Ok(quote! {
        #item

        // On other targets only tests call the plugin. This keeps the compiler from reporting it as unused.
        #[cfg(not(target_arch = "wasm32"))]
        const _: () = {
            #[used]
            static PLUGIN: fn(<#plugin as ::agenthost::Plugin>::Config) -> ::agenthost::Result<#plugin> =
                <#plugin as ::agenthost::Plugin>::new;
        };

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use ::agenthost::Plugin;

            static INSTANCE: ::agenthost::__private::Instance<#plugin> = ::agenthost::__private::Instance::new();

            #[export_name = "agenthost_abi_v1"]
            extern "C" fn version() {}

            #[export_name = "describe"]
            extern "C" fn describe() -> i32 {
                INSTANCE.describe()
            }

            #[export_name = "configure"]
            extern "C" fn configure(length: usize) -> i32 {
                INSTANCE.configure(length)
            }

            #(#exports)*
        };
    })
}

/// The module's exports for the implemented methods, and the list of those methods.
fn exports(item: &ItemImpl) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let plugin = &item.self_ty;
    let (mut exports, mut implemented) = (Vec::new(), Vec::new());
    for (method, hook) in HOOKS.iter().filter(|(method, _)| has_method(item, method)) {
        let (method_ident, hook) = (ident(method), ident(hook));
        implemented.push(quote!(::agenthost::__private::Export::Hook(::agenthost::Hook::#hook)));
        let performed = match *method {
            "wrap_model_call" => quote!(INSTANCE.wrap_model_call(length)),
            "wrap_tool_call" => quote!(INSTANCE.tool(length, <#plugin as Plugin>::wrap_tool_call)),
            _ => quote!(INSTANCE.node(length, <#plugin as Plugin>::#method_ident)),
        };
        exports.push(export(method, &performed));
    }
    if has_method(item, "call_tool") || has_method(item, "tools") {
        implemented.push(quote!(::agenthost::__private::Export::CallTool));
        exports.push(export("call_tool", &quote!(INSTANCE.tool(length, <#plugin as Plugin>::call_tool))));
    }
    (exports, implemented)
}

fn export(name: &str, performed: &TokenStream) -> TokenStream {
    let function = ident(name);
    quote! {
        #[export_name = #name]
        extern "C" fn #function(length: usize) -> i32 {
            #performed
        }
    }
}

fn ident(name: &str) -> syn::Ident {
    syn::Ident::new(name, proc_macro2::Span::call_site())
}

fn has_method(item: &ItemImpl, name: &str) -> bool {
    item.items.iter().any(|i| matches!(i, ImplItem::Fn(f) if f.sig.ident == name))
}

fn has_type(item: &ItemImpl, name: &str) -> bool {
    item.items.iter().any(|i| matches!(i, ImplItem::Type(t) if t.ident == name))
}
