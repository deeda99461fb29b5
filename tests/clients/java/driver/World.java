import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;

/** A host, the client that drives it, and what came in. */
final class World {
    /** How long each wait lasts at most. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final boolean isHttp;
    private final Path record;
    private final McpClientTransport transport;
    private final McpAsyncClient client;
    /** The ids of the reads that were sent, by their URI. */
    private final Map<String, Object> ids = new ConcurrentHashMap<>();
    private final List<String> updated = new CopyOnWriteArrayList<>();
    private final List<String> tools = new CopyOnWriteArrayList<>();
    private volatile List<String> progress = new CopyOnWriteArrayList<>();
    private String revision;

    World(boolean isHttp, String record, List<String> reached) {
        this.isHttp = isHttp;
        this.record = Path.of(record);
        this.transport = isHttp ? http(reached.get(0)) : Stdio.start(reached);
        this.client = McpClient.async(noting(transport))
                .requestTimeout(PATIENCE)
                .initializationTimeout(PATIENCE)
                .clientInfo(new McpSchema.Implementation("driver", "1.0.0"))
                .capabilities(McpSchema.ClientCapabilities.builder().elicitation().build())
                .elicitation(asked -> Mono.just(
                        new McpSchema.ElicitResult(McpSchema.ElicitResult.Action.ACCEPT, Map.of("name", "Ada"))))
                .resourcesUpdateConsumer(contents -> note(() -> contents.forEach(this::update)))
                .toolsChangeConsumer(now -> note(() -> now.forEach(tool -> tools.add(tool.name()))))
                .progressConsumer(told -> note(() -> progress.add(told.message())))
                .build();
    }

    private static McpClientTransport http(String url) {
        URI uri = URI.create(url);
        String host = uri.getScheme() + "://" + uri.getAuthority();
        return HttpClientStreamableHttpTransport.builder(host).endpoint(uri.getPath()).build();
    }

    McpSchema.InitializeResult connect() {
        McpSchema.InitializeResult told = wait(client.initialize());
        revision = told.protocolVersion();
        return told;
    }

    boolean isConnected() {
        return revision != null;
    }

    /** Says whether the revision is that one or a newer one. */
    boolean has(String first) {
        return revision.compareTo(first) >= 0;
    }

    McpAsyncClient client() {
        return client;
    }

    <T> T wait(Mono<T> result) {
        return result.block(PATIENCE);
    }

    List<McpSchema.ResourceContents> read(String uri, Map<String, Object> meta) {
        return wait(client.readResource(new McpSchema.ReadResourceRequest(uri, meta))).contents();
    }

    CompletableFuture<List<McpSchema.ResourceContents>> reading(String uri, Map<String, Object> meta) {
        return client.readResource(new McpSchema.ReadResourceRequest(uri, meta))
                .map(McpSchema.ReadResourceResult::contents)
                .toFuture();
    }

    /** The code with which a read is refused. */
    int refused(String uri) {
        try {
            throw new AssertionError(uri + " is read: " + read(uri, null));
        } catch (McpError refused) {
            return refused.getJsonRpcError().code();
        }
    }

    McpSchema.CallToolResult call(String tool, Map<String, Object> arguments) {
        return wait(client.callTool(new McpSchema.CallToolRequest(tool, arguments)));
    }

    /** Cancels a read, for which this SDK has no call. */
    void cancel(String uri) {
        Map<String, Object> params = Map.of("requestId", ids.get(uri));
        wait(transport.sendMessage(new McpSchema.JSONRPCNotification("2.0", "notifications/cancelled", params)));
    }

    /** The words of progress that come from now on. */
    List<String> hear() {
        progress = new CopyOnWriteArrayList<>();
        return progress;
    }

    List<String> updated() {
        return updated;
    }

    List<String> tools() {
        return tools;
    }

    synchronized void until(BooleanSupplier there, String awaited) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!there.getAsBoolean()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("no sign in time of " + awaited);
            }
            wait(left);
        }
    }

    /** Ends the client, which waits for a host that it started; tells how that ended. */
    String close() throws Exception {
        wait(client.closeGracefully());
        if (isHttp) {
            return "the client has nothing to complain of";
        }
        String ended = Files.readString(record).strip();
        if (ended.contains("\"terminated\": true")) {
            return "the client ends the host with SIGTERM";
        }
        if (!ended.contains("\"code\": 0")) {
            throw new AssertionError("the host ended so: " + ended);
        }
        return "the host ends by itself";
    }

    private void update(McpSchema.ResourceContents contents) {
        updated.add(contents instanceof McpSchema.TextResourceContents text ? text.text() : contents.uri());
    }

    private Mono<Void> note(Runnable change) {
        return Mono.fromRunnable(() -> {
            synchronized (this) {
                change.run();
                notifyAll();
            }
        });
    }

    /** The transport, of which the ids of reads are noted. */
    private McpClientTransport noting(McpClientTransport transport) {
        return (McpClientTransport) Proxy.newProxyInstance(
                World.class.getClassLoader(), new Class<?>[] {McpClientTransport.class}, (proxy, method, given) -> {
                    if (method.getName().equals("sendMessage")
                            && given[0] instanceof McpSchema.JSONRPCRequest request
                            && request.params() instanceof McpSchema.ReadResourceRequest read) {
                        ids.put(read.uri(), request.id());
                    }
                    try {
                        return method.invoke(transport, given);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }
}
