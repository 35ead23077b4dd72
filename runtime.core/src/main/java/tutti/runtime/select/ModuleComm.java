package tutti.runtime.select;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.CollJob;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.plan.SplitNames;
import tutti.runtime.datatype.Op;

/** The communicator as one module sees it during query and init. Counts the module's messages, and records which other modules it uses. */
final class ModuleComm implements SetupComm {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final SelectionContext context;
    private final CommShape shape;
    private final LockstepCheck lockstep;
    private final CollJob job;
    private final System.Logger logger;
    private final int tag;
    private final SplitNames splits;
    private final OtherModules others;
    private long balance;
    /** True once a collective step was refused because another rank did not take it. Further ones are refused without asking the other ranks. */
    private boolean refused;
    private boolean open;
    /** True while the module is initialised, when the other modules are known. */
    private boolean initialising;

    /** The other modules on the communicator. */
    interface OtherModules {
        /**
         * Returns an algorithm of another module, by its name as in a rule.
         *
         * @throws IllegalStateException if the module cannot be used on the communicator, or does not offer the algorithm
         */
        <C extends Call> Algorithm<C> algorithm(int user, Operation<C> operation, String name);
    }

    /** Creates the communicator of the module of that name and number. */
    ModuleComm(final SelectionContext context, final LockstepCheck lockstep, final CollJob job, final System.Logger logger, final String module,
        final int tag, final OtherModules others) {
        this.context = context;
        this.shape = context.shape();
        this.lockstep = lockstep;
        this.job = job;
        this.logger = logger;
        this.splits = new SplitNames(module);
        this.tag = tag;
        this.others = others;
    }

    /** Permits messages and collective steps. */
    void open(final boolean toInitialise) {
        open = true;
        initialising = toInitialise;
    }

    void close() {
        open = false;
        initialising = false;
    }

    /** Tells all peers that the module has failed on this rank: one of them may wait for a message. */
    void fail() {
        for (int peer = 0; peer < remoteSize(); peer++) {
            if (isInter() || peer != rank()) {
                context.fail(peer, tag);
            }
        }
    }

    /** Returns the number of messages sent minus the number of messages received since the last call. */
    long takeBalance() {
        final long b = balance;
        balance = 0;
        return b;
    }

    int index() {
        return context.index();
    }

    boolean isFlat() {
        return context.isFlat();
    }

    @Override
    public CollJob job() {
        return job;
    }

    @Override
    public System.Logger logger() {
        return logger;
    }

    @Override
    public String name() {
        return shape.name();
    }

    @Override
    public Origin origin() {
        return shape.origin();
    }

    @Override
    public @Nullable String parent() {
        return shape.parent();
    }

    @Override
    public int rank() {
        return shape.rank();
    }

    @Override
    public int size() {
        return shape.size();
    }

    @Override
    public boolean isInter() {
        return shape.isInter();
    }

    @Override
    public int remoteSize() {
        return isInter() ? shape.remoteSize() : size();
    }

    @Override
    public int nodeOf(final int rank) {
        return shape.nodeOf(rank);
    }

    @Override
    public List<Level> levels() {
        return shape.levels().levels();
    }

    @Override
    public void send(final byte[] data, final int peer) {
        check(peer);
        balance++;
        context.send(data, peer, tag);
    }

    @Override
    public void recv(final byte[] into, final int peer) {
        check(peer);
        context.recv(into, peer, tag);
        balance--;
    }

    private void check(final int peer) {
        checkOpen();
        if (peer < 0 || peer >= remoteSize()) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", ranks=" + remoteSize());
        }
    }

    @Override
    public void barrier() {
        checkOpen();
        refused = refused || !lockstep.agreeOnAllreduce(tag, 0);
        checkRefused("barrier");
    }

    @Override
    public void allreduce(final long[] values, final LongBinaryOperator operator) {
        checkOpen();
        refused = refused || !lockstep.agreeOnAllreduce(tag, 1 + values.length);
        checkRefused("allreduce of " + values.length + " values");
        context.combine(values, Op.user("module", true, (in, inout, count, type) -> {
            for (long i = 0; i < count; i++) {
                inout.setAtIndex(LONG, i, operator.applyAsLong(in.getAtIndex(LONG, i), inout.getAtIndex(LONG, i)));
            }
        }));
    }

    @Override
    public @Nullable CollSubComm split(final String name, final int color, final int key, final String... modules) {
        checkOpen();
        if (isInter()) {
            throw new IllegalStateException("an intercommunicator cannot be split: name=" + name());
        }
        final String split = splits.use(name);
        final List<String> names = List.of(modules);
        refused = refused || !lockstep.agreeOnSplit(tag, name, names);
        checkRefused("split " + name + (names.isEmpty() ? "" : " for modules " + names));
        return context.split(split, color, key, names);
    }

    private void checkRefused(final String call) {
        if (refused) {
            throw new IllegalStateException("another rank did not call " + call + ": communicator=" + name());
        }
    }

    @Override
    public <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String name) {
        if (!initialising) {
            throw new IllegalStateException("other modules are known only in init: communicator=" + name());
        }
        return others.algorithm(tag, operation, name);
    }

    @Override
    public CollSubComm local() {
        if (!isInter()) {
            throw new IllegalStateException("only an intercommunicator has a local group apart from itself: name=" + name());
        }
        return context.local();
    }

    private void checkOpen() {
        if (!open) {
            throw new IllegalStateException("messages, collectives and splits are allowed only in query and init: communicator=" + name());
        }
    }
}
