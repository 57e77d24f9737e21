//! Inputs to start from.

use defiant::reflect::DynamicMessage;
use defiant::wkt::FileDescriptorSet;
use defiant::wkt::compiler::CodeGeneratorRequest;
use defiant::{Arena, Message as _, json, text};

use super::world;
use crate::cross::{self, World};

/// Samples of each type.
const SAMPLES: u64 = 4;
/// Longer ones are left out.
const LONGEST: usize = 2000;

/// Seeds for the property of a name: few and short, of every kind that there is.
///
/// # Errors
///
/// What is wrong with the descriptors.
pub fn seeds(name: &str) -> Result<Vec<Vec<u8>>, String> {
    let world = world()?;
    let mut seeds = Vec::new();
    // A sample of each type, with the number that picks it.
    let mut samples = Vec::new();
    for (index, subject) in world.subjects().iter().enumerate().take(7) {
        for seed in 0..SAMPLES {
            samples.push((index as u8, *subject, cross::sample(world, subject, 100 * index as u64 + seed)?));
        }
    }
    let with = |prefix: &[u8], wire: &[u8]| [prefix, wire].concat();
    match name {
        "doors" | "merge" | "lazy" => {
            for (_, subject, wire) in &samples {
                let first = match (name, *subject) {
                    (_, "shapes.Mixed") => 0,
                    (_, "shapes.Known") => 1,
                    ("lazy", "shapes.Singular") => 2,
                    ("doors", "shapes.Needy") => 2,
                    (_, "shapes.Singular") => 3,
                    _ => continue,
                };
                let at = (wire.len() / 2).min(255) as u8;
                seeds.push(if name == "merge" { with(&[first, at], wire) } else { with(&[first], wire) });
            }
        }
        "google" | "prost" => {
            for (_, subject, wire) in &samples {
                match *subject {
                    "modern.Message" => seeds.push(with(&[0], wire)),
                    "legacy.Message" => seeds.push(with(&[1], wire)),
                    _ => {}
                }
            }
        }
        "dynamic" => seeds.extend(samples.iter().map(|(index, _, wire)| with(&[*index], wire))),
        "limits" => {
            seeds.extend(samples.iter().map(|(index, _, wire)| with(&[*index, 0, 2, 100], wire)));
            for format in ["json", "text"] {
                let texts = texts(world, &samples, format);
                seeds.extend(texts.map(|(index, text)| with(&[index, 0, 2, 100], text.as_bytes())));
            }
        }
        "generated" => seeds.extend((0..8u8).map(|first| (0..64).map(|byte: u8| byte.wrapping_mul(first)).collect())),
        "json" | "text" => {
            seeds.extend(texts(world, &samples, name).map(|(index, text)| with(&[index], text.as_bytes())));
        }
        "arena" | "encoder" | "extensions" => seeds.extend((1..17).map(|seed| noise(seed, 300))),
        // All plans, each with a few messages.
        "bodies" => seeds.extend((0..=255).step_by(9).map(|flags| {
            let noise = noise(u64::from(flags) + 1, 30);
            [&[flags, noise[0] | 8][..], &noise].concat()
        })),
        "masks" => {
            let singular = samples.iter().filter(|sample| sample.1 == "shapes.Singular" && sample.2.len() < 256);
            let singular: Vec<_> = singular.map(|sample| &sample.2).collect();
            for (seed, (target, source)) in
                (1..).zip(singular.iter().flat_map(|one| singular.iter().map(move |two| (one, two))))
            {
                let lens = [target.len() as u8, source.len() as u8];
                let names = noise(seed, 24);
                seeds.extend([0o03, 0o22, 0o44].map(|counts| [&[counts], &lens[..], target, source, &names].concat()));
            }
        }
        "frames" => {
            for pair in samples.chunks_exact(2) {
                let mut stream = vec![3];
                for (.., wire) in pair.iter().filter(|sample| sample.2.len() < 128) {
                    stream.push(wire.len() as u8);
                    stream.extend_from_slice(wire);
                }
                seeds.push(stream);
            }
        }
        "pool" => seeds.extend(files()?),
        "plugin" => {
            let arena = Arena::new();
            for set in files()? {
                let set = FileDescriptorSet::decode(&set, &arena).map_err(|error| error.to_string())?;
                let names: Vec<_> = set.file.iter().map(|file| file.name()).collect();
                let request = CodeGeneratorRequest {
                    file_to_generate: &names,
                    proto_file: set.file,
                    parameter: Some("optimize_for=.=CODE_SIZE,include_file=mod.rs"),
                    ..CodeGeneratorRequest::default()
                };
                seeds.push(request.encode_to_vec());
            }
        }
        "source" => {
            seeds.push(include_bytes!("../../proto/modern.proto").to_vec());
            seeds.push(include_bytes!("../../proto/legacy.proto").to_vec());
        }
        _ => {}
    }
    let kept = matches!(name, "pool" | "plugin" | "source");
    seeds.retain(|seed| kept || seed.len() <= LONGEST);
    Ok(seeds)
}

/// Random bytes, from xorshift.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| byte()).collect()
}

/// A sample: the number that picks its type, the type's name, and its wire.
type Sample = (u8, &'static str, Vec<u8>);

/// The samples that have one as JSON or text, with the numbers that pick their types.
fn texts<'s>(world: &'s World, samples: &'s [Sample], format: &'s str) -> impl Iterator<Item = (u8, String)> + 's {
    samples.iter().filter_map(move |(index, subject, wire)| {
        let [ty, _] = world.types(subject)?;
        let arena = Arena::new();
        let message = DynamicMessage::decode(ty, wire, &arena).ok()?;
        let text = match format {
            "json" => json::encode_message(message.as_ref()).ok()?,
            _ => text::EncodeOptions::new().encode_message(message.as_ref()),
        };
        Some((*index, text))
    })
}

/// Descriptors without comments, a set for each of the small files.
fn files() -> Result<Vec<Vec<u8>>, String> {
    let arena = Arena::new();
    let all = FileDescriptorSet::decode(include_bytes!(concat!(env!("OUT_DIR"), "/shapes.bin")), &arena);
    let all = all.map_err(|error| error.to_string())?;
    let small = all.file.iter().filter(|file| file.dependency.is_empty());
    Ok(small
        .map(|file| {
            let mut file = *file;
            file.source_code_info = None;
            FileDescriptorSet { file: &[file], ..FileDescriptorSet::default() }.encode_to_vec()
        })
        .collect())
}
