package tutti.runtime.transport.shm;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.TransportContract;

/** The contract of a transport, over shared memory. */
class ShmTransportTest extends TransportContract {
    @TempDir
    private Path folder;

    @Override
    protected Transport open() {
        return new ShmTransport(ShmSettings.of(folder));
    }

    @Override
    protected void close(final Transport transport) {
        ((ShmTransport) transport).close();
    }
}
