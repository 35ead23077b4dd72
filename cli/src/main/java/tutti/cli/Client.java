package tutti.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.CreditBatch;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/**
 * Connection of a command to a daemon. Received messages and output are queued for the command's thread. Credit for output is returned when it is
 * printed.
 */
final class Client implements ChannelReceiver, AutoCloseable {
    /** Time of a request in which nothing is said: a proof of a module takes some of it. */
    private static final Duration QUIET = Duration.ofSeconds(60);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

    /** Event received from the daemon. */
    sealed interface Event {
        /** Control message. */
        record MessageReceived(Message message) implements Event {}

        /** Output of a rank. */
        record OutputReceived(int rank, boolean error, byte[] bytes) implements Event {}

        /** Piece of a rank's trace. */
        record TraceReceived(int rank, byte[] bytes) implements Event {}

        /** Request of rank 0 for standard input. */
        record InputRequested() implements Event {}

        /** Loss of the link, with the reason. */
        record Disconnected(String reason) implements Event {}
    }

    private final Contact contact;
    private final MinaTransport transport = new MinaTransport();
    private final ControlChannel channel = ControlChannel.open(c -> this);
    private final ProgramSender program = new ProgramSender(channel);
    private final CreditBatch credit = new CreditBatch(Protocol.CLIENT_OUTPUT_CREDIT, channel::postOutputCredit);
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

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

    void post(final Message message) {
        channel.post(message);
    }

    /** Sends the requested standard input; an empty array is its end. */
    void sendInput(final byte[] bytes) {
        channel.postInput(bytes);
    }

    ProgramSender program() {
        return program;
    }

    /** Waits for the first event of a job, and returns it; refuses a daemon that does not answer. */
    Event first() throws InterruptedException {
        final Event event = events.poll(ANSWER_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        if (event == null) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "daemon at " + address() + " does not accept the job: limit=" + ANSWER_LIMIT.toSeconds()
                + " s");
        }
        return event;
    }

    /** Waits for the next event and returns it. */
    Event next() throws InterruptedException {
        return events.take();
    }

    /** Waits until the daemon closes the link; returns false when it does not within a limit. */
    boolean awaitEnd(final Duration limit) throws InterruptedException {
        final long until = System.nanoTime() + limit.toNanos();
        while (true) {
            final Event event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (event == null || event instanceof Event.Disconnected) {
                return event != null;
            }
        }
    }

    /** Returns credit for output that was printed, or for a piece of a trace that was stored. */
    void consumed(final int bytes) {
        credit.consumed(bytes);
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
            final CompletableFuture<R> answer = request.of(channel.conversation().peer(ClusterRequests.class)).toCompletableFuture();
            final LiveWait wait = new LiveWait("waiting for the daemon at " + address() + ", whose link is open", () -> true,
                text -> System.err.println("tutti: " + text));
            for (Duration next = QUIET;; next = LiveWait.PERIOD) {
                try {
                    return answer.get(next.toSeconds(), TimeUnit.SECONDS);
                } catch (final TimeoutException e) {
                    wait.goesOn();
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.FAILED, "interrupted", e);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.FAILED, Protocol.oneLine(e), e);
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final CallFailedException refused ? new CommandFailure(refused.status(), refused.getMessage(), e)
                : new CommandFailure(ExitStatus.NO_CLUSTER, "daemon at " + address() + " is gone: " + Protocol.oneLine(e), e);
        }
    }

    @Override
    public void message(final Message message) {
        events.add(new Event.MessageReceived(message));
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        events.add(new Event.OutputReceived(rank, error, bytes));
    }

    @Override
    public void trace(final int rank, final byte[] bytes) {
        events.add(new Event.TraceReceived(rank, bytes));
    }

    @Override
    public void inputCredit(final int bytes) {
        events.add(new Event.InputRequested());
    }

    @Override
    public void programCredit(final int bytes) {
        program.credit(bytes);
    }

    @Override
    public void closed(final String reason) {
        program.close();
        events.add(new Event.Disconnected(reason));
    }

    @Override
    public void close() {
        channel.close();
        transport.close();
    }
}
