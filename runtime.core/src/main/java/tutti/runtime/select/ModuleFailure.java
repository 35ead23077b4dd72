package tutti.runtime.select;

import tutti.runtime.process.owner.JobEndedError;

/** Converts an exception of a module to text, so that a failing module does not harm the job. */
final class ModuleFailure {
    private ModuleFailure() {}

    /** Returns the exception in one line. Rethrows exceptions that end the rank or the JVM. */
    static String text(final Throwable thrown) {
        if (thrown instanceof JobEndedError ended) {
            throw ended;
        }
        if (thrown instanceof VirtualMachineError grave && !(thrown instanceof StackOverflowError)) {
            throw grave;
        }
        final String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getSimpleName() : message.lines().findFirst().orElseThrow();
    }
}
