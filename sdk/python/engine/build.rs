fn main() {
    // A macro compiles the frozen modules; cargo does not know its files.
    println!("cargo:rerun-if-changed=api");
    println!("cargo:rerun-if-changed=lib");
    // The names of functions are a fifth of the module. Users of scripts read lines of Python, not of the interpreter.
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo:rustc-link-arg=--strip-all");
    }
}
