package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.AgreedJob;
import tutti.daemon.part.JobNode;
import tutti.daemon.part.JobPart;
import tutti.daemon.part.NodeParts;
import tutti.daemon.part.PartListener;
import tutti.daemon.part.PreparablePart;
import tutti.daemon.part.Preparation;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/**
 * Part of a job as its coordinator has it: the part on this node, or the link to that on another node. Makes events of what it reports. Safe for any
 * thread.
 */
final class CoordinatedPart implements PartListener, AutoCloseable {
    private final int node;
    private final JobPart part;
    /** Null for a part on this node. */
    private final @Nullable ControlChannel channel;
    private final Coordinator coordinator;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** Output of the part; null before it begins. */
    private volatile @Nullable InputStream output;

    /** The coordinator of the job. Methods do not block, except for output. */
    interface Coordinator {
        /** Receives an event. */
        void add(JobEvent event);

        /** Returns a piece of standard input for rank 0; empty at its end. */
        CompletionStage<byte[]> input();

        /** Receives what became of a checkpoint. */
        void checkpointed(CheckpointReport report);

        /** Receives that a trial of a module begins on a communicator, or what it has found there. */
        void tried(CanaryReport report);

        /** Receives what tuning on live calls has found out. */
        void tuned(List<CallTuning> found);

        /** Passes on a piece of output, or of a trace. Blocks while the client does not read. */
        void print(OutputPiece piece) throws InterruptedException;

        /** Keeps a piece of a report. */
        void keep(InterceptorReport.Piece piece);
    }

    /** Makes a part whose listener is given. */
    private interface Maker {
        JobPart make(PartListener listener);
    }

    private CoordinatedPart(final int node, final Coordinator coordinator, final @Nullable ControlChannel channel, final Maker maker) {
        this.node = node;
        this.coordinator = coordinator;
        this.channel = channel;
        this.part = maker.make(this);
    }

    /**
     * Makes and begins to prepare the part on this node; returns at once.
     *
     * @param place name of the node, or of one of its JVMs
     */
    static CoordinatedPart here(final Coordinator coordinator, final Preparation order, final String place, final List<Path> files,
        final NodeParts parts, final Path folder) {
        final int node = order.self();
        final PreparablePart[] made = new PreparablePart[1];
        final CoordinatedPart of = new CoordinatedPart(node, coordinator, null, listener -> {
            made[0] = parts.create(listener, place, folder);
            return made[0];
        });
        of.await(CompletableFuture.supplyAsync(() -> {
            try {
                return made[0].prepare(order, order.spec(files));
            } catch (final CallFailedException e) {
                throw new CompletionException(e);
            }
        }, task -> Thread.ofVirtual().name("tutti-" + order.job() + "-prepare").start(task)).thenApply(p -> new JobEvent.Prepared(node, p)));
        return of;
    }

    /** Opens a link to another node, which begins to prepare its part; returns then. */
    static CoordinatedPart there(final Coordinator coordinator, final Preparation order, final List<Path> files, final NodeAddress address,
        final NodeInfo self, final Transport transport) throws IOException {
        final int node = order.self();
        final ControlChannel channel = ControlChannel.open(c -> reason -> coordinator.add(new JobEvent.PartLost(node, reason, true)));
        final CoordinatedPart of = new CoordinatedPart(node, coordinator, channel, listener -> {
            final Conversation conversation = channel.conversation().serve(PartListener.class, listener);
            return conversation.peer(JobPart.class);
        });
        channel.attach(transport.connect(new InetSocketAddress(address.host(), address.port()), new Hello(Protocol.NODE,
            MessageCodec.write(new NodeHello(Protocol.VERSION, self, address.name()))), channel, Protocol.LINK_LIMIT));
        of.await(
            channel.conversation().peer(JobNode.class).prepare(order, ProgramFiles.stream(files)).thenApply(p -> new JobEvent.Prepared(node, p)));
        return of;
    }

    /** Adds an event, or the failure of the part; the loss of a link is an event of its own. */
    private void await(final CompletionStage<? extends JobEvent> call) {
        call.whenComplete((event, e) -> {
            if (e == null) {
                coordinator.add(event);
                return;
            }
            final Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            if (cause instanceof final CallFailedException known) {
                failed(known.status(), String.valueOf(known.getMessage()));
            } else if (channel == null) {
                failed(ExitStatus.FAILED, Protocol.oneLine(cause));
            }
        });
    }

    /** Returns the index of the part's node in the job. */
    int node() {
        return node;
    }

    /** Returns the part. */
    JobPart part() {
        return part;
    }

    /** Begins to connect the part to the others. */
    void connect(final AgreedJob job) {
        await(part.connect(job).thenApply(done -> new JobEvent.Connected(node)));
    }

    /** Begins to bring the part, which is connected, to the modules that the others use now. */
    void bring(final Function<JobPart, CompletionStage<Void>> step) {
        await(step.apply(part).thenApply(done -> new JobEvent.Connected(node)));
    }

    /** Begins to start the rank of the part, a spare one, which takes a place. */
    void startSpare(final Replacement place, final List<NodeEndpoints> linked) {
        await(part.startSpare(place, linked).thenApply(done -> new JobEvent.Connected(node)));
    }

    /** Returns whether the part has ended. */
    boolean isEnded() {
        return ended.isDone();
    }

    /** Returns a future that completes when the part has ended. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    void markEnded() {
        ended.complete(null);
    }

    /** Reads no more of what the part puts out, and closes the link to it, if it has one. */
    @Override
    public void close() {
        final InputStream from = output;
        if (from != null) {
            try {
                from.close();
            } catch (final IOException e) {
                // nobody reads it any more
                return;
            }
        }
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    public CompletionStage<Void> output(final InputStream pieces) {
        output = pieces;
        return Conversation.result(() -> {
            try {
                for (OutputPiece piece = OutputPiece.read(pieces); piece != null; piece = OutputPiece.read(pieces)) {
                    passOn(piece);
                }
                return null;
            } catch (final StreamCorruptedException | RuntimeException e) {
                // its end would be lost
                failed(ExitStatus.NO_CLUSTER, Protocol.oneLine(e));
                throw e;
            }
        });
    }

    private void passOn(final OutputPiece piece) throws IOException, InterruptedException {
        switch (piece.kind()) {
            case REPORT -> coordinator.keep(piece.value(InterceptorReport.Piece.class));
            case RANK_ENDED -> coordinator.add(new JobEvent.RankEnded(node, piece.rank(), piece.value(RankOutcome.class)));
            case PART_ENDED -> coordinator.add(new JobEvent.PartEnded(node));
            case SPAWN_ENDED -> coordinator.add(new JobEvent.SpawnEnded(node));
            default -> coordinator.print(piece);
        }
    }

    @Override
    public CompletionStage<byte[]> input() {
        return coordinator.input();
    }

    @Override
    public CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
        final CompletableFuture<List<Integer>> answer = new CompletableFuture<>();
        coordinator.add(new JobEvent.ReplacementWanted(node, request, answer));
        return answer.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Void> inFinalize(final int rank) {
        final CompletableFuture<Void> answer = new CompletableFuture<>();
        coordinator.add(new JobEvent.InFinalize(rank, answer));
        return answer.minimalCompletionStage();
    }

    @Override
    public void failed(final int status, final String text) {
        coordinator.add(new JobEvent.PartFailed(node, status, text));
    }

    @Override
    public void jvmLost(final String reason) {
        coordinator.add(new JobEvent.JvmLost(node, reason));
    }

    @Override
    public void nodeLost(final int lost, final String reason) {
        coordinator.add(new JobEvent.NodeLost(node, lost, reason));
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        coordinator.checkpointed(report);
    }

    @Override
    public void released(final List<ModuleId> kept) {
        // the part's own node keeps them installed
    }

    @Override
    public void tried(final CanaryReport report) {
        coordinator.tried(report);
    }

    @Override
    public void tuned(final List<CallTuning> found) {
        coordinator.tuned(found);
    }

    @Override
    public void spawned() {
        coordinator.add(new JobEvent.Spawned(node));
    }
}
