package tutti.pictures;

/**
 * Estimate of the width of a text that holds for common sans-serif fonts: that of DejaVu Sans and Verdana, which are wide. So the layout of a picture
 * is the same on every system. Stateless.
 */
public final class TextWidth {
    private static final double BOLD = 1.12;

    private TextWidth() {}

    /** Returns the width in pixels. */
    public static double of(final String text, final double size, final boolean bold) {
        return size * (bold ? BOLD : 1) * text.codePoints().mapToDouble(TextWidth::em).sum();
    }

    private static double em(final int c) {
        if ("ijl.,:;'|! ()[]It/".indexOf(c) >= 0) {
            return 0.4;
        }
        if ("frs-".indexOf(c) >= 0) {
            return 0.53;
        }
        if ("mwMW@%…⋯—".indexOf(c) >= 0 || c > 0x2fff) {
            return 1;
        }
        return c >= 'A' && c <= 'Z' || c == '×' || c == 'µ' || c == '=' || c == '<' || c == '>' || c == '+' ? 0.85 : 0.645;
    }
}
