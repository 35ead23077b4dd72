package tutti.runtime.datatype;

/**
 * A type map with its bounds: where the data of one element lies. Immutable.
 *
 * @param runs       in the order of packing
 * @param size       packed bytes
 * @param lowerBound where the element begins
 * @param extent     bytes from element to element
 * @param trueLow    the first byte of data
 * @param trueHigh   the byte after the last byte of data
 * @param alignment  largest alignment of a primitive in it, in bytes
 * @param explicit   whether the bounds were set by resizing; such bounds win over those of other components
 */
record TypeMap(TypeBlock[] runs, long size, long lowerBound, long extent, long trueLow, long trueHigh, int alignment, boolean explicit) {

    /** A layout with natural bounds: from the first byte to the last one, padded to the alignment. */
    static TypeMap natural(final TypeBlock[] runs, final int alignment) {
        long size = 0;
        long low = runs.length == 0 ? 0 : Long.MAX_VALUE;
        long high = runs.length == 0 ? 0 : Long.MIN_VALUE;
        for (final TypeBlock run : runs) {
            size = Math.addExact(size, run.bytes());
            low = Math.min(low, run.low());
            high = Math.max(high, run.high());
        }
        final long extent = Math.multiplyExact(Math.ceilDiv(Math.subtractExact(high, low), alignment), alignment);
        return new TypeMap(runs, size, low, extent, low, high, alignment, false);
    }

    /** The same data with other bounds. */
    TypeMap resized(final long newLowerBound, final long newExtent) {
        Math.addExact(newLowerBound, newExtent);
        return new TypeMap(runs, size, newLowerBound, newExtent, trueLow, trueHigh, alignment, true);
    }

    /** The byte after the element, by its bounds. */
    long upperBound() {
        return lowerBound + extent;
    }
}
