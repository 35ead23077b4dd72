package tutti.daemon.launch;

/**
 * End of a job.
 *
 * @param status exit status of the command
 * @param text   text for the user, possibly empty
 */
public record JobEnd(int status, String text) {
}
