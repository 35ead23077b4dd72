package tutti.coll.tree;

import tutti.coll.patterns.Segments;

/**
 * Limits of the number of segments, which bound the size of plans: there are at most {@value #MAX_SEGMENTS}, and a rank exchanges with its children
 * at most {@value #MAX_MESSAGES} messages each way.
 */
final class TreeSegments {
    /** Largest number of segments. */
    static final int MAX_SEGMENTS = 256;
    /** Largest number of messages between a rank and its children, unless it has more children. */
    static final int MAX_MESSAGES = 4096;

    private TreeSegments() {}

    /**
     * Returns the segments of some data.
     *
     * @param wanted  requested length of a segment in bytes
     * @param bytes   length of the data
     * @param element length of an element, which is not divided
     * @param degree  largest number of children of a rank
     */
    static Segments of(final long wanted, final long bytes, final long element, final int degree) {
        return Segments.of(wanted, bytes, element, Math.clamp(MAX_MESSAGES / Math.max(1, degree), 1, MAX_SEGMENTS));
    }
}
