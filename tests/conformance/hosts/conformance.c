/* conformance.c - what the official conformance suite asks of a server, over Streamable HTTP. Prints its URL, and serves
 * until SIGTERM. */
#define _GNU_SOURCE
#include <wellhead_http.h>

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define S WELLHEAD_STR
#define JSON(...) #__VA_ARGS__
#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==" /* one pixel */
#define WAV "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=" /* no sound */
#define PLAIN JSON({"description": "For the conformance suite", "inputSchema": {"type": "object"}})
#define INVALID_PARAMS (-32602)

typedef void handler(void *user_data, const wellhead_call *call, wellhead_method *r);

static wellhead_server *server;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- JSON */

static json_t *parsed(wellhead_str json) {
    return json.ptr ? json_loadb(json.ptr, json.len, 0, NULL) : json_object();
}

static json_t *text(const char *said) {
    return json_pack("{s:s, s:s}", "type", "text", "text", said);
}

static json_t *image(void) {
    return json_pack("{s:s, s:s, s:s}", "type", "image", "data", PNG, "mimeType", "image/png");
}

static json_t *embedded(const char *uri, const char *mime_type, const char *said) {
    return json_pack("{s:s, s:{s:s, s:s, s:s}}", "type", "resource", "resource", "uri", uri, "mimeType", mime_type, "text", said);
}

static json_t *message(json_t *content) {
    return json_pack("{s:s, s:o}", "role", "user", "content", content);
}

/* A result with one text; takes it. */
static json_t *says(json_t *said) {
    return json_pack("{s:[{s:s, s:o}]}", "content", "type", "text", "text", said);
}

/* Answers with what is taken. */
static void answer(wellhead_method *r, json_t *result) {
    char *json = json_dumps(result, 0);
    wellhead_method_result(r, wellhead_cstr(json));
    free(json);
    json_decref(result);
}

static void must(wellhead_status status) {
    if (!status) return;
    fprintf(stderr, "conformance: %s\n", wellhead_status_name(status));
    exit(1);
}

static void tool(const char *name, const char *members, handler *call, const void *user_data) {
    must(wellhead_server_add_tool(server, wellhead_cstr(name), wellhead_cstr(members), call, (void *)user_data, NULL, NULL));
}

static void prompt(const char *name, const char *members, handler *get, const void *user_data) {
    must(wellhead_server_add_prompt(server, wellhead_cstr(name), wellhead_cstr(members), get, (void *)user_data, NULL, NULL));
}

static void say(void *result, const wellhead_call *call, wellhead_method *r) {
    (void)call;
    answer(r, json_incref(result));
}

static void forget(void *result) {
    json_decref(result);
}

/* A tool with one result, which is taken. */
static void answering(const char *name, const char *members, json_t *result) {
    must(wellhead_server_add_tool(server, wellhead_cstr(name), wellhead_cstr(members), say, result, forget, NULL));
}

/* A prompt with these messages, which are taken. */
static void telling(const char *name, const char *members, json_t *messages) {
    json_t *result = json_pack("{s:o}", "messages", messages);
    must(wellhead_server_add_prompt(server, wellhead_cstr(name), wellhead_cstr(members), say, result, forget, NULL));
}

/* ---- resources */

static void read_data(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_str id = wellhead_call_var(call, "id");
    json_t *data = json_pack("{s:s%, s:b, s:o}", "id", id.ptr, id.len, "templateTest", 1, "data",
                             json_sprintf("Data for ID: %.*s", (int)id.len, id.ptr));
    char *json = json_dumps(data, 0);
    (void)user_data;
    wellhead_read_text(r, wellhead_cstr(json));
    free(json);
    json_decref(data);
}

static void complete_with(wellhead_complete *r, const char *const *all, wellhead_str value) {
    for (; *all; all++)
        if (strncmp(*all, value.ptr, value.len) == 0) wellhead_complete_add(r, wellhead_cstr(*all));
    wellhead_complete_finish(r, 0, NULL);
}

static void complete_id(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    static const char *const ids[] = {"123", NULL};
    (void)user_data;
    complete_with(r, ids, wellhead_call_value(call));
}

static wellhead_resource described(const char *uri, const char *name, const char *description, const char *mime_type) {
    wellhead_resource d = WELLHEAD_RESOURCE_INIT;
    d.uri = wellhead_cstr(uri);
    d.name = wellhead_cstr(name);
    d.description = wellhead_cstr(description);
    d.mime_type = wellhead_cstr(mime_type);
    return d;
}

static void add_resources(void) {
    const wellhead_str completed[] = {S("id")};
    const wellhead_resource fixed = described("test://static-text", "static-text", "A text", "text/plain");
    const wellhead_resource binary = described("test://static-binary", "static-binary", "An image", "image/png");
    const wellhead_resource watched = described("test://watched-resource", "watched-resource", "To be watched", NULL);
    const wellhead_resource data = described("test://template/{id}/data", "data", "By its id", "application/json");
    wellhead_provider by_id = WELLHEAD_PROVIDER_INIT;
    must(wellhead_server_add_text(server, &fixed, S("This is the content of the static text resource."), NULL));
    must(wellhead_server_add_blob(server, &binary, S("\x89PNG\r\n\x1a\n"), NULL));
    must(wellhead_server_add_text(server, &watched, S("Watched."), NULL));
    by_id.read = read_data;
    by_id.complete = complete_id;
    by_id.completed = completed;
    by_id.completed_count = 1;
    must(wellhead_server_add_template(server, &data, &by_id, NULL));
}

/* ---- what needs input, in the revision that has such results */

#define ELICITS(name, message, member, type) JSON({name: {"method": "elicitation/create", "params": {"mode": "form", \
    "message": message, "requestedSchema": {"type": "object", "properties": {member: {"type": type}}, "required": [member]}}}})
#define SAMPLES(name, prompt, most) JSON({name: {"method": "sampling/createMessage", "params": {"maxTokens": most, \
    "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}]}}})
#define ROOTS JSON({"client_roots": {"method": "roots/list", "params": {}}})
#define NAME ELICITS("user_name", "What is your name?", "name", "string")
#define GREETING SAMPLES("greeting", "Generate a greeting", 50)

/* The states that were given out last: a client that sends another has made it up. */
static struct { char token[33]; size_t round; } given[64];
static size_t given_count;

static void give(char token[33], size_t round) {
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random) abort();
    for (size_t i = 0; i < sizeof random; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
    pthread_mutex_lock(&lock);
    memcpy(given[given_count % 64].token, token, 33);
    given[given_count++ % 64].round = round;
    pthread_mutex_unlock(&lock);
}

/* 0: it was not given out. */
static int is_given(const char *token, size_t *round) {
    int found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < 64 && i < given_count && !found; i++) {
        found = strcmp(given[i].token, token) == 0;
        if (found) *round = given[i].round;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Answers that these requests, which are taken, are to be answered first. */
static void needs(wellhead_method *r, json_t *requests, const char *state) {
    json_t *input = json_pack("{s:o, s:s*}", "inputRequests", requests, "requestState", state);
    char *json = json_dumps(input, 0);
    wellhead_method_input_required(r, wellhead_cstr(json));
    free(json);
    json_decref(input);
}

/* What is asked for once, where in the response the answer stands, and what to say before it; prompts say it in a message. */
typedef struct { const char *requests, *response, *members[3], *before; int prompt; } in_one;

static void needs_one(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const in_one *one = user_data;
    json_t *asked = parsed(wellhead_call_params(call)), *given = json_object_get(json_object_get(asked, "inputResponses"), one->response);
    for (const char *const *member = one->members; *member; member++) given = json_object_get(given, *member);
    if (given) {
        char *json = json_dumps(given, JSON_ENCODE_ANY);
        json_t *said = json_sprintf("%s%s", one->before, json_is_string(given) ? json_string_value(given) : json);
        if (one->prompt) answer(r, json_pack("{s:[o]}", "messages", message(text(json_string_value(said)))));
        else answer(r, says(json_incref(said)));
        json_decref(said);
        free(json);
    } else {
        needs(r, parsed(wellhead_cstr(one->requests)), NULL);
    }
    json_decref(asked);
}

/* What is asked for one after the other, and what is said in the end; the state tells how far it is. */
typedef struct { const char *rounds[3], *answer; } in_rounds;

static void needs_rounds(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const wellhead_str params = wellhead_call_params(call);
    const in_rounds *all = user_data;
    json_t *asked = parsed(params);
    const char *state = json_string_value(json_object_get(asked, "requestState"));
    size_t done = 0;
    char token[33];
    if (state && !is_given(state, &done)) {
        wellhead_method_error(r, INVALID_PARAMS, S("Invalid params: requestState"), wellhead_cstr(NULL));
    } else if (all->rounds[done]) {
        give(token, done + 1);
        needs(r, parsed(wellhead_cstr(all->rounds[done])), token);
    } else {
        answer(r, says(json_string(all->answer)));
    }
    json_decref(asked);
}

static int is_able(const wellhead_call *call, const char *capability) {
    json_t *able = parsed(wellhead_call_client_capabilities(call));
    int is = json_object_get(able, capability) != NULL;
    json_decref(able);
    return is;
}

static void needs_what_client_can(void *user_data, const wellhead_call *call, wellhead_method *r) {
    json_t *requests = json_object();
    (void)user_data;
    if (is_able(call, "elicitation")) json_object_update_new(requests, parsed(S(NAME)));
    if (is_able(call, "sampling")) json_object_update_new(requests, parsed(S(GREETING)));
    needs(r, requests, NULL);
}

static void needs_capability(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    if (is_able(call, "sampling")) answer(r, says(json_string("The client can sample.")));
    else wellhead_method_missing_capability(r, S(JSON({"sampling": {}})));
}

static void add_tools_that_need_input(void) {
    static const in_one name = {NAME, "user_name", {"content", "name"}, "Hello, ", 0};
    static const in_one capital = {SAMPLES("capital_question", "What is the capital of France?", 100), "capital_question",
                                   {"content", "text"}, "It is ", 0};
    static const in_one roots = {ROOTS, "client_roots", {"roots"}, "The roots are ", 0};
    static const in_rounds confirmed = {{ELICITS("confirm", "Please confirm", "ok", "boolean"), NULL}, "state-ok"};
    static const in_rounds both = {{ELICITS("step1", "Step 1: What is your name?", "name", "string"),
                                    ELICITS("step2", "Step 2: What is your favorite color?", "color", "string"), NULL},
                                   "both answered"};
    static in_rounds several = {{NULL}, "all answered"};
    json_t *at_once = parsed(S(NAME));
    json_object_update_new(at_once, parsed(S(GREETING)));
    json_object_update_new(at_once, parsed(S(ROOTS)));
    several.rounds[0] = json_dumps(at_once, 0); /* as long as the program */
    json_decref(at_once);
    tool("test_input_required_result_elicitation", PLAIN, needs_one, &name);
    tool("test_streaming_elicitation", PLAIN, needs_one, &name);
    tool("test_input_required_result_sampling", PLAIN, needs_one, &capital);
    tool("test_input_required_result_list_roots", PLAIN, needs_one, &roots);
    tool("test_input_required_result_request_state", PLAIN, needs_rounds, &confirmed);
    tool("test_input_required_result_tampered_state", PLAIN, needs_rounds, &confirmed);
    tool("test_input_required_result_multiple_inputs", PLAIN, needs_rounds, &several);
    tool("test_input_required_result_multi_round", PLAIN, needs_rounds, &both);
    tool("test_input_required_result_capabilities", PLAIN, needs_what_client_can, NULL);
    tool("test_missing_capability", PLAIN, needs_capability, NULL);
}

/* ---- prompts */

static void get_with_arguments(void *user_data, const wellhead_call *call, wellhead_method *r) {
    json_t *arguments = parsed(wellhead_call_arguments(call));
    const char *first = "", *second = "";
    char *said = NULL;
    (void)user_data;
    json_unpack(arguments, "{s?s, s?s}", "arg1", &first, "arg2", &second);
    if (asprintf(&said, "Prompt with arguments: arg1='%s', arg2='%s'", first, second) < 0) abort();
    answer(r, json_pack("{s:[o]}", "messages", message(text(said))));
    free(said);
    json_decref(arguments);
}

static void complete_city(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    static const char *const cities[] = {"paris", "park", "party", NULL};
    (void)user_data;
    complete_with(r, cities, wellhead_call_value(call));
}

static void get_with_resource(void *user_data, const wellhead_call *call, wellhead_method *r) {
    json_t *arguments = parsed(wellhead_call_arguments(call));
    const char *uri = "";
    (void)user_data;
    json_unpack(arguments, "{s?s}", "resourceUri", &uri);
    answer(r, json_pack("{s:[o, o]}", "messages",
                        message(embedded(uri, "text/plain", "Embedded resource content for testing.")),
                        message(text("Please process the embedded resource above."))));
    json_decref(arguments);
}

static void add_prompts(void) {
    static const in_one context = {ELICITS("user_context", "What context should the prompt use?", "context", "string"),
                                   "user_context", {"content", "context"}, "", 1};
    telling("test_simple_prompt", JSON({"description": "Simple"}),
            json_pack("[o]", message(text("This is a simple prompt for testing."))));
    prompt("test_prompt_with_arguments",
           JSON({"description": "With arguments", "arguments": [
               {"name": "arg1", "description": "First", "required": true},
               {"name": "arg2", "description": "Second", "required": true}]}),
           get_with_arguments, NULL);
    must(wellhead_server_complete_prompt(server, S("test_prompt_with_arguments"), S("arg1"), complete_city, NULL, NULL, NULL));
    prompt("test_prompt_with_embedded_resource",
           JSON({"description": "With a resource", "arguments": [
               {"name": "resourceUri", "description": "What to embed", "required": true}]}),
           get_with_resource, NULL);
    telling("test_prompt_with_image", JSON({"description": "With an image"}),
            json_pack("[o, o]", message(image()), message(text("Please analyze the image above."))));
    prompt("test_input_required_result_prompt", JSON({"description": "Needs input"}), needs_one, &context);
}

/* ---- tools that only answer */

static void add_plain_tools(void) {
    answering("test_simple_text", PLAIN, says(json_string("This is a simple text response for testing.")));
    answering("test_image_content", PLAIN, json_pack("{s:[o]}", "content", image()));
    answering("test_audio_content", PLAIN,
              json_pack("{s:[{s:s, s:s, s:s}]}", "content", "type", "audio", "data", WAV, "mimeType", "audio/wav"));
    answering("test_embedded_resource", PLAIN,
              json_pack("{s:[o]}", "content",
                        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")));
    answering("test_multiple_content_types", PLAIN,
              json_pack("{s:[o, o, o]}", "content", text("Multiple content types test:"), image(),
                        embedded("test://mixed-content-resource", "application/json", JSON({"test":"data","value":123}))));
    answering("test_error_handling", PLAIN,
              json_pack("{s:b, s:[o]}", "isError", 1, "content", text("This tool intentionally returns an error for testing")));
    answering("test_custom_header",
        JSON({"description": "Has an argument that a header field repeats", "inputSchema": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}
        }}),
        says(json_string("The field and the argument agree.")));
    answering("json_schema_2020_12_tool",
        JSON({"description": "JSON Schema 2020-12", "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"}
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false
        }}),
        says(json_string("not validated")));
}

/* ---- tools that tell */

static void log_thrice(void *user_data, const wellhead_call *call, wellhead_method *r) {
    static const char *const said[] = {"Tool execution started", "Tool processing data", "Tool execution completed"};
    (void)user_data, (void)call;
    for (int i = 0; i < 3; i++) {
        wellhead_method_log(r, S("info"), wellhead_cstr(said[i]), S("conformance"), NULL);
        usleep(50000);
    }
    answer(r, says(json_string("logged")));
}

static void report_progress(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const double total = 100;
    (void)user_data;
    for (int done = 0; done <= 100; done += 50) {
        wellhead_call_progress(call, done, &total, wellhead_cstr(NULL));
        usleep(50000);
    }
    answer(r, says(json_string("done")));
}

/* The stream ends before the answer, for which the client comes back. */
static void reconnection(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    wellhead_call_close_event_stream(call, 500);
    usleep(100000); /* the client is away */
    answer(r, says(json_string("here again")));
}

static void add_tools_that_tell(void) {
    tool("test_tool_with_logging", PLAIN, log_thrice, NULL);
    tool("test_logging_tool", PLAIN, log_thrice, NULL);
    tool("test_tool_with_progress", PLAIN, report_progress, NULL);
    tool("test_reconnection", PLAIN, reconnection, NULL);
}

/* ---- tools that ask the client of a session */

/* A question to the client: the call that waits for it, and what becomes of the answer. */
typedef struct {
    wellhead_method *waiting; /* NULL: answered */
    json_t *(*describe)(json_t *answer);
} question;

static void answered(void *then_data, uint32_t response, const wellhead_str *json) {
    question *q = then_data;
    json_t *result = parsed(*json);
    if (response == WELLHEAD_RESPONSE_RESULT) answer(q->waiting, says(q->describe(result)));
    else wellhead_method_failed(q->waiting, *json);
    q->waiting = NULL;
    json_decref(result);
}

static void forget_question(void *then_data) {
    question *q = then_data;
    wellhead_method_free(q->waiting);
    free(q);
}

/* Asks the client, with params that are taken. */
static void send_client_request(wellhead_method *r, const char *method, json_t *params, json_t *(*describe)(json_t *answer)) {
    char *json = json_dumps(params, 0);
    question *q = malloc(sizeof *q);
    if (!q || !json) abort();
    *q = (question){wellhead_method_keep(r), describe};
    wellhead_method_send_request(r, wellhead_cstr(method), wellhead_cstr(json), answered, q, forget_question, NULL);
    free(json);
    json_decref(params);
}

static json_t *describe_sampled(json_t *answer) {
    const char *said = "";
    json_unpack(answer, "{s?{s?s}}", "content", "text", &said);
    return json_sprintf("LLM response: %s", said);
}

static json_t *describe_whole(json_t *answer) {
    char *json = json_dumps(answer, 0);
    json_t *told = json_sprintf("User response: %s", json);
    free(json);
    return told;
}

static json_t *describe_parts(json_t *answer) {
    const char *action = "";
    json_unpack(answer, "{s?s}", "action", &action);
    char *content = json_dumps(json_object_get(answer, "content"), JSON_ENCODE_ANY);
    json_t *told = json_sprintf("Elicitation completed: action=%s, content=%s", action, content ? content : "null");
    free(content);
    return told;
}

static void sample(void *user_data, const wellhead_call *call, wellhead_method *r) {
    json_t *arguments = parsed(wellhead_call_arguments(call));
    const char *prompt = "";
    (void)user_data;
    json_unpack(arguments, "{s?s}", "prompt", &prompt);
    send_client_request(r, "sampling/createMessage", json_pack("{s:[o], s:i}", "messages", message(text(prompt)), "maxTokens", 100), describe_sampled);
    json_decref(arguments);
}

static void elicit_user(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const wellhead_str schema = S(JSON({"type": "object", "required": ["username", "email"], "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"}}}));
    json_t *arguments = parsed(wellhead_call_arguments(call));
    const char *said = "";
    (void)user_data;
    json_unpack(arguments, "{s?s}", "message", &said);
    send_client_request(r, "elicitation/create", json_pack("{s:s, s:o}", "message", said, "requestedSchema", parsed(schema)), describe_whole);
    json_decref(arguments);
}

static void elicit(void *properties, const wellhead_call *call, wellhead_method *r) {
    json_t *schema = json_pack("{s:s, s:o, s:[]}", "type", "object", "properties", parsed(wellhead_cstr(properties)), "required");
    (void)call;
    send_client_request(r, "elicitation/create", json_pack("{s:s, s:o}", "message", "Please fill in", "requestedSchema", schema), describe_parts);
}

static void add_tools_that_ask(void) {
    static const char defaults[] = JSON({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true}
    });
    static const char enums[] = JSON({
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": [
            {"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": [
            {"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}
    });
    tool("test_sampling",
         JSON({"description": "Samples", "inputSchema": {"type": "object", "properties": {"prompt": {"type": "string"}}}}),
         sample, NULL);
    tool("test_elicitation",
         JSON({"description": "Elicits", "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}}}),
         elicit_user, NULL);
    tool("test_elicitation_sep1034_defaults", PLAIN, elicit, defaults);
    tool("test_elicitation_sep1330_enums", PLAIN, elicit, enums);
}

/* ---- tools that change lists */

static void change_tools(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    answering("test_passing", PLAIN, says(json_string("gone soon")));
    must(wellhead_server_remove_tool(server, S("test_passing"), NULL));
    answer(r, says(json_string("changed")));
}

static void change_prompts(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    telling("test_passing", "{}", json_array());
    must(wellhead_server_remove_prompt(server, S("test_passing"), NULL));
    answer(r, says(json_string("changed")));
}

static void bound(void *bound_data, const wellhead_str *address) {
    (void)bound_data;
    printf("http://%.*s/mcp\n", (int)address->len, address->ptr);
    fflush(stdout);
}

int main(void) {
    const wellhead_pair capabilities[] = {{S("tools"), S(JSON({"listChanged": true}))},
                                          {S("prompts"), S(JSON({"listChanged": true}))},
                                          {S("logging"), S("{}")}};
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_http_options http = WELLHEAD_HTTP_OPTIONS_INIT;
    options.capabilities = capabilities;
    options.capability_count = 3;
    server = wellhead_server_new(S("conformance"), S("1.0.0"), &options, NULL);
    if (!server) return 1;
    add_resources();
    add_prompts();
    add_plain_tools();
    add_tools_that_tell();
    add_tools_that_ask();
    add_tools_that_need_input();
    tool("test_trigger_tool_change", PLAIN, change_tools, NULL);
    tool("test_trigger_prompt_change", PLAIN, change_prompts, NULL);
    http.callback_threads = 4;
    http.flags = WELLHEAD_HTTP_HANDLE_SIGTERM;
    http.bound = bound;
    must(wellhead_serve_http(server, S("127.0.0.1:0"), &http, NULL));
    wellhead_server_free(server);
    return 0;
}
