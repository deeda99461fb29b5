/* Stands for the header of the project: what its MCP server uses of the engine, by the same names. */
#ifndef NEURONOS_H
#define NEURONOS_H

#include <stdbool.h>

#define NEURONOS_VERSION_STRING "0.9.2"

typedef struct neuronos_tool_reg neuronos_tool_registry_t;
typedef enum { NEURONOS_OK = 0, NEURONOS_ERROR_MEMORY = -7, NEURONOS_ERROR_INVALID_PARAM = -10 } neuronos_status_t;
typedef struct {
    char * output;
    bool success;
    char * error;
} neuronos_tool_result_t;

int neuronos_tool_count(const neuronos_tool_registry_t * tools);
const char * neuronos_tool_name(const neuronos_tool_registry_t * tools, int index);
const char * neuronos_tool_description(const neuronos_tool_registry_t * tools, int index);
const char * neuronos_tool_schema(const neuronos_tool_registry_t * tools, int index);
neuronos_tool_result_t neuronos_tool_execute(neuronos_tool_registry_t * tools, const char * name, const char * arguments);
void neuronos_tool_result_free(neuronos_tool_result_t * result);
neuronos_status_t neuronos_mcp_serve_stdio(neuronos_tool_registry_t * tools);

#endif
