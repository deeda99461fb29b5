/* Ctrl-C ends a service in order: ctrl PROGRAM-AND-ARGUMENTS

   Starts a program that serves standard input and output or HTTP, presses Ctrl-C once it serves, and checks that it ends with
   status 0 before its input ends. Over standard input it has a listen stream open, which the program must end by an answer.
   An event of a console goes to each program in it, so this one ignores it. */
#include <stdio.h>
#include <string.h>
#include <windows.h>

static const char LISTEN[] =
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{\"resourcesListChanged\":true},"
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

static BOOL WINAPI ignore(DWORD event) {
    return event == CTRL_C_EVENT;
}

static int fail(const char *what, const char *said) {
    fprintf(stderr, "%s (error %lu); the program said: %s\n", what, GetLastError(), said);
    return 1;
}

/* Reads until the text is there or the pipe ends; returns whether it is there. */
static int read_until(HANDLE pipe, char *said, size_t room, const char *text) {
    size_t length = strlen(said);
    while (!text || !strstr(said, text)) {
        DWORD read = 0;
        if (length + 1 >= room || !ReadFile(pipe, said + length, (DWORD)(room - length - 1), &read, NULL) || read == 0) return 0;
        length += read;
        said[length] = 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    static char said[1 << 16], command[4096];
    int over_http = 0;
    for (int i = 1; i < argc; i++) {
        snprintf(command + strlen(command), sizeof command - strlen(command), "\"%s\" ", argv[i]);
        over_http |= strcmp(argv[i], "--http") == 0;
    }
    SECURITY_ATTRIBUTES inherit = {sizeof inherit, NULL, TRUE};
    HANDLE their_input, input, output, their_output;
    if (!CreatePipe(&their_input, &input, &inherit, 0) || !CreatePipe(&output, &their_output, &inherit, 0)) return fail("no pipe", said);
    SetHandleInformation(input, HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(output, HANDLE_FLAG_INHERIT, 0);
    STARTUPINFOA start = {0};
    PROCESS_INFORMATION process;
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = their_input;
    start.hStdOutput = start.hStdError = their_output;
    SetConsoleCtrlHandler(ignore, TRUE);
    if (!CreateProcessA(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) return fail("it does not start", said);
    CloseHandle(their_input);
    CloseHandle(their_output);
    DWORD written;
    if (!over_http && !WriteFile(input, LISTEN, sizeof LISTEN - 1, &written, NULL)) return fail("it reads nothing", said);
    if (!read_until(output, said, sizeof said, over_http ? "listening on" : "acknowledged")) return fail("it does not serve", said);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) return fail("Ctrl-C cannot be pressed", said);
    read_until(output, said, sizeof said, NULL);
    DWORD status;
    if (WaitForSingleObject(process.hProcess, 30000) || !GetExitCodeProcess(process.hProcess, &status)) return fail("it does not end", said);
    if (status != 0) return fail("its status is not 0", said);
    if (!over_http && !strstr(said, "\"id\":7,\"result\"")) return fail("its listen stream had no answer", said);
    CloseHandle(input);
    return 0;
}
