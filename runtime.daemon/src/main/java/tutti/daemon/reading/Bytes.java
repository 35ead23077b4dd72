package tutti.daemon.reading;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as people write them: {@code 64K} is 65536. */
public final class Bytes {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})([kmgKMG]?)(i?[bB])?");
    private static final String UNITS = "KMG";

    private Bytes() { }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public static long parse(final String text) {
        final Matcher m = FORM.matcher(text.strip());
        if (!m.matches()) {
            throw new IllegalArgumentException("not a number of bytes: " + text + ", expected 1048576, 64K, 1M or 2G");
        }
        final int shift = m.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(m.group(2).toUpperCase(Locale.ROOT)) + 1);
        final long number = Long.parseLong(m.group(1));
        if (number > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException("too many bytes: " + text);
        }
        return number << shift;
    }

    /** Short, and exact where that is short. */
    static String brief(final long bytes) {
        int unit = 0;
        long rest = bytes;
        while (unit < UNITS.length() && rest >= 1024 && (rest % 1024 == 0 || rest >= 100_000)) {
            rest /= 1024;
            unit++;
        }
        return unit == 0 ? rest + "B" : rest + UNITS.substring(unit - 1, unit);
    }
}
