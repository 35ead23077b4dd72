package tutti.runtime.checkpoint;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.match.ContextPurge;
import tutti.runtime.match.MessageCapture;
import tutti.runtime.match.UnexpectedMessage;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/**
 * The messages of a rank at a checkpoint: makes sure that none is under way, and saves those that have arrived and that nobody has received.
 *
 * <p>Messages of one rank to another do not overtake each other. So when a marker of every other rank has arrived, all their messages have.
 */
final class Quiescence {
    private static final long PATIENCE_NANOS = 1_000_000_000;
    private static final long PAUSE_NANOS = 20_000;

    private final Rank rank;
    /** The communicator whose ranks save their states. */
    private final Communicator all;

    Quiescence(final Rank rank, final Communicator all) {
        this.rank = rank;
        this.all = all;
    }

    /** Returns why the rank cannot be saved now; null if it can. */
    @Nullable
    String problem() {
        if (rank.parent() != null) {
            return "the job was spawned by another one, which the checkpoint would not have";
        }
        if (!rank.attachedBuffer().isEmpty()) {
            return "buffered sends are not complete: receive them before the point";
        }
        for (final Communicator comm : usable()) {
            if (comm.spansJobs()) {
                return comm.name() + " has ranks of another job, which the checkpoint would not have: disconnect it before the point";
            }
            if (!isIdle(comm)) {
                return "nonblocking or persistent operations are active on " + comm.name() + ": complete them before the point";
            }
            final List<ModuleId> modules = comm.engine().notCheckpointable();
            if (!modules.isEmpty()) {
                return "module " + modules.getFirst() + " has state on " + comm.name() + " that it does not save; leave it out with -p coll.select=^"
                    + modules.getFirst().name();
            }
        }
        return null;
    }

    /** Returns the communicators that take part: those that have lost ranks, or were revoked, will not be used again. */
    List<Communicator> usable() {
        return rank.usable().stream().filter(c -> !c.context().faults().isAffected()).toList();
    }

    /** Returns whether no operation is pending. One that is complete counts until the thread that has completed it goes on. */
    private static boolean isIdle(final Communicator comm) {
        final long begin = System.nanoTime();
        while (!comm.isIdle()) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /** Waits until all messages that other ranks have sent to this one have arrived. All ranks call it, and none sends. */
    void await(final PointToPoint markers) {
        final List<Request> pending = new ArrayList<>();
        for (int i = 1; i < all.size(); i++) {
            pending.add(markers.irecv(null, 0, Datatype.BYTE, (all.rank() + all.size() - i) % all.size(), 0));
        }
        for (int i = 1; i < all.size(); i++) {
            pending.add(markers.isend(SendMode.STANDARD, null, 0, Datatype.BYTE, (all.rank() + i) % all.size(), 0));
        }
        pending.forEach(Request::await);
    }

    /**
     * Returns the messages that nobody has received, by the names of their communicators.
     *
     * @param names names of the communicators whose messages can be restored
     */
    byte[] save(final Map<String, Communicator> names) throws IOException {
        final Map<Long, String> byContext = new HashMap<>();
        names.forEach((name, comm) -> byContext.put(comm.contextId(), name));
        final Set<Long> dead = rank.usable().stream().filter(c -> c.context().faults().isAffected()).map(Communicator::contextId)
            .collect(Collectors.toSet());
        final MessageCapture capture = new MessageCapture();
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (final MessageCapture.Captured m : capture.of(rank.context().mailbox())) {
                final long kind = Math.floorMod(m.context(), ContextIds.STRIDE);
                if (dead.contains(m.context() - kind)) {
                    continue;
                }
                if (kind == ContextIds.COLLECTIVE || kind == ContextIds.BOOTSTRAP) {
                    // Cause: a nonblocking collective is under way on some ranks.
                    throw failure("another rank has begun a collective operation that this one has not: begin it on all ranks, or on none");
                }
                if (kind == ContextIds.MESSAGES) {
                    write(m, byContext.get(m.context() - kind), out);
                }
            }
        }
        if (capture.hasMatched()) {
            // Cause: at a point no message may be between probe and receive.
            throw failure("a matched probe has taken a message that was not received: receive it before the point");
        }
        return bytes.toByteArray();
    }

    private static void write(final MessageCapture.Captured m, final @Nullable String comm, final DataOutputStream out) throws IOException {
        final String which = m.bytes() + " bytes of rank " + m.source() + ", tag " + m.tag();
        if (comm == null) {
            // Cause: messages of a communicator that the restarted program does not make would be lost. Remedy: register the communicator, or receive
            // before the point.
            throw failure("a message is on its way on a communicator that is not registered: " + which);
        }
        final byte[] data = m.data();
        if (data == null) {
            // Cause: a long message waits for its receive.
            throw failure("a message is still with its sender: " + which + "; receive it before the point");
        }
        out.writeUTF(comm);
        out.writeInt(m.source());
        out.writeLong(m.tag());
        out.writeLong(m.call());
        out.writeInt(data.length);
        out.write(data);
    }

    private static MpiFailure failure(final String why) {
        return new MpiFailure(ErrorClass.PENDING, why);
    }

    /** Reads saved messages: returns those of each communicator in the order of their arrival. */
    static Map<String, List<MessageCapture.Captured>> read(final byte[] saved) throws IOException {
        final Map<String, List<MessageCapture.Captured>> messages = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(saved))) {
            while (in.available() > 0) {
                final String comm = in.readUTF();
                final int source = in.readInt();
                final long tag = in.readLong();
                final long call = in.readLong();
                final byte[] data = in.readNBytes(in.readInt());
                messages.computeIfAbsent(comm, c -> new ArrayList<>()).add(new MessageCapture.Captured(0, source, tag, call, data.length, data));
            }
        }
        return messages;
    }

    /** Drops messages of a communicator that nobody has received; none is under way. */
    void drop(final Communicator comm) {
        rank.context().mailbox().submit(new ContextPurge(comm.contextId() + ContextIds.MESSAGES, comm.contextId() + ContextIds.MESSAGES + 1));
    }

    /** Puts messages back into the mailbox of the rank, as messages of a communicator. */
    void restore(final List<MessageCapture.Captured> messages, final Communicator comm) {
        for (final MessageCapture.Captured m : messages) {
            final byte[] data = Objects.requireNonNull(m.data(), "data of a saved message");
            final UnexpectedMessage message = UnexpectedMessage.of(data);
            message.envelope(comm.contextId() + ContextIds.MESSAGES, m.source(), m.tag(), data.length);
            message.ofCall(m.call());
            rank.context().mailbox().submit(message);
        }
    }
}
