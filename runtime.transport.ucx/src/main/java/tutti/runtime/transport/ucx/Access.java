package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.BulkAccess;

/**
 * One access to the memory of a peer. Memory on the heap is transferred in pieces through native memory; the local memory is referred to, and so
 * stays mapped, until the end.
 *
 * <p><b>Threads.</b> Created by the thread that begins it, then used under the link's lock, except of {@link #tell}, which is called once.
 */
final class Access {
    /** Kind of access. */
    enum Kind {
        GET(-1), PUT(-1), ADD(0), SWAP(1), COMPARE_AND_SWAP(2);

        /** {@code ucp_atomic_op_t} */
        private final int operation;

        Kind(final int operation) {
            this.operation = operation;
        }

        boolean isAtomic() {
            return operation >= 0;
        }
    }

    private final Kind kind;
    private final RemoteKey key;
    private final long remote;
    private final MemorySegment local;
    private final long localOffset;
    private final long bytes;
    private final long operand;
    private final long expected;
    private final BulkAccess.Completion end;
    /** Native memory for pieces, or for the operands of an atomic operation; null while there is none. */
    private @Nullable MemorySegment staging;
    private long done;
    private long piece;
    /** Request or status that libucp returned last. */
    private long request;
    private long value;
    private @Nullable IOException failure;

    private Access(final Kind kind, final RemoteKey key, final long remote, final MemorySegment local, final long localOffset, final long bytes,
        final long operand, final long expected, final BulkAccess.Completion end) {
        this.kind = kind;
        this.key = key;
        this.remote = remote;
        this.local = local;
        this.localOffset = localOffset;
        this.bytes = bytes;
        this.operand = operand;
        this.expected = expected;
        this.end = end;
    }

    /** Creates a get or a put, whose bounds are checked. */
    static Access transfer(final Kind kind, final RemoteKey key, final long remote, final MemorySegment local, final long localOffset,
        final long bytes, final BulkAccess.Completion end) {
        return new Access(kind, key, remote, local, localOffset, bytes, 0, 0, end);
    }

    /** Creates an atomic operation, whose bounds are checked. */
    static Access atomic(final Kind kind, final RemoteKey key, final long remote, final int bytes, final long operand, final long expected,
        final BulkAccess.Completion end) {
        return new Access(kind, key, remote, MemorySegment.NULL, 0, bytes, operand, expected, end);
    }

    Kind kind() {
        return kind;
    }

    RemoteKey key() {
        return key;
    }

    /** Returns the kind of native memory that the access needs before it is posted. */
    boolean needsPieces() {
        return !kind.isAtomic() && !local.isNative();
    }

    /** Sets the native memory that the access uses until its end; null when that is released. */
    void setStaging(final @Nullable MemorySegment memory) {
        staging = memory;
    }

    @Nullable
    MemorySegment staging() {
        return staging;
    }

    /** Posts the access, or its next piece, to libucp. */
    void post(final Worker worker, final UcxContext context) {
        MemorySegment through = staging;
        if (kind.isAtomic()) {
            if (through == null) {
                throw new IllegalStateException("no memory for the operands");
            }
            postAtomic(worker, through);
            return;
        }
        long address;
        if (through == null) {
            piece = bytes;
            address = local.address() + localOffset;
        } else {
            piece = Math.min(bytes - done, through.byteSize());
            address = through.address();
            if (kind == Kind.PUT) {
                MemorySegment.copy(local, localOffset + done, through, 0, piece);
            }
        }
        request = kind == Kind.PUT ? Ucp.put(worker.endpoint(), address, piece, remote + done, key.handle(), context.sendParams())
            : Ucp.get(worker.endpoint(), address, piece, remote + done, key.handle(), context.sendParams());
    }

    /** Operand, then the value that is written and read, then the parameters. */
    private void postAtomic(final Worker worker, final MemorySegment memory) {
        long first = kind == Kind.COMPARE_AND_SWAP ? expected : operand;
        if (bytes == Integer.BYTES) {
            memory.set(ValueLayout.JAVA_INT, 0, (int) first);
            memory.set(ValueLayout.JAVA_INT, Long.BYTES, (int) operand);
        } else {
            memory.set(ValueLayout.JAVA_LONG, 0, first);
            memory.set(ValueLayout.JAVA_LONG, Long.BYTES, operand);
        }
        UcxContext.setAtomicParams(memory, 2 * Long.BYTES, (int) bytes, memory.address() + Long.BYTES);
        request = Ucp.atomic(worker.endpoint(), kind.operation, memory.address(), remote, key.handle(), memory.address() + 2 * Long.BYTES);
    }

    /** Returns whether what was posted last has ended: a piece, or all with what failed. */
    boolean hasEnded() {
        int status = Ucp.finish(request);
        if (status == Ucp.IN_PROGRESS) {
            return false;
        }
        request = 0;
        if (status != Ucp.OK) {
            fail("UCX has failed: " + Ucp.text(status), null);
            return true;
        }
        MemorySegment through = staging;
        if (kind.isAtomic()) {
            if (through != null) {
                value = bytes == Integer.BYTES ? Integer.toUnsignedLong(through.get(ValueLayout.JAVA_INT, Long.BYTES))
                    : through.get(ValueLayout.JAVA_LONG, Long.BYTES);
            }
            done = bytes;
            return true;
        }
        if (through != null && kind == Kind.GET) {
            MemorySegment.copy(through, 0, local, localOffset + done, piece);
        }
        done += piece;
        return true;
    }

    /** Returns whether nothing is left to post. */
    boolean isComplete() {
        return done == bytes || failure != null;
    }

    /** Returns whether libucp may still access the memory. */
    boolean isPending() {
        return Ucp.isRequest(request);
    }

    /** Ends the use of a request that libucp has not completed. */
    void release() {
        if (isPending()) {
            Ucp.free(request);
        }
        request = 0;
    }

    /** Sets why the access has failed, unless that is known. */
    void fail(final String reason, final @Nullable Throwable cause) {
        if (failure == null) {
            failure = new IOException(reason, cause);
        }
    }

    boolean isFailed() {
        return failure != null;
    }

    /** Notifies the completion. */
    void tell() {
        end.completed(failure == null ? value : 0, failure);
    }
}
