//! Compiles the schema into `OUT_DIR/search.v1.rs`: messages, the trait for the server, tonic's client.

use defiant_build::{Config, ServiceGenerator, ServiceTraits};
use defiant_tonic_build::Generator;

fn main() -> Result<(), defiant_build::Error> {
    let services: Vec<Box<dyn ServiceGenerator>> =
        vec![Box::new(ServiceTraits::new()), Box::new(Generator::new().server(false))];
    Config::new().service_generator(Box::new(services)).compile_protos(&["proto/search.proto"], &["proto"])
}
