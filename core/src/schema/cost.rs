//! The most that a check against a schema can cost, found once, when the schema is compiled.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of parts of a schema, with those that its references lead to.
const MOST_PARTS: usize = 100_000;
/// The greatest number of references that may be inside each other.
const DEEPEST: usize = 256;
/// The number of parts that are assumed behind a reference that is not followed, such as one by `$id`.
const PARTS_OF_UNKNOWN: usize = 5_000;
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The properties of a schema that bound the cost of a check.
#[derive(Default)]
pub(super) struct Cost {
    /// The number of shapes in `anyOf` and `oneOf`, with those behind references, each followed once.
    shapes: usize,
    /// The number of ways by which the schema leads back to itself: each level of a value may be checked in all of them.
    returns: usize,
    /// True if a pattern has a look-around or a back-reference, so that it may backtrack often.
    pub(super) backtracks: bool,
    /// True if a part of the schema is `writeOnly`.
    pub(super) has_secrets: bool,
}

impl Cost {
    /// Refuses a schema whose references make it larger or deeper than the bounds.
    pub(super) fn measure(document: &Value) -> Result<Cost, String> {
        let mut walk = SchemaWalk {
            document,
            anchors: BTreeMap::new(),
            known: BTreeMap::new(),
            open: BTreeSet::new(),
            is_unknown: false,
        };
        let mut cost = Cost::default();
        walk.look_through(document, &mut cost);
        let whole = walk.add_up(document, 0)?;
        cost.shapes = if walk.is_unknown && whole.shapes > 0 { usize::MAX } else { whole.shapes };
        cost.returns = whole.returns;
        Ok(cost)
    }

    /// Returns a bound for how often a check looks at one element of a value that is nested this deeply.
    pub(super) fn looks(&self, nesting: usize) -> usize {
        if self.shapes == 0 {
            return 1;
        }
        let levels = u32::try_from(nesting).unwrap_or(u32::MAX);
        self.shapes.saturating_add(1).saturating_mul(self.returns.max(1).saturating_pow(levels))
    }
}

#[derive(Clone, Copy, Default)]
struct Costs {
    all: usize,
    shapes: usize,
    returns: usize,
}

struct SchemaWalk<'a> {
    document: &'a Value,
    anchors: BTreeMap<&'a str, &'a Value>,
    known: BTreeMap<*const Value, Costs>,
    /// The schemas that are being followed now.
    open: BTreeSet<*const Value>,
    /// True if a reference leads to a schema that this walk does not find.
    is_unknown: bool,
}

impl<'a> SchemaWalk<'a> {
    /// Looks at each part of the text once.
    fn look_through(&mut self, schema: &'a Value, cost: &mut Cost) {
        match schema {
            Value::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        ("$anchor" | "$dynamicAnchor" | "$id" | "id", Value::String(anchor)) => {
                            self.anchors.insert(anchor.trim_start_matches('#'), schema);
                        }
                        ("pattern", Value::String(pattern)) => cost.backtracks |= goes_back(pattern),
                        ("patternProperties", Value::Object(patterns)) => {
                            cost.backtracks |= patterns.keys().any(|pattern| goes_back(pattern));
                        }
                        ("writeOnly", Value::Bool(secret)) => cost.has_secrets |= secret,
                        _ => {}
                    }
                    self.look_through(value, cost);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.look_through(item, cost)),
            _ => {}
        }
    }

    /// Adds up the parts of a schema and of what it refers to.
    fn add_up(&mut self, schema: &'a Value, level: usize) -> Result<Costs, String> {
        let place = std::ptr::from_ref(schema);
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        if level > DEEPEST {
            return Err(format!("has a schema whose references lead deeper than {DEEPEST} levels"));
        }
        if !self.open.insert(place) {
            return Ok(Costs { all: 1, shapes: 0, returns: 1 });
        }
        let mut sum = Costs { all: 1, shapes: 0, returns: 0 };
        let mut add = |parts: Costs| {
            sum.all = sum.all.saturating_add(parts.all);
            sum.shapes = sum.shapes.saturating_add(parts.shapes);
            sum.returns = sum.returns.saturating_add(parts.returns);
        };
        match schema {
            Value::Array(items) => {
                for item in items {
                    add(self.add_up(item, level + 1)?);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        (name, Value::String(to)) if REFERENCES.contains(&name) => {
                            add(match self.target(to) {
                                Some(target) => self.add_up(target, level + 1)?,
                                None => Costs { all: PARTS_OF_UNKNOWN, shapes: 0, returns: 0 },
                            });
                        }
                        ("anyOf" | "oneOf", Value::Array(shapes)) => {
                            add(Costs { all: 0, shapes: shapes.len(), returns: 0 });
                            add(self.add_up(value, level + 1)?);
                        }
                        // A check goes there by a reference only.
                        ("$defs" | "definitions", Value::Object(_)) => {
                            add(Costs { all: self.add_up(value, level + 1)?.all, shapes: 0, returns: 0 });
                        }
                        (_, Value::Array(_) | Value::Object(_)) => add(self.add_up(value, level + 1)?),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if sum.all > MOST_PARTS {
            let what = "has a schema with more than";
            return Err(format!("{what} {MOST_PARTS} parts when its references are followed"));
        }
        self.open.remove(&place);
        self.known.insert(place, sum);
        Ok(sum)
    }

    fn target(&mut self, reference: &str) -> Option<&'a Value> {
        if let Some(found) = super::subschema::local(self.document, reference) {
            return Some(found);
        }
        let found = self.anchors.get(reference.trim_start_matches('#')).copied();
        self.is_unknown |= found.is_none();
        found
    }
}

/// Returns whether a pattern needs an engine that backtracks.
fn goes_back(pattern: &str) -> bool {
    let back = |two: &[u8]| two[0] == b'\\' && (two[1].is_ascii_digit() || two[1] == b'k');
    ["(?=", "(?!", "(?<"].iter().any(|group| pattern.contains(group))
        || pattern.as_bytes().windows(2).any(back)
}
