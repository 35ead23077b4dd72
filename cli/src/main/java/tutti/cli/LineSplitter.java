package tutti.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Output stream that passes complete lines to a consumer. For one thread. */
final class LineSplitter extends OutputStream {
    private final LineConsumer consumer;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    /** Consumer of lines. */
    interface LineConsumer {
        void line(String text) throws IOException;
    }

    LineSplitter(final LineConsumer consumer) {
        this.consumer = consumer;
    }

    @Override
    public void write(final int b) throws IOException {
        if (b == '\n') {
            final String text = line.toString(StandardCharsets.UTF_8);
            line.reset();
            consumer.line(text);
        } else {
            line.write(b);
        }
    }
}
