package tutti.runtime.match;

import org.jspecify.annotations.Nullable;

/**
 * A receive or a message, with what it is matched by and its links in the {@link MatchQueue} that holds it.
 *
 * <p><b>Threads.</b> While the entry is queued, its fields belong to the owner of the mailbox.
 */
public abstract class MatchEntry extends MessageOperation {
    /** Wildcard for source and tag. */
    public static final int ANY = -1;

    long context;
    int source;
    long tag;
    /** Set while the entry is in a queue. */
    boolean queued;
    @Nullable
    MatchEntry older;
    @Nullable
    MatchEntry newer;
    /** Orders the entries of a queue by age. */
    long age;
    /** The next entry of the same chain. */
    @Nullable
    MatchEntry chainNewer;
    /** The previous entry of the same chain; the first one refers to the last one. Null while the entry is in no chain. */
    @Nullable
    MatchEntry chainOlder;

    final boolean isSame(final long otherContext, final int otherSource, final long otherTag) {
        return tag == otherTag && source == otherSource && context == otherContext;
    }

    /** Returns whether two values of source or tag match: they are equal or one of them is the wildcard. */
    static boolean isWanted(final long wanted, final long actual) {
        return wanted == actual || wanted == ANY;
    }
}
