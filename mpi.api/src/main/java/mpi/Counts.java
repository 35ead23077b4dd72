package mpi;

import java.util.Arrays;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Conversion of the arrays of counts and displacements that programs pass. */
final class Counts {
    private Counts() {}

    /** Returns an {@code int[]} or {@code long[]} as longs; null for null. */
    static long[] of(final Object values) {
        return switch (values) {
            case null -> null;
            case int[] a -> Arrays.stream(a).asLongStream().toArray();
            case long[] a -> a;
            default -> throw new MpiFailure(ErrorClass.ARG, "neither int[] nor long[]: class=" + values.getClass().getTypeName());
        };
    }
}
