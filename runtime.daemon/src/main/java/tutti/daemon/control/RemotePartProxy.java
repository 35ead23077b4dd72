package tutti.daemon.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.CreditBatch;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/** Proxy of the part on another node, over a link; {@link JobPartServer} is the other end. */
final class RemotePartProxy extends JobPartProxy implements ChannelReceiver {
    private final Listener listener;
    private final OutputRelay output;
    private final ControlChannel channel = ControlChannel.open(c -> this);
    private final ProgramSender sender = new ProgramSender(channel);
    private final CreditBatch credit = new CreditBatch(Protocol.NODE_OUTPUT_CREDIT, channel::postOutputCredit);

    RemotePartProxy(final int node, final Listener listener, final OutputRelay output) {
        super(node);
        this.listener = listener;
        this.output = output;
    }

    /** Opens the link to the node, tells it to prepare, and starts to send the program. */
    RemotePartProxy prepare(final NodeAddress address, final Message.Prepare prepare, final List<Path> files, final NodeInfo self,
        final Transport transport) throws IOException {
        channel.attach(transport.connect(new InetSocketAddress(address.host(), address.port()), new Hello(Protocol.NODE,
            MessageCodec.write(new NodeHello(Protocol.VERSION, self, prepare.job()))), channel, Protocol.LINK_LIMIT));
        channel.post(prepare);
        Thread.ofVirtual().name("tutti-" + prepare.job() + "-send").start(() -> send(files));
        return this;
    }

    private void send(final List<Path> files) {
        try {
            sender.send(files);
        } catch (final IOException e) {
            listener.programUnreadable(Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void connect(final Message.Connect with) {
        channel.post(with);
    }

    @Override
    void order(final Message.Verb verb, final String reason) {
        channel.post(new Message.Order(verb, reason));
    }

    @Override
    void inspect(final Message.Inspect question) {
        channel.post(question);
    }

    @Override
    void order(final Message.PointOrder order) {
        channel.post(order);
    }

    @Override
    void sendInput(final byte[] bytes) {
        channel.postInput(bytes);
    }

    @Override
    void release() {
        sender.close();
        channel.close();
    }

    @Override
    public void message(final Message message) {
        listener.reported(node(), message);
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        output.queueOutput(rank, error, bytes, credit);
    }

    @Override
    public void trace(final int rank, final byte[] bytes) {
        output.queueTrace(rank, bytes, credit);
    }

    @Override
    public void report(final InterceptorReport.Piece piece) {
        output.queueReport(piece, credit);
    }

    @Override
    public void inputCredit(final int bytes) {
        listener.inputWanted();
    }

    @Override
    public void programCredit(final int bytes) {
        sender.credit(bytes);
    }

    @Override
    public void closed(final String reason) {
        sender.close();
        listener.partLost(node(), reason);
    }
}
