import edu.iu.dsc.tws.api.comms.channel.ChannelListener;
import edu.iu.dsc.tws.api.comms.messaging.ChannelMessage;
import edu.iu.dsc.tws.api.comms.messaging.MessageDirection;
import edu.iu.dsc.tws.api.comms.messaging.MessageHeader;
import edu.iu.dsc.tws.api.comms.packing.DataBuffer;
import edu.iu.dsc.tws.api.config.Config;
import edu.iu.dsc.tws.api.resource.IWorkerController;
import edu.iu.dsc.tws.comms.mpi.TWSMPIChannel;
import edu.iu.dsc.tws.proto.jobmaster.JobMasterAPI.WorkerInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import mpi.MPI;

/** Sends messages around a ring with Twister2's channel over MPI: each rank to the next, with buffers that are used again. */
public class ChannelRing {
    private static final int MESSAGES = 100;
    private static final int EDGE = 7;
    private static final int BYTES = 4096;

    private record Workers(int rank, int size) implements IWorkerController {
        @Override
        public WorkerInfo getWorkerInfo() {
            return new WorkerInfo(rank);
        }

        @Override
        public WorkerInfo getWorkerInfoForID(final int id) {
            return new WorkerInfo(id);
        }

        @Override
        public int getNumberOfWorkers() {
            return size;
        }

        @Override
        public List<WorkerInfo> getJoinedWorkers() {
            return List.of();
        }

        @Override
        public List<WorkerInfo> getAllWorkers() {
            return List.of();
        }

        @Override
        public void waitOnBarrier() {
            throw new UnsupportedOperationException();
        }
    }

    public static void main(final String[] args) throws Exception {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        final int left = (rank + size - 1) % size;
        final int right = (rank + 1) % size;
        final TWSMPIChannel channel = new TWSMPIChannel(Config.newBuilder().build(), new Workers(rank, size));
        final Queue<DataBuffer> free = new ArrayDeque<>();
        for (int i = 0; i < 4; i++) {
            free.add(new DataBuffer(channel.createBuffer(BYTES)));
        }
        final List<String> received = new ArrayList<>();
        final int[] sent = {0};
        final ChannelListener listener = new ChannelListener() {
            @Override
            public void onReceiveComplete(final int id, final int edge, final DataBuffer buffer) {
                received.add(id + "/" + edge + ": " + buffer.getSize() + " bytes, " + buffer.getByteBuffer().getInt(0));
                free.add(buffer);
            }

            @Override
            public void onSendComplete(final int id, final int edge, final ChannelMessage message) {
                sent[0]++;
            }
        };
        channel.receiveMessage(0, left, EDGE, listener, free);
        final List<String> expected = new ArrayList<>();
        for (int n = 0; n < MESSAGES; n++) {
            final DataBuffer data = new DataBuffer(channel.createBuffer(BYTES));
            data.getByteBuffer().putInt(0, rank * MESSAGES + n);
            data.setSize(Integer.BYTES + n);
            final ChannelMessage message = new ChannelMessage(rank, null, MessageDirection.OUT, released -> {});
            message.addBuffer(data);
            message.setHeader(MessageHeader.newBuilder(rank, EDGE, 1).destination(right).build());
            while (!channel.sendMessage(right, message, listener)) {
                channel.progress();
            }
            expected.add(left + "/" + EDGE + ": " + (Integer.BYTES + n) + " bytes, " + (left * MESSAGES + n));
        }
        while (received.size() < MESSAGES || sent[0] < MESSAGES) {
            channel.progressSends();
            channel.progressReceives(0);
        }
        if (!received.equals(expected)) {
            throw new IllegalStateException(received + " instead of " + expected);
        }
        MPI.COMM_WORLD.barrier();
        channel.close();
        System.out.println("rank " + rank + " of " + size + " has " + received.size() + " messages of rank " + left);
        MPI.Finalize();
    }
}
