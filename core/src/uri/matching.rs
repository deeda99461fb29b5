//! Matches a compiled template with a URI. Each split is tried once at each byte, so the work is linear in the URI.

use super::program::{Inst, Program};
use smallvec::SmallVec;

/// The offsets at which the fields of a match begin and end; `usize::MAX` for an absent field.
pub(super) type Slots = SmallVec<[usize; 8]>;

impl Program {
    /// Returns the preferred way to read `uri`, whose first `skip` bytes are known to equal the first `skip`
    /// instructions. `None` if the URI does not match.
    pub(super) fn run(&self, uri: &[u8], skip: usize) -> Option<Slots> {
        self.run_counted(uri, skip).0
    }

    /// Returns the preferred way to read `uri`, and how far the match came and its cost, which tests bound. Everything
    /// else is as with [`Program::run`].
    pub(super) fn run_counted(&self, uri: &[u8], skip: usize) -> (Option<Slots>, Effort) {
        let mut slots = Slots::from_elem(usize::MAX, self.slots);
        let mut tried = vec![0_u64; (self.splits * (uri.len() + 1)).div_ceil(64)];
        let mut next = Some(Todo::Try { pc: skip, at: skip });
        let mut todo = Vec::new();
        let mut effort = Effort { steps: 0, furthest: skip };
        while let Some(now) = next.take().or_else(|| todo.pop()) {
            let (mut pc, mut at) = match now {
                Todo::Try { pc, at } => (pc, at),
                Todo::Restore { slot, value } => {
                    slots[slot] = value;
                    continue;
                }
            };
            loop {
                effort.steps += 1;
                match self.code[pc] {
                    Inst::Byte(byte) if uri.get(at) == Some(&byte) => at += 1,
                    Inst::Any(class) if uri.get(at).is_some_and(|&b| class.contains(b)) => at += 1,
                    Inst::Run(class) => {
                        let run = uri[at..].iter().position(|&b| !class.contains(b));
                        let end = run.map_or(uri.len(), |n| at + n);
                        effort.steps += end - at;
                        at = end;
                    }
                    Inst::Jump(to) => {
                        pc = to;
                        continue;
                    }
                    Inst::Split { first, second, index } => {
                        let bit = index * (uri.len() + 1) + at;
                        let (word, mask) = (&mut tried[bit / 64], 1 << (bit % 64));
                        if *word & mask != 0 {
                            break;
                        }
                        *word |= mask;
                        todo.push(Todo::Try { pc: second, at });
                        pc = first;
                        continue;
                    }
                    Inst::Save(slot) => {
                        if !todo.is_empty() {
                            todo.push(Todo::Restore { slot, value: slots[slot] });
                        }
                        slots[slot] = at;
                    }
                    Inst::Match if at == uri.len() => return (Some(slots), effort),
                    Inst::Byte(_) | Inst::Any(_) | Inst::Match => {
                        effort.furthest = effort.furthest.max(at);
                        break;
                    }
                }
                pc += 1;
            }
        }
        (None, effort)
    }
}

/// The cost of matching, and how far it came.
pub(super) struct Effort {
    /// The number of instructions and bytes that it looked at.
    pub(super) steps: usize,
    /// The offset of the byte after which no way to read the URI continues.
    pub(super) furthest: usize,
}

enum Todo {
    Try { pc: usize, at: usize },
    Restore { slot: usize, value: usize },
}
