package tutti.runtime.datatype;

import java.util.ArrayList;
import java.util.List;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * Collects runs in the order in which they are packed, joining what touches and what goes on at the same distance.
 *
 * <p>So a column of a matrix is one run, however many rows there are. Not thread-safe. Sums beyond 63 bits throw
 * {@link ArithmeticException}.
 */
final class TypeBlockList {
    /** About 200 MiB; a regular type needs a handful. */
    private static final int MOST_RUNS = 1 << 22;

    private final List<TypeBlock> runs = new ArrayList<>();

    TypeBlock[] toArray() {
        return runs.toArray(TypeBlock[]::new);
    }

    /** Appends {@code copies} copies of all the given runs, {@code step} bytes from copy to copy. */
    void addCopies(final TypeBlock[] element, final long displacement, final long copies, final long step) {
        if (element.length == 0 || copies == 0) {
            return;
        }
        final TypeBlock only = element.length == 1 ? element[0] : null;
        if (only != null && only.repeat() == 1) {
            add(TypeBlock.of(Math.addExact(only.offset(), displacement), only.length(), step, copies, only.kind()));
        } else if (only != null && step == only.stride() * only.repeat()) {
            final long blocks = Math.multiplyExact(only.repeat(), copies);
            add(TypeBlock.of(Math.addExact(only.offset(), displacement), only.length(), only.stride(), blocks, only.kind()));
        } else {
            for (long i = 0; i < copies; i++) {
                for (final TypeBlock run : element) {
                    add(run.shifted(displacement + i * step));
                }
            }
        }
    }

    /** Appends a run. */
    void add(final TypeBlock run) {
        final TypeBlock last = runs.isEmpty() ? null : runs.getLast();
        if (last == null || last.kind() != run.kind()) {
            push(run);
        } else if (last.block(last.repeat() - 1) + last.length() == run.offset()) {
            join(last, run);
        } else if (goesOn(last, run)) {
            final long stride = last.repeat() > 1 ? last.stride() : run.offset() - last.offset();
            replaceLast(new TypeBlock(last.offset(), last.length(), stride, last.repeat() + run.repeat(), last.kind()));
        } else {
            push(run);
        }
    }

    private static boolean goesOn(final TypeBlock last, final TypeBlock run) {
        if (last.length() != run.length()) {
            return false;
        }
        final long stride = last.repeat() > 1 ? last.stride() : run.offset() - last.offset();
        return run.offset() == last.block(last.repeat() - 1) + stride && (run.repeat() == 1 || run.stride() == stride);
    }

    /** The last block of {@code last} and the first of {@code run} become one. */
    private void join(final TypeBlock last, final TypeBlock run) {
        final TypeBlock joined = TypeBlock.of(last.block(last.repeat() - 1), Math.addExact(last.length(), run.length()), 0, 1, last.kind());
        if (last.repeat() == 1) {
            replaceLast(joined);
        } else {
            replaceLast(last.first(last.repeat() - 1));
            push(joined);
        }
        if (run.repeat() > 1) {
            push(run.rest());
        }
    }

    private void replaceLast(final TypeBlock run) {
        runs.set(runs.size() - 1, run);
    }

    private void push(final TypeBlock run) {
        if (runs.size() == MOST_RUNS) {
            throw new MpiFailure(ErrorClass.TYPE, "type is too irregular: at most " + MOST_RUNS + " runs");
        }
        runs.add(run);
    }
}
