package tutti.cli.tune;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.SelectionRule;

/** Writer of rule tables in the format that {@link tutti.daemon.rules.RulesFile} reads: a line per rule. */
public final class RuleTableWriter {
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private RuleTableWriter() {}

    /** Writes a rule table. */
    public static void write(final Path file, final List<SelectionRule> rules) throws IOException {
        Files.writeString(file, rules.stream().map(RuleTableWriter::line).collect(Collectors.joining(",\n  ", "{\"rules\": [\n  ", "\n]}\n")));
    }

    private static String line(final SelectionRule rule) {
        final ObjectNode line = JSON.createObjectNode();
        line.put("operation", rule.operation());
        put(line, "nodes", rule.nodes());
        put(line, "ranks", rule.ranks());
        if (rule.groups() != null) {
            line.put("groups", rule.groups().toString());
        }
        if (rule.link() != null) {
            line.put("link", rule.link().toString());
        }
        put(line, "bytes", rule.bytes());
        if (rule.refs().size() == 1) {
            line.put("use", rule.refs().getFirst().toString());
        } else {
            rule.refs().forEach(u -> line.withArray("use").add(u.toString()));
        }
        return line.toString();
    }

    private static void put(final ObjectNode line, final String field, final LongRange range) {
        if (!range.equals(LongRange.ALL)) {
            line.put(field, range.toString());
        }
    }
}
