package tutti.coll.tck;

import tutti.coll.Reduction;

/**
 * A symbolic reduction: it describes operands for planning and checking, and computes nothing.
 *
 * @param elementBytes  size of an element in bytes
 * @param isCommutative whether the operands may be swapped
 */
public record SymbolicReduction(long elementBytes, boolean isCommutative) implements Reduction {
    /** Returns whether it stands for a predefined operation: it does where it is commutative. */
    @Override
    public boolean isPredefined() {
        return isCommutative;
    }
}
