package tutti.daemon.protocol;

/**
 * Reply to a user: an exit status and a text.
 *
 * @param status exit status of a command
 * @param text   text for the user, possibly empty
 */
public record Reply(int status, String text) {
}
