package tutti.runtime.transport;

/**
 * The first word on a link.
 *
 * @param purpose what the link is for, {@code job} for one; 1 to 32 ASCII characters
 * @param payload what the acceptor needs to decide, at most {@link #MAX_PAYLOAD} bytes; its form depends on the purpose
 */
public record Hello(String purpose, byte[] payload) {
    /** The longest payload, in bytes. */
    public static final int MAX_PAYLOAD = 4096;

    /** Refuses what would not fit on the wire. */
    public Hello {
        if (purpose.isEmpty() || purpose.length() > 32) {
            throw new IllegalArgumentException("purpose out of range: purpose=" + purpose + ", length=1..32");
        }
        if (payload.length > MAX_PAYLOAD) {
            throw new IllegalArgumentException("payload too long: bytes=" + payload.length + ", max=" + MAX_PAYLOAD);
        }
    }
}
