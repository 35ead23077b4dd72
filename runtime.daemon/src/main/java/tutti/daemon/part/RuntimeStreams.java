package tutti.daemon.part;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The standard streams of the runtime in a job JVM: those of the process, and lines for the log of the node from the time that the streams of the
 * process are those of a rank.
 *
 * <p><b>Threads.</b> Safe for any thread. The receiver of lines is volatile; the lock of each stream guards its line.
 */
final class RuntimeStreams {
    private static final int MAX_LINE = 8_192;

    private final PrintStream out;
    private final PrintStream err;
    private volatile @Nullable Consumer<String> receiver;

    /** Creates the streams over those of the process. */
    RuntimeStreams(final PrintStream out, final PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Replaces the standard streams of this JVM. */
    void install() {
        System.setOut(over(out));
        System.setErr(over(err));
    }

    /** Returns a stream that leads to one of the process until there is a receiver. */
    PrintStream over(final PrintStream process) {
        return new PrintStream(new Lines(process), true, StandardCharsets.UTF_8);
    }

    /** Passes what is printed from now on to a receiver, in lines. */
    void separate(final Consumer<String> to) {
        receiver = to;
    }

    /**
     * Prints output of the rank on the streams of the process, where it is in the order of what processes print that the rank starts.
     *
     * @return whether these streams are those of a rank; if not, nothing is printed
     */
    boolean print(final boolean error, final byte[] bytes) {
        if (receiver == null) {
            return false;
        }
        final PrintStream to = error ? err : out;
        to.write(bytes, 0, bytes.length);
        to.flush();
        return true;
    }

    /** Stream that splits what is printed into lines when there is a receiver. */
    private final class Lines extends OutputStream {
        private final PrintStream process;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(final PrintStream process) {
            this.process = process;
        }

        @Override
        public void write(final int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) {
            final Consumer<String> to = receiver;
            if (to == null) {
                process.write(bytes, offset, length);
                return;
            }
            synchronized (this) {
                for (int i = offset; i < offset + length; i++) {
                    if (bytes[i] != '\n') {
                        line.write(bytes[i]);
                    }
                    if (bytes[i] == '\n' || line.size() == MAX_LINE) {
                        to.accept(line.toString(StandardCharsets.UTF_8));
                        line.reset();
                    }
                }
            }
        }

        @Override
        public void flush() {
            process.flush();
        }
    }
}
