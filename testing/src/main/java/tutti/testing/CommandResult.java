package tutti.testing;

/**
 * What a command printed, and how it ended.
 *
 * @param status exit status; 0 is success
 * @param out    standard output
 * @param err    standard error
 */
public record CommandResult(int status, String out, String err) {}
