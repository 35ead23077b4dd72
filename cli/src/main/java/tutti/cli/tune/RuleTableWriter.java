package tutti.cli.tune;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.WordSet;

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
        if (rule.operation() != null) {
            line.put("operation", rule.operation());
        }
        rule.conditions().forEach((condition, values) -> {
            if (condition.kind() == RuleCondition.Kind.FLAG) {
                line.put(condition.field(), values.equals(WordSet.of(true)));
            } else {
                put(line, condition.field(), values.texts());
            }
        });
        put(line, "use", rule.refs().stream().map(AlgorithmRef::toString).toList());
        return line.toString();
    }

    private static void put(final ObjectNode line, final String field, final List<String> texts) {
        if (texts.size() == 1) {
            line.put(field, texts.getFirst());
        } else {
            texts.forEach(line.withArray(field)::add);
        }
    }
}
