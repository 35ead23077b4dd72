package tutti.runtime.select;

/**
 * A 64-bit hash by which ranks compare what must be equal on all of them. It is FNV-1a over the parts and their lengths, so it depends on nothing
 * but the content: it is the same in every JVM.
 */
final class AgreementHash {
    private static final long BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private long value = BASIS;

    /** Adds a text. */
    AgreementHash add(final String text) {
        add(text.length());
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            mix(c & 0xff);
            mix(c >>> Byte.SIZE);
        }
        return this;
    }

    /** Adds a number. */
    AgreementHash add(final long number) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            mix(number >>> shift & 0xff);
        }
        return this;
    }

    private void mix(final long octet) {
        value = (value ^ octet) * PRIME;
    }

    /** Returns the hash of the parts that were added, in their order. */
    long value() {
        return value;
    }
}
