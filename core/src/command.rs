//! The command `wellhead`: serves folders over standard input and output or over HTTP, and checks skills. The Rust
//! binary and the commands of the Python and npm packages call `run_command`.

use crate::http::Grant;
use crate::nearest::nearest;
use crate::serve::{Http, Stdio};
use crate::{Caller, Directory, InterestAnswer, Limits, Observed, Server, Skills};
use lexopt::prelude::*;
use std::error::Error;
use std::ffi::OsString;
use std::hint::black_box;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Instant;

const HELP: &str = "\
Serves folders to MCP clients: programs that start this command and speak the Model Context
Protocol (MCP) with it over standard input and output. Clients list the files as resources, read
them, and subscribe to changes. No file is ever written.

Usage:
  wellhead serve [OPTIONS] DIR...
  wellhead serve [OPTIONS] --skills DIR... [DIR...]
  wellhead check-skills DIR...

  wellhead serve ~/notes
  wellhead serve --include '*.md' --exclude drafts/ ~/notes ~/work/docs
  wellhead serve --skills ~/skills
  wellhead check-skills ~/skills

Each file has the URI of its path, such as file:///home/ann/notes/a.md. These are never
served: hidden files (.env, .git), files that .gitignore and .ignore files name, and files outside
of the folder that a link leads to.

'check-skills' checks the Agent Skills in folders. It prints what is wrong as PATH:LINE: text on
standard output, and exits with 0 if nothing is wrong, 1 if something is. 'serve --skills' makes
the same checks: it logs what is wrong, and does not serve these skills.

Options of 'serve':
  --skills [PREFIX=]DIR serve the Agent Skills in a folder and below it, such as
                        skill://pdf/SKILL.md; may be given several times. A skill is a directory
                        with a SKILL.md. PREFIX begins the URIs, as in skill://PREFIX/pdf/SKILL.md;
                        without it, several folders have their names as prefixes. --include,
                        --exclude and --max-file-size do not apply to skills.
  --include PATTERN     serve only files that match; may be given several times
  --exclude PATTERN     do not serve what matches; wins over --include; may be given several times
                        Patterns are those of .gitignore: '*.md' in any directory, '/a.md' at the
                        top, 'drafts/' for directories with everything in them. Quote them, so that
                        the shell leaves them alone.
  --max-file-size SIZE  the largest file that is served, in bytes or as 500K, 64M, 2G [64M]
  --settle-ms N         milliseconds for which changes are gathered before clients are notified [50]
  --page-size N         how many files one page of a list has at most [1000]
  --tools               show the files also as tools, for clients that know tools only:
                        list_resources, read_resource, search, fetch
  --http ADDRESS        serve over HTTP on that address, such as 127.0.0.1:8000, at the path /mcp,
                        and not over standard input and output. A port alone, such as 8000, is one
                        of 127.0.0.1. Without --token-file, every program that can reach the
                        address can read the folders. Use addresses other than 127.0.0.1 and [::1]
                        only on networks that you trust.
  --token-file FILE     over HTTP, serve only clients that send one of the tokens of this file, as
                        'Authorization: Bearer TOKEN'. One token a line, of letters, digits and
                        -._~+/=; empty lines and those that begin with # do not count. The file is
                        read once. Give each client a token of its own ('openssl rand -hex 32'), and
                        keep the file private. Tokens cross the network unencrypted: to serve
                        clients on other machines, put a proxy that speaks TLS in front.
  -v, --verbose         log served folders, requests and subscriptions on standard error
  -h, --help            print this
  -V, --version         print the version

Environment:
  WELLHEAD_KEY          the key of the cursors that lead from one page of a list to the next: 64
                        hexadecimal digits ('openssl rand -hex 32'). Give several instances, or one
                        that restarts, the same key, so that a client can go on with any of them.
                        Without it, each start over HTTP makes a key of its own. Without HTTP the
                        key follows from the version, and is no secret.

Add this to the configuration of a desktop client:
  {\"mcpServers\": {\"notes\": {\"command\": \"wellhead\", \"args\": [\"serve\", \"/home/ann/notes\"]}}}

It ends on SIGTERM and, unless it serves over HTTP, when the client closes its input. Exit status:
0 after that, 1 if it failed or check-skills found something, 2 if it was called in the wrong way.
";

/// Runs the command with these arguments, without its name, until it has ended, and returns its exit status.
///
/// It uses standard input and output, reads the environment variable `WELLHEAD_KEY`, and ends on SIGTERM. So it is for
/// a program that does nothing else.
pub fn run_command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command = match Command::from_args(lexopt::Parser::from_args(arguments)) {
        Ok(command) => command,
        Err(e) => {
            return fail(2, &format!("{e}\nTry 'wellhead --help'."));
        }
    };
    let serve = match command {
        Command::Print(text) => {
            let _ = io::stdout().write_all(text.as_bytes()); // a reader that closed it does not want it
            return 0;
        }
        Command::CheckSkills(folders) => return check_skills(&folders),
        Command::Serve(serve) => serve,
    };
    let server = match serve.server() {
        Ok(server) => server,
        Err(e) => return fail(2, &format!("{e}{}{}", cause(&e), serve.advice(&e))),
    };
    let result = match &serve.http {
        Some(address) => listen(&server, address, serve.tokens),
        None => Stdio::new().callback_threads(CALLBACK_THREADS).handle_sigterm(true).serve(&server),
    };
    match result {
        Ok(()) => {
            if serve.verbose {
                say("end");
            }
            0
        }
        Err(e) => {
            let place = serve.http.map(|address| format!("--http {address}: ")).unwrap_or_default();
            fail(1, &format!("{place}{e}{}", cause(&e)))
        }
    }
}

/// Prints what is wrong with the skills in these folders. Returns the exit status.
fn check_skills(folders: &[PathBuf]) -> u8 {
    let mut report = String::new();
    for folder in folders {
        match Skills::new(folder).check() {
            Ok(flaws) => report.extend(flaws.iter().map(|flaw| format!("{flaw}\n"))),
            Err(e) => return fail(2, &format!("{e}{}", cause(&e))),
        }
    }
    let _ = io::stdout().write_all(report.as_bytes()); // a reader that closed it does not want it
    u8::from(!report.is_empty())
}

/// Returns the cause of an error, with a colon before it.
fn cause(e: &crate::Error) -> String {
    Error::source(e).map(|cause| format!(": {cause}")).unwrap_or_default()
}

fn listen(server: &Server, address: &str, tokens: Option<Vec<String>>) -> crate::Result<()> {
    let mut endpoint = server.endpoint();
    let protected = tokens.is_some();
    if let Some(tokens) = tokens {
        endpoint = endpoint.verify(move |call| {
            let known = tokens.iter().find(|token| is_same(token.as_bytes(), call.token().as_bytes()));
            known.map(|token| Grant::new(Caller::new(token.as_bytes())))
        });
    }
    let http = Http::new(endpoint).callback_threads(CALLBACK_THREADS).handle_sigterm(true);
    let listener = match address.parse::<u16>() {
        Ok(port) => http.bind((Ipv4Addr::LOCALHOST, port))?,
        Err(_) => http.bind(address)?,
    };
    let address = listener.address();
    say(&format!("listening on http://{address}/mcp"));
    if !address.ip().to_canonical().is_loopback() {
        say(if protected {
            "tokens from other machines cross the network unencrypted; put a proxy that speaks TLS in front"
        } else {
            "every program that can reach that address can read the folders; use --token-file to restrict it"
        });
    }
    listener.serve()
}

/// Compares two tokens in constant time, so that a client cannot guess a token piece by piece.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let differs = a.iter().zip(b).fold(0, |differs, (a, b)| black_box(differs | (a ^ b)));
    a.len() == b.len() && differs == 0
}

/// The number of threads that run callbacks. They read files, so several keep one slow file from delaying all requests.
const CALLBACK_THREADS: usize = 4;

fn fail(status: u8, why: &str) -> u8 {
    say(why);
    status
}

/// Writes a line for people to standard error. A failure to write is ignored.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "wellhead: {line}");
}

/// The command that the arguments ask for.
enum Command {
    Print(String),
    CheckSkills(Vec<PathBuf>),
    Serve(Serve),
}

/// The options of `wellhead serve`.
#[derive(Default, PartialEq)]
struct Serve {
    folders: Vec<PathBuf>,
    /// The folders of skills, each with the prefix of its URIs if it has one.
    skills: Vec<(Option<String>, PathBuf)>,
    include: Vec<String>,
    exclude: Vec<String>,
    max_file_bytes: Option<u64>,
    settle_ms: Option<u64>,
    page_items: Option<usize>,
    tools: bool,
    http: Option<String>,
    tokens: Option<Vec<String>>,
    key: Option<Vec<u8>>,
    verbose: bool,
}

impl Command {
    fn from_args(mut args: lexopt::Parser) -> Result<Command, Box<dyn Error>> {
        let mut serve = Serve::default();
        let mut named = false;
        while let Some(arg) = args.next()? {
            match arg {
                Short('h') | Long("help") => return Ok(Command::Print(HELP.to_owned())),
                Short('V') | Long("version") => {
                    return Ok(Command::Print(format!("wellhead {}\n", env!("CARGO_PKG_VERSION"))));
                }
                Short('v') | Long("verbose") => serve.verbose = true,
                Long("include") => serve.include.push(args.value()?.string()?),
                Long("exclude") => serve.exclude.push(args.value()?.string()?),
                Long("max-file-size") => serve.max_file_bytes = Some(size(&args.value()?.string()?)?),
                Long("settle-ms") => serve.settle_ms = Some(milliseconds(&args.value()?.string()?)?),
                Long("skills") => serve.skills.push(prefix_and_folder(args.value()?)),
                Long("tools") => serve.tools = true,
                Long("http") => serve.http = Some(args.value()?.string()?),
                Long("token-file") => serve.tokens = Some(tokens(Path::new(&args.value()?))?),
                Long("page-size") => serve.page_items = Some(count(&args.value()?.string()?)?),
                Value(name) if !named => {
                    if name == "check-skills" {
                        return folders_to_check(args, &serve);
                    }
                    if name != "serve" {
                        let name = name.display();
                        return Err(
                            format!("'{name}' is no command, 'serve' and 'check-skills' are; did you mean 'wellhead serve {name}'?").into()
                        );
                    }
                    named = true;
                }
                Value(folder) => serve.folders.push(folder.into()),
                other => return Err(unexpected(other)),
            }
        }
        if !named {
            return Err("say what to do: 'wellhead serve DIR' serves a folder".into());
        }
        if serve.folders.is_empty() && serve.skills.is_empty() {
            return Err("say which folder to serve: 'wellhead serve DIR'".into());
        }
        let chosen = !serve.include.is_empty() || !serve.exclude.is_empty() || serve.max_file_bytes.is_some();
        if serve.folders.is_empty() && chosen {
            return Err(
                "--include, --exclude and --max-file-size need a DIR: the files of skills are all served"
                    .into(),
            );
        }
        if serve.tokens.is_some() && serve.http.is_none() {
            return Err(
                "--token-file needs --http: a client over standard input and output sends no token".into()
            );
        }
        serve.key =
            std::env::var_os("WELLHEAD_KEY").map(|digits| key(&digits.to_string_lossy())).transpose()?;
        Ok(Command::Serve(serve))
    }
}

const NO_OPTIONS: &str = "check-skills takes no options of 'wellhead serve'";

/// Parses the arguments of `check-skills`.
fn folders_to_check(mut args: lexopt::Parser, before: &Serve) -> Result<Command, Box<dyn Error>> {
    let mut folders = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Short('h') | Long("help") => return Ok(Command::Print(HELP.to_owned())),
            Value(folder) => folders.push(folder.into()),
            other => return Err(unexpected(other)),
        }
    }
    if *before != Serve::default() {
        return Err(NO_OPTIONS.into());
    }
    if folders.is_empty() {
        return Err("say which folder to check: 'wellhead check-skills DIR'".into());
    }
    Ok(Command::CheckSkills(folders))
}

/// Returns the error of an argument that has no meaning. For a mistyped option it names the one that was meant.
fn unexpected(argument: lexopt::Arg<'_>) -> Box<dyn Error> {
    // The options of --help stand at the begin of its lines, some behind a letter.
    let options = HELP.lines().filter_map(|line| {
        let line = line.trim_start();
        let long =
            line.split_once(", ").filter(|(letter, _)| letter.len() == 2).map_or(line, |(_, long)| long);
        long.strip_prefix("--")?.split(' ').next()
    });
    match argument {
        Long(name) => match nearest(name, options) {
            Some(known) if known == name => NO_OPTIONS.into(),
            Some(meant) => format!("'--{name}' is no option; did you mean '--{meant}'?").into(),
            None => argument.unexpected().into(),
        },
        _ => argument.unexpected().into(),
    }
}

/// Splits `PREFIX=DIR`. A path with `=` is not split if the part before that cannot be a prefix.
fn prefix_and_folder(text: OsString) -> (Option<String>, PathBuf) {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    match text.to_str().and_then(|text| text.split_once('=')) {
        Some((prefix, folder)) if !prefix.is_empty() && prefix.bytes().all(allowed) => {
            (Some(prefix.to_owned()), folder.into())
        }
        _ => (None, text.into()),
    }
}

impl Serve {
    /// Returns the advice about an error of a prefix; empty if the error is another one.
    fn advice(&self, e: &crate::Error) -> &'static str {
        let about_a_prefix = !self.skills.is_empty() && e.to_string().contains("`prefix`");
        if about_a_prefix { "; write --skills PREFIX=DIR to choose it" } else { "" }
    }

    fn title(&self) -> String {
        let named = |folders: Vec<String>, what: &str| {
            (!folders.is_empty()).then(|| format!("{what} in {}", folders.join(", ")))
        };
        let files = named(self.folders.iter().map(|folder| name(folder)).collect(), "Files");
        let skills = named(self.skills.iter().map(|(_, folder)| name(folder)).collect(), "Skills");
        files.into_iter().chain(skills).collect::<Vec<_>>().join("; ")
    }

    fn instructions(&self) -> String {
        let files = "Files, read-only. A directory reads as the list of the URIs of what is in it.";
        let skills = "Agent Skills: skills/list lists them, and resources/read reads their files.";
        let both = [(!self.folders.is_empty(), files), (!self.skills.is_empty(), skills)];
        both.into_iter().filter(|(there, _)| *there).map(|(_, text)| text).collect::<Vec<_>>().join(" ")
    }

    fn server(&self) -> crate::Result<Server> {
        let mut limits = Limits::default();
        limits.page_items = self.page_items.unwrap_or(limits.page_items);
        let mut builder = Server::builder("wellhead", env!("CARGO_PKG_VERSION")).limits(limits);
        builder = builder.resources_as_tools(self.tools);
        if let Some(key) = &self.key {
            builder = builder.cursor_key(key.clone());
        }
        if self.verbose {
            let start = Instant::now();
            builder = builder.clock(move || start.elapsed()).observe(observed);
        }
        let server = builder.title(self.title()).instructions(self.instructions()).build()?;
        for folder in &self.folders {
            let mut directory = Directory::new(folder);
            for pattern in &self.include {
                directory = directory.include(pattern);
            }
            for pattern in &self.exclude {
                directory = directory.exclude(pattern);
            }
            if let Some(bytes) = self.max_file_bytes {
                directory = directory.max_file_bytes(bytes);
            }
            if let Some(ms) = self.settle_ms {
                directory = directory.settle_ms(ms);
            }
            let handle = server.directory(directory)?;
            self.say(&format!("serving {}", handle.registered_as()));
        }
        for (prefix, folder) in &self.skills {
            let mut skills = Skills::new(folder);
            if let Some(prefix) = prefix.clone().or_else(|| (self.skills.len() > 1).then(|| name(folder))) {
                skills = skills.prefix(prefix);
            }
            if let Some(ms) = self.settle_ms {
                skills = skills.settle_ms(ms);
            }
            let handle = server.skills(skills)?;
            self.say(&format!("serving {}", handle.registered_as()));
        }
        if self.verbose {
            server.on_interest(|call| {
                let watched = if call.wanted() { "subscribed" } else { "no longer subscribed" };
                say(&format!("{watched}: {}", call.uri()));
                InterestAnswer::Done
            })?;
        }
        Ok(server)
    }

    fn say(&self, line: &str) {
        if self.verbose {
            say(line);
        }
    }
}

/// Logs a line about each answer.
fn observed(call: &Observed<'_>) {
    if let Some(end) = call.end {
        let time = end.time.unwrap_or_default();
        let registered_as = call.registered_as.unwrap_or_default();
        say(&format!("{} {registered_as}: {}, {} bytes, {time:.1?}", call.method, end.outcome, end.bytes));
    }
}

fn name(folder: &Path) -> String {
    let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Reads the tokens of a file, one a line.
fn tokens(file: &Path) -> Result<Vec<String>, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("--token-file {name}: {e}"))?;
    let mut tokens = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let token = line.trim();
        if token.is_empty() || token.starts_with('#') {
            continue;
        }
        // The message does not quote the line: it may be a secret.
        if !token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)) {
            return Err(format!(
                "--token-file {name}, line {number}: a token has letters, digits and -._~+/= only"
            ));
        }
        tokens.push(token.to_owned());
    }
    if tokens.is_empty() {
        return Err(format!("--token-file {name} has no token; 'openssl rand -hex 32' makes one"));
    }
    Ok(tokens)
}

/// Parses a number of bytes, such as 1000, 500K, 64M or 2G.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("--max-file-size {text}: write it in bytes, or as 500K, 64M or 2G"))
}

fn milliseconds(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("--settle-ms {text}: write a number of milliseconds, such as 50"))
}

fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| format!("--page-size {text}: write a number of files, from 1 on"))
}

fn key(digits: &str) -> Result<Vec<u8>, String> {
    let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let bytes: Option<Vec<u8>> =
        digits.as_bytes().chunks(2).map(|pair| Some(value(pair[0])? << 4 | value(*pair.get(1)?)?)).collect();
    bytes.filter(|bytes| bytes.len() == 32).ok_or_else(|| {
        "WELLHEAD_KEY must be 64 hexadecimal digits; 'openssl rand -hex 32' makes them".to_owned()
    })
}
