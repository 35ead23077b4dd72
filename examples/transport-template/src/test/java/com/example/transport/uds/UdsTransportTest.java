package com.example.transport.uds;

import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, over Unix domain sockets. */
class UdsTransportTest extends TransportContract {
    @Override
    protected Transport open() {
        return new UdsTransport();
    }

    @Override
    protected void close(final Transport transport) {
        ((UdsTransport) transport).close();
    }
}
