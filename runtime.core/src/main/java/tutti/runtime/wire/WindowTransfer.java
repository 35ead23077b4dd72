package tutti.runtime.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.BulkAccess;

/** A read or a write of memory of a window on another node, by the transport's access to this memory: nobody there takes part. */
public final class WindowTransfer extends BulkTransfer {
    private final boolean isWrite;
    private final long offset;
    private final MemorySegment memory;
    private final long memoryAt;
    private final BiConsumer<@Nullable IOException, @Nullable MpiFailure> end;

    /**
     * Creates a transfer, to be submitted to the node.
     *
     * @param key    key of the window's memory
     * @param offset offset of the first byte in the window's memory
     * @param memory memory of this rank
     * @param at     offset of the first byte there
     * @param bytes  number of bytes
     * @param end    told of the end: why the access failed, or that the node is gone; both null when all is transferred
     */
    public WindowTransfer(final PeerNode node, final boolean isWrite, final byte[] key, final long offset, final MemorySegment memory, final long at,
        final long bytes, final BiConsumer<@Nullable IOException, @Nullable MpiFailure> end) {
        super(node);
        this.isWrite = isWrite;
        this.offset = offset;
        this.memory = memory;
        this.memoryAt = at;
        this.end = end;
        keyAt(MemorySegment.ofArray(key), 0, key.length);
        part(0, bytes);
    }

    @Override
    void access(final BulkAccess.PeerMemory of, final long at, final long bytes) {
        if (isWrite) {
            of.put(offset + at, memory, memoryAt + at, bytes, this);
        } else {
            of.get(offset + at, memory, memoryAt + at, bytes, this);
        }
    }

    @Override
    void ended(final @Nullable IOException why) {
        end.accept(why, null);
    }

    @Override
    void fail(final MpiFailure why) {
        super.fail(why);
        end.accept(null, why);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        end.accept(null, why);
    }
}
