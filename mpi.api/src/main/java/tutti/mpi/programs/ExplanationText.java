package tutti.mpi.programs;

import java.util.List;
import java.util.stream.Collectors;
import mpi.Explanation;

/** Formats explanations. Public because the classes of this package that every rank defines belong to another run-time package. */
public final class ExplanationText {
    private ExplanationText() {}

    /** Returns explanations as lines for people. */
    public static String lines(final List<Explanation> all) {
        return all.stream().map(e -> e + "\n").collect(Collectors.joining());
    }

    /** Returns explanations as a JSON array of objects (RFC 8259). */
    public static String json(final List<Explanation> all) {
        return all.stream().map(ExplanationText::object).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(final Explanation e) {
        return "{\"operation\": " + Json.string(e.operation()) + ", \"module\": " + Json.string(e.module())
            + ", \"algorithm\": " + Json.string(e.algorithm())
            + ", \"parameters\": " + e.parameters().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]"))
            + ", \"priority\": " + e.priority() + ", \"others\": "
            + e.others().stream().map(o -> "{\"module\": " + Json.string(o.module()) + ", \"reason\": " + Json.string(o.reason()) + "}")
                .collect(Collectors.joining(", ", "[", "]"))
            + ", \"rule\": " + Json.string(e.rule()) + ", \"notes\": " + e.notes().stream().map(Json::string)
                .collect(Collectors.joining(", ", "[", "]"))
            + ", \"choices\": " + e.choices().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]"))
            + ", \"offers\": " + e.offers().stream().map(Json::string).collect(Collectors.joining(", ", "[", "]"))
            + ", \"tunables\": " + e.tunables().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]")) + "}";
    }

    private static String object(final Explanation.Parameter p) {
        return "{\"name\": " + Json.string(p.name()) + ", \"value\": " + Json.string(p.value()) + ", \"origin\": " + Json.string(p.origin()) + "}";
    }

    private static String object(final Explanation.Tunable t) {
        return "{\"algorithm\": " + Json.string(t.algorithm()) + ", \"parameter\": " + Json.string(t.parameter()) + ", \"value\": "
            + Json.string(t.value())
            + ", \"limit\": "
            + Json.string(t.limit()) + ", \"candidates\": " + t.candidates() + "}";
    }

    private static String object(final Explanation.Choice c) {
        return "{\"calls\": " + Json.string(c.calls()) + ", \"fromBytes\": " + c.fromBytes() + ", \"toBytes\": "
            + (c.toBytes() == Long.MAX_VALUE ? "null" : c.toBytes()) + ", \"module\": " + Json.string(c.module()) + ", \"algorithm\": "
            + Json.string(c.algorithm()) + ", \"rule\": " + Json.string(c.rule()) + "}";
    }
}
