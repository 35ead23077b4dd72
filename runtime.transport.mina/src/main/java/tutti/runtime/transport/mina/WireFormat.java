package tutti.runtime.transport.mina;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import javax.net.ssl.SSLException;

/**
 * Wire format of the transport. All numbers are little-endian.
 *
 * <pre>
 *  hello, from the side that connects
 *  +-----------+-------------+-------------------+------+--------------------+---------+---------+
 *  | magic u32 | version u16 | purpose length u8 | 0 u8 | payload length u32 | purpose | payload |
 *  +-----------+-------------+-------------------+------+--------------------+---------+---------+
 *  answer, from the side that listens
 *  +-----------+-------------+------------+------+-------------------+----------------+
 *  | magic u32 | version u16 | verdict u8 | 0 u8 | reason length u32 | reason (UTF-8) |
 *  +-----------+-------------+------------+------+-------------------+----------------+
 *  then frames, both ways; a frame of length 0 is a heartbeat
 *  +------------+-------+
 *  | length u32 | bytes |
 *  +------------+-------+
 * </pre>
 */
final class WireFormat {
    /** First bytes of a hello and of an answer. The first one is no text in any encoding, so no text protocol starts like this. */
    static final byte[] MAGIC = {(byte) 0x8A, 'T', 'u', 't'};
    static final int VERSION = 1;

    /** Length of a hello or an answer before its variable parts. */
    static final int HANDSHAKE_HEADER = 12;
    static final int MAX_PURPOSE = 32;
    static final int MAX_REASON_CHARS = 200;
    static final int MAX_REASON_BYTES = 4 * MAX_REASON_CHARS;

    static final int ACCEPTED = 0;
    static final int REFUSED = 1;

    static final int FRAME_HEADER = 4;
    /**
     * Longest frame, without its length. With it, a frame is one write and one read of {@link OutboundBuffer#MAX_WRITE}, so that the peer reads it
     * while the next one is copied.
     */
    static final int MAX_FRAME = (48 << 10) - FRAME_HEADER;

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private WireFormat() {
    }

    /** Returns an address for messages: {@code host:port}. */
    static String hostAndPort(final InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Returns why TLS failed, in one line: the message of the last cause, which names the fault of a certificate. */
    static String reason(final SSLException e) {
        Throwable root = e;
        while (root.getCause() != null && root.getCause().getMessage() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage()).lines().findFirst().orElse("unknown");
    }
}
