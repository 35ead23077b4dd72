package tutti.daemon.protocol;

/**
 * Hello of a link that a command opens.
 *
 * @param protocol version of the protocol, {@link Protocol#VERSION}
 */
public record ClientHello(int protocol) {
}
