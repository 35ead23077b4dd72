package tutti.runtime.transport.mina;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import tutti.runtime.transport.TestCertificates;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, over TLS. */
class MinaTlsTransportTest extends TransportContract {
    private static SSLContext context;
    private final Map<Transport, MinaTransport> opened = new ConcurrentHashMap<>();

    @BeforeAll
    static void makeCertificate() {
        context = new TestCertificates().valid("a");
    }

    @Override
    protected Transport open() {
        final MinaTransport transport = new MinaTransport();
        final Transport secured = transport.secured(context);
        opened.put(secured, transport);
        return secured;
    }

    @Override
    protected void close(final Transport transport) {
        opened.get(transport).close();
    }
}
