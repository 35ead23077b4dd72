package tutti.mpi.programs;

import java.util.List;
import java.util.stream.Collectors;
import mpi.Explanation;

/** Explanations as texts. Public, for the classes of this package that every rank has for itself live in another run-time package. */
public final class ExplanationText {
    private ExplanationText() { }

    /** For people. */
    public static String lines(final List<Explanation> all) {
        return all.stream().map(e -> e + "\n").collect(Collectors.joining());
    }

    /** For programs: an array of objects, RFC 8259. */
    public static String json(final List<Explanation> all) {
        return all.stream().map(ExplanationText::object).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(final Explanation e) {
        return "{\"operation\": " + string(e.operation()) + ", \"module\": " + string(e.module()) + ", \"algorithm\": " + string(e.algorithm())
            + ", \"priority\": " + e.priority() + ", \"others\": "
            + e.others().stream().map(o -> "{\"module\": " + string(o.module()) + ", \"reason\": " + string(o.reason()) + "}")
                .collect(Collectors.joining(", ", "[", "]"))
            + ", \"rule\": " + string(e.rule()) + ", \"notes\": " + e.notes().stream().map(ExplanationText::string)
                .collect(Collectors.joining(", ", "[", "]"))
            + ", \"choices\": " + e.choices().stream().map(ExplanationText::object).collect(Collectors.joining(", ", "[", "]")) + "}";
    }

    private static String object(final Explanation.Choice c) {
        return "{\"calls\": " + string(c.calls()) + ", \"fromBytes\": " + c.fromBytes() + ", \"toBytes\": "
            + (c.toBytes() == Long.MAX_VALUE ? "null" : c.toBytes()) + ", \"module\": " + string(c.module()) + ", \"algorithm\": "
            + string(c.algorithm()) + ", \"rule\": " + string(c.rule()) + "}";
    }

    private static String string(final String text) {
        if (text == null) {
            return "null";
        }
        final StringBuilder out = new StringBuilder("\"");
        for (final char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
