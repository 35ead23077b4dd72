package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Credits;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.JobHost;

/** Server of a job's part on this node, on the link of a remote coordinator. The part ends when the link is lost. */
final class JobPartServer implements ChannelReceiver, JobPartListener {
    private final ControlChannel channel;
    private final JobHost host;
    private final JobTransports transports;
    private final ProgramStore store;
    private final Path folder;
    private final JobPart part;
    private final Credits credits = new Credits(Protocol.NODE_OUTPUT_CREDIT);

    JobPartServer(final ControlChannel channel, final JobHost host, final JobTransports transports, final PartSupport support,
        final Path folder) {
        this.channel = channel;
        this.host = host;
        this.transports = transports;
        this.folder = folder;
        this.store = new ProgramStore(folder);
        this.part = new JobPart(this, support, folder);
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.Prepare p -> Thread.ofVirtual().name("tutti-prepare-" + p.job()).start(() -> prepare(p));
            case Message.Connect c -> Thread.ofVirtual().name("tutti-connect").start(() -> part.connect(c));
            case Message.Inspect i -> Thread.ofVirtual().name("tutti-inspect").start(() -> part.inspect(i));
            case Message.Order o -> Thread.ofVirtual().name("tutti-order").start(() -> part.order(o));
            default -> throw new IllegalStateException("unexpected message from a coordinator: " + message.getClass().getSimpleName());
        }
    }

    private void prepare(final Message.Prepare p) {
        try {
            final List<Path> files = store.store(p.files(), channel::postProgramCredit);
            part.prepare(JobPart.specOf(p, p.self(), files), p.transport(), host, transports);
        } catch (final IOException e) {
            part.failed(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            part.failed(e);
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
        // output of spawned jobs may follow the end of the part
        if (message instanceof Message.Progress p && (p.phase() == Message.Phase.ENDED || p.phase() == Message.Phase.FAILED) && !part.hasSpawned()) {
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
    public void inputWanted() {
        channel.postInputCredit();
    }

    @Override
    public void input(final byte[] bytes) {
        part.input(bytes);
    }

    @Override
    public void closed(final String reason) {
        credits.close();
        store.close();
        Thread.ofVirtual().name("tutti-order").start(() -> {
            part.order(new Message.Order(Message.Verb.END_SPAWNED, "the job that spawned it has lost its coordinator: " + reason));
            part.order(new Message.Order(Message.Verb.CANCEL, "the node that launched the job is gone: " + reason));
            TempFolders.delete(folder);
        });
    }
}
