package tutti.runtime.transport;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ConsumerType;

/** An open listener. Closing it stops accepting; links that it accepted live on. */
@ConsumerType
public interface Listener extends AutoCloseable {

    /** The bound address, with the real port. */
    InetSocketAddress address();

    @Override
    void close();
}
