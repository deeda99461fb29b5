import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The steps with a wide host, in this order. */
final class Steps {
    /** The first revisions that have titles and `_meta` of a resource, and words with progress. */
    private static final String TITLES = "2025-06-18";

    private static final String PROGRESS_MESSAGES = "2025-03-26";
    private static final int DENIED = 403;
    private static final int INTERNAL_ERROR = -32603;

    /** Asserts one thing, and says what it found. */
    interface Step {
        String take() throws Exception;
    }

    private final World world;

    private Steps(World world) {
        this.world = world;
    }

    static Map<String, Step> of(World world) {
        Steps steps = new Steps(world);
        Map<String, Step> all = new LinkedHashMap<>();
        all.put("connect", steps::connect);
        all.put("list", steps::list);
        all.put("several contents", steps::read);
        all.put("permission denied", steps::denied);
        all.put("progress", steps::progress);
        all.put("subscribe", steps::subscribe);
        all.put("tools", steps::tools);
        all.put("prompts", steps::prompts);
        all.put("ask the client", steps::checkClientRequest);
        all.put("input for a read", steps::inputForARead);
        all.put("close", world::close);
        return all;
    }

    private String connect() {
        McpSchema.InitializeResult told = world.connect();
        same("wide", told.serverInfo().name(), "the server");
        same("Ask for anything.", told.instructions(), "the instructions");
        McpSchema.ServerCapabilities.ResourceCapabilities resources = told.capabilities().resources();
        check(resources.subscribe() && resources.listChanged(), "resources: " + resources);
        return told.protocolVersion() + ", subscribe, listChanged";
    }

    private String list() {
        List<McpSchema.Resource> listed = world.wait(world.client().listResources()).resources();
        same(8, listed.size(), "the number of resources");
        McpSchema.Resource described =
                listed.stream().filter(each -> each.uri().equals("wide://described")).findFirst().orElseThrow();
        same(world.has(TITLES) ? "All there is to say" : null, described.title(), "its title");
        same(10L, described.size(), "its size");
        same(0.5, described.annotations().priority(), "its priority");
        same(world.has(TITLES) ? Map.of("example.com/colour", "green") : null, described.meta(), "its _meta");
        List<McpSchema.ResourceTemplate> templates = world.wait(world.client().listResourceTemplates()).resourceTemplates();
        same(List.of("wide://{city}/{street}"), templates.stream().map(each -> each.uriTemplate()).toList(), "the templates");
        return "8 resources, a template";
    }

    private String read() {
        List<McpSchema.ResourceContents> parts = world.read("wide://parts", null);
        same(2, parts.size(), "the number of parts");
        same("one", ((McpSchema.TextResourceContents) parts.get(0)).text(), "the first part");
        same("AP8=", ((McpSchema.BlobResourceContents) parts.get(1)).blob(), "the second part");
        same(world.has(TITLES) ? Map.of("example.com/part", 2) : null, parts.get(1).meta(), "its _meta");
        return "two parts";
    }

    private String denied() {
        return refusal(DENIED, world.refused("wide://denied"));
    }

    private String progress() throws Exception {
        List<String> heard = world.hear();
        var reading = world.reading("wide://steps", Map.of("progressToken", "steps"));
        world.until(() -> heard.size() == 3, "the third word of progress");
        world.read("wide://enough", null);
        same("done", text(reading.get(World.PATIENCE.toSeconds(), TimeUnit.SECONDS)), "wide://steps");
        if (world.has(PROGRESS_MESSAGES)) {
            same(List.of("one", "two", "three"), heard, "the progress");
        }
        return "3 of 3, while the host still reads";
    }

    private String subscribe() throws Exception {
        world.wait(world.client().subscribeResource(new McpSchema.SubscribeRequest("wide://cancelled")));
        List<String> heard = world.hear();
        world.reading("wide://endless", Map.of("progressToken", "endless"));
        world.until(() -> !heard.isEmpty(), "progress of wide://endless");
        world.cancel("wide://endless");
        world.until(() -> world.updated().contains("yes"), "the update of wide://cancelled");
        return "the host hears of a cancellation, the client of the change";
    }

    private String tools() throws Exception {
        List<String> names = world.wait(world.client().listTools()).tools().stream().map(McpSchema.Tool::name).sorted().toList();
        same(List.of("add", "ask", "grow", "log"), names, "the tools");
        McpSchema.CallToolResult result = world.call("grow", Map.of());
        same("there is a further tool", ((McpSchema.TextContent) result.content().get(0)).text(), "the result");
        world.until(() -> world.tools().contains("grown"), "word of the further tool");
        return "listed, called; a further one is told";
    }

    private String prompts() {
        var got = world.wait(world.client().getPrompt(new McpSchema.GetPromptRequest("greet", Map.of("name", "Ada"))));
        same("Greet Ada.", ((McpSchema.TextContent) got.messages().get(0).content()).text(), "the prompt");
        return "got";
    }

    private String checkClientRequest() {
        McpSchema.CallToolResult result = world.call("ask", Map.of("method", "elicitation/create"));
        Object structured = result.structuredContent();
        if (structured == null) { // the old client speaks a revision before elicitation, and declares it all the same
            String text = ((McpSchema.TextContent) result.content().get(0)).text();
            same("The tool failed: this needs the client capabilities {\"elicitation\":{}}", text, "the text");
            return "refused, as this revision has no elicitation";
        }
        Map<?, ?> answer = (Map<?, ?>) structured;
        same("accept", answer.get("action"), "the action");
        same(Map.of("name", "Ada"), answer.get("content"), "the answer");
        return "elicitation/create";
    }

    private String inputForARead() {
        return refusal(INTERNAL_ERROR, world.refused("wide://asks")) + ", as this revision has no way to ask";
    }

    private static String refusal(int wanted, int code) {
        same(wanted, code, "the code");
        return String.valueOf(code);
    }

    private static String text(List<McpSchema.ResourceContents> contents) {
        same(1, contents.size(), "the number of contents");
        return ((McpSchema.TextResourceContents) contents.get(0)).text();
    }

    private static void same(Object wanted, Object found, String what) {
        check(Objects.equals(wanted, found), what + ": " + found + " instead of " + wanted);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
