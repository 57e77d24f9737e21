//! Lists that are in no memory of their own: of elements without a size, and empty ones.

use defiant::{Arena, DecodeOptions, Enumeration, Map, Message, UnknownFields};

use super::messages::Level;

/// It takes no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[defiant(name = "t.Only")]
enum Only {
    Zero = 0,
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Small")]
    struct Small<'arena> {
        #[defiant(int32, repeated, tag = 1)]
        xs: &'arena [i32],
        #[defiant(enumeration, repeated, tag = 2)]
        only: &'arena [Only],
        #[defiant(int32, repeated, tag = 3)]
        ys: &'arena [i32],
        #[defiant(map = "int32, enumeration", tag = 4)]
        map: Map<'arena, i32, Only>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn elements_that_take_no_memory() {
    assert_eq!(size_of::<Only>(), 0);
    let arena = Arena::new();
    for (first, second, third) in [(100, 500, 60), (3, 2, 2), (17, 1, 200), (100, 5_000, 3_000)] {
        // The lists take turns, so that their memory is looked up by its address.
        let mut wire = [8, 1, 0x10, 0, 8, 1, 0x10, 0].to_vec();
        wire.extend([0x18, 7].repeat(first));
        wire.extend([8, 3].repeat(first));
        wire.extend([0x10, 0].repeat(second));
        wire.extend([8, 5].repeat(third));
        wire.extend([0x22, 4, 8, 1, 0x10, 0]);
        wire.extend([0x12, 3, 0, 0, 0]);
        for options in [DecodeOptions::new(), DecodeOptions::new().elements_limit(1 << 20)] {
            let small: Small<'_> = options.decode(&wire, &arena).unwrap();
            assert_eq!((small.only.len(), small.map.len()), (2 + second + 3, 1));
            assert!(small.ys.len() == first && small.ys.iter().all(|y| *y == 7));
            let xs = [vec![1; 2], vec![3; first], vec![5; third]].concat();
            assert_eq!(small.xs, xs);
            assert_eq!(Small::decode(&small.encode_to_vec(), &arena).unwrap(), small);
        }
    }
    // Numbers that the enum does not have.
    let small = Small::decode(&[0x10, 1, 0x10, 0, 8, 1, 0x12, 2, 0, 9], &arena).unwrap();
    assert_eq!((small.only.len(), small.xs, small.unknown_fields.byte_len()), (2, &[1][..], 4));
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Neighbours")]
    struct Neighbours<'arena> {
        #[defiant(int32, repeated, tag = 1)]
        xs: &'arena [i32],
        #[defiant(enumeration, repeated, tag = 2)]
        levels: &'arena [Level],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

/// What is given back of a list that stays empty is its neighbour's, and so is the address that is left.
#[test]
fn lists_that_stay_empty() {
    let arena = Arena::new();
    // Numbers that the enum does not have, then one that it has; HIGH is -2.
    let mut wire = [8, 5].repeat(2);
    for _ in 0..20 {
        wire.extend([8, 5, 0x10, 9]);
    }
    wire.extend([0x10, 1].repeat(3));
    wire.extend([8, 5]);
    for options in [DecodeOptions::new(), DecodeOptions::new().elements_limit(1000)] {
        let decoded: Neighbours<'_> = options.decode(&wire, &arena).unwrap();
        assert_eq!((decoded.xs, decoded.levels), (&[5; 23][..], &[Level::Low; 3][..]));
    }
}

#[cfg(all(feature = "json", feature = "text"))]
#[test]
fn elements_that_take_no_memory_in_json_and_text() {
    let arena = Arena::new();
    let (zeros, numbers) = (vec!["\"Zero\""; 300].join(","), vec!["7"; 300].join(","));
    let json = format!(r#"{{"xs":[{numbers}],"only":[{zeros}],"ys":[{numbers}],"map":{{"1":"Zero"}}}}"#);
    let small: Small<'_> = defiant::json::decode(&json, &arena).unwrap();
    assert_eq!(
        (small.xs, small.only, small.ys, small.map.len()),
        (&[7; 300][..], &[Only::Zero; 300][..], &[7; 300][..], 1)
    );
    assert_eq!(defiant::json::encode(&small).unwrap(), json);
    let text = defiant::text::encode(&small);
    assert_eq!(defiant::text::decode::<Small<'_>>(&text, &arena).unwrap(), small);
}
