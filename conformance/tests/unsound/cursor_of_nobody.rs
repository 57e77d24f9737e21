//! Only the runtime makes what reads the input, so nobody can read out of turn, or read one input with the cursor of another.

use defiant::__private::{Context, Cursor, Reader, Scope};

fn of_nothing() {
    let _: Cursor = Cursor::new(core::ptr::null(), core::ptr::null()); //~ E0624
    let _: Scope = Scope::message(); //~ E0624
}

fn of_another<'arena>(context: &mut Context<'arena>, other: &Reader<'_, 'arena>) {
    let _ = other.cursor(); //~ E0624
    let _ = context.slice(core::ptr::null(), 8); //~ E0624
}

fn main() {}
