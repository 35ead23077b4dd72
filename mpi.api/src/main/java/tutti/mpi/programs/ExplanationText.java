package tutti.mpi.programs;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import mpi.Explanation;
import tutti.intercept.JsonText;
import tutti.runtime.introspect.PartSummary;

/** Formats explanations. Public because the classes of this package that every rank defines belong to another run-time package. */
public final class ExplanationText {
    private ExplanationText() {}

    /**
     * Returns explanations as lines for people.
     *
     * @param parts the nested collectives of each of the explained operations; empty if they were not asked for
     * @param bytes size of the calls that nest them
     */
    public static String lines(final List<Explanation> all, final List<List<PartSummary>> parts, final long bytes) {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < all.size(); i++) {
            text.append(all.get(i)).append('\n');
            final List<String> lines = parts.isEmpty() ? List.of() : PartSummary.lines(parts.get(i));
            if (!lines.isEmpty()) {
                text.append("  parts of a call").append(all.get(i).operation().equals("barrier") ? "" : " of " + bytes + " bytes").append(":\n");
                lines.forEach(line -> text.append("    ").append(line).append('\n'));
            }
        }
        return text.toString();
    }

    /**
     * Returns explanations as a JSON array of objects (RFC 8259).
     *
     * @param parts the nested collectives of each of the explained operations; empty if they were not asked for
     */
    public static String json(final List<Explanation> all, final List<List<PartSummary>> parts) {
        return IntStream.range(0, all.size()).mapToObj(i -> object(all.get(i), parts.isEmpty() ? List.of() : parts.get(i)))
            .collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(final PartSummary p) {
        return "{\"operation\": " + JsonText.string(p.operation()) + ", \"communicator\": " + JsonText.string(p.communicator()) + ", \"ranks\": "
            + p.ranks() + ", \"calls\": " + p.calls() + ", \"fromBytes\": " + p.bytes().min() + ", \"toBytes\": " + p.bytes().max() + ", \"module\": "
            + JsonText.string(p.module()) + ", \"algorithm\": " + JsonText.string(p.algorithm()) + ", \"reason\": " + JsonText.string(p.reason())
            + "}";
    }

    private static String object(final Explanation e, final List<PartSummary> parts) {
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
            + ", \"tunables\": " + e.tunables().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]"))
            + ", \"parts\": " + parts.stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]")) + "}";
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
