package tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.JobLauncher;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Connection of a command to a daemon. It makes requests, and runs at most one job. */
final class Client implements AutoCloseable {
    /** Time of a request in which nothing is said: a proof of a module takes some of it. */
    private static final Duration QUIET = Duration.ofSeconds(60);

    private final Contact contact;
    private final MinaTransport transport = new MinaTransport();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ControlChannel channel = ControlChannel.open(c -> reason -> ended.countDown());

    private Client(final Contact contact) {
        this.contact = contact;
    }

    /**
     * Loads what a connection needs, on a thread of its own, while the command line is parsed. Either takes a third of a short command's time.
     */
    static void prepare() {
        Thread.ofPlatform().daemon().name("tutti-prepare").start(() -> MessageCodec.write(new ClientHello(Protocol.VERSION)));
    }

    static Client connect(final Contact contact) {
        final HostPort address = contact.address();
        final Client client = new Client(contact);
        try {
            client.channel.attach(contact.over(client.transport).connect(address.socketAddress(),
                new Hello(Protocol.CLIENT, MessageCodec.write(new ClientHello(Protocol.VERSION))), client.channel, Protocol.LINK_LIMIT));
            return client;
        } catch (final IOException e) {
            client.transport.close();
            if (e instanceof RefusedException) {
                throw new CommandFailure(ExitStatus.DENIED, "daemon at " + address + " refuses: " + Protocol.oneLine(e), e);
            }
            if (e.getCause() instanceof SSLException) {
                throw new CommandFailure(ExitStatus.DENIED, Protocol.oneLine(e) + "; has it a certificate of the same 'tutti secure init'?", e);
            }
            throw new CommandFailure(ExitStatus.NO_CLUSTER, Protocol.oneLine(e) + "; is a daemon running there? start one with: tutti daemon", e);
        }
    }

    /** Returns the daemon of this connection. */
    Contact contact() {
        return contact;
    }

    /** Returns the address of the daemon. */
    HostPort address() {
        return contact.address();
    }

    /** Waits until the link is closed; returns false when it is not within a limit. */
    boolean awaitEnd(final Duration limit) throws InterruptedException {
        return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Requests a job. Does not block.
     *
     * @param files   its files, in the order of the request
     * @param console receives what the daemon says about the job, and its output
     * @return how the job ended
     */
    CompletableFuture<JobEnd> run(final RunRequest request, final List<Path> files, final JobClient console) {
        return channel.conversation().serve(JobClient.class, console).peer(JobLauncher.class).run(request, ProgramFiles.stream(files))
            .toCompletableFuture();
    }

    /** Asks the daemon to end the job of this connection. Does not block. */
    void cancel() {
        channel.conversation().peer(JobLauncher.class).cancel();
    }

    /**
     * Request to a daemon.
     *
     * @param <R> the answer
     */
    @FunctionalInterface
    interface Request<R> {
        /** Makes the request. */
        CompletionStage<R> of(ClusterRequests daemon) throws IOException;
    }

    /**
     * Makes a request and waits for the answer, as long as the link to the daemon is open.
     *
     * @throws CommandFailure when it is refused, or the daemon is gone
     */
    <R> R ask(final Request<R> request) {
        try {
            return await(request.of(channel.conversation().peer(ClusterRequests.class)).toCompletableFuture());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.FAILED, "interrupted", e);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.FAILED, Protocol.oneLine(e), e);
        }
    }

    /**
     * Waits for an answer of the daemon, as long as the link to it is open. After a while it says at intervals that it waits.
     *
     * @throws CommandFailure when the request is refused, or the daemon is gone
     */
    <R> R await(final CompletableFuture<R> answer) throws InterruptedException {
        final LiveWait wait = new LiveWait("waiting for the daemon at " + address() + ", whose link is open", () -> true,
            text -> System.err.println("tutti: " + text));
        Duration next = QUIET;
        while (!isDone(answer, next)) {
            wait.goesOn();
            next = LiveWait.PERIOD;
        }
        return awaitQuietly(answer);
    }

    private static boolean isDone(final CompletableFuture<?> answer, final Duration limit) throws InterruptedException {
        try {
            answer.get(limit.toSeconds(), TimeUnit.SECONDS);
        } catch (final TimeoutException e) {
            return false;
        } catch (final ExecutionException e) {
            return true;
        }
        return true;
    }

    /** Waits as {@link #await} does, and says nothing. */
    <R> R awaitQuietly(final CompletableFuture<R> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final CallFailedException refused ? new CommandFailure(refused.status(), refused.getMessage(), e)
                : new CommandFailure(ExitStatus.NO_CLUSTER, "daemon at " + address() + " is gone: " + Protocol.oneLine(e), e);
        }
    }

    @Override
    public void close() {
        channel.close();
        transport.close();
    }
}
