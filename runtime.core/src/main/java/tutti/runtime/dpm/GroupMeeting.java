package tutti.runtime.dpm;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.RankContext;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;

/**
 * Creates an intercommunicator of two groups of ranks that have no communicator in common: of different jobs, or of one.
 *
 * <pre>{@code
 * the roots meet and exchange descriptions -> each root tells its group -> each rank checks the jobs of the other group
 *   -> the roots exchange the results -> each root tells its group -> links are opened, modules are selected
 * }</pre>
 *
 * <p>An error of any rank is told to all ranks of both groups. For one call, on one thread.
 *
 * @param <C> type of the intercommunicator
 */
public final class GroupMeeting<C> {
    /** Sent by a root that has connected, when it was accepted in time. */
    private static final byte[] PRESENT = {};

    private final CommContext local;
    private final ConnectedJobs connections;
    private final int root;
    private final Creator<C> creator;
    private final ContextIds contexts;
    private @Nullable Meeting meeting;
    private @Nullable GroupDescription registered;

    /**
     * Creates the intercommunicator on which both groups have agreed.
     *
     * @param <C> type of the intercommunicator
     */
    @FunctionalInterface
    public interface Creator<C> {
        /**
         * Creates and opens it.
         *
         * @param context      its context id
         * @param localContext context id of the hidden communicator of this rank's group
         */
        C create(CommMembers members, long context, long localContext);
    }

    /** Checks the arguments that all ranks of a group must give alike. */
    public GroupMeeting(final CommContext local, final ConnectedJobs connections, final int root, final Creator<C> creator) {
        local.checkUsable();
        local.checkIntra();
        if (root < 0 || root >= local.size()) {
            throw new MpiFailure(ErrorClass.ROOT, "root out of range: root=" + root + ", size=" + local.size());
        }
        this.local = local;
        this.connections = connections;
        this.root = root;
        this.creator = creator;
        this.contexts = local.owner().contexts();
    }

    /**
     * Creates the intercommunicator, together with all ranks of both groups. The group with the lower context id is the first one.
     *
     * @param exchange called on roots only: meets the other root, sends it a description, and returns that of the other group
     */
    private C create(final UnaryOperator<byte[]> exchange) {
        final long[] offers = {Long.MAX_VALUE, Long.MAX_VALUE};
        if (local.rank() == 0) {
            Arrays.setAll(offers, i -> contexts.allot());
        }
        local.combine(offers, Op.MIN);
        boolean isUsed = false;
        try {
            ContextIds.check(offers[0]);
            ContextIds.check(offers[1]);
            final GroupDescription remote = describe(exchange, offers[0]);
            final Group remoteGroup = register(remote);
            confirm();
            final boolean isFirst = offers[0] < remote.context();
            isUsed = true;
            connections.link(remoteGroup);
            if (local.rank() == 0 && !isFirst) {
                contexts.free(offers[0]);
            }
            return creator.create(new CommMembers(local.group(), local.rank(), remoteGroup, isFirst), isFirst ? offers[0] : remote.context(),
                offers[1]);
        } finally {
            final Meeting done = meeting;
            if (done != null) {
                done.close();
            }
            final GroupDescription held = registered;
            if (held != null) {
                connections.release(held);
            }
            if (local.rank() == 0 && !isUsed) {
                contexts.free(offers[0]);
                contexts.free(offers[1]);
            }
        }
    }

    /** Returns the processes of the other group's job that were started, by their index among those that were requested; after {@link #spawn}. */
    public BitSet started() {
        final BitSet started = new BitSet();
        int next = 0;
        for (final JobDescription.RankCount program : Objects.requireNonNull(registered).jobs().getFirst().programs()) {
            started.set(next, next + program.started());
            next += program.requested();
        }
        return started;
    }

    /** Returns the description of the other group, on all ranks of this group. */
    private GroupDescription describe(final UnaryOperator<byte[]> exchange, final long context) {
        byte[] received = {};
        @Nullable
        MpiFailure failure = null;
        if (local.rank() == root) {
            try {
                received = exchange.apply(connections.describe(local.group(), context).toBytes());
            } catch (final MpiFailure e) {
                failure = e;
            }
        }
        raise(local.rank() == root, failure);
        try {
            return GroupDescription.of(bcast(received));
        } catch (final IOException e) {
            // Cause: the other job runs another release. Remedy: the same release for both jobs.
            throw new MpiFailure(ErrorClass.OTHER, "the other group does not describe itself: " + e.getMessage(), e);
        }
    }

    /** Returns the other group, when no rank of this group finds an error in it. */
    private Group register(final GroupDescription remote) {
        @Nullable
        Group group = null;
        @Nullable
        MpiFailure failure = null;
        try {
            group = connections.group(remote);
            registered = remote;
            if (group.intersection(local.group()).size() > 0) {
                throw new MpiFailure(ErrorClass.COMM, "groups are not disjoint: a rank accepts and connects at the same time");
            }
        } catch (final MpiFailure e) {
            failure = e;
        }
        try {
            raise(failure != null, failure);
        } catch (final MpiFailure e) {
            send(String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8));
            throw e;
        }
        return Objects.requireNonNull(group);
    }

    /** Waits until all ranks of the other group have found no error, either. */
    private void confirm() {
        @Nullable
        MpiFailure failure = null;
        final Meeting with = meeting;
        if (with != null) {
            try {
                with.send(new byte[0]);
                // Cause: it ended, or hangs, in the middle of the call. Remedy: look at the other program.
                final byte[] error = receive(null, "the other side did not answer");
                // Cause: the other program's call failed. Remedy: its message follows.
                failure = error.length == 0 ? null : new MpiFailure(ErrorClass.OTHER, "the other side: " + new String(error, StandardCharsets.UTF_8));
            } catch (final MpiFailure e) {
                failure = e;
            }
        }
        raise(with != null, failure);
    }

    /**
     * Throws the failure of one rank on all ranks of the group.
     *
     * @param mayTell whether the failure, or that there is none, is known on this rank
     */
    private void raise(final boolean mayTell, final @Nullable MpiFailure failure) {
        final long[] first = {mayTell && failure != null ? local.rank() : Long.MAX_VALUE};
        local.combine(first, Op.MIN);
        if (first[0] == Long.MAX_VALUE) {
            return;
        }
        final boolean tells = first[0] == local.rank();
        final long[] errorClass = {tells && failure != null ? failure.errorClass().ordinal() : 0};
        local.combine(errorClass, Op.SUM);
        final byte[] text = bcast(tells && failure != null ? String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8) : new byte[0]);
        throw tells && failure != null ? failure
            : new MpiFailure(ErrorClass.values()[(int) errorClass[0]], new String(text, StandardCharsets.UTF_8));
    }

    /** Returns on all ranks the bytes that one rank passes; the others pass none. */
    private byte[] bcast(final byte[] own) {
        final long[] length = {own.length};
        local.combine(length, Op.SUM);
        final ByteBuffer bytes = ByteBuffer.allocate((int) (length[0] + Long.BYTES - 1) / Long.BYTES * Long.BYTES).put(own).clear();
        final long[] words = new long[bytes.remaining() / Long.BYTES];
        bytes.asLongBuffer().get(words);
        local.combine(words, Op.SUM);
        bytes.asLongBuffer().put(words);
        return Arrays.copyOf(bytes.array(), (int) length[0]);
    }

    private void send(final byte[] message) {
        final Meeting with = meeting;
        if (with != null) {
            with.send(message);
        }
    }

    /** Returns the next message of the other root. */
    private byte[] receive(final @Nullable Duration limit, final String late) {
        return receive(PendingWait.Kind.ANSWER, limit, late);
    }

    private byte[] receive(final PendingWait.Kind kind, final @Nullable Duration limit, final String late) {
        return await(local.owner(), Objects.requireNonNull(meeting).receive(), kind, limit, ErrorClass.PORT, late);
    }

    /** Waits for a future on a thread of a rank; its failure, or the end of the time, becomes an error of a class. */
    public static <T> T await(final RankContext rank, final CompletableFuture<T> future, final PendingWait.Kind kind, final @Nullable Duration limit,
        final ErrorClass errorClass, final String what) {
        if (!rank.await(future, kind, limit)) {
            future.cancel(false);
            throw new MpiFailure(errorClass, what + " within " + Objects.requireNonNull(limit).toMillis() / 1000.0 + " s");
        }
        try {
            return future.join();
        } catch (final CompletionException e) {
            final Throwable cause = e.getCause();
            throw cause instanceof MpiFailure f ? f : new MpiFailure(errorClass, what + ": " + (cause == null ? e : cause).getMessage(), cause);
        }
    }

    /** Sends a description to a root that has connected, and returns its own when it is known that it still waits. */
    private byte[] describeTo(final byte[] description, final String late) {
        send(description);
        final byte[] answer = receive(null, late);
        receive(null, late);
        return answer;
    }

    /** Meets a group whose root connects to a port. Roots that gave up meanwhile are passed over. */
    public C accept(final String port, final @Nullable Duration limit) {
        return create(description -> acceptAt(port, limit, description));
    }

    private byte[] acceptAt(final String port, final @Nullable Duration limit, final byte[] description) {
        final long end = limit == null ? 0 : System.nanoTime() + limit.toNanos();
        while (true) {
            // Cause: info `timeout` of `accept` has expired. Remedy: start the other program, or a longer time.
            final Meeting arrived = await(local.owner(), connections.accept(port), PendingWait.Kind.ACCEPT,
                limit == null ? null : Duration.ofNanos(Math.max(1, end - System.nanoTime())), ErrorClass.PORT, "nobody connected to the port");
            meeting = arrived;
            try {
                // Cause: it ended, or hangs, in the middle of the call. Remedy: look at the other program.
                return describeTo(description, "the connecting side did not answer");
            } catch (final MpiFailure e) {
                arrived.close();
                meeting = null;
            }
        }
    }

    /** Spawns a job, and meets all its ranks; {@code commands} returns its programs, at the root only. */
    public C spawn(final Supplier<List<SpawnRequest.Command>> commands) {
        return create(description -> startAndMeet(commands.get(), description));
    }

    private byte[] startAndMeet(final List<SpawnRequest.Command> programs, final byte[] description) {
        final String port = connections.openPort();
        final RankServices services = connections.services();
        final CompletableFuture<String> ended = services.spawn(new SpawnRequest(programs, port)).toCompletableFuture();
        boolean isSpawned = false;
        try {
            final CompletableFuture<Meeting> arrived = connections.accept(port);
            // Cause: the program was not found, or there are no slots. Remedy: the reason is in the message.
            await(local.owner(), CompletableFuture.anyOf(arrived, ended), PendingWait.Kind.SPAWN, null, ErrorClass.SPAWN,
                "processes were not spawned");
            if (!arrived.isDone()) {
                // Cause: the spawned program does not call `MPI.Init`, or failed before. Remedy: look at its output.
                throw new MpiFailure(ErrorClass.SPAWN, "the spawned processes ended before MPI.Init" + reason(ended.join()));
            }
            meeting = arrived.join();
            // Cause: they hang before `MPI.Init` has ended. Remedy: look at the spawned program.
            final byte[] answer = describeTo(description, "the spawned processes did not answer");
            isSpawned = true;
            return answer;
        } finally {
            connections.closePort(port);
            if (!isSpawned) {
                // ends the processes that were started
                services.cancelSpawn(port);
            }
        }
    }

    private static String reason(final String text) {
        return text.isEmpty() ? "" : ": " + text;
    }

    /** Meets a group that accepts at a port; waits up to the limit, or as long as its root is there. */
    public C connect(final String port, final @Nullable Duration limit) {
        return create(description -> connectTo(port, limit, description));
    }

    private byte[] connectTo(final String port, final @Nullable Duration limit, final byte[] description) {
        // Cause: nobody accepts at the port, its node is gone, or the network between is cut. Remedy: start the other program first; the reason is in
        // the message.
        meeting = await(local.owner(), connections.connect(port, limit == null ? PeerLifeline.HOST_LIMIT : limit), PendingWait.Kind.CONNECT, limit,
            ErrorClass.PORT, "cannot connect to the port");
        send(description);
        // Cause: the other program has no `accept` that waits. Remedy: call it there, or a longer `timeout`.
        final byte[] answer = receive(PendingWait.Kind.CONNECT, limit, "the port did not accept the connection");
        send(PRESENT);
        return answer;
    }

    /** Meets the process at the other end of a socket: they tell each other a port each, and one of them accepts. */
    public C join(final Socket socket) {
        return create(description -> {
            final String own = connections.openPort();
            try {
                final String other = SocketGreeting.exchange(socket, own);
                if (other.equals(own)) {
                    // Cause: both ends of the socket of `join` are the same. Remedy: a socket between two processes.
                    throw new MpiFailure(ErrorClass.ARG, "the socket is connected to itself");
                }
                return own.compareTo(other) < 0 ? acceptAt(own, null, description) : connectTo(other, null, description);
            } finally {
                connections.closePort(own);
            }
        });
    }

    /** Meets a group whose leader is a rank of a communicator that this group's leader is in, too. */
    public C meet(final CommContext peer, final int remoteLeader, final int tag) {
        return create(description -> {
            meeting = new PeerMeeting(peer, remoteLeader, tag);
            send(description);
            // Cause: it ended, or hangs, in the middle of the call, of the leader of the other group. Remedy: look at the other program.
            return receive(null, "the other leader did not answer");
        });
    }
}
