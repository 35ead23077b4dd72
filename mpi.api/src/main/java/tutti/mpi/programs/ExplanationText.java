package tutti.mpi.programs;

import java.util.List;
import java.util.stream.Collectors;
import mpi.Explanation;
import tutti.intercept.JsonText;

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
        return "{\"operation\": " + JsonText.string(e.operation()) + ", \"module\": " + JsonText.string(e.module())
            + ", \"algorithm\": " + JsonText.string(e.algorithm())
            + ", \"parameters\": " + e.parameters().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]"))
            + ", \"priority\": " + e.priority() + ", \"others\": "
            + e.others().stream().map(o -> "{\"module\": " + JsonText.string(o.module()) + ", \"reason\": " + JsonText.string(o.reason()) + "}")
                .collect(Collectors.joining(", ", "[", "]"))
            + ", \"rule\": " + JsonText.string(e.rule()) + ", \"notes\": " + e.notes().stream().map(JsonText::string)
                .collect(Collectors.joining(", ", "[", "]"))
            + ", \"choices\": " + e.choices().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]"))
            + ", \"offers\": " + e.offers().stream().map(JsonText::string).collect(Collectors.joining(", ", "[", "]"))
            + ", \"tunables\": " + e.tunables().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]")) + "}";
    }

    private static String object(final Explanation.Parameter p) {
        return "{\"name\": " + JsonText.string(p.name()) + ", \"value\": " + JsonText.string(p.value()) + ", \"origin\": "
            + JsonText.string(p.origin()) + "}";
    }

    private static String object(final Explanation.Tunable t) {
        return "{\"algorithm\": " + JsonText.string(t.algorithm()) + ", \"parameter\": " + JsonText.string(t.parameter()) + ", \"value\": "
            + JsonText.string(t.value())
            + ", \"limit\": "
            + JsonText.string(t.limit()) + ", \"candidates\": " + t.candidates() + "}";
    }

    private static String object(final Explanation.Choice c) {
        return "{\"calls\": " + JsonText.string(c.calls()) + ", \"fromBytes\": " + c.fromBytes() + ", \"toBytes\": "
            + (c.toBytes() == Long.MAX_VALUE ? "null" : c.toBytes()) + ", \"module\": " + JsonText.string(c.module()) + ", \"algorithm\": "
            + JsonText.string(c.algorithm()) + ", \"rule\": " + JsonText.string(c.rule()) + "}";
    }
}
