package tutti.runtime.transport;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ConsumerType;

/** An open listener. Closing it stops accepting links; links that it accepted stay open. */
@ConsumerType
public interface Listener extends AutoCloseable {

    /** Returns the bound address, with the actual port. */
    InetSocketAddress address();

    @Override
    void close();
}
