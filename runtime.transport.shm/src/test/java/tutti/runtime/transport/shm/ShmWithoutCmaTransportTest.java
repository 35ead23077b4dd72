package tutti.runtime.transport.shm;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, over shared memory, where the memory of peers cannot be accessed by one of both sides. */
class ShmWithoutCmaTransportTest extends TransportContract {
    @TempDir
    private Path folder;
    private boolean permitted;

    @Override
    protected Transport open() {
        permitted = !permitted;
        return new ShmTransport(ShmSettings.of(folder).withCma(permitted));
    }

    @Override
    protected void close(final Transport transport) {
        ((ShmTransport) transport).close();
    }
}
