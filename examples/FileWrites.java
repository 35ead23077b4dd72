import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import mpi.Grequest;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/**
 * Writes blocks to a file while the rank computes. A write is a generalized request that the runtime pushes: its push function asks the file channel
 * whether the write is complete, and starts the next part of it. {@code FileReads} has the other form, in which a handler of the channel completes
 * the request.
 *
 * <p>Run it with {@code ./tutti run -n 3 examples/FileWrites.java}; each rank writes a file of its own.
 */
public final class FileWrites {
    private static final int BLOCK = 1 << 20;
    private static final int BLOCKS = 4;

    private FileWrites() {}

    /** A write of a block at a position, and the functions of its request. */
    private static final class Write {
        private final AsynchronousFileChannel file;
        private final ByteBuffer block;
        private final long position;
        private Future<Integer> part;

        Write(final AsynchronousFileChannel file, final ByteBuffer block, final long position) {
            this.file = file;
            this.block = block;
            this.position = position;
        }

        private void start() {
            part = file.write(block, position + block.position());
        }

        /** Returns whether the block is written. */
        private boolean push() throws MPIException, InterruptedException {
            if (!part.isDone()) {
                return false;
            }
            try {
                part.get();
            } catch (final ExecutionException e) {
                throw new MPIException(MPI.ERR_IO, "write failed: " + e.getCause());
            }
            if (block.hasRemaining()) {
                start();
                return false;
            }
            return true;
        }

        private void complete(final Status status) throws MPIException {
            status.setElements(MPI.BYTE, block.position());
        }

        private void cancel() throws MPIException {
            throw new MPIException(MPI.ERR_OTHER, "a write that was started takes place");
        }
    }

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.Init(args);
        final Path path = Files.createTempFile("writes", null);
        long bytes = 0;
        try (AsynchronousFileChannel file = AsynchronousFileChannel.open(path, StandardOpenOption.WRITE)) {
            final Request[] requests = new Request[BLOCKS];
            for (int i = 0; i < BLOCKS; i++) {
                final Write write = new Write(file, ByteBuffer.allocateDirect(BLOCK), (long) i * BLOCK);
                requests[i] = Grequest.start(Write::start, Write::push, Write::complete, Write::cancel, write);
            }
            for (final Status status : Request.waitAllStatus(requests)) {
                bytes += status.getCount(MPI.BYTE);
            }
        }
        Files.delete(path);
        final long[] sum = {bytes};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.LONG, MPI.SUM);
        if (MPI.COMM_WORLD.getRank() == 0) {
            System.out.printf("%d bytes are written%n", sum[0]);
        }
        MPI.Finalize();
    }
}
