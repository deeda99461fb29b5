//! Templates made from bytes: whatever is registered and asked for, routing is total, agrees with expansion, and does
//! not depend on the order of registration.

use crate::bytes::Bytes;
use wellhead::{Server, Template, TemplateValue};

const PIECES: [&str; 24] = [
    "{a}", "{b}", "{c}", "{+a}", "{#a}", "{.a}", "{/a}", "{/a*}", "{;a}", "{;a*}", "{?a}", "{?a,b}", "{?a*}",
    "{&b}", "{a,b}", "{a:3}", "{a*}", "{", "}", "x", "/", "-", ".", "%41",
];
const URI_PIECES: [&str; 20] = [
    "a", "b", "/", "//", "..", ".", "-", "?", "&", "=", "#", ";", "%2F", "%2e%2e", "%00", "%zz", "%ff",
    "a=b", "é", "x",
];

pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let texts: Vec<String> = (0..=bytes.below(4)).map(|_| text(bytes, "t://", &PIECES, 6)).collect();
    let server = |texts: &mut dyn Iterator<Item = &String>| {
        let server = Server::builder("s", "1").on_log(|_, _| {}).build().expect("nothing is wrong with it");
        let taken = texts.filter(|text| server.template(text.as_str(), |_| "").is_ok()).count();
        (server, taken)
    };
    let (forwards, taken) = server(&mut texts.iter());
    let (backwards, taken_backwards) = server(&mut texts.iter().rev());
    for _ in 0..8 {
        let uri = text(bytes, "t://", &URI_PIECES, 8);
        let route = forwards.explain(&uri).to_string();
        if taken == texts.len() && taken_backwards == texts.len() {
            let other = backwards.explain(&uri).to_string();
            assert!(
                first(&route) == first(&other),
                "{uri} depends on the order of {texts:?}: {route} / {other}"
            );
        }
    }
    let values = ["a", "b", "c"].map(|name| (name, value(bytes)));
    for text in &texts {
        let Ok(uri) = Template::new(text).expand(values.clone()) else { continue };
        let route = forwards.explain(&uri).to_string();
        assert!(!route.is_empty());
        let mut client = forwards.test_client().expect("the server is open");
        let read = client.read(&uri); // answered or refused, and never a panic
        drop(read);
    }
}

fn first(explanation: &str) -> &str {
    explanation.lines().next().unwrap_or_default()
}

fn text(bytes: &mut Bytes<'_>, start: &str, pieces: &[&str], most: usize) -> String {
    (0..=bytes.below(most)).fold(start.to_owned(), |text, _| text + pieces[bytes.below(pieces.len())])
}

fn value(bytes: &mut Bytes<'_>) -> TemplateValue {
    let mut text = || text(bytes, "", &URI_PIECES, 3);
    let (one, two) = (text(), text());
    match bytes.below(4) {
        0 => TemplateValue::List(vec![one, two]),
        1 => TemplateValue::Pairs(vec![(one, two)]),
        _ => TemplateValue::Text(one),
    }
}
