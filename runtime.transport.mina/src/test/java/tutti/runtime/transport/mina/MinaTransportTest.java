package tutti.runtime.transport.mina;

import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, over TCP. */
class MinaTransportTest extends TransportContract {
    @Override
    protected Transport open() {
        return new MinaTransport();
    }

    @Override
    protected void close(final Transport transport) {
        ((MinaTransport) transport).close();
    }
}
