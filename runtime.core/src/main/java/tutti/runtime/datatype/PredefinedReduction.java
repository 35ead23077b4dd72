package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/** A predefined operation on a predefined type. */
final class PredefinedReduction extends BoundReduction {
    private final OpCode code;
    private final ReductionKernel kernel;

    PredefinedReduction(final Op op, final OpCode code, final Datatype type) {
        super(op, type);
        this.code = code;
        this.kernel = ReductionKernels.of(type.elementKind());
    }

    @Override
    void compute(final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset, final long count) {
        switch (code) {
            case REPLACE -> MemorySegment.copy(in, inOffset, inout, inoutOffset, count * elementBytes());
            case NO_OP -> { /* leaves inout as it is */ }
            default -> kernel.apply(code, in, inOffset, inout, inoutOffset, count);
        }
    }

    @Override
    public MemorySegment newMemory(final long bytes) {
        return kernel.newMemory(bytes);
    }
}
