package tutti.daemon.protocol;

import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Constants of the control protocol, the same on both sides of a link. */
public final class Protocol {
    /** Version of the protocol. Increased when messages change; links between different versions are refused. */
    public static final int VERSION = 17;
    /** Purpose of links that commands open. */
    public static final String CLIENT = "client";
    /** Purpose of links between daemons for membership, questions and parts of jobs. Messages between ranks use links of their own. */
    public static final String NODE = "node";

    /** Purpose of the links of a job JVM to its node. */
    public static final String JVM = "jvm";

    /** Purpose of a link between daemons for one change of modules. */
    public static final String CHANGE = "change";

    /** Purpose of a link between daemons for copies of checkpoints. */
    public static final String CHECKPOINT = "checkpoint";

    /** Purpose of a link between daemons that probes the network. */
    public static final String PROBE = "probe";

    /** Maximum length of a control message, in bytes of JSON. */
    public static final int MAX_MESSAGE = 16 << 20;
    /** Maximum total length of the files of a program, in bytes. */
    public static final long MAX_PROGRAM = 2L << 30;
    /** Maximum number of files of a program. */
    public static final int MAX_FILES = 1024;
    /** Maximum number of ranks of a job. */
    public static final int MAX_RANKS = 65_536;
    /** Maximum length of the text about the end of a rank, in characters. */
    public static final int MAX_TEXT = 32 << 10;

    /** Bytes of output that wait on their way from a part of a job, or to the client, before its ranks wait. */
    public static final int OUTPUT = 256 << 10;

    /** Maximum payload of one frame in bytes; with its header below the maximum frame length of every link. */
    public static final int CHUNK = 16 << 10;
    /**
     * Time limit of a command or node that opens a link. A host answers a connection by itself, for which a part of it is enough; a process answers
     * the handshake, which may take a while where others use the cores. What has not answered then hangs.
     */
    public static final Duration LINK_LIMIT = Duration.ofSeconds(20);

    private Protocol() {
    }

    /** Returns at most {@code max} characters of a text, followed by the number of characters left out. */
    public static String shorten(final String text, final int max) {
        return text.length() <= max ? text : text.substring(0, max) + "... (" + (text.length() - max) + " more characters)";
    }

    /** Returns the first nonblank line of an exception's message, for one-line messages; its class name when it has no message. */
    public static String oneLine(final Throwable cause) {
        Throwable root = cause;
        while ((root instanceof CompletionException || root instanceof ExecutionException)
            && root.getCause() != null) {
            root = root.getCause();
        }
        final String text = root.getMessage() == null || root.getMessage().isBlank() ? root.getClass().getSimpleName()
            : root instanceof final FileSystemException file && file.getReason() == null
                ? file.getMessage() + " (" + file.getClass().getSimpleName().replace("Exception", "") + ")"
            : root.getMessage();
        return shorten(text.lines().filter(l -> !l.isBlank()).findFirst().orElse(""), 500);
    }
}
