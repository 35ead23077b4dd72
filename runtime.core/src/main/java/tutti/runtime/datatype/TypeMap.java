package tutti.runtime.datatype;

/**
 * A type map with its bounds: the layout of the data of one element. Immutable.
 *
 * @param blocks       the blocks in the order of packing
 * @param size       packed bytes
 * @param lowerBound the lower bound of the element in bytes
 * @param extent     bytes from element to element
 * @param trueLow    offset of the first byte of data
 * @param trueHigh   offset of the byte after the last byte of data
 * @param alignment  largest alignment of a primitive element, in bytes
 * @param explicit   whether the bounds were set by resizing; such bounds take precedence over those of other components
 */
record TypeMap(TypeBlock[] blocks, long size, long lowerBound, long extent, long trueLow, long trueHigh, int alignment, boolean explicit) {

    /** Returns a type map with natural bounds: from the first byte to the last one, padded to the alignment. */
    static TypeMap natural(final TypeBlock[] blocks, final int alignment) {
        long size = 0;
        long low = blocks.length == 0 ? 0 : Long.MAX_VALUE;
        long high = blocks.length == 0 ? 0 : Long.MIN_VALUE;
        for (final TypeBlock block : blocks) {
            size = Math.addExact(size, block.bytes());
            low = Math.min(low, block.low());
            high = Math.max(high, block.high());
        }
        final long extent = Math.multiplyExact(Math.ceilDiv(Math.subtractExact(high, low), alignment), alignment);
        return new TypeMap(blocks, size, low, extent, low, high, alignment, false);
    }

    /** Returns the same data with other bounds. */
    TypeMap resized(final long newLowerBound, final long newExtent) {
        Math.addExact(newLowerBound, newExtent);
        return new TypeMap(blocks, size, newLowerBound, newExtent, trueLow, trueHigh, alignment, true);
    }

    /** Returns the upper bound of the element. */
    long upperBound() {
        return lowerBound + extent;
    }
}
