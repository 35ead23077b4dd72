package tutti.itest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * Job that a test runs on a {@link RawLink}, as a command does: it sends the program as the node grants credit for it, reads the output, and has no
 * standard input.
 */
final class RawJob {
    /** Number of the call that runs the job. */
    private static final int RUN = 1;
    private static final int PIECE = 16_000;
    private static final int WINDOW = 1 << 20;
    private static final byte DATA = 0;
    private static final byte END = 1;

    private final RawLink link;
    private final ByteBuffer program;
    private final UnaryOperator<byte[]> change;
    private boolean hasEnded;

    /**
     * Creates a job.
     *
     * @param link    link of a command, whose hello was answered
     * @param program bytes of the program's files
     * @param change  changes each frame before it is sent
     */
    RawJob(final RawLink link, final byte[] program, final UnaryOperator<byte[]> change) {
        this.link = link;
        this.program = ByteBuffer.wrap(program);
        this.change = change;
    }

    /**
     * Runs the job.
     *
     * @param arguments arguments of the call that runs it, in JSON
     * @return the frame of its result; null when the node closes the link before
     */
    byte[] run(final String arguments) throws IOException {
        send(FrameFuzzer.call("JobLauncher.run", RUN, arguments));
        byte[] frame = link.next();
        while (frame != null && !isResult(frame)) {
            received(ByteBuffer.wrap(frame));
            frame = link.next();
        }
        return frame;
    }

    private static boolean isResult(final byte[] frame) {
        return (frame[0] == FrameFuzzer.ANSWER || frame[0] == FrameFuzzer.FAILED) && ByteBuffer.wrap(frame).getInt(1) == RUN;
    }

    private void received(final ByteBuffer frame) throws IOException {
        final byte type = frame.get();
        switch (type) {
            case FrameFuzzer.CALL -> called(frame.getInt(), frame);
            case FrameFuzzer.STREAM -> streamed(frame.getInt(), frame);
            case FrameFuzzer.GRANT -> {
                frame.getInt();
                sendProgram(frame.getInt());
            }
            default -> {
                // a piece of something long
            }
        }
    }

    private void called(final int call, final ByteBuffer frame) throws IOException {
        final byte[] name = new byte[Byte.toUnsignedInt(frame.get())];
        frame.get(name);
        switch (new String(name, StandardCharsets.US_ASCII)) {
            case "JobClient.output" -> grant(call, WINDOW);
            case "JobClient.input" -> answer(call, "\"\"");
            default -> {
                // a notice
            }
        }
    }

    /** Receives output, for which more credit is granted, or its end. */
    private void streamed(final int call, final ByteBuffer frame) throws IOException {
        if (frame.get() == DATA) {
            grant(call, frame.remaining());
        } else {
            answer(call, "null");
        }
    }

    private void grant(final int call, final int bytes) throws IOException {
        send(RawLink.frame(FrameFuzzer.GRANT, ByteBuffer.allocate(8).putInt(-call).putInt(bytes).array()));
    }

    private void answer(final int call, final String json) throws IOException {
        send(RawLink.frame(FrameFuzzer.ANSWER, ByteBuffer.allocate(4 + json.length()).putInt(call).put(json.getBytes(StandardCharsets.US_ASCII))
            .array()));
    }

    private void sendProgram(final int credit) throws IOException {
        int left = Math.min(credit, program.remaining());
        while (left > 0) {
            final byte[] piece = new byte[Math.min(PIECE, left)];
            program.get(piece);
            send(FrameFuzzer.stream(RUN, DATA, piece));
            left -= piece.length;
        }
        if (!program.hasRemaining() && !hasEnded) {
            hasEnded = true;
            send(FrameFuzzer.stream(RUN, END, new byte[0]));
        }
    }

    private void send(final byte[] frame) throws IOException {
        link.send(change.apply(frame));
    }
}
