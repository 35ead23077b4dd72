package tutti.runtime.datatype;

import java.util.EnumMap;
import java.util.Map;

/** The kernel of each kind of element. */
final class Kernels {
    private static final Map<ElementKind, Kernel> OF = new EnumMap<>(ElementKind.class);

    static {
        final Kernel bytes = new ByteKernel();
        for (final ElementKind kind : ElementKind.values()) {
            OF.put(kind, switch (kind) {
                case BYTE, BOOLEAN, NONE -> bytes;
                case CHAR -> new CharKernel();
                case SHORT -> new ShortKernel();
                case INT -> new IntKernel();
                case LONG -> new LongKernel();
                case FLOAT -> new FloatKernel(false);
                case DOUBLE -> new DoubleKernel(false);
                case FLOAT_COMPLEX -> new FloatKernel(true);
                case DOUBLE_COMPLEX -> new DoubleKernel(true);
                case INT2, SHORT_INT, LONG_INT, FLOAT_INT, DOUBLE_INT -> new PairKernel(kind);
            });
        }
    }

    private Kernels() {
    }

    static Kernel of(final ElementKind kind) {
        return OF.get(kind);
    }
}
