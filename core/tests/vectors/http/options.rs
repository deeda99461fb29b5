//! The options of a script's endpoint. See README, "HTTP".

use crate::answers::{FAILURE, Held, Shared};
use crate::host::{Host, text_of, texts};
use serde_json::Value;
use wellhead::http::{EndpointBuilder, Grant, Protection, Verification};
use wellhead::{Caller, VerifyCall};

/// The endpoint that a script wants.
pub(crate) fn builder(host: &Host, options: &Value) -> EndpointBuilder {
    let number = |value: &Value| value.as_u64().expect("an option is a number");
    let mut builder = host.server().endpoint();
    for (name, value) in options.as_object().into_iter().flatten() {
        builder = match name.as_str() {
            "path" => builder.path(text_of(value)),
            "loopback_only" => builder.loopback_only(value == true),
            "allowed_origins" => builder.allowed_origins(texts(value)),
            "allowed_hosts" => builder.allowed_hosts(texts(value)),
            "cors" => builder.cors(value == true),
            "sessions" => builder.sessions(value == true),
            "strict_accept" => builder.strict_accept(value == true),
            "token_required" => builder.token_required(value == true),
            "session_ms" => builder.session_ms(number(value)),
            "delete" => builder.delete(value == true),
            "keep_alive_ms" => builder.keep_alive_ms(number(value)),
            "body_ms" => builder.body_ms(number(value)),
            "session_limit" => builder.session_limit(usize::try_from(number(value)).expect("a size fits")),
            "replay_bytes" => builder.replay_bytes(usize::try_from(number(value)).expect("a size fits")),
            "protect" => builder.protect(protection(value)),
            "verify" => {
                let (state, tokens) = (host.state().clone(), value.clone());
                builder.verify(move |call: VerifyCall| {
                    let (deferred, responder) = call.defer();
                    let said = tokens.get(call.token()).cloned().unwrap_or_else(|| "refused".into());
                    verify(&state, responder, &said);
                    deferred
                })
            }
            other => panic!("no such option: {other}"),
        };
    }
    builder
}

fn verify(state: &Shared, responder: wellhead::Responder<Verification>, said: &Value) {
    if let Some(name) = said["hold"].as_str() {
        state.hold(name, Held::Token(responder));
    } else if said == "none" {
        drop(responder);
    } else {
        responder.finish(verification(said));
    }
}

fn protection(options: &Value) -> Protection {
    const VALID: &str = "the protection of a script is valid";
    let protection = match options["resource"].as_str() {
        Some(resource) => Protection::new(resource, texts(&options["authorization_servers"])).expect(VALID),
        None => Protection::default(),
    };
    protection.scopes(texts(&options["scopes"])).expect(VALID)
}

/// A VERIFICATION of the README.
pub(crate) fn verification(said: &Value) -> Verification {
    if said == "refused" {
        return Verification::Refused;
    } else if said == "fail" {
        return Verification::Failed(FAILURE.to_owned());
    } else if said.get("insufficient_scope").is_some() {
        return Verification::InsufficientScope(texts(&said["insufficient_scope"]));
    }
    let mut grant = Grant::new(Caller::new(text_of(&said["caller"]).into_bytes()))
        .audience(texts(&said["audience"]))
        .scopes(texts(&said["scopes"]));
    if let Some(ms) = said["expires_in_ms"].as_u64() {
        grant = grant.expires_in_ms(ms);
    }
    grant.into()
}
