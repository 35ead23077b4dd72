package tutti.runtime.transport;

/**
 * The first message on a link.
 *
 * @param purpose purpose of the link, for example {@code job}; 1 to 32 ASCII characters
 * @param payload data that the acceptor needs to decide, at most {@link #MAX_PAYLOAD} bytes; its format depends on the purpose
 */
public record Hello(String purpose, byte[] payload) {
    /** Maximum length of the payload in bytes. */
    public static final int MAX_PAYLOAD = 4096;

    /** Refuses a purpose or payload that does not fit on the wire. */
    public Hello {
        if (purpose.isEmpty() || purpose.length() > 32) {
            throw new IllegalArgumentException("purpose out of range: purpose=" + purpose + ", length=1..32");
        }
        if (payload.length > MAX_PAYLOAD) {
            throw new IllegalArgumentException("payload too long: bytes=" + payload.length + ", max=" + MAX_PAYLOAD);
        }
    }
}
