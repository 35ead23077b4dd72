package tutti.runtime.datatype;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/** Reference model of the operations, one element at a time, written from the tables in the MPI standard. */
final class Model {
    private static final Set<ElementKind> INTEGERS =
        Set.of(ElementKind.BYTE, ElementKind.CHAR, ElementKind.SHORT, ElementKind.INT, ElementKind.LONG);
    private static final Set<ElementKind> REALS = Set.of(ElementKind.FLOAT, ElementKind.DOUBLE);
    private static final Set<ElementKind> COMPLEX = Set.of(ElementKind.FLOAT_COMPLEX, ElementKind.DOUBLE_COMPLEX);

    private Model() {
    }

    static boolean isLegal(final Op op, final Datatype type) {
        final ElementKind kind = type.elementKind();
        return switch (op.name()) {
            case "MAX", "MIN" -> INTEGERS.contains(kind) || REALS.contains(kind);
            case "SUM", "PROD" -> INTEGERS.contains(kind) || REALS.contains(kind) || COMPLEX.contains(kind);
            case "LAND", "LOR", "LXOR" -> INTEGERS.contains(kind) || kind == ElementKind.BOOLEAN;
            case "BAND", "BOR", "BXOR" -> INTEGERS.contains(kind);
            case "MINLOC", "MAXLOC" -> kind.name().contains("INT") && kind != ElementKind.INT;
            default -> true;
        };
    }

    static byte[] apply(final Op op, final Datatype type, final byte[] in, final byte[] inout) {
        if (op == Op.REPLACE || op == Op.NO_OP) {
            return (op == Op.REPLACE ? in : inout).clone();
        }
        final ByteBuffer a = ByteBuffer.wrap(in).order(ByteOrder.nativeOrder());
        final ByteBuffer b = ByteBuffer.wrap(inout).order(ByteOrder.nativeOrder());
        final ByteBuffer to = ByteBuffer.allocate(in.length).order(ByteOrder.nativeOrder());
        while (a.hasRemaining()) {
            switch (type.elementKind()) {
                case BYTE, BOOLEAN -> to.put((byte) integer(op, a.get() & 0xFF, b.get() & 0xFF));
                case CHAR -> to.putChar((char) integer(op, a.getChar(), b.getChar()));
                case SHORT -> to.putShort((short) integer(op, a.getShort(), b.getShort()));
                case INT -> to.putInt((int) integer(op, a.getInt(), b.getInt()));
                case LONG -> to.putLong(integer(op, a.getLong(), b.getLong()));
                case FLOAT -> to.putFloat((float) real(op, a.getFloat(), b.getFloat()));
                case DOUBLE -> to.putDouble(real(op, a.getDouble(), b.getDouble()));
                case FLOAT_COMPLEX -> {
                    final double[] c = complex(op, a.getFloat(), a.getFloat(), b.getFloat(), b.getFloat());
                    to.putFloat((float) c[0]).putFloat((float) c[1]);
                }
                case DOUBLE_COMPLEX -> {
                    final double[] c = complex(op, a.getDouble(), a.getDouble(), b.getDouble(), b.getDouble());
                    to.putDouble(c[0]).putDouble(c[1]);
                }
                default -> pair(op, type.elementKind(), a, b, to);
            }
        }
        return to.array();
    }

    private static long integer(final Op op, final long a, final long b) {
        return switch (op.name()) {
            case "MAX" -> Math.max(a, b);
            case "MIN" -> Math.min(a, b);
            case "SUM" -> a + b;
            case "PROD" -> a * b;
            case "LAND" -> a != 0 && b != 0 ? 1 : 0;
            case "LOR" -> a != 0 || b != 0 ? 1 : 0;
            case "LXOR" -> (a != 0) != (b != 0) ? 1 : 0;
            case "BAND" -> a & b;
            case "BOR" -> a | b;
            default -> a ^ b;
        };
    }

    private static double real(final Op op, final double a, final double b) {
        return switch (op.name()) {
            case "MAX" -> Math.max(a, b);
            case "MIN" -> Math.min(a, b);
            case "SUM" -> a + b;
            default -> a * b;
        };
    }

    private static double[] complex(final Op op, final double re, final double im, final double re2, final double im2) {
        return op == Op.SUM ? new double[] {re + re2, im + im2} : new double[] {re * re2 - im * im2, re * im2 + im * re2};
    }

    private static void pair(final Op op, final ElementKind kind, final ByteBuffer a, final ByteBuffer b, final ByteBuffer to) {
        final double x = value(kind, a);
        final int i = a.getInt();
        final double y = value(kind, b);
        final int j = b.getInt();
        final boolean first = Double.isNaN(x) || Double.isNaN(y)
            ? Double.isNaN(x) && (!Double.isNaN(y) || i < j)
            : x == y ? i < j : op == Op.MAXLOC ? x > y : x < y;
        final double v = first ? x : y;
        switch (kind) {
            case SHORT_INT -> to.putShort((short) v);
            case INT2 -> to.putInt((int) v);
            case LONG_INT -> to.putLong((long) v);
            case FLOAT_INT -> to.putFloat((float) v);
            default -> to.putDouble(v);
        }
        to.putInt(first ? i : j);
    }

    private static double value(final ElementKind kind, final ByteBuffer from) {
        return switch (kind) {
            case SHORT_INT -> from.getShort();
            case INT2 -> from.getInt();
            case LONG_INT -> from.getLong();
            case FLOAT_INT -> from.getFloat();
            default -> from.getDouble();
        };
    }
}
