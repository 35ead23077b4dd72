package tutti.runtime.window;

import java.lang.foreign.MemorySegment;
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

/** The keys by which ranks of other nodes access this rank's memory of a window, where the transport gives access to it. */
final class WindowKeys {
    static final WindowKeys NONE = new WindowKeys(Map.of());

    private final Map<PeerNode, BulkAccess.ExposedMemory> exposed;

    private WindowKeys(final Map<PeerNode, BulkAccess.ExposedMemory> exposed) {
        this.exposed = exposed;
    }

    /** Exposes this rank's memory to the other nodes, and exchanges the keys with their ranks, together with all ranks of the window. */
    static WindowKeys exchange(final Communicator inner, final MemorySegment memory, final WindowTarget[] targets) {
        final WindowKeys keys = new WindowKeys(new IdentityHashMap<>());
        boolean isExchanged = false;
        try {
            exchange(inner, memory, targets, keys.exposed);
            isExchanged = true;
            return keys;
        } finally {
            if (!isExchanged) {
                keys.close();
            }
        }
    }

    private static void exchange(final Communicator inner, final MemorySegment memory, final WindowTarget[] targets,
        final Map<PeerNode, BulkAccess.ExposedMemory> exposed) {
        final CommContext context = inner.context();
        final long[] lengths = new long[targets.length];
        final long[] starts = new long[targets.length];
        final byte[][] keys = new byte[targets.length][];
        long total = 0;
        for (int r = 0; r < targets.length; r++) {
            final boolean isAccessible = memory.isNative() && memory.byteSize() > 0;
            keys[r] = isAccessible && context.target(r) instanceof final PeerNode node ? key(context, node, memory, exposed) : new byte[0];
            lengths[r] = keys[r].length;
            starts[r] = total;
            total += lengths[r];
        }
        final byte[] sent = new byte[(int) total];
        for (int r = 0; r < targets.length; r++) {
            System.arraycopy(keys[r], 0, sent, (int) starts[r], keys[r].length);
        }
        final long[] others = new long[targets.length];
        inner.engine().blocking().alltoall(lengths, 1, Datatype.LONG, others, 1, Datatype.LONG);
        final long[] at = new long[targets.length];
        long received = 0;
        for (int r = 0; r < targets.length; r++) {
            at[r] = received;
            received += others[r];
        }
        final byte[] all = new byte[(int) received];
        inner.engine().blocking().alltoallv(sent, lengths, starts, Datatype.BYTE, all, others, at, Datatype.BYTE);
        for (int r = 0; r < targets.length; r++) {
            final byte[] key = new byte[(int) others[r]];
            System.arraycopy(all, (int) at[r], key, 0, key.length);
            targets[r].setKey(key);
        }
    }

    /** Returns the key by which a node accesses memory; empty when it cannot. */
    private static byte[] key(final CommContext context, final PeerNode node, final MemorySegment memory,
        final Map<PeerNode, BulkAccess.ExposedMemory> exposed) {
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
