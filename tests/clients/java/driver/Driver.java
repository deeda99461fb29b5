import java.util.List;
import java.util.Map;

/**
 * Drives one wide host with the official Java SDK.
 *
 * <pre>driver KIND PLACE RECORD URL      or      driver KIND PLACE RECORD COMMAND...</pre>
 *
 * KIND is `http` for a host that is reached by its URL, `wide` for one that is started. RECORD tells how that ended. Prints one JSON object a
 * line: first the names of all steps, then a verdict for each step that was reached.
 */
public final class Driver {
    private Driver() {}

    public static void main(String[] arguments) {
        if (arguments.length < 4 || !List.of("http", "wide").contains(arguments[0])) {
            System.err.println("usage: driver http|wide PLACE RECORD URL|COMMAND...");
            System.exit(2);
        }
        List<String> reached = List.of(arguments).subList(3, arguments.length);
        World world = new World(arguments[0].equals("http"), arguments[2], reached);
        Map<String, Steps.Step> steps = Steps.of(world);
        say("{\"steps\": [" + String.join(", ", steps.keySet().stream().map(Driver::quoted).toList()) + "]}");
        for (Map.Entry<String, Steps.Step> step : steps.entrySet()) {
            boolean passed = true;
            String detail;
            try {
                detail = step.getValue().take();
            } catch (Exception | AssertionError failure) {
                passed = false;
                detail = String.valueOf(failure);
                failure.printStackTrace();
            }
            say("{\"step\": " + quoted(step.getKey()) + ", \"ok\": " + passed + ", \"detail\": " + quoted(detail) + "}");
            if (!passed && !world.isConnected()) {
                break;
            }
        }
        System.exit(0); // the SDK leaves threads behind
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            quoted.append(c == '"' || c == '\\' || c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return quoted.append('"').toString();
    }
}
