package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/**
 * An MPI operation bound to an element type: what a reduce task applies.
 *
 * <p>Algorithms only pass it on and ask for its properties. Equal reductions do the same, so it can be part of a key.
 */
@ProviderType
public interface Reduction {

    /** Packed bytes of one element; spans that are reduced are multiples of it. */
    long elementBytes();

    /** Whether operands may be swapped. All MPI operations are associative. */
    boolean isCommutative();
}
