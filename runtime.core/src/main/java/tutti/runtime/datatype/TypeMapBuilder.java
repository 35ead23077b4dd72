package tutti.runtime.datatype;

/** Combines copies of type maps into a new one, by the rules of the MPI standard for bounds. Not thread-safe. */
final class TypeMapBuilder {
    private final TypeBlockList runs = new TypeBlockList();
    private int alignment = 1;
    private boolean explicit;
    private long lowerBound = Long.MAX_VALUE;
    private long upperBound = Long.MIN_VALUE;

    /** Adds {@code copies} copies, the first at {@code displacement}, {@code step} bytes from copy to copy. */
    TypeMapBuilder add(final TypeMap part, final long displacement, final long copies, final long step) {
        if (copies == 0) {
            return this;
        }
        final long last = Math.addExact(displacement, Math.multiplyExact(copies - 1, step));
        Math.addExact(last, part.trueHigh());
        runs.addCopies(part.blocks(), displacement, copies, step);
        alignment = Math.max(alignment, part.alignment());
        if (part.explicit()) {
            explicit = true;
            lowerBound = Math.min(lowerBound, Math.addExact(Math.min(displacement, last), part.lowerBound()));
            upperBound = Math.max(upperBound, Math.addExact(Math.max(displacement, last), part.upperBound()));
        }
        return this;
    }

    /** Adds copies one after the other, each at the extent of the previous one. */
    TypeMapBuilder add(final TypeMap part, final long displacement, final long copies) {
        return add(part, displacement, copies, part.extent());
    }

    TypeMap build() {
        final TypeMap natural = TypeMap.natural(runs.toArray(), alignment);
        return explicit ? natural.resized(lowerBound, Math.subtractExact(upperBound, lowerBound)) : natural;
    }
}
