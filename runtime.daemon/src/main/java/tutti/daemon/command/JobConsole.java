package tutti.daemon.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
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
    private final OutputStream err = new BufferedOutputStream(new FileOutputStream(FileDescriptor.err), 1 << 12);
    private final CountDownLatch over = new CountDownLatch(1);

    JobConsole(final Client client, final boolean label) {
        this(client, label, new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
    }

    /** With another place than standard output for what ranks print there. */
    JobConsole(final Client client, final boolean label, final OutputStream out) {
        this.client = client;
        this.label = label;
        this.out = out;
    }

    int follow(final Message.Run run, final List<Path> files) throws IOException, InterruptedException {
        final Thread onSignal = new Thread(this::cancel, "tutti-signal");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            client.post(run);
            Thread.ofVirtual().name("tutti-program").start(() -> send(files));
            return events();
        } finally {
            over.countDown();
            out.flush();
            err.flush();
            unhook(onSignal);
        }
    }

    private static void unhook(final Thread hook) {
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
                case Client.Event.Asked a -> Thread.ofPlatform().daemon().name("tutti-input").start(this::read);
                case Client.Event.Gone g -> throw new Failure(ExitStatus.NO_CLUSTER, "daemon at " + client.address() + " is gone: "
                    + g.reason());
                case Client.Event.Told t -> {
                    if (t.message() instanceof Message.Done done) {
                        if (!done.text().isEmpty()) {
                            err.write(("tutti: " + done.text().stripTrailing() + "\n").getBytes(StandardCharsets.UTF_8));
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
        client.printed(p.bytes().length);
    }
}
