//! Tells the linker that Node's symbols are found when Node loads the library.

fn main() {
    napi_build::setup();
}
