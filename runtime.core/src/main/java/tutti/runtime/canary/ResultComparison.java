package tutti.runtime.canary;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Reduction;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;

/**
 * Compares the results that two algorithms have for one call. Results are equal bit by bit, except where the order of the operands may matter:
 *
 * <ul>
 * <li>SUM of floating-point numbers. A sum of n numbers x in any order is computed with an error of at most g(n-1) S, where S is the sum of the
 * |x|, g(k) = k u / (1 - k u), and u is the unit roundoff [1, section 4.2]. So two orders differ by at most 2 g(n-1) S. The ranks compute S by the
 * algorithm that serves, as s &gt;= (1 - g(n-1)) S; the bound is 2 g(n-1) s / (1 - g(n-1)). Underflow adds no error to sums.
 * <li>PROD of floating-point numbers. A product of n numbers p is computed as p (1 + d) with |d| &lt;= g(n-1) [1, section 3.1], if no step overflows
 * or underflows. So two orders differ by at most 2 g(n-1) |p|. The same holds for the moduli of complex numbers with 3 (n-1) in the place of n-1,
 * since one product has a relative error of at most sqrt(2) g(2) [1, section 3.6].
 * <li>MAX, MIN, MAXLOC and MINLOC are exact, but which of several NaNs remains depends on the order.
 * <li>User-defined operations on integers are associative, as MPI demands, so their results are exact. Those on other types may round: a difference
 * is noted and not judged.
 * </ul>
 *
 * <p>[1] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, SIAM 2002, doi:10.1137/1.9780898718027.
 */
public final class ResultComparison {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final double FLOAT_ROUNDOFF = 0x1p-24;
    private static final double DOUBLE_ROUNDOFF = 0x1p-53;

    private final @Nullable BoundReduction reduction;
    private final ElementKind kind;
    private final int operands;

    /** What a comparison has found, the worst last. */
    public enum Outcome {
        /** The results are equal, as far as the order of the operands allows. */
        EQUAL,
        /** The results differ, and it cannot be judged whether one is wrong. */
        UNVERIFIED,
        /** The results differ in bits; whether one is wrong depends on the sums of the magnitudes. */
        ROUNDED,
        /** The results differ. */
        DIFFERENT
    }

    /**
     * The outcome of a comparison.
     *
     * @param offset offset in bytes of the first element with that outcome; -1 if all are equal
     */
    public record Compared(Outcome outcome, long offset) {
        private static final Compared EQUAL = new Compared(Outcome.EQUAL, -1);

        private Compared worse(final Outcome other, final long at) {
            return other.compareTo(outcome) > 0 ? new Compared(other, at) : this;
        }
    }

    /**
     * Creates the comparison of calls.
     *
     * @param reduction the reduction of the calls; null if they combine nothing
     * @param operands  number of operands of a result at the most
     */
    public ResultComparison(final @Nullable Reduction reduction, final int operands) {
        this.reduction = reduction instanceof final BoundReduction b ? b : null;
        this.kind = this.reduction == null ? ElementKind.NONE : this.reduction.type().elementKind();
        this.operands = operands;
    }

    /** Compares results. {@link Outcome#ROUNDED} asks for {@link #compareSums}. */
    public Compared compare(final MemorySegment expected, final MemorySegment got, final Blocks results) {
        Compared worst = Compared.EQUAL;
        for (int i = 0; i < results.count(); i++) {
            final long from = results.offset(i);
            final long to = from + results.bytes(i);
            final long mismatch = MemorySegment.mismatch(expected, from, to, got, from, to);
            if (mismatch >= 0) {
                worst = compare(expected, got, from, from + mismatch, to, worst);
            }
        }
        return worst;
    }

    private Compared compare(final MemorySegment expected, final MemorySegment got, final long first, final long mismatch, final long to,
        final Compared before) {
        if (reduction == null) {
            return before.worse(Outcome.DIFFERENT, mismatch);
        }
        final Op op = reduction.op();
        if (op.isUser()) {
            return before.worse(mayRound(reduction.type().commonKind()) ? Outcome.UNVERIFIED : Outcome.DIFFERENT, mismatch);
        }
        if (!mayRound(kind)) {
            return before.worse(Outcome.DIFFERENT, mismatch);
        }
        if (op == Op.SUM) {
            return before.worse(Outcome.ROUNDED, mismatch);
        }
        Compared worst = before;
        final int size = kind.bytes();
        for (long at = first + (mismatch - first) / size * size; at < to; at += size) {
            if (MemorySegment.mismatch(expected, at, at + size, got, at, at + size) >= 0) {
                worst = worst.worse(op == Op.PROD ? products(expected, got, at) : bothNan(expected, got, at) ? Outcome.EQUAL : Outcome.DIFFERENT, at);
            }
        }
        return worst;
    }

    private static boolean mayRound(final ElementKind of) {
        return switch (of) {
            case FLOAT, DOUBLE, FLOAT_COMPLEX, DOUBLE_COMPLEX, FLOAT_INT, DOUBLE_INT, NONE -> true;
            default -> false;
        };
    }

    private boolean isDouble() {
        return kind == ElementKind.DOUBLE || kind == ElementKind.DOUBLE_COMPLEX || kind == ElementKind.DOUBLE_INT;
    }

    private int numberBytes() {
        return isDouble() ? Double.BYTES : Float.BYTES;
    }

    private double number(final MemorySegment from, final long at) {
        return isDouble() ? from.get(DOUBLE, at) : from.get(FLOAT, at);
    }

    private boolean bothNan(final MemorySegment expected, final MemorySegment got, final long at) {
        return Double.isNaN(number(expected, at)) && Double.isNaN(number(got, at));
    }

    private double bound(final int roundings) {
        final double error = roundings * (isDouble() ? DOUBLE_ROUNDOFF : FLOAT_ROUNDOFF);
        final double gamma = error / (1 - error);
        return error >= 0.5 ? Double.POSITIVE_INFINITY : 2 * gamma / (1 - gamma);
    }

    private boolean isComplex() {
        return kind == ElementKind.FLOAT_COMPLEX || kind == ElementKind.DOUBLE_COMPLEX;
    }

    private Outcome products(final MemorySegment expected, final MemorySegment got, final long at) {
        final int part = numberBytes();
        final double a = number(expected, at);
        final double b = number(got, at);
        final double ai = isComplex() ? number(expected, at + part) : 0;
        final double bi = isComplex() ? number(got, at + part) : 0;
        final double size = Math.hypot(a, ai);
        final double smallest = isDouble() ? Double.MIN_NORMAL : Float.MIN_NORMAL;
        if (!Double.isFinite(size) || !Double.isFinite(Math.hypot(b, bi)) || size < smallest || Math.hypot(b, bi) < smallest) {
            final boolean isSame = (a == b || Double.isNaN(a) && Double.isNaN(b)) && (ai == bi || Double.isNaN(ai) && Double.isNaN(bi));
            return isSame ? Outcome.EQUAL : Outcome.UNVERIFIED;
        }
        return Math.hypot(a - b, ai - bi) <= bound((isComplex() ? 3 : 1) * (operands - 1)) * size ? Outcome.EQUAL : Outcome.DIFFERENT;
    }

    /**
     * Compares sums of floating-point numbers.
     *
     * @param magnitudes the sums of the magnitudes, where the results are
     */
    public Compared compareSums(final MemorySegment expected, final MemorySegment got, final MemorySegment magnitudes, final Blocks results) {
        Compared worst = Compared.EQUAL;
        final double bound = bound(operands - 1);
        final int size = numberBytes();
        for (int i = 0; i < results.count(); i++) {
            final long to = results.offset(i) + results.bytes(i);
            for (long at = results.offset(i); at < to; at += size) {
                final double a = number(expected, at);
                final double b = number(got, at);
                final double sum = number(magnitudes, at);
                if (a == b || Double.isNaN(a) && Double.isNaN(b)) {
                    continue;
                }
                // one order of the operands may overflow where another one does not
                worst = worst.worse(sum == Double.POSITIVE_INFINITY ? Outcome.UNVERIFIED : Math.abs(a - b) <= bound * sum ? Outcome.EQUAL
                    : Outcome.DIFFERENT, at);
            }
        }
        return worst;
    }

    /** Replaces floating-point numbers, of which there are as many as fit, by their magnitudes. */
    public void makeMagnitudes(final MemorySegment numbers) {
        for (long at = 0; at + numberBytes() <= numbers.byteSize(); at += numberBytes()) {
            if (isDouble()) {
                numbers.set(DOUBLE, at, Math.abs(numbers.get(DOUBLE, at)));
            } else {
                numbers.set(FLOAT, at, Math.abs(numbers.get(FLOAT, at)));
            }
        }
    }

    /** Allocates scratch memory on the heap, of the kind that is fastest for the calls. */
    public MemorySegment newMemory(final long bytes) {
        return bytes == 0 ? MemorySegment.ofArray(new byte[0]) : reduction == null ? MemorySegment.ofArray(new byte[Math.toIntExact(bytes)])
            : reduction.newMemory(bytes);
    }

    /** Returns the element at an offset, or up to eight bytes, as text. */
    public String text(final MemorySegment memory, final long at, final long end) {
        return switch (kind) {
            case INT -> Integer.toString(memory.get(ValueLayout.JAVA_INT_UNALIGNED, element(at)));
            case LONG -> Long.toString(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, element(at)));
            case SHORT -> Short.toString(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, element(at)));
            case FLOAT, FLOAT_COMPLEX -> Float.toString(memory.get(FLOAT, at / Float.BYTES * Float.BYTES));
            case DOUBLE, DOUBLE_COMPLEX -> Double.toString(memory.get(DOUBLE, at / Double.BYTES * Double.BYTES));
            default -> {
                final StringBuilder hex = new StringBuilder("0x");
                for (long i = at; i < Math.min(end, at + Long.BYTES); i++) {
                    hex.append(HexFormat.of().toHexDigits(memory.get(ValueLayout.JAVA_BYTE, i)));
                }
                yield hex.toString();
            }
        };
    }

    private long element(final long at) {
        return at / kind.bytes() * kind.bytes();
    }
}
