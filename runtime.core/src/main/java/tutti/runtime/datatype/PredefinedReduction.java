package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/** A predefined operation on a predefined type. */
final class PredefinedReduction extends BoundReduction {
    private final OpCode code;
    private final ReductionKernel kernel;
    private final ElementKind kind;
    /** Most elements that are combined one by one. */
    private final int few;

    PredefinedReduction(final Op op, final OpCode code, final Datatype type) {
        super(op, type);
        this.code = code;
        this.kind = type.elementKind();
        this.kernel = ReductionKernels.of(kind);
        this.few = ElementReduction.has(kind) ? ElementReduction.MOST : 0;
    }

    @Override
    void compute(final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset, final long count) {
        switch (code) {
            case REPLACE -> MemorySegment.copy(in, inOffset, inout, inoutOffset, count * elementBytes());
            case NO_OP -> { /* leaves inout as it is */ }
            default -> {
                if (count <= few) {
                    ElementReduction.apply(code, kind, in, inOffset, inout, inoutOffset, count);
                } else {
                    kernel.apply(code, in, inOffset, inout, inoutOffset, count);
                }
            }
        }
    }

    @Override
    public MemorySegment newMemory(final long bytes) {
        return kernel.newMemory(bytes);
    }
}
