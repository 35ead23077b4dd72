package tutti.web;

/** Thrown when a request is refused: the status of the answer, and one line that says what is wrong and what to do. */
final class PageRefusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final int status;

    PageRefusal(final int status, final String line) {
        super(line, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
