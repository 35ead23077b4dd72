package tutti.daemon.protocol;

/**
 * The first word of a command.
 *
 * @param protocol {@link Protocol#VERSION}
 */
public record ClientHello(int protocol) {
}
