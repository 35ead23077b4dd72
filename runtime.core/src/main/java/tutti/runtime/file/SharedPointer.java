package tutti.runtime.file;

import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.window.Window;

/** The pointer that all ranks of a file share: a number in a window of the first rank, which the others change by fetch-and-add. */
final class SharedPointer {
    private final Window window;

    /** Creates the pointer, together with all ranks. */
    SharedPointer(final Communicator comm) {
        window = Window.allocate(comm, comm.rank() == 0 ? Long.BYTES : 0, Long.BYTES);
        window.hideEpochs("pointer of " + comm.name());
        window.lock(false, 0, Window.NOCHECK);
    }

    /** Adds to the pointer, and returns what it was before. */
    long getAndAdd(final long elements) {
        return fetch(elements, Op.SUM);
    }

    /** Returns the pointer. */
    long get() {
        return fetch(0, Op.NO_OP);
    }

    /** Sets the pointer; other ranks see it after the next exchange. */
    void set(final long position) {
        fetch(position, Op.REPLACE);
    }

    private long fetch(final long operand, final Op op) {
        final long[] before = {0};
        window.fetchAndOp(new long[] {operand}, before, Datatype.LONG, 0, 0, op).await();
        return before[0];
    }

    /** Removes the pointer, together with all ranks. */
    void free() {
        window.unlock(0);
        window.free();
    }
}
