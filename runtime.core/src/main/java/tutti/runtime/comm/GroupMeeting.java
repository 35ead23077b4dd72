package tutti.runtime.comm;

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
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.GroupDescription;
import tutti.runtime.context.JobConnections;
import tutti.runtime.context.JobDescription;
import tutti.runtime.context.Meeting;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.lifecycle.RankLifecycle;
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
 */
final class GroupMeeting {
    /** Sent by a root that has connected, when it was accepted in time. */
    private static final byte[] PRESENT = {};

    private final Communicator local;
    private final int root;
    private final JobConnections connections;
    private final ContextIds contexts;
    private @Nullable Meeting meeting;
    private @Nullable GroupDescription registered;

    /** How a root reaches the other root; called on roots only. */
    interface Encounter {
        /** Sends a description, and returns that of the other group. */
        byte[] exchange(GroupMeeting at, byte[] description);
    }

    /** Checks the arguments that all ranks of a group must give alike. */
    GroupMeeting(final Communicator local, final int root) {
        local.checkUsable();
        CommunicatorFactory.checkIntra(local);
        if (root < 0 || root >= local.size()) {
            throw new MpiFailure(ErrorClass.ROOT, "root out of range: root=" + root + ", size=" + local.size());
        }
        this.local = local;
        this.root = root;
        this.connections = local.owner().context().job().connections();
        this.contexts = local.owner().context().contexts();
    }

    /** Creates the intercommunicator, together with all ranks of both groups. The group with the lower context id is the first one. */
    Communicator create(final Encounter encounter) {
        final long[] offers = {Long.MAX_VALUE, Long.MAX_VALUE};
        if (local.rank() == 0) {
            Arrays.setAll(offers, i -> contexts.allot());
        }
        local.context().combine(offers, Op.MIN);
        boolean isUsed = false;
        try {
            ContextIds.check(offers[0]);
            ContextIds.check(offers[1]);
            final GroupDescription remote = exchange(encounter, offers[0]);
            final Group remoteGroup = register(remote);
            confirm();
            final boolean isFirst = offers[0] < remote.context();
            isUsed = true;
            connections.link(remoteGroup);
            if (local.rank() == 0 && !isFirst) {
                contexts.free(offers[0]);
            }
            return Communicator.of(local.owner(), new CommMembers(local.group(), local.rank(), remoteGroup, isFirst))
                .open(isFirst ? offers[0] : remote.context(), offers[1]);
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

    /** Returns the processes of the other group's job that were started, by their index among those that were requested; after {@link #create}. */
    BitSet started() {
        final BitSet started = new BitSet();
        int next = 0;
        for (final JobDescription.RankCount program : Objects.requireNonNull(registered).jobs().getFirst().programs()) {
            started.set(next, next + program.started());
            next += program.requested();
        }
        return started;
    }

    private GroupDescription exchange(final Encounter encounter, final long context) {
        byte[] received = {};
        @Nullable
        MpiFailure failure = null;
        if (local.rank() == root) {
            try {
                received = encounter.exchange(this, connections.describe(local.group(), context).toBytes());
            } catch (final MpiFailure e) {
                failure = e;
            }
        }
        raise(local.rank() == root, failure);
        try {
            return GroupDescription.of(bcast(received));
        } catch (final IOException e) {
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
                final byte[] error = receive(null, "the other side did not answer");
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
        local.context().combine(first, Op.MIN);
        if (first[0] == Long.MAX_VALUE) {
            return;
        }
        final boolean tells = first[0] == local.rank();
        final long[] errorClass = {tells && failure != null ? failure.errorClass().ordinal() : 0};
        local.context().combine(errorClass, Op.SUM);
        final byte[] text = bcast(tells && failure != null ? String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8) : new byte[0]);
        throw tells && failure != null ? failure
            : new MpiFailure(ErrorClass.values()[(int) errorClass[0]], new String(text, StandardCharsets.UTF_8));
    }

    /** Returns on all ranks the bytes that one rank passes; the others pass none. */
    private byte[] bcast(final byte[] own) {
        final long[] length = {own.length};
        local.context().combine(length, Op.SUM);
        final ByteBuffer bytes = ByteBuffer.allocate((int) (length[0] + Long.BYTES - 1) / Long.BYTES * Long.BYTES).put(own).clear();
        final long[] words = new long[bytes.remaining() / Long.BYTES];
        bytes.asLongBuffer().get(words);
        local.context().combine(words, Op.SUM);
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
        return await(local.owner().context().lifecycle(), Objects.requireNonNull(meeting).receive(), kind, limit, ErrorClass.PORT, late);
    }

    /** Waits for a future; its failure, or the end of the time, becomes an error of a class. */
    static <T> T await(final RankLifecycle lifecycle, final CompletableFuture<T> future, final PendingWait.Kind kind, final @Nullable Duration limit,
        final ErrorClass errorClass, final String what) {
        if (!FutureRequest.await(lifecycle, future, kind, limit)) {
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

    /** Returns how a root meets one that connects to a port. Roots that gave up meanwhile are passed over. */
    static Encounter accepting(final String port, final @Nullable Duration limit) {
        return (at, description) -> {
            final long end = limit == null ? 0 : System.nanoTime() + limit.toNanos();
            while (true) {
                at.meeting = await(at.local.owner().context().lifecycle(), at.connections.accept(port), PendingWait.Kind.ACCEPT,
                    limit == null ? null : Duration.ofNanos(Math.max(1, end - System.nanoTime())), ErrorClass.PORT,
                    "nobody connected to the port");
                try {
                    return at.describeTo(description, "the connecting side did not answer");
                } catch (final MpiFailure e) {
                    at.meeting.close();
                    at.meeting = null;
                }
            }
        };
    }

    /** Returns how a root meets that of a job that it spawns. */
    static Encounter spawning(final Supplier<List<SpawnRequest.Command>> commands) {
        return (at, description) -> {
            final List<SpawnRequest.Command> programs = commands.get();
            final String port = at.connections.openPort();
            final RankServices services = at.connections.services();
            final CompletableFuture<String> ended = services.spawn(new SpawnRequest(programs, port)).toCompletableFuture();
            boolean isSpawned = false;
            try {
                final CompletableFuture<Meeting> arrived = at.connections.accept(port);
                await(at.local.owner().context().lifecycle(), CompletableFuture.anyOf(arrived, ended), PendingWait.Kind.SPAWN,
                    null, ErrorClass.SPAWN,
                    "processes were not spawned");
                if (!arrived.isDone()) {
                    throw new MpiFailure(ErrorClass.SPAWN, "the spawned processes ended before MPI.Init" + reason(ended.join()));
                }
                at.meeting = arrived.join();
                final byte[] answer = at.describeTo(description, "the spawned processes did not answer");
                isSpawned = true;
                return answer;
            } finally {
                at.connections.closePort(port);
                if (!isSpawned) {
                    // ends the processes that were started
                    services.cancelSpawn(port);
                }
            }
        };
    }

    private static String reason(final String text) {
        return text.isEmpty() ? "" : ": " + text;
    }

    /** Returns how a root meets one that accepts at a port; it waits up to the limit, or as long as that one is there. */
    static Encounter connecting(final String port, final @Nullable Duration limit) {
        return (at, description) -> {
            at.meeting =
                await(at.local.owner().context().lifecycle(), at.connections.connect(port, limit == null ? PeerLifeline.HOST_LIMIT : limit),
                    PendingWait.Kind.CONNECT, limit, ErrorClass.PORT,
                    "cannot connect to the port");
            at.meeting.send(description);
            final byte[] answer = at.receive(PendingWait.Kind.CONNECT, limit, "the port did not accept the connection");
            at.meeting.send(PRESENT);
            return answer;
        };
    }

    /** Returns how two processes meet that a socket connects: they tell each other a port each, and one of them accepts. */
    static Encounter joining(final Socket socket) {
        return (at, description) -> {
            final String own = at.connections.openPort();
            try {
                final String other = SocketGreeting.exchange(socket, own);
                if (other.equals(own)) {
                    throw new MpiFailure(ErrorClass.ARG, "the socket is connected to itself");
                }
                final Encounter way = own.compareTo(other) < 0 ? accepting(own, null) : connecting(other, null);
                return way.exchange(at, description);
            } finally {
                at.connections.closePort(own);
            }
        };
    }

    /** Returns how two leaders meet that are ranks of a communicator. */
    static Encounter inComm(final Communicator peer, final int remoteLeader, final int tag) {
        return (at, description) -> {
            at.meeting = new PeerMeeting(peer, remoteLeader, tag);
            at.meeting.send(description);
            return at.receive(null, "the other leader did not answer");
        };
    }
}
