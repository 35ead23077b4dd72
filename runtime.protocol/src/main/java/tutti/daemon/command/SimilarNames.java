package tutti.daemon.command;

import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Collectors;

/** Suggestions for a name that is not known, for messages. */
public final class SimilarNames {
    private static final int MAX_KNOWN = 40;

    private SimilarNames() {}

    /** Returns which known name was probably meant; where none is near, which there are. */
    public static String suggestion(final String name, final Collection<String> known) {
        final String near = nearest(name, known);
        return !near.isEmpty() || known.isEmpty() ? near : "; there are: " + known.stream().limit(MAX_KNOWN).collect(Collectors.joining(", "))
            + (known.size() > MAX_KNOWN ? " and " + (known.size() - MAX_KNOWN) + " more" : "");
    }

    /** Returns which known name was probably meant; empty where none is near. */
    public static String nearest(final String name, final Collection<String> known) {
        return known.stream().min(Comparator.comparingInt((String k) -> distance(name, k)).thenComparing(k -> k))
            .filter(k -> distance(name, k) <= Math.max(2, name.length() / 3) && distance(name, k) < Math.min(name.length(), k.length()))
            .map(k -> "; did you mean " + k + "?").orElse("");
    }

    /** Returns the edit distance: the minimum number of characters to insert, delete or replace (Levenshtein 1966). */
    static int distance(final String a, final String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            final int[] next = new int[row.length];
            next[0] = i;
            for (int j = 1; j < row.length; j++) {
                next[j] = Math.min(Math.min(next[j - 1], row[j]) + 1, row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
            }
            row = next;
        }
        return row[b.length()];
    }
}
