package tutti.daemon.command;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;

/** Launches a job, prints what its ranks print, and tells how it ended. Ended by a signal, it cancels the job first. */
final class JobConsole {
    private final Client client;
    private final boolean label;
    private final OutputStream out;
    private final TraceFile trace;
    private final OutputStream err = System.err;
    private final CountDownLatch over = new CountDownLatch(1);

    /** Standard output goes to {@code out}, with null to that of this process; traces go to {@code trace}, with null nowhere. */
    JobConsole(final Client client, final boolean label, final OutputStream out, final TraceFile trace) {
        this.trace = trace;
        this.client = client;
        this.label = label;
        this.out = out != null ? out : System.out;
    }

    int follow(final Message.Run run, final List<Path> files) throws IOException, InterruptedException {
        final Thread onSignal = new Thread(this::cancel, "tutti-signal");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            client.post(run);
            Thread.ofVirtual().name("tutti-program").start(() -> send(files));
            return events();
        } finally {
            try {
                writeTrace(run.program());
            } finally {
                over.countDown();
                out.flush();
                err.flush();
                unhook(onSignal);
            }
        }
    }

    /** Before the thread that a signal started may let the process end. */
    private void writeTrace(final String program) throws IOException {
        final String note = trace == null ? "" : trace.write(program);
        if (!note.isEmpty()) {
            tell(note);
        }
    }

    private void tell(final String text) throws IOException {
        err.write(("tutti: " + text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Takes a shutdown hook back, unless it runs. */
    static void unhook(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // the JVM is ending already: the hook runs
            return;
        }
    }

    private void cancel() {
        client.post(new Message.CancelRun());
        try {
            over.await(6, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(final List<Path> files) {
        try {
            client.program().send(files);
        } catch (final IOException e) {
            client.closed("program cannot be read: " + e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int events() throws IOException, InterruptedException {
        while (true) {
            switch (client.next()) {
                case Client.Event.Printed p -> print(p);
                case Client.Event.Traced t -> {
                    if (trace != null) {
                        trace.add(t.rank(), t.bytes());
                    }
                    client.printed(t.bytes().length);
                }
                case Client.Event.Asked a -> Thread.ofPlatform().daemon().name("tutti-input").start(this::read);
                case Client.Event.Gone g -> throw new CommandFailure(ExitStatus.NO_CLUSTER, "daemon at " + client.address() + " is gone: "
                    + g.reason());
                case Client.Event.Told t -> {
                    if (t.message() instanceof Message.Done done) {
                        if (!done.text().isEmpty()) {
                            tell(done.text().stripTrailing());
                        }
                        return done.status();
                    }
                }
            }
        }
    }

    /** Standard input is read only when rank 0 reads it, so a run in the background or in a loop over lines takes nothing. */
    private void read() {
        final byte[] bytes = new byte[Protocol.CHUNK];
        int n;
        try {
            n = System.in.read(bytes);
        } catch (final IOException e) {
            n = -1;
        }
        client.bring(Arrays.copyOf(bytes, Math.max(0, n)));
    }

    private void print(final Client.Event.Printed p) throws IOException {
        final OutputStream to = p.error() ? err : out;
        if (label) {
            final byte[] prefix = ("[" + p.rank() + "] ").getBytes(StandardCharsets.US_ASCII);
            int start = 0;
            for (int i = 0; i < p.bytes().length; i++) {
                if (p.bytes()[i] == '\n' || i == p.bytes().length - 1) {
                    to.write(prefix);
                    to.write(p.bytes(), start, i + 1 - start);
                    start = i + 1;
                }
            }
        } else {
            to.write(p.bytes());
        }
        to.flush();
        if (to instanceof PrintStream standard && standard.checkError()) {
            throw new IOException("standard output cannot be written");
        }
        client.printed(p.bytes().length);
    }
}
