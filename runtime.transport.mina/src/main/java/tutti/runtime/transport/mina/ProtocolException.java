package tutti.runtime.transport.mina;

import java.io.IOException;

/** The peer sent what the protocol does not allow. */
class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(final String message) {
        super(message);
    }

    /** The peer speaks the protocol in another version. */
    static final class Version extends ProtocolException {
        private static final long serialVersionUID = 1L;

        Version(final int version) {
            super("protocol version differs: peer=" + version + ", here=" + WireFormat.VERSION);
        }
    }
}
