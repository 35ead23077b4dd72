package tutti.runtime.transport.ucx;

import org.junit.jupiter.api.BeforeAll;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, over UCX on TCP. Aborted where UCX is not installed. */
class UcxTransportTest extends TransportContract {
    @BeforeAll
    static void findLibrary() {
        Libucp.assume();
    }

    @Override
    protected Transport open() {
        return new UcxTransport();
    }

    @Override
    protected void close(final Transport transport) {
        ((UcxTransport) transport).close();
    }
}
