package tutti.runtime.policy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A range of numbers, both ends included. Its text form is {@code 2..8}, {@code 2..}, {@code ..64K} or {@code 7}; K, M and G are powers of
 * 1024.
 *
 * @param min the smallest number, at least 0
 * @param max the largest number; {@link Long#MAX_VALUE} for no upper bound
 */
public record LongRange(long min, long max) implements ConditionValues {
    /** The range of all numbers. */
    public static final LongRange ALL = new LongRange(0, Long.MAX_VALUE);
    /** The text form of a range, for messages. */
    public static final String SYNTAX = "2..8, 2.., ..64K or 7, with K, M, G for powers of 1024";
    private static final Pattern TEXT = Pattern.compile("(" + ScaledNumber.REGEX + ")?(\\.\\.)?(" + ScaledNumber.REGEX + ")?");

    /** Checks that the range is not empty. */
    public LongRange {
        if (min < 0 || min > max) {
            throw new IllegalArgumentException("range is empty: " + min + ".." + max);
        }
    }

    /**
     * Parses a range.
     *
     * @throws IllegalArgumentException when the text is not a range; the message says what is wrong
     */
    public static LongRange of(final String text) {
        final Matcher m = TEXT.matcher(text.strip());
        if (!m.matches() || m.group(1) == null && m.group(3) == null || m.group(2) == null && m.group(3) != null) {
            throw new IllegalArgumentException("not a range");
        }
        final long min = m.group(1) == null ? 0 : ScaledNumber.parse(m.group(1));
        return new LongRange(min, m.group(2) == null ? min : m.group(3) == null ? Long.MAX_VALUE : ScaledNumber.parse(m.group(3)));
    }

    /** Returns whether the number is in this range. */
    public boolean contains(final long number) {
        return min <= number && number <= max;
    }

    /** Returns the range of one number. */
    public static LongRange only(final long number) {
        return new LongRange(number, number);
    }

    @Override
    public boolean covers(final @Nullable ConditionValues other) {
        return other instanceof final LongRange o && min <= o.min && o.max <= max;
    }

    @Override
    public List<String> texts() {
        return List.of(toString());
    }

    /** Returns the shortest text form. */
    @Override
    public String toString() {
        return min == max ? ScaledNumber.text(min)
            : (min == 0 && max != Long.MAX_VALUE ? "" : ScaledNumber.text(min)) + ".." + (max == Long.MAX_VALUE ? "" : ScaledNumber.text(max));
    }
}
