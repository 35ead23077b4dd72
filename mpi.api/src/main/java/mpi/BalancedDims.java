package mpi;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Computes dimensions of a grid that are as close to each other as possible: the longest is as short as possible, then the next, and so on. For
 * use by one thread.
 */
final class BalancedDims {
    private record Problem(int ranks, int dims) {}

    private final Map<Problem, Integer> longest = new HashMap<>();
    private final int[] divisors;

    private BalancedDims(final int ranks) {
        this.divisors = IntStream.rangeClosed(1, (int) Math.sqrt(ranks)).filter(d -> ranks % d == 0).flatMap(d -> IntStream.of(d, ranks / d))
            .distinct().sorted().toArray();
    }

    /** Sets the entries that are 0, in descending order, so that the product of all entries is {@code ranks}. */
    static void fill(final int ranks, final int[] dims) {
        if (dims == null) {
            // Cause: `createDims` got no array. Remedy: an array, with 0 for a dimension that it may choose.
            throw new MpiFailure(ErrorClass.ARG, "dimensions are null");
        }
        if (ranks < 1) {
            // Cause: `createDims` arranges at least one rank. Remedy: 1 or more.
            throw new MpiFailure(ErrorClass.ARG, "number of ranks out of range: ranks=" + ranks + ", min=1");
        }
        final int free = (int) Arrays.stream(dims).filter(d -> d == 0).count();
        final int rest = freeProduct(ranks, dims);
        if (free == 0) {
            if (rest != 1) {
                throw impossible(ranks, dims);
            }
            return;
        }
        final int[] lengths = new BalancedDims(rest).split(rest, free);
        int next = 0;
        for (int i = 0; i < dims.length; i++) {
            dims[i] = dims[i] == 0 ? lengths[next++] : dims[i];
        }
    }

    /** Returns the product that the free dimensions must have. */
    private static int freeProduct(final int ranks, final int[] dims) {
        int rest = ranks;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] < 0) {
                // Cause: a grid has no such dimension, or a length is too small.
                throw new MpiFailure(ErrorClass.DIMS, "dimension out of range: dimension=" + i + ", length=" + dims[i] + ", min=0");
            }
            if (dims[i] > 0) {
                if (rest % dims[i] != 0) {
                    throw impossible(ranks, dims);
                }
                rest /= dims[i];
            }
        }
        return rest;
    }

    private static MpiFailure impossible(final int ranks, final int[] dims) {
        // Cause: the given lengths do not divide the number of ranks. Remedy: other lengths, or 0 for `createDims` to choose.
        return new MpiFailure(ErrorClass.DIMS, "ranks do not fill the dimensions: ranks=" + ranks + ", dims=" + Arrays.toString(dims));
    }

    private int[] split(final int ranks, final int dims) {
        final int[] lengths = new int[dims];
        int rest = ranks;
        for (int i = 0; i < dims; i++) {
            lengths[i] = longest(rest, dims - i);
            rest /= lengths[i];
        }
        return lengths;
    }

    /** Returns the smallest possible length of the longest dimension. */
    private int longest(final int ranks, final int dims) {
        if (dims == 1 || ranks == 1) {
            return ranks;
        }
        final Problem problem = new Problem(ranks, dims);
        final Integer known = longest.get(problem);
        if (known != null) {
            return known;
        }
        int best = ranks;
        for (final int d : divisors) {
            if (d > 1 && d < best && ranks % d == 0 && longest(ranks / d, dims - 1) <= d) {
                best = d;
            }
        }
        longest.put(problem, best);
        return best;
    }
}
