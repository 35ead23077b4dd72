import java.util.stream.IntStream;

/** Numbers of a rank. */
final class Numbers {
    private Numbers() {}

    /** Returns the first ten numbers from ten times the rank on. */
    static double[] of(final int rank) {
        return IntStream.range(10 * rank, 10 * rank + 10).asDoubleStream().toArray();
    }
}
