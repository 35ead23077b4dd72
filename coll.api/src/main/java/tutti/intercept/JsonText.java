package tutti.intercept;

import org.jspecify.annotations.Nullable;

/** Text of JSON (RFC 8259), for reports of bundles without a JSON library. */
public final class JsonText {
    private JsonText() {}

    /** Returns a JSON string; {@code null} for null. */
    public static String string(final @Nullable String text) {
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
