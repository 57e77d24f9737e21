//! The schema for all who are to talk to each other: Defiant with tonic, Defiant's own server, and prost with tonic.

use std::error::Error;
use std::path::PathBuf;

use defiant_build::{Config, ServiceGenerator, ServiceTraits};
use defiant_tonic_build::Generator;

fn main() -> Result<(), Box<dyn Error>> {
    let (protos, includes) = (["proto/library.proto"], ["proto"]);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);

    // Two of its methods look at headers.
    let traits = ServiceTraits::new().with_call("Library.Find").with_call("Library.Lookup");
    let generators: Vec<Box<dyn ServiceGenerator>> = vec![Box::new(Generator::new()), Box::new(traits)];
    Config::new()
        .service_generator(Box::new(generators))
        .file_descriptor_set_path(out.join("library.binpb"))
        .compile_protos(&protos, &includes)?;

    // The same with limits of its own.
    let careful = out.join("careful");
    std::fs::create_dir_all(&careful)?;
    Config::new()
        .out_dir(&careful)
        .service_generator(Box::new(Generator::new().codec_path("crate::CarefulCodec").default_stubs(true)))
        .compile_protos(&protos, &includes)?;

    let prost = out.join("prost");
    std::fs::create_dir_all(&prost)?;
    let mut config = tonic_prost_build::Config::new();
    config.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    tonic_prost_build::configure().out_dir(prost).compile_with_config(config, &protos, &includes)?;
    Ok(())
}
