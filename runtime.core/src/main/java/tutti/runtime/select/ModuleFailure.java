package tutti.runtime.select;

import tutti.runtime.request.JobEnded;

/** What a module threw, which must not harm the job. */
final class ModuleFailure {
    private ModuleFailure() { }

    /** The exception in one line; what ends the whole rank or JVM is thrown on. */
    static String text(final Throwable thrown) {
        if (thrown instanceof JobEnded ended) {
            throw ended;
        }
        if (thrown instanceof VirtualMachineError grave && !(thrown instanceof StackOverflowError)) {
            throw grave;
        }
        final String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getSimpleName() : message.lines().findFirst().orElseThrow();
    }
}
