package tutti.daemon.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Hands what is written on line by line. For one thread. */
final class LineSplitter extends OutputStream {
    private final Reader reader;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    /** Takes lines. */
    interface Reader {
        void line(String text) throws IOException;
    }

    LineSplitter(final Reader reader) {
        this.reader = reader;
    }

    @Override
    public void write(final int b) throws IOException {
        if (b == '\n') {
            final String text = line.toString(StandardCharsets.UTF_8);
            line.reset();
            reader.line(text);
        } else {
            line.write(b);
        }
    }
}
