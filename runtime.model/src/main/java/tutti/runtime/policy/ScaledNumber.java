package tutti.runtime.policy;

import java.util.regex.Pattern;

/** A number that may end in K, M or G for powers of 1024. */
final class ScaledNumber {
    /** The text form, as a regular expression without groups. */
    static final String REGEX = "\\d{1,18}[KMG]?";
    private static final Pattern TEXT = Pattern.compile(REGEX);
    private static final String UNITS = "KMG";
    private static final int KIBI = 10;

    private ScaledNumber() {}

    static boolean matches(final String text) {
        return TEXT.matcher(text).matches();
    }

    /**
     * Parses a number.
     *
     * @throws IllegalArgumentException when it is too large
     */
    static long parse(final String text) {
        final int unit = UNITS.indexOf(text.charAt(text.length() - 1));
        try {
            return unit < 0 ? Long.parseLong(text)
                : Math.multiplyExact(Long.parseLong(text.substring(0, text.length() - 1)), 1L << KIBI * (unit + 1));
        } catch (final ArithmeticException e) {
            throw new IllegalArgumentException("number too large: " + text, e);
        }
    }

    /** Returns the shortest text form. */
    static String text(final long number) {
        int unit = 0;
        while (number != 0 && unit < UNITS.length() && number % (1L << KIBI * (unit + 1)) == 0) {
            unit++;
        }
        return unit == 0 ? Long.toString(number) : (number >> KIBI * unit) + UNITS.substring(unit - 1, unit);
    }
}
