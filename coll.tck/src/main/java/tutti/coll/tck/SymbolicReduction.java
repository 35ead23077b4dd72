package tutti.coll.tck;

import org.jspecify.annotations.Nullable;
import tutti.coll.Reduction;

/**
 * A symbolic reduction: it describes operands for planning and checking, and computes nothing.
 *
 * @param elementBytes  size of an element in bytes
 * @param isCommutative whether the operands may be swapped
 * @param operation     name of the predefined operation; null for an operation of the program
 * @param elementType   name of the type of the elements; null for an operation of the program
 */
public record SymbolicReduction(long elementBytes, boolean isCommutative, @Nullable String operation,
    @Nullable String elementType) implements Reduction {

    /**
     * Creates a reduction by {@code SUM} on integers, if it commutes and there are integers of that size; otherwise by an operation of the program,
     * as predefined operations commute.
     */
    public SymbolicReduction(final long elementBytes, final boolean isCommutative) {
        this(elementBytes, isCommutative, isCommutative && integer(elementBytes) != null ? "SUM" : null,
            isCommutative ? integer(elementBytes) : null);
    }

    private static @Nullable String integer(final long bytes) {
        return bytes == 1 ? "BYTE" : bytes == 2 ? "SHORT" : bytes == 4 ? "INT" : bytes == 8 ? "LONG" : null;
    }
}
