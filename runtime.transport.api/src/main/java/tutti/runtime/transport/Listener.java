package tutti.runtime.transport;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ConsumerType;

/** An open listener. Closing it stops accepting links; links that it accepted stay open. */
@ConsumerType
public interface Listener extends AutoCloseable {

    /** Returns the bound address, with the actual port. Peers connect to it; the daemon replaces a host that stands for all interfaces by its own. */
    InetSocketAddress address();

    @Override
    void close();
}
