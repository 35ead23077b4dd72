package tutti.runtime.datatype;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** The kernel of each kind of element. */
final class ReductionKernels {
    private static final Map<ElementKind, ReductionKernel> OF = new EnumMap<>(ElementKind.class);

    static {
        final ReductionKernel bytes = new ByteReductionKernel();
        for (final ElementKind kind : ElementKind.values()) {
            OF.put(kind, switch (kind) {
                case BYTE, BOOLEAN, NONE -> bytes;
                case CHAR -> new CharReductionKernel();
                case SHORT -> new ShortReductionKernel();
                case INT -> new IntReductionKernel();
                case LONG -> new LongReductionKernel();
                case FLOAT -> new FloatReductionKernel(false);
                case DOUBLE -> new DoubleReductionKernel(false);
                case FLOAT_COMPLEX -> new FloatReductionKernel(true);
                case DOUBLE_COMPLEX -> new DoubleReductionKernel(true);
                case INT2, SHORT_INT, LONG_INT, FLOAT_INT, DOUBLE_INT -> new PairReductionKernel(kind);
            });
        }
    }

    private ReductionKernels() {
    }

    static ReductionKernel of(final ElementKind kind) {
        return Objects.requireNonNull(OF.get(kind), "kind of elements has no kernel");
    }
}
