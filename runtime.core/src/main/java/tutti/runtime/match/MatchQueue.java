package tutti.runtime.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A queue of receives or messages in the order in which they came, searched for the oldest that matches by context, source and tag.
 *
 * <p>A short queue is searched from its oldest entry. A queue that grows beyond {@link #SCANNED} entries is also indexed: a hash table of chains,
 * each in order of age, finds an entry by its context, source and tag. A wildcard of a receive is hashed like a value, so that a message is looked
 * up under at most four keys, and the oldest of the receives found is the one that matches. A receive with a wildcard scans the queue of messages.
 * Links and index are in the entries and in one array that is kept: a queue that does not grow beyond its largest size allocates nothing.
 *
 * <pre>{@code
 * oldest <-> entry <-> entry <-> newest          by age: scans, removal, purge
 * chains[hash(context, source, tag)] -> entry <-> entry      by age within a chain, while indexed
 * }</pre>
 *
 * <p><b>Threads.</b> The queue belongs to the owner of its mailbox, which publishes it when ownership is released. No method blocks.
 */
final class MatchQueue {
    /** Number of entries up to which a scan costs no more than the index. */
    static final int SCANNED = 32;
    /** Number of entries from which on the index is dropped again. */
    private static final int UNINDEXED = 8;
    private static final int SMALLEST = 256;
    private static final int ANY_SOURCE = 1;
    private static final int ANY_TAG = 2;

    private @Nullable MatchEntry oldest;
    private @Nullable MatchEntry newest;
    private int size;
    private boolean indexed;
    private long ages;
    /** First entries of the chains; the length is a power of two, or 0 before the queue was indexed. */
    private @Nullable MatchEntry[] chains = {};
    /** Number of indexed entries for each combination of wildcards. */
    private final int[] wildcards = new int[(ANY_SOURCE | ANY_TAG) + 1];

    /** Returns the oldest entry, or null. */
    @Nullable
    MatchEntry oldest() {
        return oldest;
    }

    /** Returns the age of the entry that was added last. */
    long newestAge() {
        return ages;
    }

    /** Adds an entry as the newest. */
    void add(final MatchEntry entry) {
        entry.queued = true;
        entry.age = ++ages;
        entry.older = newest;
        entry.newer = null;
        if (newest == null) {
            oldest = entry;
        } else {
            newest.newer = entry;
        }
        newest = entry;
        size++;
        if (indexed) {
            index(entry);
        } else if (size > SCANNED) {
            indexAll();
        }
    }

    /** Removes an entry. */
    void remove(final MatchEntry entry) {
        entry.queued = false;
        if (entry.older == null) {
            oldest = entry.newer;
        } else {
            entry.older.newer = entry.newer;
        }
        if (entry.newer == null) {
            newest = entry.older;
        } else {
            entry.newer.older = entry.older;
        }
        entry.older = null;
        entry.newer = null;
        size--;
        if (indexed) {
            removeFromIndex(entry);
        }
    }

    /** Returns the oldest receive that a message matches, or null; for a queue of receives. */
    @Nullable
    MatchEntry receiveFor(final long context, final int source, final long tag) {
        return indexed ? lookupReceive(context, source, tag) : scanReceives(context, source, tag);
    }

    private @Nullable MatchEntry scanReceives(final long context, final int source, final long tag) {
        for (MatchEntry e = oldest; e != null; e = e.newer) {
            if (e.context == context && MatchEntry.isWanted(e.source, source) && MatchEntry.isWanted(e.tag, tag)) {
                return e;
            }
        }
        return null;
    }

    private @Nullable MatchEntry lookupReceive(final long context, final int source, final long tag) {
        MatchEntry found = null;
        for (int w = 0; w < wildcards.length; w++) {
            if (wildcards[w] > 0) {
                final MatchEntry e = lookup(context, (w & ANY_SOURCE) == 0 ? source : Receive.ANY, (w & ANY_TAG) == 0 ? tag : Receive.ANY);
                if (e != null && (found == null || e.age < found.age)) {
                    found = e;
                }
            }
        }
        return found;
    }

    /** Returns the oldest message that matches what a receive wants, or null; for a queue of messages. */
    @Nullable
    MatchEntry messageFor(final long context, final int source, final long tag) {
        return indexed && source != Receive.ANY && tag != Receive.ANY ? lookup(context, source, tag) : scanMessages(context, source, tag);
    }

    private @Nullable MatchEntry scanMessages(final long context, final int source, final long tag) {
        for (MatchEntry e = oldest; e != null; e = e.newer) {
            if (e.context == context && MatchEntry.isWanted(source, e.source) && MatchEntry.isWanted(tag, e.tag)) {
                return e;
            }
        }
        return null;
    }

    private @Nullable MatchEntry lookup(final long context, final int source, final long tag) {
        MatchEntry e = chains[slot(context, source, tag)];
        while (e != null && !e.isSame(context, source, tag)) {
            e = e.chainNewer;
        }
        return e;
    }

    private int slot(final long context, final int source, final long tag) {
        long h = tag * 0x9e3779b97f4a7c15L + source * 0xc2b2ae3d27d4eb4fL + context * 0x165667b19e3779f9L;
        h ^= h >>> Integer.SIZE;
        h *= 0xd6e8feb86659fd93L;
        return (int) (h >>> Integer.SIZE) & chains.length - 1;
    }

    private static int wildcardsOf(final MatchEntry entry) {
        return (entry.source == Receive.ANY ? ANY_SOURCE : 0) | (entry.tag == Receive.ANY ? ANY_TAG : 0);
    }

    private void index(final MatchEntry entry) {
        if (size > chains.length) {
            clearIndex();
            indexAll();
        } else {
            link(entry);
        }
    }

    private void indexAll() {
        if (chains.length < size) {
            chains = new MatchEntry[Math.max(SMALLEST, Integer.highestOneBit(size) << 1)];
        }
        indexed = true;
        for (MatchEntry e = oldest; e != null; e = e.newer) {
            link(e);
        }
    }

    private void link(final MatchEntry entry) {
        entry.chainNewer = null;
        wildcards[wildcardsOf(entry)]++;
        final int slot = slot(entry.context, entry.source, entry.tag);
        final MatchEntry first = chains[slot];
        if (first == null) {
            chains[slot] = entry;
            entry.chainOlder = entry;
        } else {
            final MatchEntry last = first.chainOlder;
            if (last != null) {
                last.chainNewer = entry;
            }
            entry.chainOlder = last;
            first.chainOlder = entry;
        }
    }

    private void removeFromIndex(final MatchEntry entry) {
        final int slot = slot(entry.context, entry.source, entry.tag);
        final MatchEntry first = chains[slot];
        final MatchEntry following = entry.chainNewer;
        final MatchEntry before = entry.chainOlder;
        if (entry == first) {
            chains[slot] = following;
        } else if (before != null) {
            before.chainNewer = following;
        }
        if (following != null) {
            following.chainOlder = before;
        } else if (first != null && entry != first) {
            first.chainOlder = before;
        }
        entry.chainOlder = null;
        entry.chainNewer = null;
        wildcards[wildcardsOf(entry)]--;
        if (size <= UNINDEXED) {
            clearIndex();
        }
    }

    /** Empties the index; the chains of entries that are still queued are not followed any more. */
    private void clearIndex() {
        for (MatchEntry e = oldest; e != null; e = e.newer) {
            chains[slot(e.context, e.source, e.tag)] = null;
            e.chainOlder = null;
            e.chainNewer = null;
        }
        Arrays.fill(wildcards, 0);
        indexed = false;
    }
}
