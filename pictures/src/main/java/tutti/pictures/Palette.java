package tutti.pictures;

/**
 * Colours of pictures, as RGB values: those of Okabe and Ito, which people with any kind of colour blindness can tell apart, without their yellow,
 * which cannot be read on white. No meaning depends on a colour alone: lines have marks and patterns as well, and boxes have texts. Stateless.
 */
public final class Palette {
    /** Background. */
    public static final int WHITE = 0xffffff;
    /** Text. */
    public static final int TEXT = 0x1a1a1a;
    /** Text that matters less. */
    public static final int FAINT = 0x5c5c5c;
    /** Lines of scales, and edges of bands. */
    public static final int GRID = 0xdddddd;
    /** Lines that are not told apart. */
    public static final int OTHERS = 0xb4b4b4;
    /** Messages. */
    public static final int ARROW = 0x39415c;

    private static final int[] LINES = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
    private static final Drawing.Form[] FORMS = Drawing.Form.values();
    private static final Drawing.Dash[] DASHES = Drawing.Dash.values();

    private Palette() {}

    /** Returns the colour of a line, by its number. */
    public static int line(final int number) {
        return LINES[number % LINES.length];
    }

    /** Returns the form of the marks of a line, by its number. */
    static Drawing.Form form(final int number) {
        return FORMS[number % FORMS.length];
    }

    /** Returns the pattern of a line, by its number: lines of one colour have different ones. */
    static Drawing.Dash dash(final int number) {
        return DASHES[number / LINES.length % DASHES.length];
    }

    /** Returns a colour mixed with white: {@code share} of the colour. */
    public static int tint(final int colour, final double share) {
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            mixed |= (int) Math.round(255 - share * (255 - (colour >> shift & 255))) << shift;
        }
        return mixed;
    }
}
