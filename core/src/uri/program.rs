//! A template compiled to a small automaton, for matching and for comparing templates.

use super::syntax::{Expression, Operator, Part, Syntax};
use super::template::Variable;

/// The instructions of a template. Their paths, in order of preference, are the ways to read a URI.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) code: Vec<Inst>,
    pub(super) fields: Vec<Field>,
    pub(super) slots: usize,
    pub(super) splits: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Inst {
    Byte(u8),
    Any(Class),
    /// Reads as many bytes of the class as there are. Used only if the instructions after it cannot begin with such a
    /// byte.
    Run(Class),
    /// Continues in one of two ways, of which the first is preferred. `index` numbers the splits.
    Split {
        first: usize,
        second: usize,
        index: usize,
    },
    Jump(usize),
    Save(usize),
    Match,
}

/// A class of bytes: all except these.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class(&'static [u8]);

impl Class {
    pub(super) fn contains(self, byte: u8) -> bool {
        !self.0.contains(&byte)
    }
}

const SEGMENT: Class = Class(b"/?#");
const BEFORE_TAIL: Class = Class(b"?#");
const ANYTHING: Class = Class(b"");
const PARAMETER: Class = Class(b"/?#;");
const PAIR: Class = Class(b"&#");

/// The meaning of the text between the slots `slot` and `slot + 1`.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) slot: usize,
    pub(super) kind: FieldKind,
}

/// The kind of a field. Numbers are indexes of variables.
#[derive(Debug, Clone)]
pub(super) enum FieldKind {
    Value(usize),
    List {
        variable: usize,
        separator: char,
    },
    /// `;name=value`, repeated.
    Parameters(usize),
    /// `name=value` joined by `&`, in any order.
    Query(Vec<QueryName>),
}

#[derive(Debug, Clone)]
pub(super) struct QueryName {
    pub(super) name: Box<str>,
    pub(super) variable: usize,
    pub(super) explode: bool,
}

impl Program {
    /// Compiles a template. `syntax` has passed `refusal::check`.
    pub(super) fn compile(syntax: &Syntax, variables: &[Variable]) -> Self {
        let program = Self { code: Vec::new(), fields: Vec::new(), slots: 0, splits: 0 };
        let mut compiler = Compiler { program, variables };
        let mut parts = &syntax.parts[..];
        while let Some((part, mut rest)) = parts.split_first() {
            match part {
                Part::Literal(text) => compiler.bytes(text),
                Part::Expression(expression) => match expression.operator {
                    Operator::Query | Operator::Continuation => rest = compiler.query(expression, rest),
                    _ => compiler.expression(expression, rest),
                },
            }
            parts = rest;
        }
        compiler.push(Inst::Match);
        compiler.program
    }
}

struct Compiler<'a> {
    program: Program,
    variables: &'a [Variable],
}

/// The order in which the lengths of a variable's value are tried.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    Shortest,
    Longest,
}

impl Compiler<'_> {
    fn expression(&mut self, expression: &Expression, rest: &[Part]) {
        let first = &expression.variables[0];
        match expression.operator {
            Operator::Simple => {
                for (n, spec) in expression.variables.iter().enumerate() {
                    if n > 0 {
                        self.bytes(",");
                    }
                    let last = n + 1 == expression.variables.len();
                    self.value(&spec.name, |this| {
                        this.push(Inst::Any(SEGMENT));
                        this.repeat(SEGMENT, Extent::Shortest, last && ends_within(SEGMENT, rest));
                    });
                }
            }
            Operator::Reserved => {
                let tail = rest.iter().any(|p| matches!(p, Part::Expression(e) if e.operator.is_tail()));
                let class = if tail { BEFORE_TAIL } else { ANYTHING };
                self.value(&first.name, |this| {
                    this.push(Inst::Any(class));
                    this.repeat(class, Extent::Longest, ends_within(class, rest));
                });
            }
            Operator::Fragment => {
                self.bytes("#");
                self.value(&first.name, |this| {
                    this.push(Inst::Any(ANYTHING));
                    this.repeat(ANYTHING, Extent::Longest, true);
                });
            }
            Operator::Label | Operator::Path => self.segments(expression),
            Operator::Parameter => self.parameters(expression),
            Operator::Query | Operator::Continuation => unreachable!("compiled by `query`"),
        }
    }

    /// Compiles `{.a,b*}` and `{/a,b*}`: each name follows its own separator and needs the names before it.
    fn segments(&mut self, expression: &Expression) {
        let symbol = expression.operator.symbol().unwrap_or('/');
        let mut absent = Vec::new();
        for spec in &expression.variables {
            absent.push(self.split());
            self.push(Inst::Byte(symbol as u8));
            if spec.explode {
                let class = if symbol == '/' { BEFORE_TAIL } else { SEGMENT };
                let kind = FieldKind::List { variable: self.index(&spec.name), separator: symbol };
                self.field(kind, |this| this.repeat(class, Extent::Longest, false));
            } else {
                self.value(&spec.name, |this| this.repeat(SEGMENT, Extent::Shortest, false));
            }
        }
        for split in absent {
            self.else_here(split);
        }
    }

    /// Compiles `{;a,b*}`: each name may be missing.
    fn parameters(&mut self, expression: &Expression) {
        for spec in &expression.variables {
            let index = self.index(&spec.name);
            if spec.explode {
                self.field(FieldKind::Parameters(index), |this| {
                    let absent = this.split();
                    this.bytes(";");
                    this.bytes(&spec.name);
                    let bare = this.split();
                    this.bytes("=");
                    this.repeat(PARAMETER, Extent::Shortest, false);
                    this.else_here(bare);
                    this.push(Inst::Jump(absent));
                    this.else_here(absent);
                });
            } else {
                let absent = self.split();
                self.bytes(";");
                self.bytes(&spec.name);
                let bare = self.split();
                self.bytes("=");
                self.else_here_too(bare, |this| {
                    this.value(&spec.name, |this| this.repeat(PARAMETER, Extent::Shortest, false));
                });
                self.else_here(absent);
            }
        }
    }

    /// Compiles `{?…}` or `{&…}` with the `{&…}` that follow, as one set of names. Returns the parts after them.
    fn query<'p>(&mut self, expression: &Expression, mut rest: &'p [Part]) -> &'p [Part] {
        let mut specs: Vec<_> = expression.variables.iter().collect();
        while let Some((Part::Expression(next), behind)) = rest.split_first() {
            if next.operator != Operator::Continuation {
                break;
            }
            specs.extend(&next.variables);
            rest = behind;
        }
        let names = specs
            .into_iter()
            .map(|s| QueryName { name: s.name.clone(), variable: self.index(&s.name), explode: s.explode })
            .collect::<Vec<_>>();
        let absent = self.split();
        self.bytes(if expression.operator == Operator::Query { "?" } else { "&" });
        self.field(FieldKind::Query(names.clone()), |this| {
            let pair = this.next_number();
            let mut ends = Vec::new();
            for (n, name) in names.iter().enumerate() {
                let other = (n + 1 < names.len()).then(|| this.split());
                this.bytes(&name.name);
                let bare = this.split();
                this.bytes("=");
                this.repeat(PAIR, Extent::Longest, false);
                this.else_here(bare);
                if let Some(other) = other {
                    ends.push(this.next_number());
                    this.push(Inst::Jump(0));
                    this.else_here(other);
                }
            }
            let end = this.next_number();
            for jump in ends {
                this.program.code[jump] = Inst::Jump(end);
            }
            let last = this.split();
            this.bytes("&");
            this.push(Inst::Jump(pair));
            this.else_here(last);
        });
        self.else_here(absent);
        rest
    }

    fn value(&mut self, name: &str, body: impl FnOnce(&mut Self)) {
        self.field(FieldKind::Value(self.index(name)), body);
    }

    fn field(&mut self, kind: FieldKind, body: impl FnOnce(&mut Self)) {
        let slot = self.program.slots;
        self.program.slots += 2;
        self.program.fields.push(Field { slot, kind });
        self.push(Inst::Save(slot));
        body(self);
        self.push(Inst::Save(slot + 1));
    }

    /// Reads any number of bytes of `class`. `certain` is true if the instructions after it cannot begin with such a
    /// byte.
    fn repeat(&mut self, class: Class, extent: Extent, certain: bool) {
        // After a split a run could be scanned again from each byte; the steps below are counted once each.
        if certain && self.program.splits == 0 {
            self.push(Inst::Run(class));
            return;
        }
        let split = self.split();
        let body = self.next_number();
        self.push(Inst::Any(class));
        self.push(Inst::Jump(split));
        let behind = self.next_number();
        let (first, second) = if extent == Extent::Longest { (body, behind) } else { (behind, body) };
        self.set_split(split, first, second);
    }

    fn bytes(&mut self, text: &str) {
        self.program.code.extend(text.bytes().map(Inst::Byte));
    }

    fn push(&mut self, inst: Inst) {
        self.program.code.push(inst);
    }

    fn next_number(&self) -> usize {
        self.program.code.len()
    }

    /// Adds an instruction that continues in two ways, and returns its number. The first way is the next instruction;
    /// `else_here` sets the second.
    fn split(&mut self) -> usize {
        let at = self.next_number();
        let index = self.program.splits;
        self.program.splits += 1;
        self.push(Inst::Split { first: at + 1, second: at + 1, index });
        at
    }

    fn set_split(&mut self, at: usize, first: usize, second: usize) {
        if let Inst::Split { index, .. } = self.program.code[at] {
            self.program.code[at] = Inst::Split { first, second, index };
        }
    }

    /// Makes the second way of `split` continue here.
    fn else_here(&mut self, split: usize) {
        let here = self.next_number();
        self.set_split(split, split + 1, here);
    }

    /// Adds the two ways of `split`: the first runs `body`, the second stores an empty value for the same field.
    fn else_here_too(&mut self, split: usize, body: impl FnOnce(&mut Self)) {
        let slot = self.program.slots;
        body(self);
        let jump = self.next_number();
        self.push(Inst::Jump(0));
        self.else_here(split);
        self.push(Inst::Save(slot));
        self.push(Inst::Save(slot + 1));
        self.program.code[jump] = Inst::Jump(self.next_number());
    }

    fn index(&self, name: &str) -> usize {
        self.variables
            .iter()
            .position(|v| &*v.name == name)
            .expect("`variables` lists every name of the syntax")
    }
}

/// Returns whether a run of bytes of `class` ends by itself, because `rest` cannot begin with such a byte.
fn ends_within(class: Class, rest: &[Part]) -> bool {
    for part in rest {
        match part {
            Part::Literal(text) => return !text.bytes().next().is_some_and(|b| class.contains(b)),
            Part::Expression(expression) => match expression.operator.symbol() {
                Some(symbol) if !class.contains(symbol as u8) => {
                    if !expression.operator.is_optional() {
                        return true;
                    }
                }
                _ => return false,
            },
        }
    }
    true
}
