/* Takes the place of neuronos/src/mcp/neuronos_mcp_server.c: serves the tools of a NeuronOS registry with Wellhead. */
#include "neuronos/neuronos.h"
#include "neuronos/neuronos_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wellhead.h>

static void call_tool(void * tools, const wellhead_call * call, wellhead_method * method) {
    wellhead_str arguments = wellhead_call_arguments(call), name = wellhead_call_name(call);
    char * copy = calloc(arguments.len + name.len + 2, 1); /* The engine wants strings that end in NUL. */
    if (!copy)
        return;
    memcpy(copy, arguments.ptr, arguments.len);
    char * tool = memcpy(copy + arguments.len + 1, name.ptr, name.len);
    neuronos_tool_result_t result = neuronos_tool_execute(tools, tool, copy);
    (result.success ? wellhead_method_text : wellhead_method_tool_error)(
        method, wellhead_cstr(result.success ? result.output : result.error));
    neuronos_tool_result_free(&result);
    free(copy);
}

static int add_tool(wellhead_server * server, neuronos_tool_registry_t * tools, int index) {
    const char *text = neuronos_tool_description(tools, index), *schema = neuronos_tool_schema(tools, index);
    char * description = nj_escape(text ? text : "");
    const char * input = schema && *schema == '{' ? schema : "{\"type\":\"object\",\"additionalProperties\":false}";
    size_t size = strlen(description) + strlen(input) + 64;
    char * definition = malloc(size);
    snprintf(definition, size, "{\"description\":\"%s\",\"inputSchema\":%s}", description, input);
    int status = wellhead_server_add_tool(server, wellhead_cstr(neuronos_tool_name(tools, index)),
                                          wellhead_cstr(definition), call_tool, tools, NULL, NULL);
    free(description);
    free(definition);
    return status;
}

neuronos_status_t neuronos_mcp_serve_stdio(neuronos_tool_registry_t * tools) {
    if (!tools)
        return NEURONOS_ERROR_INVALID_PARAM;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    options.unknown_tool = WELLHEAD_STR("result");
    options.description = WELLHEAD_STR("The tools of NeuronOS");
    const wellhead_pair capability = {WELLHEAD_STR("tools"), WELLHEAD_STR("{}")};
    options.capabilities = &capability;
    options.capability_count = 1;
    wellhead_server * server =
        wellhead_server_new(WELLHEAD_STR("neuronos"), WELLHEAD_STR(NEURONOS_VERSION_STRING), &options, NULL);
    int failed = !server;
    for (int i = 0; !failed && i < neuronos_tool_count(tools); i++)
        failed = add_tool(server, tools, i);
    failed = failed || wellhead_serve_stdio(server, NULL, NULL);
    wellhead_server_free(server);
    return failed ? NEURONOS_ERROR_MEMORY : NEURONOS_OK;
}
