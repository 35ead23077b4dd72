package tutti.runtime.transport.mina;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import tutti.runtime.transport.Hello;

/** Encodes and decodes hellos and answers; {@link WireFormat} describes their form. Every stated length is checked before it is used. */
final class HandshakeCodec {
    private HandshakeCodec() {
    }

    static byte[] hello(final Hello hello) {
        byte[] purpose = hello.purpose().getBytes(StandardCharsets.US_ASCII);
        if (!hello.purpose().equals(new String(purpose, StandardCharsets.US_ASCII)) || !isPlain(purpose)) {
            throw new IllegalArgumentException("purpose is not printable ASCII: purpose=" + hello.purpose());
        }
        byte[] bytes = header(purpose.length, hello.payload().length, purpose.length + hello.payload().length);
        System.arraycopy(purpose, 0, bytes, WireFormat.HANDSHAKE_HEADER, purpose.length);
        System.arraycopy(hello.payload(), 0, bytes, WireFormat.HANDSHAKE_HEADER + purpose.length, hello.payload().length);
        return bytes;
    }

    static byte[] answer(final int verdict, final String reason) {
        int end = Math.min(reason.length(), WireFormat.MAX_REASON_CHARS);
        if (end < reason.length() && Character.isHighSurrogate(reason.charAt(end - 1))) {
            end--;
        }
        byte[] text = reason.substring(0, end).getBytes(StandardCharsets.UTF_8);
        byte[] bytes = header(verdict, text.length, text.length);
        System.arraycopy(text, 0, bytes, WireFormat.HANDSHAKE_HEADER, text.length);
        return bytes;
    }

    private static byte[] header(final int octet, final int length, final int rest) {
        byte[] bytes = new byte[WireFormat.HANDSHAKE_HEADER + rest];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        System.arraycopy(WireFormat.MAGIC, 0, bytes, 0, WireFormat.MAGIC.length);
        memory.set(WireFormat.SHORT, 4, (short) WireFormat.VERSION);
        bytes[6] = (byte) octet;
        memory.set(WireFormat.INT, 8, length);
        return bytes;
    }

    /**
     * Returns the length of the hello at {@code at}; {@link WireFormat#HANDSHAKE_HEADER} while that is not known.
     *
     * @param bytes number of bytes that have arrived
     * @throws ProtocolException as soon as the bytes cannot be the beginning of a hello
     */
    static int helloLength(final MemorySegment memory, final long at, final int bytes) throws ProtocolException {
        checkStart(memory, at, bytes);
        if (bytes < WireFormat.HANDSHAKE_HEADER) {
            return WireFormat.HANDSHAKE_HEADER;
        }
        int purpose = octet(memory, at + 6);
        int payload = memory.get(WireFormat.INT, at + 8);
        if (purpose < 1 || purpose > WireFormat.MAX_PURPOSE || octet(memory, at + 7) != 0) {
            throw new ProtocolException("malformed hello: purposeBytes=" + purpose + ", max=" + WireFormat.MAX_PURPOSE);
        }
        if (payload < 0 || payload > Hello.MAX_PAYLOAD) {
            throw new ProtocolException("malformed hello: payloadBytes=" + Integer.toUnsignedLong(payload) + ", max=" + Hello.MAX_PAYLOAD);
        }
        return WireFormat.HANDSHAKE_HEADER + purpose + payload;
    }

    /** Decodes the hello at {@code at}, which is complete. */
    static Hello readHello(final MemorySegment memory, final long at) throws ProtocolException {
        byte[] purpose = bytes(memory, at + WireFormat.HANDSHAKE_HEADER, octet(memory, at + 6));
        if (!isPlain(purpose)) {
            throw new ProtocolException("malformed hello: purpose is not printable ASCII");
        }
        byte[] payload = bytes(memory, at + WireFormat.HANDSHAKE_HEADER + purpose.length, memory.get(WireFormat.INT, at + 8));
        return new Hello(new String(purpose, StandardCharsets.US_ASCII), payload);
    }

    /** Returns the length of the reason that follows the answer's header at {@code at}. */
    static int reasonLength(final MemorySegment memory, final long at) throws ProtocolException {
        checkStart(memory, at, WireFormat.HANDSHAKE_HEADER);
        int length = memory.get(WireFormat.INT, at + 8);
        if (length < 0 || length > WireFormat.MAX_REASON_BYTES) {
            throw new ProtocolException("malformed answer: reasonBytes=" + Integer.toUnsignedLong(length) + ", max=" + WireFormat.MAX_REASON_BYTES);
        }
        return length;
    }

    /** Returns the verdict of the answer at {@code at}. */
    static int verdict(final MemorySegment memory, final long at) {
        return octet(memory, at + 6);
    }

    /** Checks the bytes of the magic that have arrived. */
    static void checkMagic(final MemorySegment memory, final long at, final int bytes) throws ProtocolException {
        for (int i = 0; i < Math.min(bytes, WireFormat.MAGIC.length); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at + i) != WireFormat.MAGIC[i]) {
                throw new ProtocolException("it uses another protocol");
            }
        }
    }

    private static void checkStart(final MemorySegment memory, final long at, final int bytes) throws ProtocolException {
        checkMagic(memory, at, bytes);
        if (bytes >= 6) {
            int version = Short.toUnsignedInt(memory.get(WireFormat.SHORT, at + 4));
            if (version != WireFormat.VERSION) {
                throw new ProtocolException.Version(version);
            }
        }
    }

    private static boolean isPlain(final byte[] text) {
        for (byte b : text) {
            if (b < ' ' || b > '~') {
                return false;
            }
        }
        return true;
    }

    private static byte[] bytes(final MemorySegment memory, final long at, final int length) {
        return memory.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static int octet(final MemorySegment memory, final long at) {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, at));
    }
}
