package tutti.daemon.control;

import java.nio.file.Path;
import java.util.List;
import tutti.daemon.protocol.Message;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.job.JobHost;

/** Proxy of the part on the coordinator's own node. */
final class LocalPartProxy extends JobPartProxy implements JobPartListener {
    private final Listener listener;
    private final OutputRelay output;
    private final NodePart part;

    LocalPartProxy(final int node, final Listener listener, final OutputRelay output, final PartSupport support, final Path folder,
        final String place) {
        super(node);
        this.listener = listener;
        this.output = output;
        this.part = support.parts().create(this, support, folder, place);
    }

    /** Starts to prepare the part; returns at once. */
    LocalPartProxy prepare(final Message.Prepare p, final List<Path> files, final JobHost host, final JobTransports transports) {
        Thread.ofVirtual().name("tutti-" + p.job() + "-prepare").start(() -> part.prepare(JobPart.specWith(p, files), p, host, transports));
        return this;
    }

    @Override
    void connect(final Message.Connect with) {
        part.connect(with);
    }

    @Override
    void order(final Message.Verb verb, final String reason) {
        part.order(new Message.Order(verb, reason));
    }

    @Override
    void inspect(final Message.Inspect question) {
        Thread.ofVirtual().name("tutti-inspect").start(() -> part.inspect(question));
    }

    @Override
    void order(final Message.PointOrder order) {
        part.order(order);
    }

    @Override
    void sendInput(final byte[] bytes) {
        part.input(bytes);
    }

    @Override
    void release() {
        // a local part has no link
    }

    @Override
    public void inputWanted() {
        listener.inputWanted();
    }

    @Override
    public void report(final Message message) {
        listener.reported(node(), message);
    }

    @Override
    public void printed(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
        output.sendOutput(rank, error, bytes);
    }

    @Override
    public void traced(final int rank, final byte[] bytes) throws InterruptedException {
        output.sendTrace(rank, bytes);
    }

    @Override
    public void reported(final InterceptorReport.Piece piece) {
        output.keepReport(piece);
    }
}
