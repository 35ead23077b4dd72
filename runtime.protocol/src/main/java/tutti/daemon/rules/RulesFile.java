package tutti.daemon.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.ConditionValues;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleCondition.Kind;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/**
 * Reader of rule tables: a JSON object whose {@code rules} is an array of objects. All fields of a rule but {@code use} are optional.
 *
 * <pre>
 * {"rules": [
 *   {"operation": "allreduce", "ranks": "2..8", "nodes": "1", "ranksPerNode": "2..", "link": "fast", "bytes": "..64K",
 *    "commutative": true, "inPlace": false, "use": ["smp/direct:segment=16K", "basic"]},
 *   {"operation": "allreduce", "groups": "2..", "bytes": "64K..", "use": "basic/slices"},
 *   {"operation": "allgatherv", "powerOfTwo": true, "level": ["jvm", "host"], "block": "..4K", "regular": true, "use": "recexch"}
 * ]}
 * </pre>
 */
public final class RulesFile {
    private static final int MAX_RULES = 10_000;
    private static final String RULES = "rules";
    private static final String OPERATION = "operation";
    private static final String USE = "use";
    private static final List<String> FIELDS = Stream.of(Stream.of(OPERATION), Stream.of(RuleCondition.values()).map(RuleCondition::field),
        Stream.of(USE)).flatMap(Function.identity()).toList();
    private static final String USE_SYNTAX = AlgorithmRef.SYNTAX + " as text, or an array of them";
    private static final ObjectMapper JSON = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    /** Error in a rule, without the rule's number. */
    private static final class RuleException extends Exception {
        private static final long serialVersionUID = 1L;

        RuleException(final String field, final String what, final String allowed) {
            super(field + ": " + what + "; allowed: " + allowed, null, false, false);
        }
    }

    private RulesFile() {}

    /**
     * Reads a file; the table has its name.
     *
     * @throws InvalidRulesException when it is not a rule table, or cannot be read
     */
    public static RuleTable read(final Path file) throws InvalidRulesException {
        try {
            return of(file.toString(), Files.readAllBytes(file));
        } catch (final NoSuchFileException e) {
            throw new InvalidRulesException(file + ": no such file"
                + (file.isAbsolute() ? "" : "; looked for in " + Path.of("").toAbsolutePath()), e);
        } catch (final IOException e) {
            throw new InvalidRulesException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** Parses a table named {@code source}. */
    static RuleTable of(final String source, final byte[] json) throws InvalidRulesException {
        final JsonNode table;
        try {
            table = JSON.readTree(json);
        } catch (final JsonProcessingException e) {
            final String where = e.getLocation() == null ? "" : ": line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr();
            throw new InvalidRulesException(source + ": not JSON" + where + ": " + e.getOriginalMessage().lines().findFirst().orElse(""), e);
        } catch (final IOException e) {
            throw new InvalidRulesException(source + ": cannot be read: " + e.getMessage(), e);
        }
        if (table == null || !table.isObject() || table.size() != 1 || !table.path(RULES).isArray()) {
            throw new InvalidRulesException(source + ": not a table of rules; allowed: {\"rules\": [{...}, ...]}", null);
        }
        if (table.get(RULES).size() > MAX_RULES) {
            throw new InvalidRulesException(source + ": too many rules: rules=" + table.get(RULES).size() + ", max=" + MAX_RULES, null);
        }
        final List<SelectionRule> rules = new ArrayList<>();
        for (final JsonNode rule : table.get(RULES)) {
            try {
                rules.add(rule(rule));
            } catch (final RuleException | IllegalArgumentException e) {
                throw new InvalidRulesException(source + ": rule " + (rules.size() + 1) + ": " + e.getMessage(), e);
            }
        }
        return new RuleTable(source, rules);
    }

    private static SelectionRule rule(final JsonNode rule) throws RuleException {
        if (!rule.isObject()) {
            throw new RuleException("not an object", literal(rule), "{\"use\": \"MODULE/ALGORITHM\", ...}");
        }
        final Set<String> unknown = new TreeSet<>();
        rule.fieldNames().forEachRemaining(unknown::add);
        FIELDS.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new RuleException(unknown.iterator().next(), "no such field", String.join(", ", FIELDS));
        }
        final Map<RuleCondition, ConditionValues> conditions = new EnumMap<>(RuleCondition.class);
        for (final RuleCondition condition : RuleCondition.values()) {
            if (rule.has(condition.field())) {
                conditions.put(condition, values(condition, rule.get(condition.field())));
            }
        }
        return new SelectionRule(operation(rule.get(OPERATION)), conditions, refs(rule.get(USE)));
    }

    private static ConditionValues values(final RuleCondition condition, final JsonNode value) throws RuleException {
        final Kind kind = condition.kind();
        final List<String> texts = new ArrayList<>();
        for (final JsonNode one : kind.isWords() && value.isArray() ? value : List.of(value)) {
            if (!(kind == Kind.FLAG ? one.isBoolean() : one.isTextual() || kind == Kind.RANGE && one.isIntegralNumber())) {
                throw new RuleException(condition.field(), literal(one), kind.syntax());
            }
            texts.add(one.asText());
        }
        try {
            return condition.parse(texts);
        } catch (final IllegalArgumentException e) {
            throw new RuleException(condition.field(), literal(value) + " (" + e.getMessage() + ")", kind.syntax());
        }
    }

    private static List<AlgorithmRef> refs(final @Nullable JsonNode use) throws RuleException {
        if (use == null || use.isEmpty() && use.isContainerNode()) {
            throw new RuleException(USE, use == null ? "missing" : literal(use), USE_SYNTAX);
        }
        final List<AlgorithmRef> refs = new ArrayList<>();
        for (final JsonNode one : use.isArray() ? use : List.of(use)) {
            if (!one.isTextual()) {
                throw new RuleException(USE, literal(one), USE_SYNTAX);
            }
            try {
                refs.add(AlgorithmRef.of(one.textValue()));
            } catch (final IllegalArgumentException e) {
                throw new RuleException(USE, literal(one) + " (" + e.getMessage() + ")", USE_SYNTAX);
            }
        }
        return refs;
    }

    private static @Nullable String operation(final @Nullable JsonNode operation) throws RuleException {
        if (operation == null) {
            return null;
        }
        final String id = operation.asText();
        if (!operation.isTextual() || Operation.values().stream().noneMatch(o -> o.id().equals(id))) {
            throw new RuleException(OPERATION, literal(operation), String.join(", ", Operation.values().stream().map(Operation::id).toList()));
        }
        return id;
    }

    /** Returns a value as written in the file, shortened. */
    private static String literal(final JsonNode value) {
        final String text = value.toString();
        return text.length() > 40 ? text.substring(0, 40) + "..." : text;
    }
}
