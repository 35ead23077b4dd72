package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Hello;

/**
 * First message in each direction on the socket of a link, after which nothing is sent on it. Numbers are big-endian; UCX is its major and its minor
 * release, which must be the same on both sides.
 *
 * <pre>
 *  hello, from the side that connects
 *  +-----------+------------+---------+-------------------+--------------------+--------------------+-----------+---------+---------+---------+
 *  | magic u32 | version u8 | UCX u16 | purpose length u8 | payload length u32 | address length u32 | token u64 | purpose | payload | address |
 *  +-----------+------------+---------+-------------------+--------------------+--------------------+-----------+---------+---------+---------+
 *  answer, from the side that listens
 *  +-----------+------------+---------+------------+-------------------+--------------------+-----------+--------+---------+
 *  | magic u32 | version u8 | UCX u16 | verdict u8 | reason length u32 | address length u32 | token u64 | reason | address |
 *  +-----------+------------+---------+------------+-------------------+--------------------+-----------+--------+---------+
 * </pre>
 */
final class Handshake {
    /** Length of a message before its variable parts. */
    static final int HEADER = 24;
    /** Maximum length of a worker's address; one of many devices has some KiB. */
    static final int MAX_ADDRESS = 32 << 10;
    static final int ACCEPTED = 0;
    static final int REFUSED = 1;

    private static final int MAGIC = 0x8A556378; // the first byte is no text
    private static final int VERSION = 1;
    private static final int MAX_PURPOSE = 32;
    private static final int MAX_REASON_CHARS = 200;
    private static final int MAX_REASON_BYTES = 4 * MAX_REASON_CHARS;
    private static final byte[] NONE = new byte[0];

    private Handshake() {
    }

    /**
     * Fixed part of a message, before the variable parts, whose lengths are within their limits.
     *
     * @param version version of this format
     * @param ucx     release of the sender's UCX
     * @param octet   length of the purpose, or the verdict
     * @param first   length of the payload or the reason
     * @param address length of the address
     * @param token   what the sender's keys contain
     */
    record Header(int version, Ucp.Version ucx, int octet, int first, int address, long token) {
        /** Returns why a peer cannot be linked; null when it can. */
        @Nullable
        String misfit(final Ucp.Version own) {
            if (version != VERSION) {
                return "nodes run different releases of Tutti: versions of transport ucx are " + version + " and " + VERSION;
            }
            return ucx.equals(own) ? null : "nodes have different releases of UCX: " + ucx + " and " + own + ": install the same one on all nodes";
        }
    }

    /** Returns the bytes of a hello. */
    static ByteBuffer hello(final Ucp.Version ucx, final long token, final Hello hello, final byte[] address) {
        byte[] purpose = hello.purpose().getBytes(StandardCharsets.US_ASCII);
        if (!isPlain(purpose) || purpose.length != hello.purpose().length()) {
            throw new IllegalArgumentException("purpose is not printable ASCII: purpose=" + hello.purpose());
        }
        return message(ucx, purpose.length, purpose.length, hello.payload().length, address, token).put(purpose).put(hello.payload()).put(address)
            .flip();
    }

    /** Returns the bytes of an answer that accepts the link. */
    static ByteBuffer accepted(final Ucp.Version ucx, final long token, final byte[] address) {
        return message(ucx, ACCEPTED, 0, 0, address, token).put(address).flip();
    }

    /** Returns the bytes of an answer that refuses the link. */
    static ByteBuffer refused(final Ucp.Version ucx, final String reason) {
        int end = Math.min(reason.length(), MAX_REASON_CHARS);
        if (end < reason.length() && Character.isHighSurrogate(reason.charAt(end - 1))) {
            end--;
        }
        byte[] text = reason.substring(0, end).getBytes(StandardCharsets.UTF_8);
        return message(ucx, REFUSED, 0, text.length, NONE, 0).put(text).flip();
    }

    private static ByteBuffer message(final Ucp.Version ucx, final int octet, final int more, final int first, final byte[] address,
        final long token) {
        return ByteBuffer.allocate(HEADER + more + first + address.length).putInt(MAGIC).put((byte) VERSION).put((byte) ucx.major())
            .put((byte) ucx.minor()).put((byte) octet).putInt(first).putInt(address.length).putLong(token);
    }

    /** Checks the bytes of a message that have arrived, of which there are {@code bytes}. */
    static void checkStart(final byte[] from, final int bytes) throws IOException {
        for (int i = 0; i < Math.min(bytes, Integer.BYTES); i++) {
            if (from[i] != (byte) (MAGIC >>> 8 * (Integer.BYTES - 1 - i))) {
                throw new IOException("it uses another protocol");
            }
        }
    }

    /** Reads the first {@link #HEADER} bytes of a hello. */
    static Header helloHeader(final byte[] bytes) throws IOException {
        Header header = header(bytes, Hello.MAX_PAYLOAD);
        if (header.octet < 1 || header.octet > MAX_PURPOSE || header.address < 1) {
            throw new IOException("malformed hello: purposeBytes=" + header.octet + ", addressBytes=" + header.address);
        }
        return header;
    }

    /** Reads the first {@link #HEADER} bytes of an answer. */
    static Header answerHeader(final byte[] bytes) throws IOException {
        Header header = header(bytes, MAX_REASON_BYTES);
        if (header.octet > REFUSED || header.octet == ACCEPTED && header.address < 1) {
            throw new IOException("malformed answer: verdict=" + header.octet + ", addressBytes=" + header.address);
        }
        return header;
    }

    private static Header header(final byte[] bytes, final int maxFirst) throws IOException {
        checkStart(bytes, HEADER);
        ByteBuffer from = ByteBuffer.wrap(bytes).position(Integer.BYTES);
        int version = Byte.toUnsignedInt(from.get());
        Ucp.Version ucx = new Ucp.Version(Byte.toUnsignedInt(from.get()), Byte.toUnsignedInt(from.get()));
        Header header = new Header(version, ucx, Byte.toUnsignedInt(from.get()), from.getInt(), from.getInt(), from.getLong());
        if (header.first < 0 || header.first > maxFirst || header.address < 0 || header.address > MAX_ADDRESS) {
            throw new IOException("malformed message: bytes=" + Integer.toUnsignedLong(header.first) + ", max=" + maxFirst + ", addressBytes="
                + Integer.toUnsignedLong(header.address) + ", max=" + MAX_ADDRESS);
        }
        return header;
    }

    /** Reads the purpose and the payload of a hello, which follow its header; the position is at the address then. */
    static Hello hello(final Header header, final ByteBuffer from) throws IOException {
        byte[] purpose = new byte[header.octet];
        from.get(purpose);
        if (!isPlain(purpose)) {
            throw new IOException("malformed hello: purpose is not printable ASCII");
        }
        byte[] payload = new byte[header.first];
        from.get(payload);
        return new Hello(new String(purpose, StandardCharsets.US_ASCII), payload);
    }

    private static boolean isPlain(final byte[] text) {
        for (byte b : text) {
            if (b < ' ' || b > '~') {
                return false;
            }
        }
        return true;
    }
}
