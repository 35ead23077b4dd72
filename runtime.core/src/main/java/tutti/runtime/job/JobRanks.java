package tutti.runtime.job;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import tutti.runtime.comm.JobEnvironment;
import tutti.runtime.comm.JobTermination;
import tutti.runtime.comm.Rank;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.select.JobModules;
import tutti.runtime.shm.ShmRegions;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;
import tutti.runtime.wire.JobNetwork;

/** The ranks of a job on this node as MPI processes: their mailboxes, and the way to all others. Safe for any thread. */
public final class JobRanks implements JobEnvironment {

    /** Ends the job because a rank asks for it. */
    public interface Abort {
        /** The rank {@code worldRank} called abort. Does not return on a thread of that rank. */
        void abort(int worldRank, int status);

        /** The rank {@code worldRank} made an error that is fatal. Does not return on a thread of that rank. */
        default void fail(final int worldRank, final Throwable error) {
            abort(worldRank, 1);
        }
    }

    private final JobSpec spec;
    private final Mailbox[] mailboxes;
    private final JobNetwork net;
    private final List<Rank> local = new ArrayList<>();
    private final ShmRegions boards = new ShmRegions();
    private volatile JobModules modules;

    /**
     * Ranks that have not called Init, on nodes that are not linked.
     *
     * @param lost    told the index of a node and the reason when its link is lost
     * @param abort   ends the job
     */
    public JobRanks(final JobSpec spec, final Transport transport, final BiConsumer<Integer, String> lost, final Abort abort) {
        this.spec = spec;
        this.mailboxes = new Mailbox[spec.size()];
        for (int r = 0; r < mailboxes.length; r++) {
            mailboxes[r] = spec.nodeOfRank().get(r) == spec.self() ? new Mailbox() : null;
        }
        this.net = new JobNetwork(spec, transport, this::mailbox, lost);
        for (int r = 0; r < mailboxes.length; r++) {
            if (mailboxes[r] != null) {
                local.add(new Rank(this, r, mailboxes[r], ending(r, abort)));
            }
        }
    }

    private static JobTermination ending(final int worldRank, final Abort abort) {
        return new JobTermination() {
            @Override
            public void abort(final int status) {
                abort.abort(worldRank, status);
            }

            @Override
            public void fail(final Throwable error) {
                abort.fail(worldRank, error);
            }
        };
    }

    /** The ranks on this node, in rising order. */
    public List<Rank> local() {
        return local;
    }

    /** The modules that the nodes agreed on; to be given before a rank calls Init. */
    public void agree(final JobModules agreed) {
        modules = agreed;
    }

    /** Links to the other nodes. */
    public CompletionStage<Void> connect() {
        return net.connect();
    }

    /** Takes the link of another node of the job. */
    public LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        return net.accept(link, hello);
    }

    /** Says goodbye to the other nodes, after what is under way to them. */
    public void leave() {
        net.leave();
    }

    private Mailbox mailbox(final int worldRank) {
        return worldRank < 0 || worldRank >= mailboxes.length ? null : mailboxes[worldRank];
    }

    @Override
    public String jobId() {
        return spec.id();
    }

    @Override
    public int size() {
        return spec.size();
    }

    @Override
    public int nodeOf(final int worldRank) {
        return spec.nodeOfRank().get(worldRank);
    }

    @Override
    public String nodeName(final int worldRank) {
        return spec.nodes().get(nodeOf(worldRank)).name();
    }

    @Override
    public JobModules modules() {
        return modules;
    }

    @Override
    public ShmRegions boards() {
        return boards;
    }

    @Override
    public SerialExecutor target(final int worldRank) {
        final Mailbox here = mailboxes[worldRank];
        return here != null ? here : net.peer(nodeOf(worldRank));
    }
}
