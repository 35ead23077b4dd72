package tutti.runtime.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.checkpoint.agreement.JobCheckpoints;
import tutti.runtime.checkpoint.store.CheckpointOption;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.job.JobSpec;
import tutti.runtime.match.MessageCapture;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The checkpoints of one rank: the state that the program has registered, and the points at which it may be saved.
 *
 * <p>All ranks of a job reach the same points in the same order, as they call collective operations. A point at which a message is received that
 * was sent after it on another rank is a mistake of the program.
 *
 * <p><b>Threads.</b> For one thread of the rank at a time.
 */
public final class RankCheckpoints {
    private static final Logger LOG = LoggerFactory.getLogger(RankCheckpoints.class);
    private static final String WORLD = "MPI_COMM_WORLD";
    private static final String SELF = "MPI_COMM_SELF";
    private static final String MESSAGES = "messages";
    private static final int MAX_NAME = 200;
    /** Longest text about a problem that all ranks get, in bytes. */
    private static final int TEXT = 1024;

    private final Rank rank;
    private final JobCheckpoints job;
    private final Quiescence quiescence;
    private final Map<String, Registered> items = new LinkedHashMap<>();
    /** Names that were registered in this job: their saved state was restored, or is not theirs. */
    private final Set<String> taken = new HashSet<>();
    private final Map<String, Communicator> communicators = new LinkedHashMap<>();
    private final Map<String, List<MessageCapture.Captured>> messages;
    private final Consumer<CompletionStage<?>> wait;
    private final @Nullable StoredRank stored;
    /** Index of the rank among those of its node. */
    private final int local;
    /** Number of points from checkpoint to checkpoint; 0 for none. */
    private final long every;
    private long point;
    private int number;
    /** Number of the last exchange; from 1, since markers have tags below those of exchange 1. */
    private int steps;

    /** State that the program has registered: what it is for people, as {@code double[]}, and the state itself. */
    private record Registered(String kind, StateItem item) {}

    /** Problem of the first rank that has one, which all ranks know after a step. */
    private record Outcome(int rank, String text) {}

    private RankCheckpoints(final Rank rank, final @Nullable StoredRank stored, final Map<String, List<MessageCapture.Captured>> messages) {
        this.rank = rank;
        this.job = rank.context().job().checkpoints();
        this.quiescence = new Quiescence(rank);
        this.stored = stored;
        this.messages = messages;
        this.number = job.storage().restored();
        this.point = stored == null ? 0 : stored.point();
        this.every = CheckpointOption.of(rank.context().job().modules().parameters()).points();
        this.local = (int) rank.job().nodeOfRank().subList(0, rank.worldRank()).stream().filter(n -> n == rank.job().self()).count();
        this.wait = rank::awaitPoint;
        communicators.put(WORLD, rank.world());
        communicators.put(SELF, rank.self());
    }

    /**
     * Returns the checkpoints of a rank that has called Init. If the job continues from one, the messages of the predefined communicators are
     * restored, and all ranks must call this before any sends messages.
     */
    public static RankCheckpoints of(final Rank rank) {
        try {
            final StoredRank stored = rank.context().job().checkpoints().storage().restored(rank.worldRank());
            if (stored == null) {
                return new RankCheckpoints(rank, null, Map.of());
            }
            if (stored.ranks() != rank.worldSize()) {
                // Cause: a job continues with as many ranks as it was saved with.
                throw new MpiFailure(ErrorClass.ARG, "the checkpoint is one of " + stored.ranks() + " ranks, and the job has " + rank.worldSize()
                    + ": start it with -n " + stored.ranks());
            }
            final RankCheckpoints checkpoints = new RankCheckpoints(rank, stored, new LinkedHashMap<>(Quiescence.read(read(stored, MESSAGES))));
            checkpoints.restore(WORLD, rank.world());
            checkpoints.restore(SELF, rank.self());
            checkpoints.job.points().reach(checkpoints.local, checkpoints.point, checkpoints.wait);
            return checkpoints;
        } catch (final IOException e) {
            // Cause: its file is damaged or gone. Remedy: an older checkpoint: `--restart JOB/NUMBER`.
            throw new MpiFailure(ErrorClass.OTHER, "the checkpoint of rank " + rank.worldRank() + " cannot be read: " + e.getMessage());
        }
    }

    private static byte[] read(final StoredRank stored, final String name) throws IOException {
        final Long bytes = stored.items().get(name);
        if (bytes == null || bytes > Integer.MAX_VALUE - 8) {
            throw new IOException("item is missing or too long: name=" + name);
        }
        final byte[] data = new byte[bytes.intValue()];
        stored.read(name, MemorySegment.ofArray(data));
        return data;
    }

    /** Returns whether the job continues from a checkpoint. */
    public boolean isRestart() {
        return stored != null;
    }

    /** Returns the number of the last point. */
    public long point() {
        return point;
    }

    /**
     * Registers state under a name that is not in use.
     *
     * @param kind what the state is, as {@code double[]}
     * @param item returns the state at each checkpoint
     */
    public void register(final String kind, final String name, final StateItem item) {
        if (name == null || name.isEmpty() || name.length() > MAX_NAME) {
            // Cause: the name of a saved object is empty or too long. Remedy: another name.
            throw new MpiFailure(ErrorClass.ARG, "length of name out of range: name=" + name + ", range=1.." + MAX_NAME);
        }
        if (items.putIfAbsent(name, new Registered(kind, item)) != null) {
            // Cause: two saved objects would have one name. Remedy: another name, or as the message says.
            throw new MpiFailure(ErrorClass.ARG, "the name is in use: name=" + name + "; remove what it names first");
        }
        taken.add(name);
    }

    /** Removes what was registered under a name. Returns whether there was something. */
    public boolean remove(final String name) {
        final Registered item = items.remove(name);
        if (item != null) {
            communicators.remove(key(item.kind, name));
        }
        return item != null;
    }

    /**
     * Returns the length of the saved state of that kind and name, in bytes; -1 if there is none, or if it was registered before in this job.
     *
     * @throws MpiFailure if the name has state of another kind
     */
    public long savedBytes(final String kind, final String name) {
        if (stored == null || taken.contains(name)) {
            return -1;
        }
        for (final Map.Entry<String, Long> item : stored.items().entrySet()) {
            final String[] parts = item.getKey().split("/", 3);
            if (parts.length == 3 && parts[2].equals(name)) {
                if (!parts[1].equals(kind)) {
                    // Cause: the name was that of an object of another kind. Remedy: register it in the way in which it was saved.
                    throw new MpiFailure(ErrorClass.ARG, "the state was saved as " + parts[1] + ", and is restored as " + kind + ": name=" + name);
                }
                return item.getValue();
            }
        }
        return -1;
    }

    /** Reads the saved state of that kind and name, which must exist and have the length of the target. */
    public void read(final String kind, final String name, final MemorySegment into) {
        try {
            if (stored != null) {
                stored.read(key(kind, name), into);
            }
        } catch (final IOException e) {
            // Cause: its file is damaged or gone, of one object. Remedy: an older checkpoint: `--restart JOB/NUMBER`.
            throw new MpiFailure(ErrorClass.OTHER, "the state cannot be read: name=" + name + ", rank=" + rank.worldRank() + ": " + e.getMessage());
        }
    }

    /**
     * Registers a communicator, so that its messages are saved; all its ranks call this. If the job continues from a checkpoint, its messages are
     * restored, and its modules continue.
     *
     * @param shape describes the communicator
     */
    public void register(final String kind, final String name, final Communicator comm, final StateItem shape) {
        final boolean wasSaved = savedBytes(kind, name) >= 0;
        register(kind, name, shape);
        communicators.put(key(kind, name), comm);
        if (wasSaved) {
            restore(key(kind, name), comm);
        }
    }

    private static String key(final String kind, final String name) {
        return "state/" + kind + "/" + name;
    }

    private void restore(final String name, final Communicator comm) {
        final List<MessageCapture.Captured> saved = messages.remove(name);
        if (saved != null) {
            quiescence.restore(saved, comm);
        }
        comm.engine().checkpoint(Checkpointable::restart);
        // no rank sends before all have their messages
        comm.context().combine(new long[1], Op.MAX);
    }

    /**
     * Marks a point at which the state may be saved; all ranks call this. Costs little as long as it is not.
     *
     * @return whether the state was saved
     */
    public boolean here() {
        final long reached = ++point;
        final boolean isAsked = job.points().reach(local, reached, wait);
        return (isAsked || every > 0 && reached % every == 0) && save();
    }

    /**
     * Saves the state now; all ranks call this.
     *
     * @return whether the state was saved
     */
    public boolean force() {
        job.points().reach(local, ++point, wait);
        return save();
    }

    /** Saves the states of all ranks; problems are told on the error output of the rank that has them. */
    private boolean save() {
        rank.context().checkUsable();
        final long began = System.nanoTime();
        final long[] bytes = new long[1];
        number++;
        Outcome problem = agree(quiescence.problem());
        if (problem == null) {
            quiescence.await();
            problem = saveQuiet(bytes);
        }
        if (problem != null && problem.rank == rank.worldRank()) {
            rank.context().warn("no checkpoint at point " + point + ": rank " + problem.rank + " on node " + rank.nodeName() + ": " + problem.text);
        }
        if (rank.worldRank() == 0) {
            job.report().accept(new CheckpointReport(number, point, bytes[0], System.nanoTime() - began, problem == null ? null
                : "rank " + problem.rank + " on node " + rank.context().job().nodeName(problem.rank) + ": " + problem.text));
        }
        return problem == null;
    }

    private @Nullable Outcome saveQuiet(final long[] bytes) {
        final List<Communicator> all = rank.usable();
        Outcome problem = agree(attempt(() -> bytes[0] = write(all)));
        if (isFirstOfNode()) {
            if (problem == null) {
                problem = agree(attempt(() -> job.storage().complete(number)));
            } else {
                job.storage().discard(number);
            }
        } else if (problem == null) {
            problem = agree(null);
        }
        if (problem == null && isFirstOfNode()) {
            job.storage().removeOlder(number);
        }
        final String resumed = attempt(() -> all.forEach(c -> c.engine().checkpoint(Checkpointable::resume)));
        if (resumed != null) {
            // Cause: a module of the job could not restore its state. Remedy: report it to the author of the module.
            throw new MpiFailure(ErrorClass.OTHER, "a module does not go on after a checkpoint: " + resumed);
        }
        combine(bytes, Op.SUM);
        return problem;
    }

    /** Writes the state of the rank; returns its bytes. */
    private long write(final List<Communicator> all) throws IOException {
        all.forEach(c -> c.engine().checkpoint(Checkpointable::checkpoint));
        final List<SavedRank.Item> data = new ArrayList<>();
        data.add(new SavedRank.Item(MESSAGES, MemorySegment.ofArray(quiescence.save(communicators))));
        for (final Map.Entry<String, Registered> item : items.entrySet()) {
            data.add(new SavedRank.Item(key(item.getValue().kind, item.getKey()), item.getValue().item.save()));
        }
        final SavedRank state = new SavedRank(rank.worldRank(), rank.worldSize(), point, data);
        job.storage().write(number, state);
        return state.bytes();
    }

    /** Combines values of all ranks in place, by messages that belong to no other collective operation. */
    private void combine(final long[] values, final Op op) {
        rank.world().context().bootstrap(ContextIds.CHECKPOINTS).allreduce(values, op, ++steps, null).await();
    }

    private boolean isFirstOfNode() {
        final JobSpec spec = rank.job();
        return spec.nodeOfRank().indexOf(spec.self()) == rank.worldRank();
    }

    /** A step that may fail. */
    private interface Step {
        void run() throws IOException;
    }

    private @Nullable String attempt(final Step step) {
        try {
            step.run();
            return null;
        } catch (final IOException | RuntimeException e) {
            LOG.debug("checkpoint {} of job {}, rank {}", number, rank.jobId(), rank.worldRank(), e);
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    /** Exchanges with all ranks what went wrong; returns the problem of the first one that has one, null if none has one. */
    private @Nullable Outcome agree(final @Nullable String problem) {
        final long[] state = {problem == null ? Long.MAX_VALUE : rank.worldRank(), point, -point};
        combine(state, Op.MIN);
        if (state[1] != -state[2]) {
            // Cause: a rank has called `Checkpoint.here` more often than another one. Remedy: call it on all ranks equally often.
            throw new MpiFailure(ErrorClass.OTHER, "ranks are at different points: point=" + point + ", least=" + state[1] + ", greatest=" + -state[2]
                + "; all ranks must reach the same points");
        }
        if (state[0] == Long.MAX_VALUE) {
            return null;
        }
        final byte[] text = new byte[TEXT];
        if (problem != null && state[0] == rank.worldRank()) {
            final byte[] own = problem.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(own, 0, text, 0, Math.min(own.length, text.length));
        }
        final long[] words = new long[TEXT / Long.BYTES];
        MemorySegment.copy(MemorySegment.ofArray(text), 0, MemorySegment.ofArray(words), 0, TEXT);
        combine(words, Op.BOR);
        MemorySegment.copy(MemorySegment.ofArray(words), 0, MemorySegment.ofArray(text), 0, TEXT);
        int length = 0;
        while (length < TEXT && text[length] != 0) {
            length++;
        }
        return new Outcome((int) state[0], new String(Arrays.copyOf(text, length), StandardCharsets.UTF_8));
    }
}
