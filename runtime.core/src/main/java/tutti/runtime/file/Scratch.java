package tutti.runtime.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Native memory for one use after the other, which grows. For one thread at a time. */
final class Scratch {
    private static final int ALIGNMENT = 64;

    private MemorySegment memory = MemorySegment.NULL;

    /** Returns at least so much memory, whose content is what an earlier use left. */
    MemorySegment of(final long bytes) {
        if (memory.byteSize() < bytes) {
            memory = allocate(bytes);
        }
        return memory;
    }

    /** Returns memory that lives as long as something refers to it. */
    static MemorySegment allocate(final long bytes) {
        try {
            return Arena.ofAuto().allocate(Math.max(1, bytes), ALIGNMENT);
        } catch (final OutOfMemoryError e) {
            throw new MpiFailure(ErrorClass.NO_MEM, "no memory for the data of a file: bytes=" + bytes, e);
        }
    }
}
