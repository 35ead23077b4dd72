package tutti.daemon.protocol;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The numbers that both sides of a control link must agree on. */
public final class Protocol {
    /** Changes when messages do; links between different versions are refused. */
    public static final int VERSION = 1;
    /** Purpose of links that commands make. */
    public static final String CLIENT = "client";
    /** Purpose of links between daemons, but for those that carry the traffic of ranks. */
    public static final String NODE = "node";

    /** Purpose of links between daemons for one change of modules. */
    public static final String CHANGE = "change";

    /** The longest control message, in bytes of JSON. */
    public static final int MAX_MESSAGE = 16 << 20;
    /** The most bytes that all files of a program may have. */
    public static final long MAX_PROGRAM = 2L << 30;
    /** The most files of a program. */
    public static final int MAX_FILES = 1024;
    /** The most ranks of a job. */
    public static final int MAX_RANKS = 65_536;
    /** The longest text that tells how a rank ended, in characters. */
    public static final int MAX_TEXT = 32 << 10;

    /** Bytes of payload in one frame; with its header below the smallest frame that every link takes. */
    public static final int CHUNK = 16 << 10;
    /** Bytes of output that a node may send before its coordinator passed any of it on. */
    public static final int NODE_OUTPUT_WINDOW = 256 << 10;
    /** Bytes of output that a coordinator may send before the client wrote any of it. */
    public static final int CLIENT_OUTPUT_WINDOW = 512 << 10;
    /** Bytes of program files that may be under way to a node that did not store them yet. */
    public static final int PROGRAM_WINDOW = 1 << 20;

    private Protocol() {
    }

    /** Text of at most {@code max} characters; says how much was left out. */
    public static String shorten(final String text, final int max) {
        return text.length() <= max ? text : text.substring(0, max) + "... (" + (text.length() - max) + " more characters)";
    }

    /** The first line of the text that is not blank, for messages that have one line; a class name where an exception has no message. */
    public static String oneLine(final Throwable cause) {
        Throwable root = cause;
        while ((root instanceof CompletionException || root instanceof ExecutionException)
                && root.getCause() != null) {
            root = root.getCause();
        }
        final String text = root.getMessage() == null || root.getMessage().isBlank() ? root.getClass().getSimpleName() : root.getMessage();
        return shorten(text.lines().filter(l -> !l.isBlank()).findFirst().orElse(""), 500);
    }
}
