package tutti.runtime.transport.mina;

import java.io.IOException;

/** Thrown when the peer sent something that the protocol does not allow. */
class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(final String message) {
        super(message);
    }

    /** Thrown when the peer uses another version of the protocol. */
    static final class Version extends ProtocolException {
        private static final long serialVersionUID = 1L;

        Version(final int version) {
            super("protocol version differs: peer=" + version + ", here=" + WireFormat.VERSION);
        }
    }
}
