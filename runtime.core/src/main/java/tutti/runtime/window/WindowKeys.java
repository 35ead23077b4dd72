package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.wire.PeerNode;

/** The keys by which ranks of different nodes access memory of each other in a window, where the transport gives access to it. */
final class WindowKeys {
    private final Map<PeerNode, BulkAccess.ExposedMemory> exposed = new IdentityHashMap<>();
    private final byte[][] received;

    private WindowKeys(final int ranks) {
        this.received = new byte[ranks][];
    }

    /** Returns the key of the memory of a rank; empty where this rank has none. */
    byte[] key(final int rank) {
        return received[rank];
    }

    /** Exposes this rank's memory to the other nodes, and exchanges the keys with their ranks, together with all ranks of the window. */
    static WindowKeys exchange(final Communicator inner, final MemorySegment memory, final HostMemory shared) {
        final WindowKeys keys = new WindowKeys(inner.size());
        boolean isExchanged = false;
        try {
            keys.exchangeAll(inner, memory, shared);
            isExchanged = true;
            return keys;
        } finally {
            if (!isExchanged) {
                keys.close();
            }
        }
    }

    private void exchangeAll(final Communicator inner, final MemorySegment memory, final HostMemory shared) {
        final CommContext context = inner.context();
        final int ranks = inner.size();
        final long[] lengths = new long[ranks];
        final long[] starts = new long[ranks];
        final byte[][] keys = new byte[ranks][];
        long total = 0;
        for (int r = 0; r < ranks; r++) {
            final boolean isAccessible = memory.isNative() && memory.byteSize() > 0 && shared.data(r) == null;
            keys[r] = isAccessible && context.target(r) instanceof final PeerNode node ? expose(context, node, memory) : new byte[0];
            lengths[r] = keys[r].length;
            starts[r] = total;
            total += lengths[r];
        }
        final byte[] sent = new byte[(int) total];
        for (int r = 0; r < ranks; r++) {
            System.arraycopy(keys[r], 0, sent, (int) starts[r], keys[r].length);
        }
        final long[] others = new long[ranks];
        inner.engine().blocking().alltoall(lengths, 1, Datatype.LONG, others, 1, Datatype.LONG);
        final long[] at = new long[ranks];
        long length = 0;
        for (int r = 0; r < ranks; r++) {
            at[r] = length;
            length += others[r];
        }
        final byte[] all = new byte[(int) length];
        inner.engine().blocking().alltoallv(sent, lengths, starts, Datatype.BYTE, all, others, at, Datatype.BYTE);
        for (int r = 0; r < ranks; r++) {
            received[r] = Arrays.copyOfRange(all, (int) at[r], (int) (at[r] + others[r]));
        }
    }

    /** Returns the key by which a node accesses memory; empty when it cannot. */
    private byte[] expose(final CommContext context, final PeerNode node, final MemorySegment memory) {
        BulkAccess.ExposedMemory known = exposed.get(node);
        if (known == null) {
            final CompletableFuture<BulkAccess.@Nullable ExposedMemory> told = new CompletableFuture<>();
            node.expose(memory, told::complete);
            context.owner().await(told, PendingWait.Kind.WINDOW, null);
            known = told.join();
            if (known == null) {
                return new byte[0];
            }
            exposed.put(node, known);
        }
        return known.key();
    }

    /** Ends the access of the other nodes, when no rank accesses the memory any more. */
    void close() {
        exposed.forEach(PeerNode::conceal);
    }
}
