package mpi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Conversion of the arrays of counts and displacements that programs pass. */
final class Counts {
    private Counts() {}

    /** Returns an {@code int[]} or {@code long[]} as longs; null for null. */
    static long @Nullable [] of(final @Nullable Object values) {
        return switch (values) {
            case null -> null;
            case int[] a -> longs(a);
            case long[] a -> a;
            // Cause: counts and displacements are arrays of these types. Remedy: one of them.
            default -> throw new MpiFailure(ErrorClass.ARG, "neither int[] nor long[]: class=" + values.getClass().getTypeName());
        };
    }

    /** Returns an {@code int[]} as longs; throws for null. */
    static long[] given(final String name, final int[] values) throws MPIException {
        if (values == null) {
            // Cause: an array of counts is missing. Remedy: give the array.
            throw ErrorHandling.error(MPI.ERR_ARG, name + " are null");
        }
        return longs(values);
    }

    private static long[] longs(final int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }
}
