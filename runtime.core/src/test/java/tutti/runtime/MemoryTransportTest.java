package tutti.runtime;

import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, within one JVM. */
class MemoryTransportTest extends TransportContract {
    private static final int CAPACITY = 128 * 1024;

    @Override
    protected Transport open() {
        return new MemoryTransport(CAPACITY);
    }

    /** Returns the same transport: its links end within it. */
    @Override
    protected Transport openOther(final Transport other) {
        return other;
    }

    @Override
    protected void close(final Transport transport) {
        ((MemoryTransport) transport).close();
    }
}
