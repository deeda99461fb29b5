/* Stands for the engine: four tools of our own, in a registry with the functions of the project. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "neuronos/neuronos.h"

static const struct {
    const char *name, *description, *schema;
} TOOLS[] = {
    {"echo", "Returns its arguments \"as they came\".\nTwo lines.", NULL},
    {"sum", "Adds two whole numbers.",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"]}"},
    {"fail", "Fails always.", "{\"type\":\"object\"}"},
    {"any", NULL, "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}"},
};

static char * copy_of(const char * text) {
    char * copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

int neuronos_tool_count(const neuronos_tool_registry_t * tools) {
    (void)tools;
    return sizeof TOOLS / sizeof *TOOLS;
}

const char * neuronos_tool_name(const neuronos_tool_registry_t * tools, int index) {
    (void)tools;
    return TOOLS[index].name;
}

const char * neuronos_tool_description(const neuronos_tool_registry_t * tools, int index) {
    (void)tools;
    return TOOLS[index].description;
}

const char * neuronos_tool_schema(const neuronos_tool_registry_t * tools, int index) {
    (void)tools;
    return TOOLS[index].schema;
}

neuronos_tool_result_t neuronos_tool_execute(neuronos_tool_registry_t * tools, const char * name, const char * arguments) {
    neuronos_tool_result_t result = {NULL, true, NULL};
    char text[256];
    int a = 0, b = 0;
    (void)tools;
    if (strcmp(name, "echo") == 0 || strcmp(name, "any") == 0) {
        result.output = copy_of(arguments);
    } else if (strcmp(name, "sum") == 0 && sscanf(arguments, "{\"a\":%d,\"b\":%d}", &a, &b) == 2) {
        snprintf(text, sizeof text, "%d", a + b);
        result.output = copy_of(text);
    } else {
        snprintf(text, sizeof text, "\"%s\" cannot do that:\tit is broken", name);
        result.success = false;
        result.error = copy_of(text);
    }
    return result;
}

void neuronos_tool_result_free(neuronos_tool_result_t * result) {
    free(result->output);
    free(result->error);
}

int main(void) {
    return neuronos_mcp_serve_stdio((neuronos_tool_registry_t *)TOOLS);
}
