import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.util.List;

/** Starts a host, as the old SDK does it. */
final class Stdio {
    private Stdio() {}

    static McpClientTransport start(List<String> command) {
        ServerParameters host = ServerParameters.builder(command.get(0)).args(command.subList(1, command.size())).build();
        return new StdioClientTransport(host);
    }
}
