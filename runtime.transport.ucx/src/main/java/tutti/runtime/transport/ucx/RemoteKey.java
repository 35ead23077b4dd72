package tutti.runtime.transport.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Key of a peer's memory within libucp: unpacked at the first access, and destroyed when the memory or the link is closed.
 *
 * <p><b>Threads.</b> Used under the link's lock.
 */
final class RemoteKey {
    private static final int CANCELED = -16;

    private final byte[] packed;
    private long handle;
    private int status = Ucp.IN_PROGRESS;

    RemoteKey(final byte[] packed) {
        this.packed = packed;
    }

    /** Unpacks the key at the first call; returns the status. */
    int unpack(final Worker worker) {
        if (status == Ucp.IN_PROGRESS) {
            try (Arena once = Arena.ofConfined()) {
                MemorySegment into = once.allocate(ValueLayout.JAVA_LONG);
                status = Ucp.unpack(worker.endpoint(), once.allocateFrom(ValueLayout.JAVA_BYTE, packed).address(), into.address());
                handle = into.get(ValueLayout.JAVA_LONG, 0);
            }
        }
        return status;
    }

    long handle() {
        return handle;
    }

    /** Releases the key. Idempotent. */
    void destroy() {
        if (status == Ucp.OK) {
            Ucp.keyDestroy(handle);
        }
        status = CANCELED;
    }
}
