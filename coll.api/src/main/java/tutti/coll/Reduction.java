package tutti.coll;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ProviderType;

/**
 * An MPI reduction operation bound to an element type, as reduce tasks apply it.
 *
 * <p>The runtime implements it. Algorithms pass it to the plan and read its properties. Immutable; reductions that are equal compute the
 * same, so a reduction can be part of a key.
 */
@ProviderType
public interface Reduction {

    /** Returns the size of one packed element in bytes. The length of every range that is reduced must be a multiple of it. */
    long elementBytes();

    /** Returns whether the operation is commutative, so that its operands may be swapped. All MPI operations are associative. */
    boolean isCommutative();

    /** Returns the name of the predefined operation without {@code MPI.}, such as {@code SUM}; null for an operation of the program. */
    default @Nullable String operation() {
        return null;
    }

    /** Returns the name of the type of the elements without {@code MPI.}, such as {@code DOUBLE}; null for an operation of the program. */
    default @Nullable String elementType() {
        return null;
    }

    /** Returns whether the operation is one of MPI on a predefined type. Otherwise a function of the program computes it, which may take any time. */
    default boolean isPredefined() {
        return operation() != null;
    }
}
