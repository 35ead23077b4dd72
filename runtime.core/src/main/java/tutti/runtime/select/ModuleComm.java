package tutti.runtime.select;

import tutti.coll.CollComm;
import tutti.coll.CollJob;
import tutti.coll.CollSubComm;

/** The communicator as one module sees it during query and init. Counts the module's messages. */
final class ModuleComm implements CollComm {
    private final SelectionContext context;
    private final CommShape shape;
    private final LockstepCheck lockstep;
    private final CollJob job;
    private final int tag;
    private long balance;
    /** True once a split was refused because another rank did not call it. Further splits are refused without asking the other ranks. */
    private boolean splitRefused;
    private boolean open;

    ModuleComm(final SelectionContext context, final LockstepCheck lockstep, final CollJob job, final int tag) {
        this.context = context;
        this.shape = context.shape();
        this.lockstep = lockstep;
        this.job = job;
        this.tag = tag;
    }

    void open(final boolean now) {
        open = now;
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
    public String name() {
        return shape.name();
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
        return shape.nodes()[rank];
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
    public CollSubComm split(final int color, final int key) {
        checkOpen();
        if (isInter()) {
            throw new IllegalStateException("an intercommunicator cannot be split: name=" + name());
        }
        splitRefused = splitRefused || !lockstep.agreeOnSplit(tag);
        if (splitRefused) {
            throw new IllegalStateException("another rank did not call split: communicator=" + name());
        }
        return context.split(color, key);
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
            throw new IllegalStateException("messages and splits are allowed only in query and init: communicator=" + name());
        }
    }
}
