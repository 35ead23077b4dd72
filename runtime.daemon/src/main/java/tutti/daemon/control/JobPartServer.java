package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Credits;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobSpec;

/** Server of a job's part on this node, on the link of a remote coordinator. The part ends when the link is lost. */
final class JobPartServer implements ChannelReceiver, JobPartListener {
    private final ControlChannel channel;
    private final JobHost host;
    private final JobTransports transports;
    private final ProgramStore store;
    private final Path folder;
    private final PartSupport support;
    private final Credits credits = new Credits(Protocol.NODE_OUTPUT_CREDIT);
    /** Returns why the node takes no more jobs; null when it does. */
    private final Supplier<String> full;
    /** Null before the order to prepare. */
    private volatile @Nullable NodePart part;
    /** Set from the order to prepare until the part has ended. */
    private volatile boolean isBusy;
    private volatile boolean isClosed;

    JobPartServer(final ControlChannel channel, final JobHost host, final JobTransports transports, final PartSupport support,
        final Path folder, final Supplier<String> full) {
        this.full = full;
        this.channel = channel;
        this.host = host;
        this.transports = transports;
        this.folder = folder;
        this.store = new ProgramStore(folder);
        this.support = support;
    }

    @Override
    public void message(final Message message) {
        if (message instanceof final Message.Prepare p) {
            prepare(p);
            return;
        }
        final NodePart to = part;
        if (to == null) {
            report(new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, "order before the part is prepared"));
            return;
        }
        switch (message) {
            case Message.Connect c -> Thread.ofVirtual().name("tutti-connect").start(() -> to.connect(c));
            case Message.Inspect i -> Thread.ofVirtual().name("tutti-inspect").start(() -> to.inspect(i));
            case Message.PointOrder p -> to.order(p);
            case Message.Order o -> Thread.ofVirtual().name("tutti-order").start(() -> to.order(o));
            default -> throw new IllegalStateException("unexpected message from a coordinator: " + message.getClass().getSimpleName());
        }
    }

    private void prepare(final Message.Prepare p) {
        final NodePart made = create(p);
        final String reason = full.get();
        if (reason != null) {
            made.failed(new IOException(reason));
            return;
        }
        isBusy = true;
        Thread.ofVirtual().name("tutti-prepare-" + p.job()).start(() -> receive(p));
    }

    private NodePart create(final Message.Prepare p) {
        if (part != null) {
            throw new IllegalStateException("a link has one part of a job");
        }
        final NodePart made = support.parts().create(this, support, folder, p.nodes().get(p.self()));
        part = made;
        return made;
    }

    private NodePart part() {
        return Objects.requireNonNull(part, "the part is not prepared");
    }

    private boolean hasSpawned() {
        final NodePart made = part;
        return made != null && made.hasSpawned();
    }

    /** Returns whether this node or its peer is at work for the other. */
    boolean isBusy() {
        return isBusy || hasSpawned();
    }

    /** Prepares the part with a program that is here. Blocks. */
    void prepare(final JobSpec spec, final Message.Prepare p) {
        create(p).prepare(spec, p, host, transports);
    }

    private void receive(final Message.Prepare p) {
        try {
            final List<Path> files = store.store(p.files(), channel::postProgramCredit);
            part().prepare(JobPart.specWith(p, files), p, host, transports);
        } catch (final IOException | RuntimeException e) {
            // also values of the message that do not fit each other
            part().failed(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            part().failed(e);
        } finally {
            if (isClosed) {
                // files that arrived while the link was closed
                TempFolders.delete(folder);
            }
        }
    }

    @Override
    public void program(final int file, final byte[] bytes) {
        store.offer(file, bytes);
    }

    @Override
    public void outputCredit(final int bytes) {
        credits.grant(bytes);
    }

    @Override
    public void report(final Message message) {
        channel.post(message);
        if (message instanceof Message.Progress p && (p.phase() == Message.Phase.ENDED || p.phase() == Message.Phase.FAILED)) {
            isBusy = false;
        }
        // output of spawned jobs may follow the end of the part
        if (message instanceof Message.Progress p && (p.phase() == Message.Phase.ENDED || p.phase() == Message.Phase.FAILED) && !hasSpawned()) {
            credits.close();
        }
    }

    @Override
    public void printed(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
        if (credits.acquire(bytes.length)) {
            channel.postOutput(rank, error, bytes, 0, bytes.length);
        }
    }

    @Override
    public void traced(final int rank, final byte[] bytes) throws InterruptedException {
        if (credits.acquire(bytes.length)) {
            channel.postTrace(rank, bytes);
        }
    }

    @Override
    public void reported(final InterceptorReport.Piece piece) throws InterruptedException {
        if (credits.acquire(piece.bytes().length)) {
            channel.postReport(piece);
        }
    }

    @Override
    public void inputWanted() {
        channel.postInputCredit();
    }

    @Override
    public void input(final byte[] bytes) {
        part().input(bytes);
    }

    @Override
    public void closed(final String reason) {
        isClosed = true;
        credits.close();
        store.close();
        final NodePart made = part;
        Thread.ofVirtual().name("tutti-order").start(() -> {
            if (made != null) {
                made.order(new Message.Order(Message.Verb.END_SPAWNED, "the job that spawned it has lost its coordinator: " + reason));
                made.order(new Message.Order(Message.Verb.CANCEL, "the node that launched the job is gone: " + reason));
            }
            TempFolders.delete(folder);
        });
    }
}
