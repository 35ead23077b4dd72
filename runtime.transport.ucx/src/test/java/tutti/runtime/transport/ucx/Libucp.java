package tutti.runtime.transport.ucx;

import java.io.IOException;
import org.opentest4j.TestAbortedException;

/** Assumption of tests: the library is there. */
final class Libucp {
    private Libucp() {
    }

    /** Aborts the test, with the reason, where the library cannot be used. */
    static void assume() {
        try {
            Ucp.load();
        } catch (final IOException e) {
            throw new TestAbortedException(e.getMessage(), e);
        }
    }
}
