package tutti.runtime.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.checkpoint.agreement.JobCheckpoints;
import tutti.runtime.checkpoint.memory.CheckpointExchange;
import tutti.runtime.checkpoint.memory.MemoryCheckpoints;
import tutti.runtime.checkpoint.store.CheckpointOption;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.checkpoint.store.MemoryOption;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Op;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.match.MessageCapture;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
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

    private final Rank rank;
    /** The communicator whose ranks save their states, and are named by their numbers in it. */
    private final Communicator comm;
    private final CheckpointExchange exchange;
    /** The checkpoints in memory; null if the job keeps none there. */
    private final @Nullable MemoryCheckpoints memory;
    /** For each rank of the communicator, the index of its node among those of the job: the first one of that name. */
    private final int[] nodes;
    /** Set on a rank that has taken a place: all ranks must restore their states before they go on. */
    private final boolean mustRestore;
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
    /** Number and point of the last checkpoint on disk that was complete; 0 for none. */
    private int completeNumber;
    private long completePoint;

    /** State that the program has registered: what it is for people, as {@code double[]}, and the state itself. */
    private record Registered(String kind, StateItem item) {}

    private RankCheckpoints(final Rank rank, final Communicator comm, final CheckpointExchange exchange, final @Nullable MemoryCheckpoints memory,
        final @Nullable StoredRank stored, final Map<String, List<MessageCapture.Captured>> messages, final boolean mustRestore) {
        this.rank = rank;
        this.comm = comm;
        this.exchange = exchange;
        this.memory = memory;
        this.mustRestore = mustRestore;
        this.job = rank.context().job().checkpoints();
        this.quiescence = new Quiescence(rank, comm);
        this.stored = stored;
        this.messages = messages;
        this.every = CheckpointOption.of(rank.context().job().modules().parameters()).points();
        final JobSpec spec = rank.job();
        final int own = spec.nodeOfRank().get(rank.worldRank());
        this.local = (int) spec.nodeOfRank().subList(0, rank.worldRank()).stream().filter(n -> n == own).count();
        final List<String> names = spec.nodes().stream().map(NodeAddress::nodeOf).toList();
        this.nodes = Arrays.stream(comm.group().worldRanks()).map(r -> names.indexOf(names.get(spec.nodeOfRank().get(r)))).toArray();
        this.wait = rank::awaitPoint;
        communicators.put(WORLD, comm);
        communicators.put(SELF, rank.self());
    }

    /**
     * Returns the checkpoints of a rank that has called Init. If the job continues from one, the messages of the predefined communicators are
     * restored, and all ranks must call this before any sends messages. A rank that takes the place of another one restores its state later, together
     * with the others.
     */
    public static RankCheckpoints of(final Rank rank) {
        final MemoryOption option = MemoryOption.of(rank.context().job().modules().parameters());
        final MemoryCheckpoints memory = option == null ? null : new MemoryCheckpoints(option);
        final Communicator world = rank.world();
        final CheckpointExchange exchange = new CheckpointExchange(world.context());
        try {
            final CheckpointStorage storage = rank.context().job().checkpoints().storage();
            final StoredRank stored = rank.incarnation() > 0 ? null : storage.restored(rank.worldRank());
            if (stored == null) {
                return new RankCheckpoints(rank, world, exchange, memory, null, Map.of(), rank.incarnation() > 0);
            }
            if (stored.ranks() != rank.worldSize()) {
                // Cause: a job continues with as many ranks as it was saved with.
                throw new MpiFailure(ErrorClass.ARG, "the checkpoint is one of " + stored.ranks() + " ranks, and the job has " + rank.worldSize()
                    + ": start it with -n " + stored.ranks());
            }
            final RankCheckpoints checkpoints = new RankCheckpoints(rank, world, exchange, memory, stored,
                new LinkedHashMap<>(Quiescence.read(read(stored, MESSAGES))), false);
            checkpoints.number = storage.restored();
            checkpoints.completeNumber = storage.restored();
            checkpoints.completePoint = stored.point();
            checkpoints.point = stored.point();
            checkpoints.restoreMessages();
            return checkpoints;
        } catch (final IOException e) {
            // Cause: its file is damaged or gone. Remedy: an older checkpoint: `--restart JOB/NUMBER`.
            throw new MpiFailure(ErrorClass.OTHER, "the checkpoint of rank " + rank.worldRank() + " cannot be read: " + e.getMessage());
        }
    }

    private void restoreMessages() {
        restore(WORLD, comm);
        restore(SELF, rank.self());
        job.points().reach(local, point, wait);
    }

    /**
     * Returns whether these are the checkpoints of the ranks of a communicator; equal on all of them. Otherwise they must {@link #restore}, since
     * ranks have been replaced.
     */
    public boolean isFor(final Communicator other) {
        return !mustRestore && comm.isOfIncarnationOf(other);
    }

    /**
     * Returns the checkpoints of the rank on a communicator of the same size, with the state of the last one that can be restored: from memory, or
     * else from disk. If there is none, the program begins anew. All ranks of the communicator call this; those that were there before lose what they
     * have registered.
     *
     * @throws MpiFailure when the states cannot be read
     */
    public RankCheckpoints restore(final Communicator on) {
        on.context().checkUsable();
        final CheckpointExchange exchanges = on == comm ? exchange : new CheckpointExchange(on.context());
        if (on == comm && !mustRestore) {
            dropMessages();
        }
        quiescence.drop(rank.self());
        // no rank was asked, or will be, to save its state at a point up to this one
        final long[] last = {job.points().last(point) + 2, number, completeNumber, completePoint};
        exchanges.combine(last, Op.MAX);
        final StoredRank found;
        try {
            final RankCheckpoints before = new RankCheckpoints(rank, on, exchanges, memory, null, Map.of(), false);
            found = before.restored((int) last[2], last[3], last[0]);
        } catch (final IOException e) {
            // Cause: no rank has memory for it, or its file is damaged or gone. Remedy: begin anew, or continue by `--restart`.
            throw new MpiFailure(ErrorClass.OTHER, "the state cannot be restored: rank=" + on.rank() + ", node=" + rank.nodeName() + ": "
                + e.getMessage());
        }
        final RankCheckpoints checkpoints;
        try {
            checkpoints = new RankCheckpoints(rank, on, exchanges, memory, found,
                found == null ? Map.of() : new LinkedHashMap<>(Quiescence.read(read(found, MESSAGES))), false);
        } catch (final IOException e) {
            // Cause: the file of an older version of the runtime. Remedy: begin anew.
            throw new MpiFailure(ErrorClass.OTHER, "the messages of rank " + on.rank() + " cannot be restored: " + e.getMessage());
        }
        checkpoints.point = last[0];
        checkpoints.number = (int) last[1];
        checkpoints.completeNumber = (int) last[2];
        checkpoints.completePoint = last[3];
        if (found == null) {
            job.points().reach(checkpoints.local, checkpoints.point, wait);
        } else {
            checkpoints.restoreMessages();
        }
        return checkpoints;
    }

    /** Drops the messages that ranks have sent since the checkpoint to which they go back. */
    private void dropMessages() {
        final CheckpointExchange.Problem problem = exchange.agree(point, quiescence.problem());
        if (problem != null) {
            // Cause: an operation is active on the rank that is named. Remedy: complete it, then restore.
            throw new MpiFailure(ErrorClass.PENDING, "the state cannot be restored: " + nameOf(problem));
        }
        quiescence.await(exchange.messages());
        quiescence.drop(comm);
    }

    /** Returns the state of the newest checkpoint that can be restored, which is kept in memory anew; null if there is none. */
    private @Nullable StoredRank restored(final int onDisk, final long pointOnDisk, final long now) throws IOException {
        final MemoryCheckpoints.Found found = memory == null ? null : memory.find(exchange);
        if (found != null && memory != null && found.point() >= pointOnDisk) {
            return memory.restore(exchange, found, nodes, now);
        }
        if (onDisk == 0 || !isHeld(onDisk, pointOnDisk)) {
            return found == null || memory == null ? null : memory.restore(exchange, found, nodes, now);
        }
        final StoredRank[] read = new StoredRank[1];
        final SavedRank[] loaded = new SavedRank[1];
        final String why = attempt(() -> {
            read[0] = job.storage().stored(onDisk, pointOnDisk, comm.rank(), comm.size());
            if (memory != null) {
                loaded[0] = load(read[0]);
            }
        });
        final CheckpointExchange.Problem problem = memory == null ? exchange.agree(now, why) : memory.save(exchange, nodes, now, loaded[0], why);
        if (problem != null) {
            throw new IOException(nameOf(problem));
        }
        return read[0];
    }

    private SavedRank load(final StoredRank from) throws IOException {
        final List<SavedRank.Item> data = new ArrayList<>();
        for (final Map.Entry<String, Long> item : from.items().entrySet()) {
            final MemorySegment bytes = Arena.ofAuto().allocate(item.getValue(), Long.BYTES);
            from.read(item.getKey(), bytes);
            data.add(new SavedRank.Item(item.getKey(), bytes));
        }
        return new SavedRank(comm.rank(), comm.size(), from.point(), data);
    }

    /** Returns whether nodes of the job hold the states of all ranks at a checkpoint on disk. */
    private boolean isHeld(final int which, final long at) {
        final long[] isHeld = new long[comm.size()];
        attempt(() -> job.storage().held(which, at).stream().filter(r -> r < isHeld.length).forEach(r -> isHeld[r] = 1));
        exchange.combine(isHeld, Op.MAX);
        return Arrays.stream(isHeld).allMatch(h -> h == 1);
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

    /** Returns the numbers that the ranks of a group have where others can have taken the places of ranks with which the job has begun. */
    public int[] places(final Group group) {
        return Arrays.stream(group.worldRanks()).map(comm.group()::rankOf).toArray();
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
        final boolean onDisk = isAsked || every > 0 && reached % every == 0;
        final boolean inMemory = memory != null && reached % memory.option().points() == 0;
        return (onDisk || inMemory) && save(inMemory, onDisk);
    }

    /**
     * Saves the state now, in memory if the job keeps checkpoints there, else on disk; all ranks call this.
     *
     * @return whether the state was saved
     */
    public boolean force() {
        final boolean isAsked = job.points().reach(local, ++point, wait);
        return save(memory != null, isAsked || memory == null);
    }

    /** Saves the states of all ranks; problems are told on the error output of the rank that has them. */
    private boolean save(final boolean inMemory, final boolean onDisk) {
        rank.context().checkUsable();
        final long began = System.nanoTime();
        final long[] bytes = new long[1];
        number += onDisk ? 1 : 0;
        CheckpointExchange.Problem problem = exchange.agree(point, quiescence.problem());
        if (problem == null) {
            quiescence.await(exchange.messages());
            problem = saveQuiet(inMemory, onDisk, bytes);
        }
        if (problem != null && problem.rank() == comm.rank()) {
            rank.context().warn("no checkpoint at point " + point + ": " + nameOf(problem));
        }
        if (onDisk && comm.rank() == 0) {
            job.report().accept(
                new CheckpointReport(number, point, bytes[0], System.nanoTime() - began, problem == null ? null : nameOf(problem)));
        }
        return problem == null;
    }

    private String nameOf(final CheckpointExchange.Problem problem) {
        return "rank " + problem.rank() + " on node " + rank.context().job().nodeName(comm.group().worldRank(problem.rank())) + ": " + problem.text();
    }

    private CheckpointExchange.@Nullable Problem saveQuiet(final boolean inMemory, final boolean onDisk, final long[] bytes) {
        final List<Communicator> all = quiescence.usable();
        final SavedRank[] state = new SavedRank[1];
        final String why = attempt(() -> {
            state[0] = capture(all);
            bytes[0] = state[0].bytes();
        });
        CheckpointExchange.Problem problem = null;
        final String resumed;
        try {
            if (inMemory && memory != null) {
                warnOfRisk(memory);
                problem = memory.save(exchange, nodes, point, state[0], why);
            }
            if (onDisk && problem == null) {
                problem = saveOnDisk(state[0], why);
            }
        } finally {
            resumed = attempt(() -> all.forEach(c -> c.engine().checkpoint(Checkpointable::resume)));
        }
        if (resumed != null) {
            // Cause: a module of the job could not restore its state. Remedy: report it to the author of the module.
            throw new MpiFailure(ErrorClass.OTHER, "a module does not go on after a checkpoint: " + resumed);
        }
        exchange.combine(bytes, Op.SUM);
        return problem;
    }

    private CheckpointExchange.@Nullable Problem saveOnDisk(final @Nullable SavedRank state, final @Nullable String why) {
        CheckpointExchange.Problem problem = exchange.agree(point, state == null ? why : attempt(() -> job.storage().write(number, state)));
        if (isFirstOfNode()) {
            if (problem == null) {
                problem = exchange.agree(point, attempt(() -> job.storage().complete(number)));
            } else {
                job.storage().discard(number);
            }
        } else if (problem == null) {
            problem = exchange.agree(point, null);
        }
        if (problem == null) {
            completeNumber = number;
            completePoint = point;
            if (isFirstOfNode()) {
                job.storage().removeOlder(number);
            }
        }
        return problem;
    }

    /** Warns once, at rank 0, when the loss of one of several nodes would lose states. */
    private void warnOfRisk(final MemoryCheckpoints of) {
        if (comm.rank() == 0) {
            final List<Integer> risks = of.newRisks(nodes);
            if (!risks.isEmpty()) {
                rank.context().warn("checkpoints in memory do not survive the loss of a node that has too many ranks: "
                    + MemoryOption.PARAMETER + "=" + of.option().data() + "+" + of.option().checks() + ", nodes="
                    + risks.stream().map(n -> NodeAddress.nodeOf(rank.job().nodes().get(n))).collect(Collectors.joining(", ")));
            }
        }
    }

    /** Returns the state of the rank. */
    private SavedRank capture(final List<Communicator> all) throws IOException {
        all.forEach(c -> c.engine().checkpoint(Checkpointable::checkpoint));
        final List<SavedRank.Item> data = new ArrayList<>();
        data.add(new SavedRank.Item(MESSAGES, MemorySegment.ofArray(quiescence.save(communicators))));
        for (final Map.Entry<String, Registered> item : items.entrySet()) {
            data.add(new SavedRank.Item(key(item.getValue().kind, item.getKey()), item.getValue().item.save()));
        }
        return new SavedRank(comm.rank(), comm.size(), point, data);
    }

    private boolean isFirstOfNode() {
        final List<Integer> nodeOfRank = rank.job().nodeOfRank();
        final int own = nodeOfRank.get(rank.worldRank());
        return Arrays.stream(comm.group().worldRanks()).filter(r -> nodeOfRank.get(r) == own).findFirst().orElseThrow() == rank.worldRank();
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
            if (e instanceof final MpiFailure failure && (failure.isOfLoss() || failure.errorClass() == ErrorClass.REVOKED)) {
                throw failure;
            }
            LOG.debug("checkpoint {} of job {}, rank {}", number, rank.jobId(), rank.worldRank(), e);
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }
}
