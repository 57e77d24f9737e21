//! The types of Google's datasets by library, for what looks closer at them than a timing does: hostile input and
//! allocations.

use ::defiant::Message;

use crate::datasets::Dataset;
use crate::generated::{defiant, pilota as pilota_types, prost as prost_types};
use crate::walk::Walk;

/// One dataset's message types.
pub trait Subject {
    /// Which dataset.
    const DATASET: Dataset;
    /// Defiant's type.
    type Defiant<'arena>: Message<'arena> + Walk;
    /// prost's type.
    type Prost: prost::Message + Default + Walk + 'static;
}

/// A dataset that pilota can generate types for.
pub trait PilotaSubject: Subject {
    /// pilota's type.
    type Pilota: pilota::pb::Message + Default + Walk + 'static;
}

macro_rules! subjects {
    ($($subject:ident: $message:ident of $package:ident $(, $pilota:ident)?;)*) => {$(
        #[doc = concat!("The types of [`Dataset::", stringify!($subject), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $subject;
        impl Subject for $subject {
            const DATASET: Dataset = Dataset::$subject;
            type Defiant<'arena> = defiant::$package::$message<'arena>;
            type Prost = prost_types::$package::$message;
        }
        $(impl PilotaSubject for $subject {
            type Pilota = $pilota::$package::$message;
        })?
    )*};
}
subjects! {
    Message1Proto2: GoogleMessage1 of proto2, pilota_types;
    Message1Proto3: GoogleMessage1 of proto3, pilota_types;
    Message2: GoogleMessage2 of proto2;
}
