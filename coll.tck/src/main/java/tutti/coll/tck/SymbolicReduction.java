package tutti.coll.tck;

import tutti.coll.Reduction;

/**
 * A reduction that is only looked at: nothing is computed here.
 *
 * @param elementBytes  of one element
 * @param isCommutative whether operands may be swapped
 */
public record SymbolicReduction(long elementBytes, boolean isCommutative) implements Reduction { }
