//! Decodes a message, edits it with struct update syntax, encodes it, and prints both.
//!
//! ```console
//! $ cargo run -p quickstart
//! ```

use std::error::Error;

use defiant::{Arena, Map, Message};

use crate::contacts::{Address, Book, Contact, Phone, contact::Last, phone::Place};

/// What `build.rs` made of `proto/contacts.proto`.
#[allow(unreachable_pub, reason = "generated items are public, whatever the module is that includes them")]
mod contacts {
    defiant::include_proto!("contacts");
}

fn main() -> Result<(), Box<dyn Error>> {
    let wire = sample();
    let mut arena = Arena::new();

    // One copy of the wire goes into the arena; every string below borrows from that copy.
    let book = Book::decode(&wire, &arena)?;
    print("decoded", &book);

    let edited = move_house(&book, &arena);
    print("edited", &edited);

    // Encoded in the same arena: `bytes` is a plain `&[u8]`.
    let bytes = edited.encode_in(&arena);
    println!("{} bytes in, {} bytes out, {} bytes of arena", wire.len(), bytes.len(), arena.used_bytes());

    // Everything above is gone at once; the compiler has checked that nothing still uses it.
    arena.reset();
    Ok(())
}

/// A new book in which the first contact has moved and can be called at work.
///
/// Messages are `Copy`: `..*contact` copies a few words, and the strings and lists below are shared with `book`.
fn move_house<'arena>(book: &Book<'arena>, arena: &'arena Arena) -> Book<'arena> {
    let mut contacts = arena.vec_from_iter(book.contacts.iter().copied());
    if let Some(contact) = contacts.first_mut() {
        let mut phones = arena.vec_from_iter(contact.phones.iter().copied());
        phones.push(Phone { number: "+44 20 7946 0018", place: Place::Work, ..Phone::default() });
        let address = contact.address();
        *contact = Contact {
            phones: phones.into_slice(),
            address: Some(arena.alloc(Address { street: "12 St James's Square", ..*address })),
            last: Some(Last::Note("send a card")),
            ..*contact
        };
    }
    Book { contacts: contacts.into_slice(), ..*book }
}

/// The wire form of a book with two contacts, built from struct literals.
fn sample() -> Vec<u8> {
    let arena = Arena::new();
    let home = Address { street: "4 Seymour Place", city: "London", ..Address::default() };
    let contacts = [
        Contact {
            name: "Ada Lovelace",
            id: Some(1815),
            emails: &["ada@example.org", "countess@example.org"],
            phones: &[Phone { number: "+44 20 7946 0001", place: Place::Home, ..Phone::default() }],
            address: Some(&home),
            last: Some(Last::CalledAt(-3_720_124_800)),
            ..Contact::default()
        },
        Contact { name: "Analytical Engines Ltd", emails: &["info@example.com"], ..Contact::default() },
    ];
    let book = Book {
        owner: "Charles Babbage",
        contacts: &contacts,
        labels: Map::new(&arena, [("company", 1), ("friend", 1)]),
        ..Book::default()
    };
    book.encode_to_vec()
}

/// Prints a book as a person would read it.
fn print(title: &str, book: &Book<'_>) {
    println!("{title}: contacts of {}", book.owner);
    for contact in book.contacts {
        // An accessor gives the default where the field is unset; the field itself says whether it is.
        match contact.id {
            Some(id) => println!("  {} (#{id})", contact.name),
            None => println!("  {} (not saved)", contact.name),
        }
        for email in contact.emails {
            println!("    {email}");
        }
        for phone in contact.phones {
            // An open enum: values that this program does not know end up in the last arm.
            let place = match phone.place {
                Place::Mobile => "mobile",
                Place::Home => "home",
                Place::Work => "work",
                _ => "elsewhere",
            };
            println!("    {} ({place})", phone.number);
        }
        if let Some(address) = contact.address {
            println!("    {}, {}", address.street, address.city);
        }
        match contact.last {
            Some(Last::CalledAt(seconds)) => println!("    called at {seconds}"),
            Some(Last::Note(note)) => println!("    note: {note}"),
            None => {}
        }
    }
    for (label, count) in book.labels.iter() {
        println!("  label {label}: {count}");
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_changes_what_it_names_and_shares_the_rest() {
        let wire = sample();
        let arena = Arena::new();
        let book = Book::decode(&wire, &arena).expect("the sample decodes");
        let edited = move_house(&book, &arena);

        let (before, after) = (&book.contacts[0], &edited.contacts[0]);
        assert_eq!(after.name, "Ada Lovelace");
        assert_eq!(after.phones.len(), 2);
        assert_eq!(after.phones[1].place, Place::Work);
        assert_eq!(after.address().street, "12 St James's Square");
        assert_eq!(after.address().city, "London");
        assert_eq!(after.last, Some(Last::Note("send a card")));
        assert!(std::ptr::eq(before.emails, after.emails), "the lists not edited are shared");
        assert_eq!(book.contacts[1], edited.contacts[1]);

        // The original still says what it said.
        assert_eq!(before.address().street, "4 Seymour Place");
        assert_eq!(before.last, Some(Last::CalledAt(-3_720_124_800)));
    }

    #[test]
    fn a_book_survives_the_wire() {
        let wire = sample();
        let arena = Arena::new();
        let book = Book::decode(&wire, &arena).expect("the sample decodes");
        assert_eq!(book.encode_in(&arena), wire);

        let edited = move_house(&book, &arena);
        let again = Book::decode(edited.encode_in(&arena), &arena).expect("what was encoded decodes");
        assert_eq!(again, edited);
        assert_eq!(again.labels.get("friend"), Some(&1));
    }

    #[test]
    fn an_unset_message_reads_as_its_default() {
        let wire = sample();
        let arena = Arena::new();
        let book = Book::decode(&wire, &arena).expect("the sample decodes");
        assert_eq!(book.contacts[1].address, None);
        assert_eq!(book.contacts[1].address().city, "");
        assert_eq!(book.contacts[1].id(), 0);
    }

    #[test]
    fn a_cut_book_is_an_error() {
        let wire = sample();
        let arena = Arena::new();
        let error = Book::decode(&wire[..wire.len() - 1], &arena).expect_err("the last field is cut");
        assert!(error.is_truncated(), "{error}");
    }
}
