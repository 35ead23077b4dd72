package tutti.runtime.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Hello;

/**
 * Messages of the handshake. Numbers are big-endian.
 *
 * <pre>
 *  hello, from the side that connects
 *  +-----------+-------------+-------------------+--------+---------+-------------+------------+--------------------+---------+---------+
 *  | magic u32 | version u16 | purpose length u8 | cma u8 | pid u64 | address u64 | random 16  | payload length u32 | purpose | payload |
 *  +-----------+-------------+-------------------+--------+---------+-------------+------------+--------------------+---------+---------+
 *  offer, from the side that listens: the name of the memory's file, or why there is none
 *  +-----------+-------------+-----------+--------+---------+-------------+------------+----------------+-----------------+------+
 *  | magic u32 | version u16 | status u8 | cma u8 | pid u64 | address u64 | random 16  | ring bytes u32 | text length u16 | text |
 *  +-----------+-------------+-----------+--------+---------+-------------+------------+----------------+-----------------+------+
 *  mapped, from the side that connects
 *  +--------+
 *  | cma u8 |
 *  +--------+
 *  answer, from the side that listens
 *  +------------+-------------------+--------+
 *  | verdict u8 | reason length u16 | reason |
 *  +------------+-------------------+--------+
 *  cma: of a hello 1 if the side has the functions; of an offer 2 if it also reached the peer's memory; of mapped 2 if both did
 * </pre>
 */
final class HandshakeCodec {
    static final int HELLO_HEADER = 44;
    static final int OFFER_HEADER = 46;
    static final int ANSWER_HEADER = 3;
    static final int MAX_HELLO = HELLO_HEADER + 32 + Hello.MAX_PAYLOAD;
    static final int MAX_TEXT_CHARS = 200;
    static final int MAX_TEXT = 3 * MAX_TEXT_CHARS;
    static final int OFFERED = 0;
    static final int FAILED = 1;
    static final int ACCEPTED = 0;
    static final int REFUSED = 1;
    static final int NO_CMA = 0;
    static final int HAS_CMA = 1;
    static final int REACHED = 2;
    private static final int MAGIC = 0x8A547573;
    private static final int VERSION = 1;

    /** First message, of the side that connects. */
    record Greeting(Hello hello, boolean cma, CmaEndpoint.Identity identity) {}

    /**
     * Reply of the side that listens.
     *
     * @param text   name of the memory's file, or why there is none
     * @param failed whether there is none
     */
    record Offer(boolean failed, int cma, CmaEndpoint.Identity identity, int ringBytes, String text) {}

    private HandshakeCodec() {}

    static ByteBuffer hello(final Hello hello, final CmaEndpoint.@Nullable Identity identity) {
        final byte[] purpose = hello.purpose().getBytes(StandardCharsets.US_ASCII);
        final ByteBuffer to = ByteBuffer.allocate(HELLO_HEADER + purpose.length + hello.payload().length);
        to.putInt(MAGIC).putShort((short) VERSION).put((byte) purpose.length).put((byte) (identity == null ? NO_CMA : HAS_CMA));
        put(to, identity);
        return to.putInt(hello.payload().length).put(purpose).put(hello.payload()).flip();
    }

    /** Reads a hello; returns null while it is not complete. */
    static @Nullable Greeting readHello(final ByteBuffer from) throws IOException {
        final int have = from.remaining();
        for (int i = 0; i < Math.min(have, Integer.BYTES); i++) {
            if (from.get(from.position() + i) != (byte) (MAGIC >> 24 - 8 * i)) {
                throw new IOException("not a hello");
            }
        }
        if (have < HELLO_HEADER) {
            return null;
        }
        final ByteBuffer in = from.slice();
        checkHeader(in);
        final int purposeBytes = in.get() & 0xFF;
        final boolean cma = in.get() == HAS_CMA;
        final CmaEndpoint.Identity identity = identity(in);
        final int payloadBytes = in.getInt();
        if (purposeBytes < 1 || purposeBytes > 32 || payloadBytes < 0 || payloadBytes > Hello.MAX_PAYLOAD) {
            throw new IOException("malformed hello: purpose bytes=" + purposeBytes + ", payload bytes=" + payloadBytes);
        }
        if (in.remaining() < purposeBytes + payloadBytes) {
            return null;
        }
        if (in.remaining() > purposeBytes + payloadBytes) {
            throw new IOException("malformed hello: bytes follow it");
        }
        final byte[] purpose = new byte[purposeBytes];
        final byte[] payload = new byte[payloadBytes];
        in.get(purpose).get(payload);
        return new Greeting(new Hello(new String(purpose, StandardCharsets.US_ASCII), payload), cma, identity);
    }

    static ByteBuffer offer(final Offer offer) {
        final byte[] text = text(offer.text);
        final ByteBuffer to = ByteBuffer.allocate(OFFER_HEADER + text.length);
        to.putInt(MAGIC).putShort((short) VERSION).put((byte) (offer.failed ? FAILED : OFFERED)).put((byte) offer.cma);
        put(to, offer.identity);
        return to.putInt(offer.ringBytes).putShort((short) text.length).put(text).flip();
    }

    /** Returns the length of the text of an offer, whose header is complete. */
    static int offerText(final ByteBuffer header) throws IOException {
        checkHeader(header.slice());
        return textLength(header, OFFER_HEADER - Short.BYTES);
    }

    /** Reads an offer, which is complete. */
    static Offer readOffer(final ByteBuffer in) throws IOException {
        checkHeader(in);
        final int status = in.get();
        final int cma = in.get();
        final CmaEndpoint.Identity identity = identity(in);
        final int ringBytes = in.getInt();
        in.getShort();
        if (status == OFFERED && !SharedRegion.isRing(ringBytes)) {
            throw new IOException("malformed offer: ring bytes=" + ringBytes);
        }
        return new Offer(status != OFFERED, cma, identity, ringBytes, StandardCharsets.UTF_8.decode(in).toString());
    }

    static ByteBuffer answer(final int verdict, final String reason) {
        final byte[] text = text(reason);
        return ByteBuffer.allocate(ANSWER_HEADER + text.length).put((byte) verdict).putShort((short) text.length).put(text).flip();
    }

    /** Returns the length of the reason of an answer, whose header is complete. */
    static int answerText(final ByteBuffer header) throws IOException {
        return textLength(header, 1);
    }

    private static int textLength(final ByteBuffer header, final int at) throws IOException {
        final int length = header.getShort(header.position() + at) & 0xFFFF;
        if (length > MAX_TEXT) {
            throw new IOException("text too long: bytes=" + length);
        }
        return length;
    }

    private static byte[] text(final String text) {
        return text.substring(0, Math.min(text.length(), MAX_TEXT_CHARS)).getBytes(StandardCharsets.UTF_8);
    }

    private static void checkHeader(final ByteBuffer in) throws IOException {
        if (in.getInt() != MAGIC) {
            throw new IOException("not a message of this transport");
        }
        final int version = in.getShort();
        if (version != VERSION) {
            throw new IOException("another release of this transport: version=" + version + ", expected=" + VERSION);
        }
    }

    private static void put(final ByteBuffer to, final CmaEndpoint.@Nullable Identity identity) {
        final CmaEndpoint.Identity some = identity == null ? CmaEndpoint.Identity.NONE : identity;
        to.putLong(some.pid()).putLong(some.address()).put(some.random());
    }

    private static CmaEndpoint.Identity identity(final ByteBuffer in) {
        final long pid = in.getLong();
        final long address = in.getLong();
        final byte[] random = new byte[CmaEndpoint.PROBE];
        in.get(random);
        return new CmaEndpoint.Identity(pid, address, random);
    }
}
